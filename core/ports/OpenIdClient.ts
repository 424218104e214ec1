/**
 * Signs people in at OpenID Connect providers: authorization code flow with PKCE S256. Its requests keep to public addresses,
 * as those of webhooks (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** The service as a client of a provider. */
export interface OpenIdParty {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
}

/** What ties the two halves of a sign-in together. */
export interface OpenIdSecrets {
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier. */
  readonly verifier: string
}

/** A person as the provider knows it. */
export interface OpenIdPerson {
  readonly issuer: string
  readonly subject: string
  /** As the provider has it; null where it says none. */
  readonly email: string | null
  /** Whether the provider says that it has verified the address; null where it says nothing. */
  readonly emailVerified: boolean | null
  readonly name: string | null
}

/** The provider did not answer as it should, or the browser came back with something else than it was sent for. */
export class OpenIdFailed extends Data.TaggedError("OpenIdFailed")<{
  /** For the log: a code of the library or of the network, without anything that was sent. */
  readonly reason: string
}> {}

/** The port of OpenID Connect. */
export class OpenIdClient extends Context.Service<
  OpenIdClient,
  {
    /** Whether a URL can be an issuer's, without looking up its name. */
    readonly accepts: (issuer: string) => boolean
    /** The URL at the provider to which the browser is sent. */
    readonly begin: (party: OpenIdParty, secrets: OpenIdSecrets) => Effect.Effect<string, OpenIdFailed>
    /**
     * The person of a browser that came back with these parameters: checks state, nonce, issuer, audience and signature, and
     * exchanges the code.
     */
    readonly finish: (
      party: OpenIdParty,
      secrets: OpenIdSecrets,
      parameters: Readonly<Record<string, string>>
    ) => Effect.Effect<OpenIdPerson, OpenIdFailed>
  }
>()("svc/ports/OpenIdClient") {}
