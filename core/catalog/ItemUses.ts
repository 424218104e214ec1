/**
 * Finds where an item of the catalogue is used: in templates, and in the flows and campaigns that send these templates or have
 * content of their own.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { activeStatuses, type CampaignUse, contentsOf, maxOpenCampaigns, usesOf } from "../model/Campaign.ts"
import { emailsOf, type FlowDefinition } from "../model/FlowDefinition.ts"
import type { Flow } from "../model/Flow.ts"
import type { Item } from "../model/Item.ts"
import { renderedSources, type Template } from "../model/Template.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { FlowStore, type FlowUse } from "../ports/FlowStore.ts"
import { ItemStore } from "../ports/ItemStore.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import type { Page, PageRequest, Place } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { anyCategory, namedItems } from "./TemplateItems.ts"

/** How an email refers to an item: by its id, or by a category whose items it recommends. */
export const itemNamings = ["Id", "Category"] as const

/** How an email refers to an item. */
export type ItemNaming = (typeof itemNamings)[number]

/** A template that shows an item. */
export interface TemplateUse extends Pick<Template, "id" | "name"> {
  readonly by: ItemNaming
}

/** The uses of an item, each list ordered by name. */
export interface ItemUsage {
  readonly templates: ReadonlyArray<TemplateUse>
  /** The flows that show the item by a template or in content of their own, without archived flows. */
  readonly flows: ReadonlyArray<FlowUse>
  /** The campaigns that show the item in the same ways and have not ended. */
  readonly campaigns: ReadonlyArray<CampaignUse>
}

/**
 * How the sources of one email refer to an item. Null if they do not, or do so only by a value that is known when the email is
 * sent, such as `item[event.sku]`. Templates cannot name a store's item, and do not recommend inactive items.
 */
export const namingOf = (
  { active, categories, externalId, storeId }: Pick<Item, "active" | "categories" | "externalId" | "storeId">,
  sources: ReadonlyArray<string>
): ItemNaming | null => {
  const named = namedItems(sources, {})
  if (storeId === null && named.ids.includes(externalId)) return "Id"
  const isRecommended = named.categories.some((one) => one === anyCategory || categories.includes(one))
  return active && isRecommended ? "Category" : null
}

/** The number of templates read at a time. Their sources are long. */
const templatesAtOnce = 20
/** The number of flows read at a time. */
const flowsAtOnce = 50

/** Finds where items are used. */
export class ItemUses extends Context.Service<
  ItemUses,
  {
    /**
     * Returns where an item is used, by the newest version of each template. Reads all of the account's templates, flows and
     * campaigns, whose numbers are limited. Fails with catalog.item_not_found.
     */
    readonly usage: (accountId: string, id: string) => Effect.Effect<ItemUsage, Problem | Unavailable>
  }
>()("svc/catalog/ItemUses") {
  static readonly layer = Layer.effect(
    ItemUses,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const campaigns = yield* CampaignStore
  const flows = yield* FlowStore
  const items = yield* ItemStore
  const templates = yield* TemplateStore

  const templatesOf = Effect.fnUntraced(function* (accountId: string, item: Item) {
    const uses: Array<TemplateUse> = []
    yield* eachPage(
      templatesAtOnce,
      (page) => templates.list(accountId, page),
      (found) =>
        inTurn(found, (template) => {
          const by = namingOf(item, renderedSources(template))
          if (by !== null) uses.push({ id: template.id, name: template.name, by })
        })
    )
    return uses.toSorted(byName)
  })

  const flowsOf = Effect.fnUntraced(function* (
    accountId: string,
    isShown: (definition: FlowDefinition) => boolean
  ) {
    const uses: Array<FlowUse> = []
    yield* eachPage(
      flowsAtOnce,
      (page) => flows.list(accountId, page),
      Effect.fnUntraced(function* (found: ReadonlyArray<Flow>) {
        const current = found.filter(({ status }) => status !== "Archived")
        const published = yield* flows.versions(
          current.map(({ id: flowId, version }) => ({ accountId, flowId, version }))
        )
        const byFlow = new Map(published.map((one) => [one.flowId, one.definition]))
        yield* inTurn(current, ({ definition, id, name, status }) => {
          const latest = byFlow.get(id)
          const isPublished = latest !== undefined && isShown(latest)
          if (isPublished || isShown(definition)) uses.push({ id, name, status, isPublished })
        })
      })
    )
    return uses.toSorted(byName)
  })

  return ItemUses.of({
    usage: Effect.fn("ItemUses.usage")(function* (accountId, id) {
      const item = yield* items.get(accountId, id)
      if (item === null) return yield* Problem.of("catalog.item_not_found")
      const used = yield* templatesOf(accountId, item)
      const showing = new Set(used.map((template) => template.id))
      /** Whether content refers to the item, by its template or itself. */
      const isShown = (content: Content): boolean =>
        (content.templateId ?? null) === null
          ? namingOf(item, ownSources(content)) !== null
          : showing.has(content.templateId!)
      const open = yield* campaigns.inStatus(accountId, ["Draft", ...activeStatuses], maxOpenCampaigns)
      return {
        templates: used,
        flows: yield* flowsOf(accountId, (definition) => emailsOf(definition).some(isShown)),
        campaigns: usesOf(open.filter((campaign) => contentsOf(campaign).some(isShown)))
      }
    })
  })
})

/** The content of a flow's step or of a campaign: a template, or content of its own. */
interface Content {
  readonly templateId?: string | null
  readonly subject?: string | null
  readonly preheader?: string | null
  readonly html?: string | null
  readonly text?: string | null
}

const ownSources = ({ html, preheader, subject, text }: Content): ReadonlyArray<string> =>
  [subject, preheader, html, text].filter((source) => typeof source === "string")

const byName = (
  one: { readonly id: string; readonly name: string },
  other: { readonly id: string; readonly name: string }
): number => one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1)

/** Processes elements one after the other. Sources are long, so other work of this process runs between them. */
const inTurn = <A>(elements: ReadonlyArray<A>, look: (element: A) => void): Effect.Effect<void> =>
  Effect.forEach(
    elements,
    (element) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => look(element))
      ),
    {
      discard: true
    }
  )

/** Reads a list page by page, each page from the end of the previous one, and keeps no page. */
const eachPage = Effect.fnUntraced(function* <A, E, E2>(
  pageSize: number,
  list: (page: PageRequest) => Effect.Effect<Page<A>, E>,
  use: (found: ReadonlyArray<A>) => Effect.Effect<void, E2>
) {
  let after: Place | null = null
  do {
    const { items, next }: Page<A> = yield* list({ page: 1, pageSize, after, total: "None" })
    yield* use(items)
    after = next
  } while (after !== null)
})
