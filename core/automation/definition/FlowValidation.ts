/**
 * What a flow as sent has to be, with what its account has: the check of its definition and of the Liquid in its emails.
 *
 * @module
 */
import { Effect } from "effect"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { TemplateEngine } from "../../ports/TemplateEngine.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { WebhookClient } from "../../ports/WebhookClient.ts"
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import { checkFlow, type FlowWrite, templateIdsOf } from "./FlowCheck.ts"
import { type FlowDefinition, listsOf, type Step } from "../../model/FlowDefinition.ts"

/** Every step with its place, such as `steps[2].then[0]`. */
const placesOf = (steps: ReadonlyArray<Step>, path: string): ReadonlyArray<readonly [string, Step]> =>
  steps.flatMap((step, index) => {
    const place = `${path}[${index}]`
    const within = listsOf(step).flatMap((list) => placesOf(list.steps, `${place}.${list.place}`))
    return [[place, step] as const, ...within]
  })

/** A function that answers the definition of a flow as sent; fails with every issue found. */
export const makeFlowContents = Effect.gen(function* () {
  const engine = yield* TemplateEngine
  const fields = yield* ContactFieldStore
  const templates = yield* TemplateStore
  const topics = yield* TopicStore
  const client = yield* WebhookClient

  const parse = (source: string | null, field: string): Effect.Effect<ReadonlyArray<Issue>> =>
    source === null
      ? Effect.succeed([])
      : Effect.match(engine.check(source), {
          onSuccess: () => [],
          onFailure: ({ column, line }) => [issue("sending.template_invalid", field, { line, column })]
        })

  return Effect.fnUntraced(function* (accountId: string, write: FlowWrite) {
    const vocabulary = yield* Effect.all({
      fields: fields.list(accountId),
      topics: topics.list(accountId),
      templateIds: Effect.map(
        templates.find(accountId, templateIdsOf(write)),
        (found) => new Set(found.map((template) => template.id))
      )
    })
    const checked: FlowDefinition | Problem = checkFlow(write, { ...vocabulary, acceptsUrl: client.accepts })
    if (checked instanceof Problem) return yield* checked
    const issues: Array<Issue> = []
    for (const [place, step] of placesOf(checked.steps, "steps")) {
      if (step.kind !== "SendEmail") continue
      for (const part of ["subject", "html", "text"] as const) {
        issues.push(...(yield* parse(step[part], `${place}.${part}`)))
      }
    }
    const problem = Problem.from(issues)
    return problem === undefined ? checked : yield* problem
  })
})
