/**
 * Signs users in by OpenID Connect providers. A user is identified by the issuer and its subject, never by an address. The first
 * sign-in links an invited user, or creates a member (docs/contributing/people.md 2).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { refuseOn } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { noAccount } from "../../model/Account.ts"
import { type IdentityProvider, providerPurpose } from "../../model/IdentityProvider.ts"
import type { User } from "../../model/User.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { IdentityProviderStore } from "../../ports/IdentityProviderStore.ts"
import { InstallationStore } from "../../ports/InstallationStore.ts"
import { OpenIdClient, type OpenIdParty, type OpenIdPerson } from "../../ports/OpenIdClient.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { SignInStepStore } from "../../ports/SignInStepStore.ts"
import { UserStore } from "../../ports/UserStore.ts"
import { toBase64Url } from "../../shared/Bytes.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { domainOf, Providers } from "../providers/Providers.ts"
import { actorIn, type Browser } from "../Sessions.ts"
import { type SignedIn, SignIn, type SigningBrowser } from "../SignIn.ts"
import { newUser, parseName } from "../UserRules.ts"

/** How long a browser may stay at its provider, milliseconds. */
export const providerMillis = 600_000

const secretBytes = 32
const purpose = "sign-in at a provider"
const secretPattern = /^[\w-]{43}$/

/** The sealed state that is stored while a browser is at its provider. */
const Kept = Schema.fromJsonString(
  Schema.Struct({ providerId: Schema.String, nonce: Schema.String, verifier: Schema.String })
)

const failed = (): Problem => Problem.of("users.provider_failed")

/** The redirect of a browser to its provider. */
export interface Departure {
  readonly url: string
  /** The value of a cookie, which shows that the returning browser is the one that was redirected. */
  readonly cookie: string
}

/** Signs users in by providers. */
export class ProviderSignIn extends Context.Service<
  ProviderSignIn,
  {
    /** Redirects a browser to a provider; common.not_found, users.provider_failed. */
    readonly begin: (providerId: string) => Effect.Effect<Departure, Problem | Unavailable>
    /** Signs in a browser that returned; users.provider_failed whatever the cause. */
    readonly finish: (
      providerId: string,
      returned: {
        readonly parameters: Readonly<Record<string, string>>
        readonly cookie: string | null
      },
      browser: SigningBrowser
    ) => Effect.Effect<SignedIn, Problem | Unavailable>
  }
>()("svc/users/ProviderSignIn") {
  static readonly layer = Layer.effect(
    ProviderSignIn,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const atomically = yield* Atomically
      const box = yield* SecretBox
      const crypto = yield* Crypto
      const ids = yield* Ids
      const installation = yield* InstallationStore
      const openId = yield* OpenIdClient
      const providers = yield* Providers
      const signIn = yield* SignIn
      const steps = yield* SignInStepStore
      const store = yield* IdentityProviderStore
      const users = yield* UserStore
      const { record } = yield* AuditTrail
      const { baseUrl } = yield* PublicEndpoint

      const newSecret = (): string => toBase64Url(crypto.randomBytes(secretBytes))
      const hashOf = (state: string, cookie: string): string =>
        crypto.sha256Hex(`provider ${state} ${cookie}`)

      const partyOf = Effect.fnUntraced(function* ({ clientId, clientSecret, id, issuer }: IdentityProvider) {
        const opened = yield* Effect.mapError(box.open(clientSecret, providerPurpose(id)), failed)
        const redirectUri = `${baseUrl()}/manage/v1/session/provider/${id}/callback`
        return { issuer, clientId, clientSecret: opened, redirectUri } satisfies OpenIdParty
      })

      /** Logs why a provider failed, which the caller does not learn. */
      const orFailed = <A>(providerId: string, made: Effect.Effect<A, { readonly reason: string }>) =>
        Effect.catch(made, ({ reason }) =>
          Effect.andThen(
            Effect.annotateLogs(Effect.logWarning("identity provider failed"), { providerId, reason }),
            Effect.fail(failed())
          )
        )

      /** The company whose members a provider creates: the provider's own, or the first one. */
      const companyOf = Effect.fnUntraced(function* ({ companyId }: IdentityProvider) {
        if (companyId !== null) return companyId
        const first = yield* installation.get
        const [account] = yield* accounts.find(first === null ? [] : [first.sandboxAccountId])
        return account?.companyId ?? (yield* failed())
      })

      /** The user whom a person becomes at the first sign-in: an invited user with the address, or a new member. */
      const linked = Effect.fnUntraced(function* (provider: IdentityProvider, person: OpenIdPerson) {
        const email = person.emailVerified === true ? parseEmail(person.email ?? "") : null
        if (email === null) return yield* failed()
        const domain = domainOf(email)
        if (provider.emailDomains.length > 0 && !provider.emailDomains.includes(domain))
          return yield* failed()
        const createdAt = yield* Clock.currentTimeMillis
        const given = person.name === null ? null : parseName(person.name)
        const name = given?._tag === "Success" ? given.success : email.slice(0, 100)
        const found = yield* users.findByEmail(email)
        const identityOf = ({ id: userId }: User) => ({
          issuer: person.issuer,
          subject: person.subject,
          userId,
          createdAt
        })
        if (found !== null) {
          const [user] = yield* users.lock([found.id])
          if (user?.status !== "Invited") return yield* failed()
          // A company's provider must not decide about anything that its company did not grant.
          if (!(yield* providers.isTrusted(provider, domain))) {
            const memberships = yield* users.memberships([user.id])
            const isOwn = memberships.every(({ companyId }) => companyId === provider.companyId)
            if (user.isOperator || memberships.length === 0 || !isOwn) return yield* failed()
          }
          const active: User = { ...user, name: user.name ?? name, status: "Active" }
          yield* users.save(active)
          yield* store.insertIdentity(identityOf(active))
          return active
        }
        if (provider.defaultRole === null) return yield* failed()
        const user = newUser({ id: yield* ids.next, email, name, status: "Active", createdAt })
        yield* users.insert(user)
        yield* users.insertMembership({
          companyId: yield* companyOf(provider),
          userId: user.id,
          role: provider.defaultRole,
          liveAccess: true,
          invitedName: null,
          acceptedAt: createdAt,
          createdAt
        })
        yield* store.insertIdentity(identityOf(user))
        return user
      })

      const userOf = (provider: IdentityProvider, person: OpenIdPerson, browser: Browser) =>
        atomically(
          Effect.gen(function* () {
            const identity = yield* store.findIdentity(person.issuer, person.subject)
            if (identity !== null) {
              const [user] = yield* users.find([identity.userId])
              return user?.status === "Active" ? user : yield* failed()
            }
            const user = yield* refuseOn(
              "identities_pkey",
              failed
            )(refuseOn("users_email", failed)(linked(provider, person)))
            yield* record(actorIn(user, browser), {
              accountId: noAccount,
              action: "user.identity_linked",
              target: user.id,
              before: null,
              after: { providerId: provider.id, issuer: person.issuer }
            })
            return user
          })
        )

      return ProviderSignIn.of({
        begin: Effect.fn("ProviderSignIn.begin")(function* (providerId) {
          const provider = yield* store.find(providerId)
          if (provider === null) return yield* Problem.of("common.not_found")
          const [state, nonce, verifier, cookie] = [newSecret(), newSecret(), newSecret(), newSecret()]
          const party = yield* partyOf(provider)
          const url = yield* orFailed(providerId, openId.begin(party, { state, nonce, verifier }))
          const createdAt = yield* Clock.currentTimeMillis
          const data = yield* box.seal(JSON.stringify({ providerId, nonce, verifier }), purpose)
          yield* steps.insert([
            {
              hash: hashOf(state, cookie),
              kind: "Provider",
              userId: null,
              data,
              expiresAt: createdAt + providerMillis,
              createdAt
            }
          ])
          return { url, cookie }
        }),
        finish: Effect.fn("ProviderSignIn.finish")(function* (providerId, { cookie, parameters }, browser) {
          const { state = "" } = parameters
          if (cookie === null || !secretPattern.test(cookie) || !secretPattern.test(state)) {
            return yield* failed()
          }
          const now = yield* Clock.currentTimeMillis
          const step = yield* steps.take("Provider", hashOf(state, cookie), now)
          if (step === null) return yield* failed()
          const kept = yield* Effect.mapError(
            Effect.flatMap(box.open(step.data, purpose), Schema.decodeUnknownEffect(Kept)),
            failed
          )
          const provider = kept.providerId === providerId ? yield* store.find(providerId) : null
          if (provider === null) return yield* failed()
          const { nonce, verifier } = kept
          const party = yield* partyOf(provider)
          const person = yield* orFailed(
            providerId,
            openId.finish(party, { state, nonce, verifier }, parameters)
          )
          if (person.emailVerified === false) return yield* failed()
          const user = yield* userOf(provider, person, browser)
          const isTrusted = yield* providers.isTrusted(provider, domainOf(user.email))
          yield* users.acceptMemberships(user.id, isTrusted ? null : provider.companyId, now)
          // The provider itself decides how many factors it requires.
          return yield* signIn.open(user, browser, {
            twoFactors: true,
            companyId: isTrusted ? null : provider.companyId
          })
        })
      })
    })
  )
}
