/**
 * Stores OpenID Connect providers, and the identities that they assign to users. They belong to no account.
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
    /** The provider with the id; null if there is none. */
    readonly find: (id: string) => Effect.Effect<IdentityProvider | null, Unavailable>
    /** The providers of a company, or (null) of the installation, newest first. */
    readonly list: (
      companyId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<IdentityProvider>, Unavailable>
    /** All providers, oldest first. */
    readonly all: Effect.Effect<ReadonlyArray<IdentityProvider>, Unavailable>
    /** The providers for addresses at a domain, oldest first. */
    readonly ofDomain: (domain: string) => Effect.Effect<ReadonlyArray<IdentityProvider>, Unavailable>
    /** Replaces the sealed secret of an existing provider. */
    readonly saveSecret: (id: string, clientSecret: string) => Effect.Effect<void, Unavailable>
    /** Removes a provider of a company, or (null) of the installation, and returns it; null if there is none with the id. */
    readonly remove: (
      companyId: string | null,
      id: string
    ) => Effect.Effect<IdentityProvider | null, Unavailable>
    /** The user whom an issuer identifies by a subject; null if there is none. */
    readonly findIdentity: (issuer: string, subject: string) => Effect.Effect<Identity | null, Unavailable>
    /** Adds an identity. `WriteConflict("identities_pkey")` if the issuer's subject already belongs to a user. */
    readonly insertIdentity: (identity: Identity) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/ports/IdentityProviderStore") {}
