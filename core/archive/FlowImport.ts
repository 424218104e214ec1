/**
 * Takes flows from an archive. What is published elsewhere starts nobody here before its operator publishes it: a new flow
 * is taken as a Draft, and as Paused where a version of it was published.
 *
 * @module
 */
import { Effect } from "effect"
import type { Flow } from "../model/Flow.ts"
import { makeFlowContents } from "../automation/definition/FlowValidation.ts"
import { maxFlows } from "../automation/flows/Flows.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { Problem } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Json.ts"
import type { LineOf } from "./ArchiveLine.ts"

/** A function that takes a flow in the caller's transaction, which holds the account. */
export const makeFlowImport = Effect.gen(function* () {
  const check = yield* makeFlowContents
  const store = yield* FlowStore

  /** Of two versions of a flow the later counts; what is published here stays as it is. */
  const change = Effect.fnUntraced(function* (before: Flow, line: LineOf<"flow">) {
    const { name, updatedAt } = line
    if (before.updatedAt >= updatedAt) return "unchanged"
    if (before.status === "Archived") return yield* Problem.of("automation.flow_archived")
    const definition = yield* check(before.accountId, line)
    if (before.name === name && deepEqual(before.definition, definition)) return "unchanged"
    yield* store.save({ ...before, name, definition, updatedAt })
    return "changed"
  })

  const add = Effect.fnUntraced(function* (accountId: string, line: LineOf<"flow">) {
    const { createdAt, id, name, published, status, updatedAt } = line
    const { totalCount } = yield* store.list(accountId, { page: 1, pageSize: 1 })
    if (totalCount >= maxFlows) {
      return yield* Problem.of("automation.flow_limit_reached", null, { max: maxFlows })
    }
    const definition = yield* check(accountId, line)
    const flow: Flow = {
      id,
      accountId,
      name,
      status: status === "Archived" ? status : "Draft",
      version: 0,
      definition,
      startsOn: null,
      tokenHash: null,
      createdAt,
      updatedAt
    }
    if (published === null) {
      yield* store.insert(flow)
      return
    }
    const version = { accountId, flowId: id, version: published.version }
    const frozen = yield* check(accountId, published)
    yield* store.insert({
      ...flow,
      status: status === "Archived" ? status : "Paused",
      version: version.version,
      startsOn: frozen.trigger.kind === "Event" ? frozen.trigger.name : null
    })
    yield* store.publish({ ...version, definition: frozen })
  })

  return Effect.fnUntraced(function* (accountId: string, line: LineOf<"flow">) {
    if (line.name.trim() === "") return yield* Problem.of("validation.required", "name")
    const before = yield* store.lock(accountId, line.id)
    if (before !== null) return yield* change(before, line)
    yield* add(accountId, line)
    return "added"
  })
})
