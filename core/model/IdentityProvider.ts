/**
 * OpenID Connect providers with which users sign in, and the identities they assign (docs/contributing/people.md 2).
 *
 * @module
 */
import type { MemberRole } from "./User.ts"

/** An OpenID Connect provider. */
export interface IdentityProvider {
  readonly id: string
  /** The company whose members use it; null for a provider of the installation. */
  readonly companyId: string | null
  readonly name: string
  /** The issuer URL, without a trailing slash unless the issuer itself has one. */
  readonly issuer: string
  readonly clientId: string
  /** Sealed. */
  readonly clientSecret: string
  /** The lower-case domains whose addresses use it. */
  readonly emailDomains: ReadonlyArray<string>
  /** The role of members that it creates; null if it creates none. */
  readonly defaultRole: MemberRole | null
  /** Whether members with an address at these domains, except Owners, can sign in only with it. */
  readonly required: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A user as an issuer identifies them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly userId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The purpose with which SecretBox seals the secret of a provider's client. */
export const providerPurpose = (id: string): string => `identity provider ${id}`
