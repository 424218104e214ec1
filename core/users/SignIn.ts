/**
 * Signs users in, by password and code, by passkey or by a set-up link (docs/contributing/people.md 2). For known and unknown
 * addresses, the results and their cost are the same.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type Actor, systemActor } from "../model/Actor.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { noAccount } from "../model/Account.ts"
import { hasSecondFactor, type Session, type SetupLink, type User } from "../model/User.ts"
import type { NoticeAction } from "../model/UserMail.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import type { JsonObject, NewCredential } from "../ports/PasskeyVerifier.ts"
import { UserStore } from "../ports/UserStore.ts"
import { comparableAddress, parseEmail } from "../shared/EmailAddress.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { Attempts } from "./Attempts.ts"
import { Devices } from "./Devices.ts"
import { Factors, factorsOf } from "./Factors.ts"
import { makeAddPasskey } from "./passkeys/AddPasskey.ts"
import { Passkeys } from "./passkeys/Passkeys.ts"
import { Passwords } from "./Passwords.ts"
import { Providers } from "./providers/Providers.ts"
import {
  actorIn,
  actorOfSession,
  type Authenticated,
  type Browser,
  type IssuedSession,
  Sessions
} from "./Sessions.ts"
import { inviterOf, SetupLinks } from "./SetupLinks.ts"
import { SystemMail } from "./SystemMail.ts"
import { newUser, parseName } from "./UserRules.ts"

/** The browser in which a person signs in. */
export interface SigningBrowser extends Browser {
  /** The value of the cookie by which it is recognised; null without one. */
  readonly device: string | null
}

/** A password, with a code if one was given. */
export interface PasswordSignIn {
  readonly email: string
  readonly password: string
  readonly code: string | null
}

/** The input that completes a set-up link. */
export interface Completion {
  readonly token: string
  readonly email: string | null
  readonly name: string | null
  /** `passkey` is `RegistrationResponseJSON`. */
  readonly factor: { readonly password: string } | { readonly passkey: unknown }
  /** A code, if the user has one-time codes; null for none. */
  readonly code: string | null
}

/** A factor that confirms a session. */
export type Confirmation =
  | { readonly password: string }
  | { readonly code: string }
  /** `AuthenticationResponseJSON`. */
  | { readonly passkey: unknown }

/** The result of a sign-in. */
export type SignedIn =
  /** The password was right; the call must be repeated with a code. */
  | { readonly _tag: "CodeNeeded" }
  | {
      readonly _tag: "SignedIn"
      readonly user: User
      readonly issued: IssuedSession
      /** The value of the cookie by which the browser is recognised. */
      readonly device: string
      readonly needsFactor: boolean
    }

/** What a set-up link shows before it is used. */
export interface LinkPreview {
  readonly kind: SetupLink["kind"]
  readonly email: string | null
  readonly name: string | null
  readonly company: { readonly id: string; readonly name: string } | null
}

/** The most characters of a browser's name in an email. */
const maxUserAgent = 200

const failed = (): Problem => Problem.of("users.sign_in_failed")

/**
 * Whether a user has not changed since the factors were checked, which takes a while. A change of the password or of the second
 * factor ends all sessions, so no session may be opened afterwards with the former ones.
 */
const isAsProven = (proven: User, current: User | undefined): boolean =>
  current?.status === "Active" &&
  current.passwordHash === proven.passwordHash &&
  hasSecondFactor(current) === hasSecondFactor(proven)

/** Signs users in. */
export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * Signs in by password. users.sign_in_failed whatever the cause, users.code_invalid, users.provider_required,
     * users.too_many_attempts, common.unavailable.
     */
    readonly byPassword: (
      given: PasswordSignIn,
      browser: SigningBrowser
    ) => Effect.Effect<SignedIn, Problem | Unavailable>
    /**
     * Signs in by passkey, which counts as two factors. users.passkey_invalid whatever the cause. If a passkey was copied, its
     * user is notified.
     */
    readonly byPasskey: (
      response: unknown,
      browser: SigningBrowser
    ) => Effect.Effect<SignedIn, Problem | Unavailable>
    /** Opens a session for a user whom an identity provider has signed in; users.sign_in_failed if the user changes meanwhile. */
    readonly open: (
      user: User,
      browser: SigningBrowser,
      opening: Pick<Session, "twoFactors" | "companyId">
    ) => Effect.Effect<SignedIn, Problem | Unavailable>
    /** The purpose of a set-up link; users.link_invalid. The link stays valid. */
    readonly preview: (token: string) => Effect.Effect<LinkPreview, Problem | Unavailable>
    /**
     * The options with which a browser creates a passkey for a link's user; users.link_invalid, validation.*. The link stays
     * valid.
     */
    readonly passkeyOptions: (
      given: Pick<Completion, "token" | "email" | "name">
    ) => Effect.Effect<JsonObject, Problem | Unavailable>
    /**
     * Sets the password of a link's user, or adds a passkey, and signs in. Only then is the link used up.
     * users.link_invalid, users.password_weak, users.passkey_invalid, users.passkey_limit_reached, users.code_invalid,
     * users.too_many_attempts, validation.*, common.unavailable.
     */
    readonly complete: (
      given: Completion,
      browser: SigningBrowser
    ) => Effect.Effect<SignedIn, Problem | Unavailable>
    /**
     * Accepts the membership to which a link invites the user of a session. users.link_invalid, also for a link of another user;
     * users.provider_required for a session limited to one company.
     */
    readonly join: (token: string, authenticated: Authenticated) => Effect.Effect<User, Problem | Unavailable>
    /**
     * Confirms a session by one factor: users.sign_in_failed, users.code_invalid, users.passkey_invalid,
     * users.too_many_attempts.
     */
    readonly confirm: (
      authenticated: Authenticated,
      factor: Confirmation,
      browser: Browser
    ) => Effect.Effect<IssuedSession, Problem | Unavailable>
  }
>()("svc/users/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const atomically = yield* Atomically
      const attempts = yield* Attempts
      const devices = yield* Devices
      const factors = yield* Factors
      const ids = yield* Ids
      const links = yield* SetupLinks
      const crypto = yield* Crypto
      const passkeys = yield* Passkeys
      const passwords = yield* Passwords
      const providers = yield* Providers
      const addPasskey = yield* makeAddPasskey
      const sessions = yield* Sessions
      const store = yield* UserStore
      const systemMail = yield* SystemMail
      const { record } = yield* AuditTrail

      /** Notifies a user by mail, if the installation sends any. */
      const notify = Effect.fnUntraced(function* (
        userId: string,
        action: NoticeAction,
        { origin, userAgent }: Browser
      ) {
        const at = yield* Clock.currentTimeMillis
        const place = { network: origin.network, userAgent: userAgent?.slice(0, maxUserAgent) ?? null }
        yield* systemMail.notify({ userId, action, at, ...place })
      })

      const open = Effect.fnUntraced(function* (
        user: User,
        { device, ...browser }: SigningBrowser,
        opening: Pick<Session, "twoFactors" | "companyId">,
        isNoticed = true
      ) {
        const issued = yield* atomically(
          Effect.gen(function* () {
            const [current] = yield* store.lock([user.id])
            if (!isAsProven(user, current)) return yield* failed()
            return yield* sessions.open(user, browser, opening)
          })
        )
        const memberships = yield* store.memberships([user.id])
        const entry = {
          accountId: noAccount,
          action: "session.opened",
          target: issued.session.id,
          before: null,
          after: null
        }
        // One entry for each company of which the user is a member, since the company may see who signs in.
        const entries = memberships.flatMap(({ acceptedAt, companyId }) =>
          acceptedAt === null ? [] : [{ ...entry, companyId }]
        )
        yield* record(
          { ...actorIn(user, browser), sessionId: issued.session.id },
          ...(entries.length === 0 ? [entry] : entries)
        )
        const known = yield* devices.recognise(device, user.email)
        // The user needs no notice of the first sign-in when a provider has just created them.
        const isFirst = user.lastSeenAt === null && user.passwordHash === null && user.passkeys === 0
        if (isNoticed && known === null && !isFirst) {
          yield* notify(user.id, "session.opened", browser)
        }
        return {
          _tag: "SignedIn",
          user,
          issued,
          device: yield* devices.issue(known, user.email),
          needsFactor: yield* sessions.needsFactor(user, issued.session)
        } as const
      })

      /** Like `open`, but users.provider_required for a user who must sign in by a provider. */
      const openByFactor = Effect.fnUntraced(function* (
        user: User,
        browser: SigningBrowser,
        twoFactors = hasSecondFactor(user),
        isNoticed = true
      ) {
        yield* providers.refuseOthers(user)
        return yield* open(user, browser, { twoFactors, companyId: null }, isNoticed)
      })

      /** Accepts a code once; users.code_invalid. */
      const acceptCode = (userId: string, code: string) =>
        atomically(
          Effect.gen(function* () {
            const [user] = yield* store.lock([userId])
            const accepted = user === undefined ? null : yield* factors.accept(user, code)
            if (accepted === null) return yield* Problem.of("users.code_invalid")
            yield* store.save(accepted)
            return accepted
          })
        )

      /** Hashes a password with the current parameters, unless the password was changed meanwhile. Returns the user. */
      const rehash = Effect.fnUntraced(function* (proven: User, password: string) {
        const passwordHash = yield* passwords.hash(password)
        return yield* atomically(
          Effect.gen(function* () {
            const [user] = yield* store.lock([proven.id])
            if (user?.passwordHash !== proven.passwordHash) return proven
            yield* store.save({ ...user, passwordHash })
            return { ...proven, passwordHash }
          })
        )
      })

      const checkPassword = Effect.fnUntraced(function* (user: User | null, password: string) {
        const { isOutdated, matches } = yield* passwords.verify(password, user?.passwordHash ?? null)
        if (!matches || user?.status !== "Active") return yield* failed()
        return isOutdated ? yield* rehash(user, password) : user
      })

      /**
       * Whether a link invites a user who has signed in before, or whom the operators have invited as an operator. Such a link
       * changes nothing about the user, because the company that received it vouches only for its own membership. The result is
       * the same for a disabled user, because the company must not learn that.
       */
      const invitesUser = (link: SetupLink, user: User | undefined): boolean =>
        user !== undefined &&
        link.kind === "Invitation" &&
        (user.status !== "Invited" || (user.isOperator && inviterOf(link) !== null))

      /** Marks a link as used, and accepts the memberships of its user for which the link vouches. */
      const accept = Effect.fnUntraced(function* (link: SetupLink, userId: string, actor: Actor) {
        yield* links.use(link)
        const now = yield* Clock.currentTimeMillis
        const companyIds = yield* store.acceptMemberships(userId, inviterOf(link), now)
        const entry = { accountId: noAccount, action: "member.accepted", target: userId }
        yield* record(
          actor,
          ...companyIds.map((companyId) => ({ ...entry, companyId, before: null, after: null }))
        )
      })

      /** Sets the password or adds the passkey of a link's user. */
      const completed = Effect.fnUntraced(function* (
        link: SetupLink,
        email: string,
        values: Pick<User, "name">,
        browser: Browser,
        factor: { readonly passwordHash: string } | { readonly credential: NewCredential }
      ) {
        const found = link.userId === null ? yield* store.findByEmail(email) : null
        const [stored] = yield* store.lock([link.userId ?? found?.id ?? ""].filter((id) => id !== ""))
        if (
          stored?.status === "Disabled" ||
          (stored === undefined && link.userId !== null) ||
          // Another link of the user was completed meanwhile.
          invitesUser(link, stored)
        ) {
          return yield* Problem.of("users.link_invalid")
        }
        const isFirst = link.kind === "FirstStart"
        const createdAt = yield* Clock.currentTimeMillis
        const base: User = {
          ...(stored ?? newUser({ id: yield* ids.next, email, createdAt })),
          ...values,
          ...("passwordHash" in factor ? factor : {}),
          status: "Active",
          isOperator: isFirst || (stored?.isOperator ?? false)
        }
        const user = "credential" in factor ? yield* addPasskey(base, factor.credential, null) : base
        yield* stored === undefined ? store.insert(user) : store.save(user)
        if (isFirst && link.companyId !== null) {
          const owner = {
            companyId: link.companyId,
            userId: user.id,
            role: "Owner",
            liveAccess: true,
            invitedName: null,
            acceptedAt: createdAt,
            createdAt
          } as const
          const has = (yield* store.memberships([user.id])).some(
            ({ companyId }) => companyId === link.companyId
          )
          yield* has ? store.saveMembership(owner) : store.insertMembership(owner)
        }
        yield* accept(link, user.id, actorIn(user, browser))
        yield* sessions.endAll(user.id)
        yield* record(actorIn(user, browser), {
          accountId: noAccount,
          action: "credential" in factor ? "user.passkey_added" : "user.password_set",
          target: user.id,
          before: null,
          after: { by: link.kind }
        })
        // A new user needs no notice.
        if (link.kind === "Reset") {
          yield* notify(user.id, "credential" in factor ? "user.passkey_added" : "user.password_set", browser)
        }
        return user
      })

      /** The name that a link shows; for an invited user, the name that the company gave. */
      const shownName = Effect.fnUntraced(function* (link: SetupLink, user: User | undefined) {
        if (user === undefined || !invitesUser(link, user)) return user?.name ?? null
        const memberships = yield* store.memberships([user.id])
        return memberships.find(({ companyId }) => companyId === link.companyId)?.invitedName ?? null
      })

      /** The person who completes a link: the address, and the given or known name. */
      const completing = Effect.fnUntraced(function* (given: Pick<Completion, "token" | "email" | "name">) {
        const link = yield* links.find(given.token)
        const [user] = yield* store.find(link.userId === null ? [] : [link.userId])
        const email = user?.email ?? link.email ?? parseEmail(given.email ?? "")
        if (email === null) {
          return yield* given.email === null
            ? Problem.of("validation.required", "email")
            : Problem.of("validation.email", "email")
        }
        const name =
          given.name === null ? yield* shownName(link, user) : yield* Effect.fromResult(parseName(given.name))
        if (name === null) return yield* Problem.of("validation.required", "name")
        const isUser = invitesUser(link, user)
        return { link, user: user ?? (yield* store.findByEmail(email)), email, name, isUser }
      })

      /** The passkey that signed; users.passkey_invalid. */
      const signedPasskey = Effect.fnUntraced(function* (response: unknown, browser: Browser) {
        const { _tag, passkey } = yield* passkeys.signed(response)
        if (_tag === "Valid") return passkey
        yield* record(
          {
            ...systemActor,
            network: browser.origin.network,
            userAgent: browser.userAgent?.slice(0, maxUserAgent) ?? null
          },
          {
            accountId: noAccount,
            action: "user.passkey_copied",
            target: passkey.userId,
            before: null,
            after: { passkeyId: passkey.id, name: passkey.name }
          }
        )
        yield* notify(passkey.userId, "user.passkey_copied", browser)
        return yield* Problem.of("users.passkey_invalid")
      })

      const byPassword = Effect.fn("SignIn.byPassword")(function* (
        { code, password, ...given }: PasswordSignIn,
        browser: SigningBrowser
      ): Effect.fn.Return<SignedIn, Problem | Unavailable> {
        const email = comparableAddress(given.email)
        const device = yield* devices.recognise(browser.device, email)
        const made = Effect.gen(function* () {
          const user = yield* checkPassword(yield* store.findByEmail(email), password)
          if (!hasSecondFactor(user)) return user
          if (code === null) return null
          const { passwordHash } = user
          return { ...(yield* acceptCode(user.id, code)), passwordHash }
        })
        const user = yield* attempts.run({ email, origin: browser.origin, device }, made)
        return user === null ? { _tag: "CodeNeeded" } : yield* openByFactor(user, browser)
      })

      return SignIn.of({
        open,
        byPassword,
        preview: Effect.fn("SignIn.preview")(function* (token) {
          const link = yield* links.find(token)
          const [user] = yield* store.find(link.userId === null ? [] : [link.userId])
          if (user?.status === "Disabled" && !invitesUser(link, user)) {
            return yield* Problem.of("users.link_invalid")
          }
          const [company] = yield* accounts.findCompanies(link.companyId === null ? [] : [link.companyId])
          return {
            kind: link.kind,
            email: user?.email ?? link.email,
            name: yield* shownName(link, user),
            company: company === undefined ? null : { id: company.id, name: company.name }
          }
        }),
        passkeyOptions: Effect.fn("SignIn.passkeyOptions")(function* (given) {
          const { email, isUser, name, user } = yield* completing(given)
          // The link creates no passkey for an existing user, but must not reveal that there is one.
          if (isUser) {
            const id = crypto.sha256Hex(given.token).slice(0, 32)
            return yield* passkeys.creationOptions({ id, email, name }, given.token)
          }
          // A new user has no id yet, but the authenticator needs one that is specific to the user.
          const id = user?.id ?? crypto.sha256Hex(email).slice(0, 32)
          return yield* passkeys.creationOptions({ id, email, name }, given.token)
        }),
        complete: Effect.fn("SignIn.complete")(function* (given, browser) {
          const { factor, token } = given
          const { email, isUser, link, name, user } = yield* completing(given)
          if (isUser) {
            // The link proves nothing about an existing user, who signs in as at any other time.
            if (!("password" in factor)) return yield* Problem.of("users.passkey_invalid")
            // Checked as for a new user. Otherwise, the response to a weak password would reveal to a company that the address
            // belongs to a user.
            yield* passwords.check(factor.password, email, name)
            const result = yield* byPassword({ email, password: factor.password, code: given.code }, browser)
            if (result._tag === "CodeNeeded") return result
            const { issued, user: signedIn } = result
            yield* atomically(accept(link, signedIn.id, actorIn(signedIn, browser)))
            return { ...result, needsFactor: yield* sessions.needsFactor(signedIn, issued.session) }
          }
          if (user !== null) yield* providers.refuseOthers(user)
          if ("password" in factor) {
            const passwordHash = yield* passwords.accept(factor.password, email, name)
            const ready = yield* atomically(completed(link, email, { name }, browser, { passwordHash }))
            // A link proves only one factor, so a user with a second factor signs in with both.
            return hasSecondFactor(ready)
              ? { _tag: "CodeNeeded" }
              : yield* openByFactor(ready, browser, false, false)
          }
          // A passkey counts as two factors, so the second factor must be given before it is added.
          if (user !== null && hasSecondFactor(user)) {
            if (given.code === null) return { _tag: "CodeNeeded" }
            yield* attempts.run(
              { email, origin: browser.origin, device: null },
              acceptCode(user.id, given.code)
            )
          }
          const credential = yield* passkeys.created(factor.passkey, token)
          const ready = yield* atomically(completed(link, email, { name }, browser, { credential }))
          return yield* openByFactor(ready, browser, true, false)
        }),
        byPasskey: Effect.fn("SignIn.byPasskey")(function* (response, browser) {
          const { userId } = yield* signedPasskey(response, browser)
          const [user] = yield* store.find([userId])
          if (user?.status !== "Active") return yield* Problem.of("users.passkey_invalid")
          return yield* openByFactor(user, browser, true)
        }),
        join: Effect.fn("SignIn.join")(function* (token, caller) {
          const { session, user } = caller
          const link = yield* links.find(token)
          if (link.userId !== user.id || inviterOf(link) === null) {
            return yield* Problem.of("users.link_invalid")
          }
          if (session.companyId !== null) return yield* Problem.of("users.provider_required")
          yield* accept(link, user.id, actorOfSession(caller))
          yield* sessions.requireRenewal(user.id)
          return user
        }, atomically),
        confirm: Effect.fn("SignIn.confirm")(function* ({ session, user }, factor, browser) {
          if ("passkey" in factor) {
            const { userId } = yield* signedPasskey(factor.passkey, browser)
            if (userId !== user.id) return yield* Problem.of("users.passkey_invalid")
            return yield* sessions.renew(session, { isConfirmed: true, twoFactors: true })
          }
          const { origin } = browser
          const made =
            "password" in factor
              ? checkPassword(user, factor.password)
              : factorsOf(user).includes("Totp")
                ? acceptCode(user.id, factor.code)
                : Problem.of("users.code_invalid")
          // Counted per session, so that guesses by others do not delay it.
          yield* attempts.run(
            { email: user.email, origin, device: `session ${session.id}` },
            Effect.asVoid(made)
          )
          return yield* sessions.renew(session, { isConfirmed: true })
        })
      })
    })
  )
}
