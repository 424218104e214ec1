/**
 * The use cases of the SMTP relay: login with an API key, and submission of a message by the use case of POST /sending/emails.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { Authentication } from "../accounts/Authentication.ts"
import { LogHash } from "../accounts/LogHash.ts"
import { makeGroupCommit } from "../kernel/GroupCommit.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { networkOf } from "../shared/Network.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { loginLockout } from "./LoginLockout.ts"
import { type RelayMail, requestOf } from "./RelayMail.ts"

/** The result of a login, or of the authentication of a message. */
export type Entry =
  | { readonly _tag: "Authenticated"; readonly accountId: string }
  /** The key is wrong, revoked, expired, or lacks emails:send. */
  | { readonly _tag: "Refused" }
  /** Too many logins failed from the network. */
  | { readonly _tag: "LockedOut" }
  | { readonly _tag: "RateLimited" }

/** The maximum number of logins that share a read of their network's lock. */
const maxLogins = 1_000

/** The use cases of the SMTP relay. */
export class Relay extends Context.Service<Relay>()("svc/relay/Relay", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const authentication = yield* Authentication
    const emails = yield* Emails
    const limits = yield* RateLimits
    const logHash = yield* LogHash

    const readLock = Effect.fnUntraced(function* (network: string) {
      const now = yield* Clock.currentTimeMillis
      const { failuresBySlot, isSafe, lockedUntil, recentFailures } = loginLockout
      if (isSafe(yield* limits.count(recentFailures(network, now)))) return false
      return lockedUntil(yield* limits.count(failuresBySlot(network, now)), now) !== null
    })

    /** Logins from a network that arrive at the same time share one read. */
    const shareLock = yield* makeGroupCommit<null, boolean, never, Unavailable>({
      maxBatch: maxLogins,
      run: (network, logins) =>
        Effect.map(readLock(network), (locked) => logins.map(() => Result.succeed(locked)))
    })
    const isLocked = (network: string) => shareLock(network, null)

    const authenticate = (key: string, window: "login" | "smtp") =>
      Effect.map(authentication.authenticate(key, "emails:send", window), (result) => {
        switch (result._tag) {
          case "Authenticated":
            return { _tag: "Authenticated", accountId: result.accountId, keyId: result.keyId } as const
          case "RateLimited":
            return { _tag: "RateLimited" } as const
          default:
            return { _tag: "Refused" } as const
        }
      })

    return {
      /**
       * Authenticates a login from an IP address. The logins of a key are limited per minute like its messages, but counted in
       * a separate window.
       */
      login: Effect.fnUntraced(function* (address: string, key: string) {
        const network = networkOf(address)
        const [locked, entry] = yield* Effect.all([isLocked(network), authenticate(key, "login")], {
          concurrency: 2
        })
        if (locked) return { _tag: "LockedOut" } as const
        if (entry._tag === "Refused") {
          yield* limits.count(loginLockout.failure(network, yield* Clock.currentTimeMillis))
          if (yield* isLocked(network)) {
            const hash = yield* logHash.of(network)
            yield* Effect.annotateLogs(Effect.logInfo("network locked out"), { network: hash })
          }
        }
        return entry
      }),

      /** Authenticates a message of a logged-in key, and counts it in the window of the relay's messages. */
      authenticate: (key: string) => authenticate(key, "smtp"),

      /**
       * Accepts a message, and returns the id of its submission once that is stored with its delivery jobs. For a repeated
       * idempotency key with the same content, returns the id of the earlier submission. Fails with the codes of
       * `Emails.submit`, with deliverability.sender_domain_not_verified for a message without a sender, and with
       * validation.required for a message with several recipients and no To header.
       *
       * @param keyId the API key of the login
       * @param envelope the addresses of RCPT TO, normalized
       */
      accept: Effect.fnUntraced(function* (
        accountId: string,
        keyId: string,
        envelope: ReadonlyArray<string>,
        mail: RelayMail
      ) {
        const [account] = mail.entity === null ? [] : yield* accounts.find([accountId])
        const preserveSigned = account?.settings.preserveSigned ?? false
        const { idempotencyKey, request } = yield* Effect.fromResult(
          requestOf(mail, [...new Set(envelope)], preserveSigned)
        )
        const { submission } = yield* emails.submit(accountId, request, idempotencyKey, {
          onRepeat: "SameContentOnly",
          requireVerifiedSender: true,
          source: "Smtp",
          keyId
        })
        return submission.id
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Relay, Relay.make)
}
