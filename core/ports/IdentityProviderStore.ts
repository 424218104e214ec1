/**
 * Stores OpenID Connect providers, and the identities that they gave to users. They belong to no account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Identity, IdentityProvider } from "../model/IdentityProvider.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of identity providers. */
export class IdentityProviderStore extends Context.Service<
  IdentityProviderStore,
  {
    /** Adds a provider. */
    readonly insert: (provider: IdentityProvider) => Effect.Effect<void, Unavailable>
    /** The provider with that id; null where there is none. */
    readonly find: (id: string) => Effect.Effect<IdentityProvider | null, Unavailable>
    /** The providers of a company, or of the installation for null, newest first. */
    readonly list: (
      companyId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityProvider>, Unavailable>
    /** All providers, the oldest first, for what concerns every one of them. */
    readonly all: Effect.Effect<ReadonlyArray<IdentityProvider>, Unavailable>
    /** The providers of addresses at a domain, the oldest first. */
    readonly ofDomain: (domain: string) => Effect.Effect<ReadonlyArray<IdentityProvider>, Unavailable>
    /** Replaces the sealed secret of a provider that exists. */
    readonly saveSecret: (id: string, clientSecret: string) => Effect.Effect<void, Unavailable>
    /** Removes a provider of a company, or of the installation; returns it, or null where there is none with that id. */
    readonly remove: (
      companyId: string | null,
      id: string
    ) => Effect.Effect<IdentityProvider | null, Unavailable>
    /** The user whom an issuer knows as a subject; null for none. */
    readonly findIdentity: (issuer: string, subject: string) => Effect.Effect<Identity | null, Unavailable>
    /** Adds an identity. `WriteConflict("identities_pkey")` when the issuer's subject is a user already. */
    readonly insertIdentity: (identity: Identity) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/ports/IdentityProviderStore") {}
