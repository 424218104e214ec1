/**
 * Validates a submitted flow against its account: its definition with {@link validateFlow}, and the Liquid in its emails.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Segments } from "../../audience/segments/Segments.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { TemplateEngine } from "../../ports/TemplateEngine.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { RunOwner } from "../../ports/Threads.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { WebhookClient } from "../../ports/WebhookClient.ts"
import { Issues } from "../../shared/Problem.ts"
import { type FlowWrite, templateIdsOf, validateFlow } from "./FlowValidator.ts"
import { awaitAhead, checkAhead } from "../../sending/templates/RendersAhead.ts"
import { issueOf } from "../../sending/templates/TemplateRules.ts"
import { listsOf, type Step } from "../../model/FlowDefinition.ts"

/** Every step with its path, such as `steps[2].then[0]`. */
const stepsByPath = (steps: ReadonlyArray<Step>, path: string): ReadonlyArray<readonly [string, Step]> =>
  steps.flatMap((step, index) => {
    const stepPath = `${path}[${index}]`
    const nested = listsOf(step).flatMap((list) => stepsByPath(list.steps, `${stepPath}.${list.place}`))
    return [[stepPath, step] as const, ...nested]
  })

/** Validates submitted flows. */
export class FlowValidation extends Context.Service<FlowValidation>()("svc/automation/FlowValidation", {
  make: Effect.gen(function* () {
    const engine = yield* TemplateEngine
    const fields = yield* ContactFieldStore
    const templates = yield* TemplateStore
    const segments = yield* Segments
    const topics = yield* TopicStore
    const client = yield* WebhookClient

    const checkLiquid = (source: string | null, field: string, issues: Issues): Effect.Effect<void> =>
      source === null
        ? Effect.void
        : Effect.catch(checkAhead(engine, source), (invalid) =>
            Effect.sync(() => issues.push(issueOf(invalid, field)))
          )

    return {
      /**
       * Returns the definition of a submitted flow; fails with all issues found. Its duration depends on the templates, so it
       * must not be called in a transaction, unless `withAllAhead` runs that.
       */
      validate: Effect.fn("FlowValidation.validate")(function* (accountId: string, write: FlowWrite) {
        const scope = yield* Effect.all({
          fields: fields.list(accountId),
          topics: topics.list(accountId),
          segmentIds: segments.ids(accountId),
          templateIds: Effect.map(
            templates.find(accountId, templateIdsOf(write)),
            (found) => new Set(found.map((template) => template.id))
          )
        })
        const validated = validateFlow(write, { ...scope, acceptsUrl: client.accepts })
        const definition = yield* Effect.fromResult(validated)
        const issues = new Issues()
        for (const [path, step] of stepsByPath(definition.steps, "steps")) {
          if (step.kind !== "SendEmail") continue
          for (const part of ["subject", "html", "text"] as const) {
            yield* checkLiquid(step[part], `${path}.${part}`, issues).pipe(
              Effect.provideService(RunOwner, accountId)
            )
          }
        }
        yield* awaitAhead
        return yield* Effect.fromResult(issues.result(definition))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(FlowValidation, FlowValidation.make).pipe(
    Layer.provide(Segments.layer),
    builtOnce
  )
}
