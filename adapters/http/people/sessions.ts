/**
 * Handles the endpoints with which users sign in and change their own accounts.
 *
 * @module
 */
import { Effect } from "effect"
import type { Passkey } from "../../../core/model/Passkey.ts"
import type { Session, User } from "../../../core/model/User.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { parseEmail } from "../../../core/shared/EmailAddress.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { AnonymousCalls } from "../../../core/users/signin/AnonymousCalls.ts"
import { factorsOf } from "../../../core/users/Factors.ts"
import { OwnAccount } from "../../../core/users/OwnAccount.ts"
import { Passkeys } from "../../../core/users/passkeys/Passkeys.ts"
import { domainOf, Providers } from "../../../core/users/providers/Providers.ts"
import { PasswordResets } from "../../../core/users/signin/PasswordResets.ts"
import { rightsOf } from "../../../core/users/Rights.ts"
import { type Authenticated, confirmedMillis, Sessions } from "../../../core/users/Sessions.ts"
import { type SignedIn, SignIn } from "../../../core/users/SignIn.ts"
import { browserOf, type CookieRequest, SessionCookies, sessionOf } from "../edge/cookies.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { accepted, type HandlerReply, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeUser = (user: User) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  language: user.language,
  timeZone: user.timeZone,
  factors: factorsOf(user)
})

const encodeSession = (session: Session, current: Session) => ({
  id: session.id,
  current: session.id === current.id,
  network: session.network,
  userAgent: session.userAgent,
  createdAt: formatDateTime(session.createdAt),
  lastUsedAt: formatDateTime(session.lastUsedAt),
  expiresAt: formatDateTime(session.expiresAt)
})

const encodePasskey = ({ createdAt, id, lastUsedAt, name }: Passkey) => ({
  id,
  name,
  createdAt: formatDateTime(createdAt),
  lastUsedAt: dateTimeOrNull(lastUsedAt)
})

/** Returned for every address, whether or not it has a user. The providers of its domain are added. */
const methods = [
  { kind: "Passkey", id: null, name: null },
  { kind: "Password", id: null, name: null }
]

/** 200 with a value and cookies. */
const withCookies = <Value>(value: Value, ...cookies: ReadonlyArray<string>): HandlerReply<Value> => ({
  _tag: "Value",
  status: 200,
  value,
  cookies
})

/** The routes of signing in and out. */
export const sessionRoutes = Effect.gen(function* () {
  const account = yield* OwnAccount
  const accounts = yield* AccountStore
  const anonymous = yield* AnonymousCalls
  const cookies = yield* SessionCookies
  const passkeys = yield* Passkeys
  const providers = yield* Providers
  const resets = yield* PasswordResets
  const sessions = yield* Sessions
  const signIn = yield* SignIn

  const signingBrowserOf = (call: CookieRequest) => ({ ...browserOf(call), device: cookies.device(call) })

  /** Ends the browser's previous session when a new one begins. */
  const endFormer = Effect.fnUntraced(function* (call: CookieRequest) {
    const token = cookies.session(call)
    const former = token === null ? null : yield* sessions.authenticate(token, browserOf(call))
    if (former !== null) yield* sessions.end(former.user.id, former.session.id)
  })

  const signedIn = Effect.fnUntraced(function* (
    call: CookieRequest,
    made: Effect.Effect<SignedIn, Problem | Unavailable>
  ) {
    yield* cookies.refuseForeign(call)
    const result = yield* made
    if (result._tag === "CodeNeeded") return ok({ user: null, needs: "Code" as const })
    const { device, issued, needsFactor, user } = result
    yield* endFormer(call)
    return withCookies(
      { user: encodeUser(user), needs: needsFactor ? ("Factor" as const) : null },
      cookies.setSession(issued.token),
      cookies.setDevice(device)
    )
  })

  return bind(ManagementApi.groups.session, {
    start: Effect.fnUntraced(function* ({ payload }) {
      const email = parseEmail(payload.email)
      if (email === null) return yield* Problem.of("validation.email", "email")
      const found = yield* providers.ofDomain(domainOf(email))
      return ok({ methods: [...methods, ...found.map(({ id, name }) => ({ kind: "Provider", id, name }))] })
    }),
    password: (call) => {
      const { code, email, password } = call.payload
      return signedIn(
        call,
        signIn.byPassword({ email, password, code: code ?? null }, signingBrowserOf(call))
      )
    },
    passkeyOptions: ({ origin }) =>
      Effect.andThen(anonymous.take(origin), Effect.map(passkeys.requestOptions, ok)),
    passkey: (call) => signedIn(call, signIn.byPasskey(call.payload, signingBrowserOf(call))),
    get: Effect.fnUntraced(function* (call) {
      const { confirmedUntil, memberships, needsFactor, user } = yield* sessionOf(call)
      const companies = yield* accounts.findCompanies(memberships.map(({ companyId }) => companyId))
      const named = new Map(companies.map(({ id, name }) => [id, { id, name }]))
      return ok({
        user: encodeUser(user),
        operator: user.isOperator,
        memberships: memberships.flatMap(({ companyId, liveAccess, role }) => {
          const company = named.get(companyId)
          const rights = {
            live: [...rightsOf(role, "Live", liveAccess)],
            sandbox: [...rightsOf(role, "Sandbox", liveAccess)]
          }
          return company === undefined ? [] : [{ company, role, liveAccess, rights }]
        }),
        needs: needsFactor ? ("Factor" as const) : null,
        confirmedUntil: formatDateTime(confirmedUntil)
      })
    }),
    confirm: Effect.fnUntraced(function* (call) {
      const caller = yield* sessionOf(call)
      const { code, passkey, password } = call.payload
      if (password == null && code == null && passkey == null) {
        return yield* Problem.of("validation.required", "password")
      }
      const factor = passkey != null ? { passkey } : password == null ? { code: code! } : { password }
      const { session, token } = yield* signIn.confirm(caller, factor, browserOf(call))
      return withCookies(
        { confirmedUntil: formatDateTime(session.confirmedAt + confirmedMillis) },
        cookies.setSession(token)
      )
    }),
    signOut: Effect.fnUntraced(function* (call) {
      const caller = yield* sessionOf(call)
      yield* account.endSession(caller, caller.session.id)
      return withCookies(null, cookies.setSession(null))
    }),
    signOutEverywhere: Effect.fnUntraced(function* (call) {
      yield* account.endAll(yield* sessionOf(call))
      return withCookies(null, cookies.setSession(null))
    }),
    welcome: ({ origin, payload }) =>
      Effect.andThen(anonymous.take(origin), Effect.map(signIn.preview(payload.token), ok)),
    welcomePasskey: Effect.fnUntraced(function* ({ origin, payload: { email, name, token } }) {
      yield* anonymous.take(origin)
      return ok(yield* signIn.passkeyOptions({ token, email: email ?? null, name: name ?? null }))
    }),
    complete: Effect.fnUntraced(function* (call) {
      const { code, email, name, passkey, password, token } = call.payload
      yield* anonymous.take(call.origin)
      if (password == null && passkey == null) {
        if (cookies.session(call) === null) return yield* Problem.of("validation.required", "password")
        const caller = yield* cookies.authenticate(call)
        const user = yield* signIn.join(token, caller)
        const needsFactor = yield* sessions.needsFactor(user, caller.session)
        return ok({ user: encodeUser(user), needs: needsFactor ? ("Factor" as const) : null })
      }
      const factor = passkey != null ? { passkey } : { password: password! }
      const given = { token, factor, code: code ?? null, email: email ?? null, name: name ?? null }
      return yield* signedIn(call, signIn.complete(given, signingBrowserOf(call)))
    }),
    reset: Effect.fnUntraced(function* ({ origin, payload }) {
      const email = parseEmail(payload.email)
      if (email === null) return yield* Problem.of("validation.email", "email")
      yield* resets.request(email, origin)
      return accepted(null)
    })
  })
})

/** Users' own accounts. */
export const ownAccountRoutes = Effect.gen(function* () {
  const account = yield* OwnAccount
  const cookies = yield* SessionCookies

  const totpOf = ({ user }: Authenticated) => ({
    confirmedAt: dateTimeOrNull(user.totpConfirmedAt),
    recoveryCodesLeft: user.recoveryCodes.length
  })
  const noSetup = { secret: null, url: null, qr: null, recoveryCodes: null }

  return bind(ManagementApi.groups.ownAccount, {
    get: (call) => Effect.map(sessionOf(call), ({ user }) => ok(encodeUser(user))),
    change: Effect.fnUntraced(function* (call) {
      const { issued, user } = yield* account.change(yield* sessionOf(call), call.payload)
      const value = encodeUser(user)
      return issued === null ? ok(value) : withCookies(value, cookies.setSession(issued.token))
    }),
    totp: (call) => Effect.map(sessionOf(call), (caller) => ok(totpOf(caller))),
    addTotp: Effect.fnUntraced(function* (call) {
      const caller = yield* sessionOf(call)
      const { code } = call.payload
      if (code == null) return ok({ ...noSetup, ...(yield* account.beginCodes(caller)) })
      const { issued, value } = yield* account.confirmCodes(caller, code)
      return withCookies({ ...noSetup, recoveryCodes: value }, cookies.setSession(issued.token))
    }),
    removeTotp: Effect.fnUntraced(function* (call) {
      const { issued } = yield* account.removeCodes(yield* sessionOf(call))
      return withCookies(null, cookies.setSession(issued.token))
    }),
    recoveryCodes: (call) =>
      Effect.map(sessionOf(call), ({ user }) => ok({ left: user.recoveryCodes.length })),
    renewRecoveryCodes: Effect.fnUntraced(function* (call) {
      const { issued, value } = yield* account.renewRecovery(yield* sessionOf(call))
      return withCookies({ recoveryCodes: value }, cookies.setSession(issued.token))
    }),
    passkeys: (call) =>
      Effect.flatMap(sessionOf(call), (caller) =>
        Effect.map(account.passkeys(caller), (found) => ok(found.map(encodePasskey)))
      ),
    addPasskey: Effect.fnUntraced(function* (call) {
      const caller = yield* sessionOf(call)
      const { name, passkey } = call.payload
      if (passkey == null) {
        return ok({ options: yield* account.beginPasskey(caller), passkey: null })
      }
      const given = { name: name ?? null, response: passkey }
      const { issued, value } = yield* account.addPasskey(caller, given)
      return withCookies({ options: null, passkey: encodePasskey(value) }, cookies.setSession(issued.token))
    }),
    renamePasskey: Effect.fnUntraced(function* (call) {
      const { params, payload } = call
      const renamed = yield* account.renamePasskey(yield* sessionOf(call), params.id, payload.name)
      return ok(encodePasskey(renamed))
    }),
    removePasskey: Effect.fnUntraced(function* (call) {
      const { issued } = yield* account.removePasskey(yield* sessionOf(call), call.params.id)
      return withCookies(null, cookies.setSession(issued.token))
    }),
    sessions: Effect.fnUntraced(function* (call) {
      const caller = yield* sessionOf(call)
      const found = yield* account.sessions(caller, call.page)
      return ok(listed(call.page, found, (session) => encodeSession(session, caller.session)))
    }),
    endSession: Effect.fnUntraced(function* (call) {
      yield* account.endSession(yield* sessionOf(call), call.params.id)
      return ok(null)
    })
  })
})
