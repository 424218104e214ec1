/**
 * Compiles the definitions of flows for the step interpreter: each step by its id with its successors, and filters as predicates.
 * Compiled versions are cached.
 *
 * @module
 */
import { Cache, Context, Effect, Layer, Option } from "effect"
import type { VersionRef } from "../../model/Flow.ts"
import {
  type EventMatch,
  type FlowDefinition,
  listsOf,
  type SegmentTrigger,
  type Step
} from "../../model/FlowDefinition.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { type FilterTest, filterTest } from "../definition/FlowFilter.ts"

/** An event that starts, stops or continues a run. */
export interface Matcher {
  readonly name: string
  readonly test: FilterTest
}

/** A step with its successors. */
export interface Node {
  readonly step: Step
  /** The step that follows this one and its nested lists; null at the end of the flow. */
  readonly next: string | null
  /** The first step of each nested list; `next` for an empty list. */
  readonly branches: ReadonlyArray<string | null>
  /** The condition of a Branch, or the filter of a WaitForEvent. */
  readonly test: FilterTest
}

/** A compiled definition. */
export interface CompiledFlow {
  readonly nodes: ReadonlyMap<string, Node>
  readonly first: string | null
  /** Null if no event starts the flow. */
  readonly trigger: Matcher | null
  /** Null if no segment starts the flow. */
  readonly segment: SegmentTrigger | null
  readonly stops: ReadonlyArray<Matcher>
  /** The names of events for which steps wait. */
  readonly awaited: ReadonlySet<string>
}

const matcherOf = ({ filter, name }: EventMatch): Matcher => ({ name, test: filterTest(filter) })

/** Compiles a valid definition. */
export const compileFlow = ({ steps, stopEvents, trigger }: FlowDefinition): CompiledFlow => {
  const nodes = new Map<string, Node>()
  const awaited = new Set<string>()
  /** Adds a list of steps, which `next` follows; returns the id of its first step. */
  const add = (list: ReadonlyArray<Step>, next: string | null): string | null => {
    list.forEach((step, index) => {
      const following = list[index + 1]?.id ?? next
      if (step.kind === "WaitForEvent") awaited.add(step.name)
      nodes.set(step.id, {
        step,
        next: following,
        branches: listsOf(step).map((nested) => add(nested.steps, following)),
        test:
          step.kind === "Branch"
            ? filterTest(step.condition)
            : filterTest(step.kind === "WaitForEvent" ? step.filter : null)
      })
    })
    return list[0]?.id ?? next
  }
  const first = add(steps, null)
  return {
    nodes,
    first,
    trigger: trigger.kind === "Event" ? matcherOf(trigger) : null,
    segment: trigger.kind === "Segment" ? trigger : null,
    stops: stopEvents.map(matcherOf),
    awaited
  }
}

/** The most compiled versions in the cache. */
const capacity = 2_000

/** The key of a version in {@link CompiledFlows}. */
export const versionKey = ({ accountId, flowId, version }: VersionRef): string =>
  `${accountId}/${flowId}/${version}`

/** The compiled flows of published versions. They are cached without expiry, because a version never changes. */
export class CompiledFlows extends Context.Service<CompiledFlows>()("svc/automation/CompiledFlows", {
  make: Effect.gen(function* () {
    const store = yield* FlowStore
    // `find` fills the cache, reading all missing versions at once; the cache's own lookup is never used.
    const cache = yield* Cache.make({
      capacity,
      lookup: (key: string): Effect.Effect<CompiledFlow> => Effect.die(new Error(`looked up ${key}`))
    })

    return {
      /** Returns the versions that exist, by {@link versionKey}; at most one read. */
      find: Effect.fn("CompiledFlows.find")(function* (refs: ReadonlyArray<VersionRef>) {
        const found = new Map<string, CompiledFlow>()
        const missing = new Map<string, VersionRef>()
        for (const ref of refs) {
          const key = versionKey(ref)
          const cached = yield* Cache.getOption(cache, key)
          if (Option.isSome(cached)) found.set(key, cached.value)
          else missing.set(key, ref)
        }
        if (missing.size === 0) return found
        for (const version of yield* store.versions([...missing.values()])) {
          const key = versionKey(version)
          const compiled = compileFlow(version.definition)
          yield* Cache.set(cache, key, compiled)
          found.set(key, compiled)
        }
        return found
      })
    }
  })
}) {
  static readonly layer = Layer.effect(CompiledFlows, CompiledFlows.make)
}
