/**
 * The use cases of operators on templates (docs/contributing/management-api.md).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { activeStatuses, type CampaignUse, maxOpenCampaigns, usesOf } from "../../model/Campaign.ts"
import { editedBy } from "../../model/Edited.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { brandFinder } from "../../images/Brands.ts"
import { imageUrl } from "../../images/ImageKeys.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { Account } from "../../model/Account.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import { RunOwner } from "../../ports/Threads.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { expectUnedited } from "../../kernel/Precondition.ts"
import { deepEqual } from "../../shared/Json.ts"
import { mapPage, type Page, type PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { type RenderedTemplate, TemplateRenderer } from "./TemplateRenderer.ts"
import {
  type Template,
  type TemplateContent,
  type TemplateVersion,
  type TemplateVersionSummary,
  versionOf
} from "../../model/Template.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { FlowStore, type FlowUse } from "../../ports/FlowStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { startersOf, type TemplateStarter } from "./TemplateStarters.ts"
import { TemplateCheck, type TemplateWrite } from "./TemplateRules.ts"

/** The maximum number of templates of an account. */
export const maxTemplates = 1000

/** The highest version number that the storage can hold. */
const maxVersion = 2_147_483_647

/** Where a template is used. */
export interface TemplateUsage {
  /** The flows whose edited or published definition sends it, without archived flows. */
  readonly flows: ReadonlyArray<FlowUse>
  /** The campaigns that send it and have not ended, ordered by name. */
  readonly campaigns: ReadonlyArray<CampaignUse>
  /** When the latest email rendered from it was accepted, epoch milliseconds; null if no such email is stored. */
  readonly lastUsedAt: number | null
}

/** A template in a list. */
export interface ListedTemplate extends Template {
  /** As in {@link TemplateUsage}. */
  readonly lastUsedAt: number | null
}

/** Manages the templates of accounts for operators. */
export class Templates extends Context.Service<
  Templates,
  {
    /**
     * Creates a template. Fails with validation.* of its fields, sending.content_required, sending.template_invalid with line
     * and column, and sending.template_limit_reached.
     */
    readonly create: (
      accountId: string,
      write: TemplateWrite,
      actor: Actor
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** Lists an account's templates, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<ListedTemplate>, Unavailable>
    /** Returns a template by its id. Fails with common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Template, Problem | Unavailable>
    /**
     * Changes the given fields. Emails accepted before keep their content. Fails as `create` does, and with common.not_found.
     */
    readonly change: (
      accountId: string,
      id: string,
      write: Partial<TemplateWrite>,
      actor: Actor
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** Lists the versions of a template, newest first, at most `maxTemplateVersions`. Fails with common.not_found. */
    readonly versions: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<TemplateVersionSummary>, Problem | Unavailable>
    /** Returns a version with its content. Fails with common.not_found. */
    readonly version: (
      accountId: string,
      id: string,
      version: number
    ) => Effect.Effect<TemplateVersion, Problem | Unavailable>
    /** Saves the content of an old version as the next version. Fails with common.not_found. */
    readonly restore: (
      accountId: string,
      id: string,
      version: number,
      actor: Actor
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** Returns where a template is used. Fails with common.not_found. */
    readonly usage: (accountId: string, id: string) => Effect.Effect<TemplateUsage, Problem | Unavailable>
    /** Returns ready-made templates in the brand of the account's company. */
    readonly starters: (account: Account) => Effect.Effect<ReadonlyArray<TemplateStarter>, Unavailable>
    /** Deletes a template. Fails with common.not_found. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** Renders a template as a preview. Fails with common.not_found and sending.template_render_failed. */
    readonly render: (
      accountId: string,
      id: string,
      variables: TemplateValues
    ) => Effect.Effect<RenderedTemplate, Problem | Unavailable>
  }
>()("svc/sending/Templates", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const { check } = yield* TemplateCheck
    const renderer = yield* TemplateRenderer
    const ids = yield* Ids
    const { record } = yield* AuditTrail
    const store = yield* TemplateStore
    const campaigns = yield* CampaignStore
    const findBrand = yield* brandFinder
    const endpoint = yield* PublicEndpoint
    const flows = yield* FlowStore
    const submissions = yield* SubmissionStore

    const get = Effect.fnUntraced(function* (accountId: string, id: string) {
      const [template] = yield* store.find(accountId, [id])
      return template ?? (yield* Problem.of("common.not_found"))
    })

    /** Validates a write, before the transaction if possible, because it may keep a thread busy for seconds. */
    const validate = (accountId: string, write: Partial<TemplateWrite>, before: Template | null) =>
      Effect.provideService(check(write, before), RunOwner, accountId)

    /**
     * Writes under the account's lock: the later of two concurrent writes reads the earlier one, and the audit log has both.
     */
    const writeLocked = <A, E, R>(accountId: string, write: Effect.Effect<A, E, R>) =>
      atomically(Effect.andThen(accounts.lock([accountId]), write))

    /** Saves content as the next version, in the caller's transaction. */
    const saveNext = Effect.fnUntraced(function* (
      before: Template,
      content: TemplateContent,
      actor: Actor,
      action: string
    ) {
      const edited = editedBy(actor, yield* Clock.currentTimeMillis, before)
      const template: Template = { ...before, ...content, version: before.version + 1, ...edited }
      yield* store.save(template)
      yield* store.addVersion(versionOf(template))
      yield* record(actor, {
        accountId: before.accountId,
        action,
        target: before.id,
        before: summaryOf(before),
        after: summaryOf(template)
      })
      return template
    })

    const version = Effect.fnUntraced(function* (accountId: string, id: string, number: number) {
      const found = number < 1 || number > maxVersion ? null : yield* store.version(accountId, id, number)
      return found ?? (yield* Problem.of("common.not_found"))
    })

    return {
      create: Effect.fn("Templates.create")(function* (accountId, write, actor) {
        const content = yield* validate(accountId, write, null)
        const now = yield* Clock.currentTimeMillis
        const template: Template = {
          id: yield* ids.next,
          accountId,
          version: 1,
          ...content,
          createdAt: now,
          ...editedBy(actor, now)
        }
        yield* writeLocked(
          accountId,
          Effect.gen(function* () {
            const { totalCount } = yield* store.list(accountId, { page: 1, pageSize: 1 })
            if (totalCount >= maxTemplates) {
              return yield* Problem.of("sending.template_limit_reached", null, { max: maxTemplates })
            }
            yield* store.insert(template)
            yield* store.addVersion(versionOf(template))
            yield* record(actor, {
              accountId,
              action: "template.created",
              target: template.id,
              before: null,
              after: summaryOf(template)
            })
          })
        )
        return template
      }),
      list: Effect.fn("Templates.list")(function* (accountId, page) {
        const found = yield* store.list(accountId, page)
        const uses = yield* submissions.lastUses(
          accountId,
          found.items.map(({ id }) => id)
        )
        return mapPage(found, (template) => ({ ...template, lastUsedAt: uses.get(template.id) ?? null }))
      }),
      get,
      change: Effect.fn("Templates.change")(function* (accountId, id, write, actor) {
        const known = yield* get(accountId, id)
        const checked = yield* validate(accountId, write, known)
        return yield* writeLocked(
          accountId,
          Effect.gen(function* () {
            const before = yield* get(accountId, id)
            yield* expectUnedited(before)
            const unchanged = deepEqual(before, known)
            const content = unchanged ? checked : yield* validate(accountId, write, before)
            return yield* saveNext(before, content, actor, "template.changed")
          })
        )
      }),
      versions: Effect.fn("Templates.versions")(function* (accountId, id, page) {
        yield* get(accountId, id)
        return yield* store.listVersions(accountId, id, page)
      }),
      version: Effect.fn("Templates.version")(version),
      restore: Effect.fn("Templates.restore")((accountId, id, number, actor) =>
        writeLocked(
          accountId,
          Effect.gen(function* () {
            const before = yield* get(accountId, id)
            const { compiledHtml, format, html, name, preheader, source, subject, text } = yield* version(
              accountId,
              id,
              number
            )
            const content = { name, subject, format, source, preheader, html, compiledHtml, text }
            return yield* saveNext(before, content, actor, "template.restored")
          })
        )
      ),
      usage: Effect.fn("Templates.usage")(function* (accountId, id) {
        yield* get(accountId, id)
        const uses = yield* submissions.lastUses(accountId, [id])
        const statuses = ["Draft", ...activeStatuses] as const
        const open = yield* campaigns.uses(accountId, statuses, { templateId: id }, maxOpenCampaigns)
        return {
          campaigns: usesOf(open),
          flows: yield* flows.using(accountId, "templateId", id),
          lastUsedAt: uses.get(id) ?? null
        }
      }),
      starters: Effect.fn("Templates.starters")(function* (account) {
        const { logo, pageTexts: _texts, ...brand } = yield* findBrand(account)
        const logoUrl = logo === null ? null : imageUrl(endpoint.baseUrl(), logo)
        return startersOf({ ...brand, logoUrl })
      }),
      remove: Effect.fn("Templates.remove")(function* (accountId, id, actor) {
        // If a campaign is launched at the same time, the later of the two sees the earlier.
        yield* accounts.lock([accountId])
        const active = yield* campaigns.uses(accountId, activeStatuses, { templateId: id }, 1)
        if (active.length > 0) return yield* Problem.of("templates.in_use")
        const removed = yield* store.remove(accountId, id)
        if (removed === null) return yield* Problem.of("common.not_found")
        yield* expectUnedited(removed)
        yield* record(actor, {
          accountId,
          action: "template.deleted",
          target: id,
          before: summaryOf(removed),
          after: null
        })
      }, atomically),
      render: Effect.fn("Templates.render")(function* (accountId, id, variables) {
        const template = yield* get(accountId, id)
        const [rendered] = yield* renderer.render(accountId, [{ template, variables }])
        return yield* Effect.fromResult(rendered!)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Templates, Templates.make).pipe(
    Layer.provide([TemplateCheck.layer, TemplateRenderer.layer])
  )
}

/** The values in the audit log. Of source, html and text, it has only the length. */
const summaryOf = ({ format, html, name, preheader, source, subject, text, version }: Template) => ({
  name,
  subject,
  version,
  format,
  preheader,
  source: source === null ? null : source.length,
  html: html === null ? null : html.length,
  text: text === null ? null : text.length
})
