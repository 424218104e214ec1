/**
 * A definition made ready to be followed: every step by its id, with what comes after it, and filters as tests.
 *
 * @module
 */
import { type EventMatch, type FlowDefinition, listsOf, type Step } from "../../model/FlowDefinition.ts"
import { type FilterTest, filterTest } from "../definition/FlowFilter.ts"

/** An event that is waited for. */
export interface Matcher {
  readonly name: string
  readonly test: FilterTest
}

/** A step in its place. */
export interface Node {
  readonly step: Step
  /** The step that follows once this one and its lists are over; null at the flow's end. */
  readonly next: string | null
  /** The first step of each list it holds; of an empty list, `next`. */
  readonly ways: ReadonlyArray<string | null>
  /** The condition of a Branch, or the filter of the event that is waited for. */
  readonly test: FilterTest
}

/** A definition made ready to be followed. */
export interface CompiledFlow {
  readonly nodes: ReadonlyMap<string, Node>
  readonly first: string | null
  /** Null for a flow that calls start. */
  readonly trigger: Matcher | null
  readonly stops: ReadonlyArray<Matcher>
  /** The events that steps wait for. */
  readonly awaited: ReadonlySet<string>
}

const matcherOf = ({ filter, name }: EventMatch): Matcher => ({ name, test: filterTest(filter) })

/** The plan of a checked definition. */
export const compileFlow = ({ steps, stopEvents, trigger }: FlowDefinition): CompiledFlow => {
  const nodes = new Map<string, Node>()
  const awaited = new Set<string>()
  /** Adds a list of steps that `next` follows; answers its first. */
  const add = (list: ReadonlyArray<Step>, next: string | null): string | null => {
    list.forEach((step, index) => {
      const after = list[index + 1]?.id ?? next
      if (step.kind === "WaitForEvent") awaited.add(step.name)
      nodes.set(step.id, {
        step,
        next: after,
        ways: listsOf(step).map((held) => add(held.steps, after)),
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
    stops: stopEvents.map(matcherOf),
    awaited
  }
}
