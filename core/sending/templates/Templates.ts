/**
 * The operator's use cases on templates (management-api, A/templates).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { makeTemplateRenderer, type RenderedTemplate } from "./RenderTemplate.ts"
import type { Template } from "../../model/Template.ts"
import { makeTemplateCheck, type TemplateWrite } from "./TemplateRules.ts"

/** The most templates of an account. */
export const maxTemplates = 1000

/** The operator's use cases on templates. */
export class Templates extends Context.Service<
  Templates,
  {
    /**
     * Adds a template. validation.* of its fields, sending.content_required, sending.template_invalid with line and
     * column, sending.template_limit_reached.
     */
    readonly create: (
      accountId: string,
      write: TemplateWrite,
      actor: string
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** An account's templates, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Template>, Unavailable>
    /** A template by id; common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Template, Problem | Unavailable>
    /** Changes what is given. As `create`; common.not_found. Email accepted before stays as it was rendered. */
    readonly change: (
      accountId: string,
      id: string,
      write: Partial<TemplateWrite>,
      actor: string
    ) => Effect.Effect<Template, Problem | Unavailable>
    /** Removes a template; common.not_found. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<void, Problem | Unavailable>
    /** What an email of the template would say. common.not_found, sending.template_render_failed. */
    readonly render: (
      accountId: string,
      id: string,
      variables: TemplateValues
    ) => Effect.Effect<RenderedTemplate, Problem | Unavailable>
  }
>()("svc/sending/Templates") {
  static readonly layer = Layer.effect(
    Templates,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const check = yield* makeTemplateCheck
  const renderOf = yield* makeTemplateRenderer
  const ids = yield* Ids
  const { record } = yield* AuditTrail
  const store = yield* TemplateStore
  const transaction = yield* Transaction

  const get = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [template] = yield* store.find(accountId, [id])
    return template ?? (yield* Problem.of("common.not_found"))
  })

  /** Of two writes at the same moment the second sees the first: both count, and both are recorded. */
  const oneByOne = <A, E, R>(accountId: string, write: Effect.Effect<A, E, R>) =>
    retryConflicts(transaction.run(Effect.andThen(accounts.lock([accountId]), write)))

  const create: Templates["Service"]["create"] = Effect.fn("Templates.create")(
    function* (accountId, write, actor) {
      const content = yield* check(write, null)
      const now = yield* Clock.currentTimeMillis
      const template: Template = {
        id: yield* ids.next,
        accountId,
        ...content,
        createdAt: now,
        updatedAt: now
      }
      yield* oneByOne(
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
            after: recorded(template)
          })
        })
      )
      return template
    }
  )

  const change: Templates["Service"]["change"] = Effect.fn("Templates.change")(
    function* (accountId, id, write, actor) {
      return yield* oneByOne(
        accountId,
        Effect.gen(function* () {
          const before = yield* get(accountId, id)
          const content = yield* check(write, before)
          const updatedAt = yield* Clock.currentTimeMillis
          const template: Template = { ...before, ...content, updatedAt }
          yield* store.save(template)
          yield* record(actor, {
            accountId,
            action: "template.changed",
            target: id,
            before: recorded(before),
            after: recorded(template)
          })
          return template
        })
      )
    }
  )

  const remove: Templates["Service"]["remove"] = Effect.fn("Templates.remove")(
    function* (accountId, id, actor) {
      yield* retryConflicts(
        transaction.run(
          Effect.gen(function* () {
            const removed = yield* store.remove(accountId, id)
            if (removed === null) return yield* Problem.of("common.not_found")
            yield* record(actor, {
              accountId,
              action: "template.deleted",
              target: id,
              before: recorded(removed),
              after: null
            })
          })
        )
      )
    }
  )

  return Templates.of({
    create,
    list: store.list,
    get,
    change,
    remove,
    render: Effect.fn("Templates.render")(function* (accountId, id, variables) {
      const template = yield* get(accountId, id)
      const [rendered] = yield* renderOf(accountId, [{ template, variables }])
      return yield* Effect.fromResult(rendered!)
    })
  })
})

/** What the audit log keeps: not the bodies, which are as long as emails. */
const recorded = ({ html, name, subject, text }: Template) => ({
  name,
  subject,
  html: html === null ? null : html.length,
  text: text === null ? null : text.length
})
