/**
 * Signs people in at OpenID Connect providers: authorization code flow with PKCE S256. Like those of webhooks, its requests go
 * only to public addresses (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** The service as a client of a provider. */
export interface OpenIdParty {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The URL to which the provider redirects the browser. */
  readonly redirectUri: string
}

/** The secrets that link the two halves of a sign-in. */
export interface OpenIdSecrets {
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier. */
  readonly verifier: string
}

/** A person as the provider identifies them. */
export interface OpenIdPerson {
  readonly issuer: string
  readonly subject: string
  /** The address as the provider has it; null if it states none. */
  readonly email: string | null
  /** Whether the provider states that it verified the address; null if it does not say. */
  readonly emailVerified: boolean | null
  readonly name: string | null
}

/** The provider's response was invalid, or the browser returned with parameters that do not match the request. */
export class OpenIdFailed extends Data.TaggedError("OpenIdFailed")<{
  /** For the log: an error code of the library or of the network, without transmitted data. */
  readonly reason: string
}> {}

/** The port of OpenID Connect. */
export class OpenIdClient extends Context.Service<
  OpenIdClient,
  {
    /** Whether a URL can be that of an issuer. Does not look its name up. */
    readonly accepts: (issuer: string) => boolean
    /** The URL at the provider to which the browser is redirected. */
    readonly begin: (party: OpenIdParty, secrets: OpenIdSecrets) => Effect.Effect<string, OpenIdFailed>
    /**
     * The person whose browser returned with these parameters. Checks state, nonce, issuer, audience and signature, and exchanges
     * the code.
     */
    readonly finish: (
      party: OpenIdParty,
      secrets: OpenIdSecrets,
      parameters: Readonly<Record<string, string>>
    ) => Effect.Effect<OpenIdPerson, OpenIdFailed>
  }
>()("svc/ports/OpenIdClient") {}
