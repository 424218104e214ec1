/**
 * OpenID Connect providers of the installation and of companies, and the users whose sign-ins they control
 * (docs/contributing/people.md 2).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { noAccount } from "../../model/Account.ts"
import type { Actor } from "../../model/Actor.ts"
import { type IdentityProvider, providerPurpose } from "../../model/IdentityProvider.ts"
import { type MemberRole, memberRoles, type User } from "../../model/User.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import { IdentityProviderStore } from "../../ports/IdentityProviderStore.ts"
import { OpenIdClient } from "../../ports/OpenIdClient.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { UserStore } from "../../ports/UserStore.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText, oneOf } from "../../shared/Validate.ts"

/** The most characters of a provider's texts, and the most domains. */
export const providerLimits = {
  name: 100,
  issuer: 500,
  clientId: 300,
  clientSecret: 1_000,
  domains: 50
} as const

/** The roles that a provider may assign. Only Owners can make Owners. */
const givenRoles = memberRoles.filter((role) => role !== "Owner")

/** A provider to add. */
export interface NewProvider {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly emailDomains: ReadonlyArray<string>
  readonly defaultRole: string | null
  readonly required: boolean
}

/** The domain of an address, lower case. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase()

/** OpenID Connect providers. */
export class Providers extends Context.Service<
  Providers,
  {
    /** Adds a provider of a company, or (null) of the installation; validation.*. */
    readonly add: (
      companyId: string | null,
      given: NewProvider,
      actor: Actor
    ) => Effect.Effect<IdentityProvider, Problem | Unavailable>
    /** The providers of a company, or (null) of the installation, newest first. */
    readonly list: (
      companyId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityProvider>, Unavailable>
    /** common.not_found unless the company, or (null) the installation, has the provider. */
    readonly require: (companyId: string | null, id: string) => Effect.Effect<void, Problem | Unavailable>
    /** Removes a provider; common.not_found. */
    readonly remove: (
      companyId: string | null,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** The providers for addresses at a domain. */
    readonly ofDomain: (domain: string) => Effect.Effect<ReadonlyArray<IdentityProvider>, Unavailable>
    /**
     * Whether a provider is trusted to identify the owners of addresses at a domain, for everything that these users can access:
     * because the operators chose it, or because its company has proven that it owns the domain.
     */
    readonly isTrusted: (provider: IdentityProvider, domain: string) => Effect.Effect<boolean, Unavailable>
    /**
     * users.provider_required for a user who may only sign in by a provider, which is a member who is not an Owner. A company
     * that has not proven that it owns the domain decides only for users who are members of no other company.
     */
    readonly refuseOthers: (user: User) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/users/Providers") {
  static readonly layer = Layer.effect(
    Providers,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const atomically = yield* Atomically
      const box = yield* SecretBox
      const domains = yield* DomainStore
      const ids = yield* Ids
      const openId = yield* OpenIdClient
      const store = yield* IdentityProviderStore
      const users = yield* UserStore
      const { record } = yield* AuditTrail

      const audit = (actor: Actor, action: string, provider: IdentityProvider) =>
        record(actor, {
          accountId: noAccount,
          ...(provider.companyId === null ? {} : { companyId: provider.companyId }),
          action,
          target: provider.id,
          before: null,
          after: summaryOf(provider)
        })

      const isTrusted = Effect.fnUntraced(function* ({ companyId }: IdentityProvider, domain: string) {
        if (companyId === null) return true
        const [company] = yield* accounts.findCompanies([companyId])
        if (company === undefined) return false
        return (yield* domains.named(company.liveAccountId, domain))?.status === "Verified"
      })

      return Providers.of({
        add: Effect.fn("Providers.add")(function* (companyId, given, actor) {
          const parsed = yield* Effect.fromResult(parseProvider(given, openId.accepts))
          const id = yield* ids.next
          const provider: IdentityProvider = {
            ...parsed,
            id,
            companyId,
            clientSecret: yield* box.seal(parsed.clientSecret, providerPurpose(id)),
            createdAt: yield* Clock.currentTimeMillis
          }
          yield* atomically(
            Effect.andThen(store.insert(provider), audit(actor, "identity_provider.added", provider))
          )
          return provider
        }),
        list: store.list,
        require: Effect.fnUntraced(function* (companyId, id) {
          const found = yield* store.find(id)
          if (found === null || found.companyId !== companyId) return yield* Problem.of("common.not_found")
        }),
        remove: Effect.fn("Providers.remove")(function* (companyId, id, actor) {
          const removed = yield* store.remove(companyId, id)
          if (removed === null) return yield* Problem.of("common.not_found")
          yield* audit(actor, "identity_provider.removed", removed)
        }, atomically),
        ofDomain: store.ofDomain,
        isTrusted,
        refuseOthers: Effect.fn("Providers.refuseOthers")(function* ({ email, id }) {
          const domain = domainOf(email)
          const required = (yield* store.ofDomain(domain)).filter((provider) => provider.required)
          if (required.length === 0) return
          const memberships = yield* users.memberships([id])
          for (const provider of required) {
            const { companyId } = provider
            const concerned = memberships.filter((one) => companyId === null || one.companyId === companyId)
            if (concerned.length === 0 || concerned.some(({ role }) => role === "Owner")) continue
            const isOnly = concerned.length === memberships.length
            if (isOnly || (yield* isTrusted(provider, domain))) {
              return yield* Problem.of("users.provider_required")
            }
          }
        })
      })
    })
  )
}

/** The summary of a provider for the audit log, without secrets. */
const summaryOf = ({ clientId, defaultRole, emailDomains, issuer, name, required }: IdentityProvider) => ({
  name,
  issuer,
  clientId,
  emailDomains,
  defaultRole,
  required
})

/** Validates a provider to add. */
export const parseProvider = (
  given: NewProvider,
  accepts: (issuer: string) => boolean
): Result.Result<Omit<IdentityProvider, "id" | "companyId" | "createdAt">, Problem> => {
  const issues = new Issues()
  const text = (field: "name" | "issuer" | "clientId" | "clientSecret"): string => {
    const value = checkText(given[field], field, providerLimits[field], issues)
    if (value === "") issues.add("validation.required", field)
    return value
  }
  const [name, issuer, clientId, clientSecret] = [
    text("name"),
    text("issuer"),
    text("clientId"),
    text("clientSecret")
  ]
  if (issuer !== "" && !accepts(issuer)) {
    issues.add("validation.format", "issuer", null, { expected: "an https URL of a public server" })
  }
  if (given.emailDomains.length > providerLimits.domains) {
    issues.add(
      "validation.max_length",
      "emailDomains",
      { max: providerLimits.domains },
      { expected: "domains" }
    )
  }
  const emailDomains = given.emailDomains.slice(0, providerLimits.domains).map((domain, index) => {
    const parsed = parseEmail(`a@${domain}`)
    if (parsed === null) {
      issues.add("validation.format", `emailDomains[${index}]`, null, { expected: "a domain" })
    }
    return parsed === null ? "" : domainOf(parsed)
  })
  const { defaultRole, required } = given
  if (defaultRole !== null && !(givenRoles as ReadonlyArray<string>).includes(defaultRole)) {
    issues.add("validation.format", "defaultRole", null, { expected: oneOf(givenRoles) })
  }
  return issues.result({
    name,
    issuer,
    clientId,
    clientSecret,
    emailDomains: [...new Set(emailDomains)],
    defaultRole: defaultRole as MemberRole | null,
    required
  })
}
