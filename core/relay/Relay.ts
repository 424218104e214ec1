/**
 * The SMTP relay's use cases: logging in with an API key, and handing over a message, which is the very use case of
 * POST /sending/emails.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Authentication } from "../accounts/Authentication.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { failure, failuresBySlot, isLockedOut, maxFailures, recentFailures } from "./Lockout.ts"
import { type RelayMail, requestOf } from "./RelayMail.ts"

/** What a login, or a message of a login, is answered. */
export type Entry =
  | { readonly _tag: "Authenticated"; readonly accountId: string }
  /** The key is wrong, revoked, expired, or lacks emails:send. */
  | { readonly _tag: "Refused" }
  /** Too many logins failed from the address. */
  | { readonly _tag: "LockedOut" }
  | { readonly _tag: "RateLimited" }

/** Logs in, and takes messages. */
export class Relay extends Context.Service<
  Relay,
  {
    /**
     * Judges a login from an IP address. Keys are limited in logins a minute as they are in messages, in a window of
     * its own.
     */
    readonly login: (address: string, key: string) => Effect.Effect<Entry, Unavailable>
    /** Counts a message of a key that logged in, in the window of the relay's messages. */
    readonly authenticate: (key: string) => Effect.Effect<Exclude<Entry, { _tag: "LockedOut" }>, Unavailable>
    /**
     * Accepts a message: answers the id of its submission once that is stored with its delivery work, or the earlier
     * one's that had its idempotency key and content. Fails with the codes of `Emails.submit`; of a message without a
     * sender deliverability.sender_domain_not_verified, without To and with several recipients validation.required.
     *
     * @param envelope the addresses of RCPT TO, normalized
     */
    readonly accept: (
      accountId: string,
      envelope: ReadonlyArray<string>,
      mail: RelayMail
    ) => Effect.Effect<string, Problem | Unavailable>
  }
>()("svc/relay/Relay") {
  static readonly layer = Layer.effect(
    Relay,
    Effect.gen(function* () {
      const admission = yield* Authentication
      const emails = yield* Emails
      const limits = yield* RateLimits

      const isLocked = Effect.fnUntraced(function* (address: string) {
        const now = yield* Clock.currentTimeMillis
        const recent = yield* limits.count(recentFailures(address, now))
        if (recent.reduce((sum, count) => sum + count, 0) < maxFailures) return false
        return isLockedOut(yield* limits.count(failuresBySlot(address, now)))
      })

      const enter = (key: string, window: "login" | "smtp") =>
        Effect.map(admission.authenticate(key, "emails:send", window), (verdict) => {
          switch (verdict._tag) {
            case "Authenticated":
              return { _tag: "Authenticated", accountId: verdict.accountId } as const
            case "RateLimited":
              return { _tag: "RateLimited" } as const
            default:
              return { _tag: "Refused" } as const
          }
        })

      return Relay.of({
        login: Effect.fnUntraced(function* (address, key) {
          const [locked, entry] = yield* Effect.all([isLocked(address), enter(key, "login")], {
            concurrency: 2
          })
          if (locked) return { _tag: "LockedOut" }
          if (entry._tag === "Refused") {
            yield* limits.count(failure(address, yield* Clock.currentTimeMillis))
          }
          return entry
        }),
        authenticate: (key) => enter(key, "smtp"),
        accept: Effect.fnUntraced(function* (accountId, envelope, mail) {
          const made = requestOf(mail, [...new Set(envelope)])
          if (made instanceof Problem) return yield* made
          const { submission } = yield* emails.submit(accountId, made.request, made.idempotencyKey, {
            onRepeat: "SameContentOnly",
            requireVerifiedSender: true
          })
          return submission.id
        })
      })
    })
  )
}
