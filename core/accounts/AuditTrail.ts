/**
 * Writes the audit log: who changed what in an account.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, References } from "effect"
import { noAccount } from "../model/Account.ts"
import { type Actor, actorText, systemActor } from "../model/Actor.ts"
import { type AuditEntry, AuditLog } from "../ports/AuditLog.ts"
import { Crypto } from "../ports/Crypto.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Json } from "../shared/Json.ts"
import { hashUuid, isUuid } from "../shared/Uuid.ts"

/** A change to record. The audit trail adds the id, the time and the actor. */
export interface Change {
  readonly accountId: string
  /** The action, such as `api_key.revoked`. */
  readonly action: string
  /** The id of what was changed. */
  readonly target: string
  /** The company, for an entry that belongs to none of its accounts. */
  readonly companyId?: string
  /** The state before and after, without secrets. */
  readonly before: Json
  readonly after: Json
}

/** The action of erasing a person. A restore of a backup is followed by repeating the erasures that the log shows. */
export const contactErased = "contact.erased"

/** Writes a log line at level `info` whatever the minimum level is, unless logging is off. */
const alwaysLogged = <A, E, R>(line: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(References.MinimumLogLevel, (level) =>
    level === "None" ? line : Effect.provideService(line, References.MinimumLogLevel, "Info")
  )

/** The most events that a process remembers in order to record each only once a minute. */
const maxRecorded = 1_000

const minuteMillis = 60_000

/** The fields that can name a target; the first present one is used. None of them names a person. */
const naming = ["name", "domain", "host"] as const

/** The name of the changed object, if its state has one. */
const nameOf = (state: Json): string | null => {
  if (typeof state !== "object" || state === null) return null
  const names = new Map<string, unknown>(Object.entries(state))
  return naming.map((key) => names.get(key)).find((name) => typeof name === "string") ?? null
}

/** The audit trail of all accounts. */
export class AuditTrail extends Context.Service<AuditTrail>()("svc/accounts/AuditTrail", {
  make: Effect.gen(function* () {
    const log = yield* AuditLog
    const ids = yield* Ids

    const crypto = yield* Crypto
    /** The minute of the last entry of each event that is recorded once a minute. */
    const recorded = new Map<string, number>()

    /** Whether an event occurs for the first time in the minute of a time. */
    const isFirst = (what: ReadonlyArray<unknown>, at: number): boolean => {
      const minute = at - (at % minuteMillis)
      const key = JSON.stringify(what)
      if (recorded.get(key) === minute) return false
      if (recorded.size >= maxRecorded) recorded.clear()
      recorded.set(key, minute)
      return true
    }

    return {
      /**
       * Records that an actor was denied a right, at most once a minute per actor, right and place, so that a program that
       * repeats its call does not fill the log.
       */
      refused: Effect.fn("AuditTrail.refused")(function* (
        actor: Actor,
        right: string,
        { accountId, companyId }: { readonly accountId: string; readonly companyId: string | null }
      ) {
        const at = yield* Clock.currentTimeMillis
        if (!isFirst([actorText(actor), right, accountId, companyId], at)) return
        const id = yield* ids.next
        const what = { action: "right.denied", target: right, targetName: null, before: null, after: null }
        const entry = { id, at, actor, accountId, companyId, contentDigest: null, ...what }
        yield* log.append([{ ...entry, outcome: "Refused" }])
      }),
      /**
       * Records that an actor read the content of an email, at most once a minute for each, so that a program that repeats its
       * call does not fill the log.
       */
      contentRead: Effect.fn("AuditTrail.contentRead")(function* (
        actor: Actor,
        accountId: string,
        target: string
      ) {
        const at = yield* Clock.currentTimeMillis
        if (!isFirst(["read", actorText(actor), accountId, target], at)) return
        const id = yield* ids.next
        const what = { action: "email.content_read", target, targetName: null, before: null, after: null }
        const entry = { id, at, actor, accountId, companyId: null, contentDigest: null, ...what }
        yield* log.append([{ ...entry, outcome: "Done" }])
      }),
      /**
       * Counts a failed sign-in. To prevent guesses from filling the log, there is one entry per minute, over all nodes, for each
       * user and company (null for none), and one for all unknown addresses together. No address is recorded, since it may be a
       * mistyped password.
       */
      signInFailed: Effect.fn("AuditTrail.signInFailed")(function* (
        userId: string | null,
        companyIds: ReadonlyArray<string | null>,
        network: string
      ) {
        const at = yield* Clock.currentTimeMillis
        const minute = at - (at % minuteMillis)
        const target = userId ?? "unknown"
        yield* log.count(
          companyIds.map((companyId) => ({
            id: hashUuid(crypto.sha256Hex(`sign-in ${minute} ${companyId} ${target}`)),
            accountId: noAccount,
            companyId,
            at,
            actor: { ...systemActor, network },
            action: "session.refused",
            target,
            targetName: null,
            before: null,
            after: { count: 1 },
            outcome: "Refused",
            contentDigest: null
          }))
        )
      }),
      /**
       * Records changes by an actor, in the caller's transaction, and logs each without its values; erasures are logged at any
       * level except `none`. If the transaction is retried, they are logged again.
       */
      record: Effect.fn("AuditTrail.record")(function* (actor: Actor, ...changes: ReadonlyArray<Change>) {
        const at = yield* Clock.currentTimeMillis
        const newIds = yield* ids.many(changes.length)
        yield* log.append(
          changes.map((change, index): AuditEntry => ({
            id: newIds[index]!,
            at,
            actor,
            outcome: "Done",
            companyId: null,
            targetName: nameOf(change.after) ?? nameOf(change.before),
            contentDigest: null,
            ...change
          }))
        )
        for (const { accountId, action, target } of changes) {
          const line =
            action === contactErased ? alwaysLogged(Effect.logInfo(action)) : Effect.logInfo(action)
          // A target that is not an id is a name that the tenant chose.
          const named = isUuid(target) ? { target } : {}
          yield* Effect.annotateLogs(line, { account: accountId, ...named, actor: actorText(actor) })
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AuditTrail, AuditTrail.make)
}
