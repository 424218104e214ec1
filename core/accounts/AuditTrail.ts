/**
 * Records who changed what in an account, in the audit log.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import { type AuditEntry, AuditLog } from "../ports/AuditLog.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Json } from "../shared/Json.ts"

/** A change to record. The audit trail adds the id, the time and the actor. */
export interface Change {
  readonly accountId: string
  /** Such as `api_key.revoked`. */
  readonly action: string
  /** The id of what was changed. */
  readonly target: string
  /** The state before and after, without secrets. */
  readonly before: Json
  readonly after: Json
}

/** An actor as the entries of earlier versions name it, and logs. */
const textOf = ({ id, kind, name }: Actor): string => {
  if (kind === "System") return id === null ? "system" : `${name}:${id}`
  if (kind === "ApiKey") return `api_key:${id}`
  return id === null ? "management" : `${kind.toLowerCase()}:${id}`
}

/** The audit trail of all accounts. */
export class AuditTrail extends Context.Service<AuditTrail>()("svc/accounts/AuditTrail", {
  make: Effect.gen(function* () {
    const log = yield* AuditLog
    const ids = yield* Ids

    return {
      /**
       * Records changes by an actor, in the caller's transaction, and logs each without its values. A transaction that is
       * retried logs them again.
       */
      record: Effect.fn("AuditTrail.record")(function* (actor: Actor, ...changes: ReadonlyArray<Change>) {
        const at = yield* Clock.currentTimeMillis
        const newIds = yield* ids.many(changes.length)
        yield* log.append(
          changes.map((change, index): AuditEntry => ({
            id: newIds[index]!,
            at,
            actor: textOf(actor),
            ...change
          }))
        )
        for (const { accountId, action, target } of changes) {
          yield* Effect.annotateLogs(Effect.logInfo(action), {
            account: accountId,
            target,
            actor: textOf(actor)
          })
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AuditTrail, AuditTrail.make)
}
