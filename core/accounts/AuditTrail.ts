/**
 * Records who changed what in an account, in the audit log.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, References } from "effect"
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

/** The action of an erased person, whose line of the log is what a restore is followed by. */
export const contactErased = "contact.erased"

/** Writes a line at the level `info` whatever the minimum level is, unless nothing is logged at all. */
const alwaysLogged = <A, E, R>(line: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(References.MinimumLogLevel, (level) =>
    level === "None" ? line : Effect.provideService(line, References.MinimumLogLevel, "Info")
  )

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
       * Records changes by an actor, in the caller's transaction, and logs each without its values, erasures at any level but
       * `none`. A transaction that is retried logs them again.
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
          const line =
            action === contactErased ? alwaysLogged(Effect.logInfo(action)) : Effect.logInfo(action)
          yield* Effect.annotateLogs(line, { account: accountId, target, actor: textOf(actor) })
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AuditTrail, AuditTrail.make)
}
