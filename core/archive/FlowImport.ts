/**
 * Imports flows from an archive. An imported flow starts no runs until the operator publishes it: a new flow becomes a Draft, or
 * Paused if the archive contains a published version.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import { editedBy } from "../model/Edited.ts"
import type { Flow } from "../model/Flow.ts"
import { startOf } from "../model/FlowDefinition.ts"
import { FlowValidation } from "../automation/definition/FlowValidation.ts"
import { maxFlows } from "../automation/flows/Flows.ts"
import { FlowStore } from "../ports/FlowStore.ts"
import { Problem } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Json.ts"
import type { LineOf } from "./ArchiveLine.ts"

/** Imports flows. */
export class FlowImport extends Context.Service<FlowImport>()("svc/archive/FlowImport", {
  make: Effect.gen(function* () {
    const { validate } = yield* FlowValidation
    const store = yield* FlowStore

    /** Replaces the edited definition with a newer one; the published version stays. */
    const change = Effect.fnUntraced(function* (before: Flow, line: LineOf<"flow">, actor: Actor) {
      const { name, updatedAt } = line
      if (before.updatedAt >= updatedAt) return "unchanged"
      if (before.status === "Archived") return yield* Problem.of("automation.flow_archived")
      const definition = yield* validate(before.accountId, line)
      if (before.name === name && deepEqual(before.definition, definition)) return "unchanged"
      yield* store.save({ ...before, name, definition, ...editedBy(actor, updatedAt) })
      return "changed"
    })

    const add = Effect.fnUntraced(function* (accountId: string, line: LineOf<"flow">, actor: Actor) {
      const { createdAt, id, name, published, status, updatedAt } = line
      const { totalCount } = yield* store.list(accountId, { page: 1, pageSize: 1 })
      if (totalCount >= maxFlows) {
        return yield* Problem.of("automation.flow_limit_reached", null, { max: maxFlows })
      }
      const definition = yield* validate(accountId, line)
      const flow: Flow = {
        id,
        accountId,
        name,
        status: status === "Archived" ? status : "Draft",
        version: 0,
        definition,
        startsOn: null,
        segmentId: null,
        tokenHash: null,
        createdAt,
        ...editedBy(actor, updatedAt)
      }
      if (published === null) {
        yield* store.insert(flow)
        return
      }
      const version = { accountId, flowId: id, version: published.version }
      const publishedDefinition = yield* validate(accountId, published)
      yield* store.insert({
        ...flow,
        status: status === "Archived" ? status : "Paused",
        version: version.version,
        ...startOf(publishedDefinition)
      })
      yield* store.publish({ ...version, definition: publishedDefinition, publishedAt: null })
    })

    return {
      /**
       * Adds or updates a flow, in the caller's transaction, which must have locked the account. Fails with the codes of
       * `FlowValidation.validate`, validation.required, automation.flow_archived, automation.flow_limit_reached.
       */
      merge: Effect.fn("FlowImport.merge")(function* (accountId: string, line: LineOf<"flow">, actor: Actor) {
        if (line.name.trim() === "") return yield* Problem.of("validation.required", "name")
        const before = yield* store.lock(accountId, line.id)
        if (before !== null) return yield* change(before, line, actor)
        yield* add(accountId, line, actor)
        return "added"
      })
    }
  })
}) {
  static readonly layer = Layer.effect(FlowImport, FlowImport.make).pipe(Layer.provide(FlowValidation.layer))
}
