/**
 * The plans of published versions, made once: a version never changes.
 *
 * @module
 */
import { Effect } from "effect"
import { FlowStore } from "../../ports/FlowStore.ts"
import type { VersionRef } from "../../model/Flow.ts"
import { type CompiledFlow, compileFlow } from "./CompiledFlow.ts"

/** The most plans that are remembered. */
const maxRemembered = 2_000

/** Names a version. */
export const versionKey = ({ accountId, flowId, version }: VersionRef): string =>
  `${accountId}/${flowId}/${version}`

/** A function that answers the plans of versions, by `versionKey`; at most one read. */
export const makeCompiledFlows = Effect.map(FlowStore, (flows) => {
  const known = new Map<string, CompiledFlow>()
  return Effect.fnUntraced(function* (refs: ReadonlyArray<VersionRef>) {
    const wanted = new Map(refs.map((ref) => [versionKey(ref), ref]))
    const missing = [...wanted].flatMap(([key, ref]) => (known.has(key) ? [] : [ref]))
    const plans = new Map(
      [...wanted.keys()].flatMap((key) => {
        const plan = known.get(key)
        return plan === undefined ? [] : [[key, plan] as const]
      })
    )
    for (const version of yield* flows.versions(missing)) {
      const plan = compileFlow(version.definition)
      if (known.size >= maxRemembered) known.clear()
      known.set(versionKey(version), plan)
      plans.set(versionKey(version), plan)
    }
    return plans
  })
})
