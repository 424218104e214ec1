/**
 * Exports an account as an archive, one page of lines at a time, so that neither side holds more than a page in memory.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import type { Account } from "../model/Account.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import type { Contact } from "../model/Contact.ts"
import type { Flow } from "../model/Flow.ts"
import type { Topic } from "../model/Topic.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import { ContactFieldStore } from "../ports/ContactFieldStore.ts"
import { ExportStore } from "../ports/ExportStore.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { SegmentStore } from "../ports/SegmentStore.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Atomically } from "../kernel/atomically.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { archiveFormat, type ArchiveLine, archiveVersion } from "./ArchiveLine.ts"
import {
  contactLine,
  flowLine,
  itemLine,
  nameOf,
  suppressionLine,
  templateLine,
  webhookLine
} from "./ExportLines.ts"

/** A page of an archive. */
export interface ArchivePage {
  readonly lines: ReadonlyArray<ArchiveLine>
  /** The cursor of the next page; null after the last. */
  readonly next: string | null
}

/** The number of lines on a page by kind. Templates and flows contain emails, and contacts their history. */
const pageSizes = {
  template: 20,
  flow: 10,
  webhook: 200,
  suppression: 1000,
  contact: 200,
  item: 500
} as const

/** The kinds that are paged, in order. All other kinds are on the first page. */
const paged = ["template", "flow", "webhook", "suppression", "contact", "item"] as const

type Paged = (typeof paged)[number]

/** The start of a page: a kind and the key before its first record; `""` for the first page of the kind. */
interface Cursor {
  readonly kind: Paged
  readonly after: string
}

const maxCursor = 400

const parseCursor = (value: string): Cursor | null => {
  const colon = value.indexOf(":")
  const kind = paged.find((one) => one === value.slice(0, Math.max(0, colon)))
  const after = value.slice(colon + 1)
  if (kind === undefined || value.length > maxCursor) return null
  return isKeyOf[kind](after) ? { kind, after } : null
}

const isId = (value: string): boolean =>
  value === "" || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
const isPage = (value: string): boolean => value === "" || /^[1-9]\d{0,5}$/.test(value)

const isKeyOf: Readonly<Record<Paged, (value: string) => boolean>> = {
  template: isPage,
  flow: isPage,
  webhook: isPage,
  suppression: (value) => !value.includes("\0") && value.isWellFormed(),
  contact: isId,
  item: isId
}

/** Exports accounts. */
export class AccountExport extends Context.Service<
  AccountExport,
  {
    /**
     * Returns a page of an account's archive: the first page for null, otherwise the page of a cursor. The first page is recorded
     * in the audit log. A record that changes during the export is exported in its state before or after. validation.format for
     * an invalid cursor.
     */
    readonly page: (
      account: Account,
      cursor: string | null,
      actor: Actor
    ) => Effect.Effect<ArchivePage, Problem | Unavailable>
  }
>()("svc/archive/AccountExport") {
  static readonly layer = Layer.effect(
    AccountExport,
    Effect.suspend(() => make)
  )
}

const allPages = Effect.fnUntraced(function* <A, E>(list: (page: PageRequest) => Effect.Effect<Page<A>, E>) {
  const all: Array<A> = []
  for (let page = 1; ; page++) {
    const { items, totalCount } = yield* list({ page, pageSize: 200 })
    all.push(...items)
    if (items.length === 0 || all.length >= totalCount) return all
  }
})

const make = Effect.gen(function* () {
  const fields = yield* ContactFieldStore
  const flows = yield* FlowStore
  const rows = yield* ExportStore
  const segments = yield* SegmentStore
  const stores = yield* ConnectedStores
  const templates = yield* TemplateStore
  const topics = yield* TopicStore
  const atomically = yield* Atomically
  const webhooks = yield* WebhookStore
  const { record } = yield* AuditTrail

  const storeNames = (accountId: string) =>
    Effect.map(
      allPages((page) => stores.list(accountId, page)),
      (all) => new Map(all.map((store) => [store.id, nameOf(store)]))
    )

  const first = Effect.fnUntraced(function* ({ id, mode, settings }: Account) {
    const lines: Array<ArchiveLine> = [
      {
        kind: "header",
        format: archiveFormat,
        version: archiveVersion,
        accountId: id,
        mode,
        exportedAt: yield* Clock.currentTimeMillis
      },
      { kind: "settings", ...settings, delivery: null, pools: null }
    ]
    for (const { accountId: _account, ...topic } of yield* topics.list(id))
      lines.push({ kind: "topic", ...topic })
    for (const { accountId: _account, ...field } of yield* fields.list(id))
      lines.push({ kind: "field", ...field })
    for (const { createdAt, definition, description, id: segmentId, name } of yield* segments.list(id)) {
      lines.push({ kind: "segment", id: segmentId, name, description, definition, createdAt })
    }
    const connected = yield* allPages((page) => stores.list(id, page))
    for (const store of connected.toReversed()) {
      const { connectedAt, consentMode, currency, name } = store
      lines.push({ kind: "store", ...nameOf(store), name, consentMode, currency, connectedAt })
    }
    return lines
  })

  const flowLines = Effect.fnUntraced(function* (accountId: string, items: ReadonlyArray<Flow>) {
    const refs = items.flatMap(({ id, version }) =>
      version === 0 ? [] : [{ accountId, flowId: id, version }]
    )
    const versions = yield* flows.versions(refs)
    const published = new Map(versions.map((version) => [version.flowId, version]))
    return items.map((flow) => flowLine(flow, published.get(flow.id)))
  })

  const contactLines = Effect.fnUntraced(function* (accountId: string, found: ReadonlyArray<Contact>) {
    const history = yield* rows.consents(
      accountId,
      found.map(({ id }) => id)
    )
    const names = yield* storeNames(accountId)
    const known = yield* topics.list(accountId)
    const histories = Map.groupBy(history, (entry) => entry.contactId)
    const keys = new Map(known.map((topic: Topic) => [topic.id, topic.key]))
    return found.map((contact) => contactLine(contact, histories.get(contact.id) ?? [], names, keys))
  })

  const read = Effect.fnUntraced(function* (accountId: string, { after, kind }: Cursor) {
    const key = after === "" ? null : after
    const page = { page: after === "" ? 1 : Number(after), pageSize: pageSizes[kind] }
    const nextPage = String(page.page + 1)
    switch (kind) {
      case "template":
        return { lines: (yield* templates.list(accountId, page)).items.map(templateLine), key: nextPage }
      case "flow":
        return {
          lines: yield* flowLines(accountId, (yield* flows.list(accountId, page)).items),
          key: nextPage
        }
      case "webhook":
        return { lines: (yield* webhooks.list(accountId, page)).items.map(webhookLine), key: nextPage }
      case "suppression": {
        const found = yield* rows.suppressions(accountId, key, pageSizes.suppression)
        return { lines: found.map(suppressionLine), key: found.at(-1)?.email ?? "" }
      }
      case "contact": {
        const found = yield* rows.contacts(accountId, key, pageSizes.contact)
        return { lines: yield* contactLines(accountId, found), key: found.at(-1)?.id ?? "" }
      }
      case "item": {
        const found = yield* rows.items(accountId, key, pageSizes.item)
        const names = yield* storeNames(accountId)
        return { lines: found.map((item) => itemLine(item, names)), key: found.at(-1)?.id ?? "" }
      }
    }
  })

  const page: AccountExport["Service"]["page"] = Effect.fn("AccountExport.page")(
    function* (account, after, actor) {
      if (after === null) {
        const { id } = account
        yield* atomically(
          record(actor, { accountId: id, action: "account.exported", target: id, before: null, after: null })
        )
        return { lines: yield* first(account), next: `${paged[0]}:` }
      }
      const cursor = parseCursor(after)
      if (cursor === null) return yield* Problem.of("validation.format", "after")
      const { key, lines } = yield* read(account.id, cursor)
      if (lines.length === pageSizes[cursor.kind]) return { lines, next: `${cursor.kind}:${key}` }
      const following = paged[paged.indexOf(cursor.kind) + 1]
      return { lines, next: following === undefined ? null : `${following}:` }
    }
  )

  return AccountExport.of({ page })
})
