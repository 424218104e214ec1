/**
 * What users can change about themselves: name, language, password, second factor and sessions. Every change of factors requires
 * a confirmed session, gives it a new id, ends the user's other sessions and notifies the user by mail.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { noAccount } from "../model/Account.ts"
import { hasSecondFactor, type Session, type User } from "../model/User.ts"
import { type NoticeAction, noticeActions } from "../model/UserMail.ts"
import type { Passkey } from "../model/Passkey.ts"
import type { JsonObject } from "../ports/PasskeyVerifier.ts"
import { PasskeyStore } from "../ports/PasskeyStore.ts"
import type { WriteConflict } from "../ports/Transaction.ts"
import { UserStore } from "../ports/UserStore.ts"
import type { Json } from "../shared/Json.ts"
import { parseLanguage, parseTimeZone } from "../shared/Locale.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { formats, type Maybe } from "../shared/Validate.ts"
import { Factors, factorsOf, type NewSecret } from "./Factors.ts"
import { makeAddPasskey } from "./passkeys/AddPasskey.ts"
import { parsePasskeyName } from "./passkeys/PasskeyRules.ts"
import { Passkeys } from "./passkeys/Passkeys.ts"
import { Passwords } from "./Passwords.ts"
import {
  actorOfSession,
  type Authenticated,
  type IssuedSession,
  type RenewalReason,
  Sessions
} from "./Sessions.ts"
import { SystemMail } from "./SystemMail.ts"
import { checkName } from "./UserRules.ts"

/** The changes that users make about themselves. Absent values stay unchanged. */
export interface OwnChanges {
  readonly name?: string | undefined
  readonly language?: Maybe<string>
  readonly timeZone?: Maybe<string>
  readonly password?: string | undefined
}

/** A change of the user's factors, with the session that continues. */
export interface Renewed<A> {
  readonly value: A
  readonly issued: IssuedSession
}

/**
 * users.confirmation_required, unless a factor was given in the last 15 minutes; users.provider_required for a session limited to
 * one company, because a factor that it set would give access to the others.
 */
export const requireConfirmation = ({
  confirmedUntil,
  session,
  user
}: Authenticated): Effect.Effect<void, Problem> =>
  session.companyId !== null
    ? Effect.fail(Problem.of("users.provider_required"))
    : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        confirmedUntil > now
          ? Effect.void
          : Effect.fail(
              Problem.of("users.confirmation_required", null, null, { factors: factorsOf(user).join(",") })
            )
      )

/** Like `requireConfirmation`; also users.factor_required for a session that can do nothing but add a factor. */
export const requireWhole = (caller: Authenticated): Effect.Effect<void, Problem> =>
  caller.needsFactor ? Effect.fail(Problem.of("users.factor_required")) : requireConfirmation(caller)

/** The use cases of users' own accounts. */
export class OwnAccount extends Context.Service<
  OwnAccount,
  {
    /**
     * Changes the user. A new password requires a confirmed session. users.password_weak, validation.*,
     * users.confirmation_required.
     */
    readonly change: (
      caller: Authenticated,
      changes: OwnChanges
    ) => Effect.Effect<{ readonly user: User; readonly issued: IssuedSession | null }, Problem | Unavailable>
    /** Creates a secret for one-time codes, to be confirmed by a code; users.factor_exists. */
    readonly beginCodes: (caller: Authenticated) => Effect.Effect<NewSecret, Problem | Unavailable>
    /**
     * Confirms the secret by a code. Returns recovery codes, which are shown only now. users.code_invalid, users.factor_exists.
     */
    readonly confirmCodes: (
      caller: Authenticated,
      code: string
    ) => Effect.Effect<Renewed<ReadonlyArray<string>>, Problem | Unavailable>
    /** Removes the one-time codes and the recovery codes. */
    readonly removeCodes: (caller: Authenticated) => Effect.Effect<Renewed<null>, Problem | Unavailable>
    /** Replaces the recovery codes. Returns new ones, which are shown only now. users.factor_required without one-time codes. */
    readonly renewRecovery: (
      caller: Authenticated
    ) => Effect.Effect<Renewed<ReadonlyArray<string>>, Problem | Unavailable>
    /** The user's passkeys, newest first. */
    readonly passkeys: (caller: Authenticated) => Effect.Effect<ReadonlyArray<Passkey>, Unavailable>
    /** The options with which the user's browser creates a passkey; users.confirmation_required. */
    readonly beginPasskey: (caller: Authenticated) => Effect.Effect<JsonObject, Problem | Unavailable>
    /** Adds a passkey that the browser created; users.passkey_invalid, users.passkey_limit_reached, validation.*. */
    readonly addPasskey: (
      caller: Authenticated,
      given: { readonly name: string | null; readonly response: unknown }
    ) => Effect.Effect<Renewed<Passkey>, Problem | Unavailable>
    /** Renames a passkey; common.not_found, validation.*. */
    readonly renamePasskey: (
      caller: Authenticated,
      id: string,
      name: string
    ) => Effect.Effect<Passkey, Problem | Unavailable>
    /** Removes a passkey; common.not_found. */
    readonly removePasskey: (
      caller: Authenticated,
      id: string
    ) => Effect.Effect<Renewed<null>, Problem | Unavailable>
    /** The user's sessions, newest first. */
    readonly sessions: (caller: Authenticated, page: PageRequest) => Effect.Effect<Page<Session>, Unavailable>
    /** Ends one of the user's sessions; common.not_found. */
    readonly endSession: (caller: Authenticated, id: string) => Effect.Effect<void, Problem | Unavailable>
    /** Ends all of the user's sessions. */
    readonly endAll: (caller: Authenticated) => Effect.Effect<void, Unavailable>
  }
>()("svc/users/OwnAccount") {
  static readonly layer = Layer.effect(
    OwnAccount,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const factors = yield* Factors
      const addPasskey = yield* makeAddPasskey
      const passkeys = yield* Passkeys
      const passkeyStore = yield* PasskeyStore
      const passwords = yield* Passwords
      const sessions = yield* Sessions
      const store = yield* UserStore
      const systemMail = yield* SystemMail
      const { record } = yield* AuditTrail

      /** Changes the user, who is locked, and saves the result. */
      const update = <A>(
        caller: Authenticated,
        action: string,
        change: (user: User) => Effect.Effect<readonly [User, A], Problem | Unavailable | WriteConflict>
      ) =>
        atomically(
          Effect.gen(function* () {
            const { session } = caller
            const { id } = caller.user
            const [user] = yield* store.lock([id])
            if (user === undefined) return yield* Problem.of("common.not_found")
            const [changed, value] = yield* change(user)
            yield* store.save(changed)
            yield* record(actorOfSession(caller), {
              accountId: noAccount,
              action,
              target: id,
              before: summaryOf(user),
              after: summaryOf(changed)
            })
            if (isNoticed(action)) {
              const { network, userAgent } = session
              const at = yield* Clock.currentTimeMillis
              yield* systemMail.notify({ userId: id, action, at, network, userAgent })
            }
            return { user: changed, value }
          })
        )

      /** Records an action that does not change the user. */
      const note = (caller: Authenticated, action: string, after: Json) =>
        record(actorOfSession(caller), {
          accountId: noAccount,
          action,
          target: caller.user.id,
          before: null,
          after
        })

      /** Like `update`, for changes of factors: the session gets a new id and the other sessions end. */
      const updateFactors = Effect.fnUntraced(function* <A>(
        caller: Authenticated,
        action: string,
        change: (user: User) => Effect.Effect<readonly [User, A], Problem | Unavailable | WriteConflict>,
        given: RenewalReason = {}
      ) {
        yield* requireConfirmation(caller)
        return yield* atomically(
          Effect.gen(function* () {
            const { user, value } = yield* update(caller, action, change)
            yield* sessions.endAll(user.id, caller.session.id)
            return { user, value, issued: yield* sessions.renew(caller.session, given) }
          })
        )
      })

      const hasNone = (user: User): Effect.Effect<void, Problem> =>
        hasSecondFactor(user) ? Effect.fail(Problem.of("users.factor_exists")) : Effect.void

      return OwnAccount.of({
        change: Effect.fn("OwnAccount.change")(function* (caller, { password, ...given }) {
          const changes = yield* Effect.fromResult(parseChanges(given))
          if (password === undefined) {
            const { user } = yield* update(caller, "user.changed", (one) =>
              Effect.succeed([{ ...one, ...changes }, null])
            )
            return { user, issued: null }
          }
          yield* requireConfirmation(caller)
          const { email, name } = caller.user
          const passwordHash = yield* passwords.accept(password, email, changes.name ?? name)
          return yield* updateFactors(caller, "user.password_set", (user) =>
            Effect.succeed([{ ...user, ...changes, passwordHash }, null])
          )
        }),
        beginCodes: Effect.fn("OwnAccount.beginCodes")(function* (caller) {
          yield* requireConfirmation(caller)
          const { value } = yield* update(caller, "user.factor_begun", (user) =>
            Effect.andThen(hasNone(user), factors.begin(user))
          )
          return value
        }),
        confirmCodes: Effect.fn("OwnAccount.confirmCodes")(function* (caller, code) {
          return yield* updateFactors(caller, "user.factor_added", (user) =>
            Effect.gen(function* () {
              yield* hasNone(user)
              const accepted = yield* factors.accept(user, code)
              if (accepted === null) return yield* Problem.of("users.code_invalid", "code")
              return factors.renewCodes(accepted)
            })
          )
        }),
        removeCodes: Effect.fn("OwnAccount.removeCodes")(function* (caller) {
          return yield* updateFactors(caller, "user.factor_removed", (user) =>
            Effect.succeed([
              { ...user, totpSecret: null, totpConfirmedAt: null, totpStep: null, recoveryCodes: [] },
              null
            ])
          )
        }),
        renewRecovery: Effect.fn("OwnAccount.renewRecovery")(function* (caller) {
          return yield* updateFactors(caller, "user.recovery_codes_made", (user) =>
            hasSecondFactor(user)
              ? Effect.succeed(factors.renewCodes(user))
              : Effect.fail(Problem.of("users.factor_required"))
          )
        }),
        passkeys: ({ user }) => passkeyStore.list(user.id),
        beginPasskey: Effect.fn("OwnAccount.beginPasskey")(function* (caller) {
          yield* requireConfirmation(caller)
          const { email, id, name } = caller.user
          return yield* passkeys.creationOptions({ id, email, name: name ?? email }, id)
        }),
        addPasskey: Effect.fn("OwnAccount.addPasskey")(function* (caller, given) {
          yield* requireConfirmation(caller)
          const name = given.name === null ? null : yield* Effect.fromResult(parsePasskeyName(given.name))
          const credential = yield* passkeys.created(given.response, caller.user.id)
          const renewed = yield* updateFactors(
            caller,
            "user.passkey_added",
            (user) =>
              Effect.map(addPasskey(user, credential, name), (changed) => [changed, credential] as const),
            // Counts as two factors, because the browser has just used the passkey.
            { twoFactors: true }
          )
          const added = yield* passkeyStore.findCredential(credential.credentialId)
          return added === null ? yield* Problem.of("common.not_found") : { ...renewed, value: added }
        }),
        renamePasskey: Effect.fn("OwnAccount.renamePasskey")(function* (caller, id, given) {
          const name = yield* Effect.fromResult(parsePasskeyName(given))
          const renamed = yield* passkeyStore.rename(caller.user.id, id, name)
          if (renamed === null) return yield* Problem.of("common.not_found")
          yield* note(caller, "user.passkey_renamed", { passkeyId: id, name })
          return renamed
        }, atomically),
        removePasskey: Effect.fn("OwnAccount.removePasskey")(function* (caller, id) {
          return yield* updateFactors(caller, "user.passkey_removed", (user) =>
            Effect.gen(function* () {
              const removed = yield* passkeyStore.remove(user.id, id)
              if (removed === null) return yield* Problem.of("common.not_found")
              return [{ ...user, passkeys: user.passkeys - 1 }, null] as const
            })
          )
        }),
        sessions: ({ user }, page) => sessions.list(user.id, page),
        endSession: Effect.fn("OwnAccount.endSession")(function* (caller, id) {
          if (!(yield* sessions.end(caller.user.id, id))) return yield* Problem.of("common.not_found")
          yield* note(caller, "session.closed", { sessionId: id })
        }, atomically),
        endAll: Effect.fn("OwnAccount.endAll")(function* (caller) {
          const ended = yield* sessions.endAll(caller.user.id)
          yield* note(caller, "user.signed_out", { ended })
        }, atomically)
      })
    })
  )
}

/** Whether the user is notified of a change by mail. */
const isNoticed = (action: string): action is NoticeAction =>
  (noticeActions as ReadonlyArray<string>).includes(action)

/** The summary of a user for the audit log, without secrets. */
const summaryOf = (user: User): Json => ({
  name: user.name,
  language: user.language,
  timeZone: user.timeZone,
  factors: factorsOf(user)
})

type Profile = Partial<Pick<User, "name" | "language" | "timeZone">>

const parseChanges = (given: Omit<OwnChanges, "password">): Result.Result<Profile, Problem> => {
  const issues = new Issues()
  const changes: { name?: string; language?: string | null; timeZone?: string | null } = {}
  if (given.name !== undefined) changes.name = checkName(given.name, "name", issues)
  for (const [field, parse] of [
    ["language", parseLanguage],
    ["timeZone", parseTimeZone]
  ] as const) {
    const value = given[field]
    if (value === undefined) continue
    changes[field] = value === null ? null : parse(value)
    if (value !== null && changes[field] === null) {
      issues.add("validation.format", field, null, { expected: formats[field] })
    }
  }
  return issues.result(changes)
}
