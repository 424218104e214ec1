/**
 * Entries of the audit log.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type AuditEntry, AuditLog } from "../ports/AuditLog.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Json } from "../shared/Json.ts"

/** What is recorded of a change; the rest is filled in. */
export interface Change {
  readonly accountId: string
  /** Such as `api_key.revoked`. */
  readonly action: string
  /** The id of what was changed. */
  readonly target: string
  /** State before and after, without secrets. */
  readonly before: Json
  readonly after: Json
}

/** Who the operator's API acts as. */
export const managementActor = "management"

/** Who the service acts as when it does something by itself. */
export const systemActor = "system"

/** Who a call with that key acts as. */
export const keyActor = (keyId: string): string => `api_key:${keyId}`

/** A function that records changes by an actor, in the caller's transaction. */
export const makeRecorder = Effect.gen(function* () {
  const log = yield* AuditLog
  const ids = yield* Ids
  return Effect.fnUntraced(function* (actor: string, ...changes: ReadonlyArray<Change>) {
    const at = yield* Clock.currentTimeMillis
    const newIds = yield* ids.many(changes.length)
    yield* log.append(
      changes.map((change, index): AuditEntry => ({ id: newIds[index]!, at, actor, ...change }))
    )
  })
})
