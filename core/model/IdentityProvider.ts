/**
 * OpenID Connect providers by which users sign in, and the identities they give (docs/contributing/people.md 2).
 *
 * @module
 */
import type { MemberRole } from "./User.ts"

/** An OpenID Connect provider. */
export interface IdentityProvider {
  readonly id: string
  /** The company whose members use it; null for one of the installation. */
  readonly companyId: string | null
  readonly name: string
  /** The URL of the issuer, without a trailing slash unless the issuer has one. */
  readonly issuer: string
  readonly clientId: string
  /** Sealed. */
  readonly clientSecret: string
  /** The domains of the addresses that use it, lower case. */
  readonly emailDomains: ReadonlyArray<string>
  /** The role of the members that it creates; null where it creates none. */
  readonly defaultRole: MemberRole | null
  /** Whether members of those domains, except Owners, sign in by nothing else. */
  readonly required: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A user as an issuer knows it. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly userId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The purpose with which SecretBox seals the secret of a provider's client. */
export const providerPurpose = (id: string): string => `identity provider ${id}`
