/**
 * Handles the management endpoint of explanations.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { Explain, type Subject } from "../../../core/explain/Explain.ts"
import type { Explanation } from "../../../core/explain/ExplainRules.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** The wire form of an explanation. */
export const encodeExplanation = ({ because, next, verdict }: Explanation) => ({
  verdict,
  because: because.map((reason) => ({ ...reason, at: dateTimeOrNull(reason.at) })),
  next
})

interface Asked {
  readonly campaign: string | null
  readonly email: string | null
  readonly flow: string | null
}

/** The subject of an explanation. Fails with validation.required if none is given, and validation.format if two are. */
const subjectOf = ({ campaign, email, flow }: Asked): Result.Result<Subject, Problem> => {
  const [first, second] = Object.entries({ email, flow, campaign }).filter(([, id]) => id !== null)
  if (first === undefined) return Result.fail(Problem.of("validation.required", "email"))
  if (second !== undefined) {
    return Result.fail(
      Problem.of("validation.format", second[0], null, { expected: `absent where ${first[0]} is given` })
    )
  }
  if (email !== null) return Result.succeed({ _tag: "Email", id: email })
  return flow === null
    ? Result.succeed({ _tag: "Campaign", id: campaign! })
    : Result.succeed({ _tag: "Flow", id: flow })
}

/** The routes of explanations. */
export const explainRoutes = Effect.map(Explain, (explain) =>
  bind(ManagementApi.groups.explain, {
    get: Effect.fnUntraced(function* ({ account, query }) {
      const subject = yield* Effect.fromResult(subjectOf(query))
      return ok(encodeExplanation(yield* explain.explain(account.id, query.contact, subject)))
    })
  })
)
