/**
 * The operator's use cases on templates (docs/contributing/management-api.md).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { editedBy } from "../../model/Edited.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import { RunOwner } from "../../ports/Threads.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { expectUnedited } from "../../kernel/Precondition.ts"
import { deepEqual } from "../../shared/Json.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { type RenderedTemplate, TemplateRenderer } from "./TemplateRenderer.ts"
import type { Template } from "../../model/Template.ts"
import { TemplateCheck, type TemplateWrite } from "./TemplateRules.ts"

/** The most templates of an account. */
export const maxTemplates = 1000

/** The operator's use cases on templates. */
export class Templates extends Context.Service<
  Templates,
  {
    /**
     * Creates a template. Fails with validation.* of its fields, sending.content_required, sending.template_invalid with
     * line and column, sending.template_limit_reached.
     */
    readonly create: (
      accountId: string,
      write: TemplateWrite,
      actor: Actor
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** An account's templates, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Template>, Unavailable>
    /** A template by id. Fails with common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Template, Problem | Unavailable>
    /**
     * Changes the fields given; emails accepted before keep their content. Fails as `create` does, and with
     * common.not_found.
     */
    readonly change: (
      accountId: string,
      id: string,
      write: Partial<TemplateWrite>,
      actor: Actor
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** Deletes a template. Fails with common.not_found. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** Renders a template as a preview. Fails with common.not_found, sending.template_render_failed. */
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

    const get = Effect.fnUntraced(function* (accountId: string, id: string) {
      const [template] = yield* store.find(accountId, [id])
      return template ?? (yield* Problem.of("common.not_found"))
    })

    /** Validates a write: before the transaction where that is possible, because a thread may take seconds for it. */
    const validate = (accountId: string, write: Partial<TemplateWrite>, before: Template | null) =>
      Effect.provideService(check(write, before), RunOwner, accountId)

    /** Writes under the account's lock: the later of two concurrent writes reads the earlier, and both are in the audit log. */
    const writeLocked = <A, E, R>(accountId: string, write: Effect.Effect<A, E, R>) =>
      atomically(Effect.andThen(accounts.lock([accountId]), write))

    return {
      create: Effect.fn("Templates.create")(function* (accountId, write, actor) {
        const content = yield* validate(accountId, write, null)
        const now = yield* Clock.currentTimeMillis
        const template: Template = {
          id: yield* ids.next,
          accountId,
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
      list: store.list,
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
            const now = yield* Clock.currentTimeMillis
            const template: Template = { ...before, ...content, ...editedBy(actor, now, before) }
            yield* store.save(template)
            yield* record(actor, {
              accountId,
              action: "template.changed",
              target: id,
              before: summaryOf(before),
              after: summaryOf(template)
            })
            return template
          })
        )
      }),
      remove: Effect.fn("Templates.remove")(function* (accountId, id, actor) {
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

/** The values in the audit log: of html and text only the length. */
const summaryOf = ({ html, name, subject, text }: Template) => ({
  name,
  subject,
  html: html === null ? null : html.length,
  text: text === null ? null : text.length
})
