/**
 * Requests passkeys and signatures from authenticators, and verifies their responses (WebAuthn Level 3). User verification is
 * required, and passkeys are discoverable.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Json } from "../shared/Json.ts"

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>

/** The service as a relying party. */
export interface RelyingParty {
  /** The host of the base URL. */
  readonly id: string
  /** The origin of the base URL. */
  readonly origin: string
}

/** The user for whom a passkey is created. */
export interface PasskeyUser {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** A passkey as an authenticator created it. */
export interface NewCredential {
  readonly credentialId: string
  /** The public key: COSE, base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: ReadonlyArray<string>
}

/** The port of passkeys. */
export class PasskeyVerifier extends Context.Service<
  PasskeyVerifier,
  {
    /** `PublicKeyCredentialCreationOptionsJSON`. The authenticator creates no passkey if it already has one of `exclude`. */
    readonly creationOptions: (
      party: RelyingParty,
      given: {
        readonly challenge: string
        readonly user: PasskeyUser
        readonly exclude: ReadonlyArray<string>
      }
    ) => Effect.Effect<JsonObject>
    /** `PublicKeyCredentialRequestOptionsJSON`, to which any passkey of the service can respond. */
    readonly requestOptions: (party: RelyingParty, challenge: string) => Effect.Effect<JsonObject>
    /**
     * The passkey in a `RegistrationResponseJSON`; null for anything else, whatever its shape. What the authenticator states
     * about its manufacturer (attestation) is not read.
     */
    readonly created: (
      party: RelyingParty,
      given: { readonly challenge: string; readonly response: unknown }
    ) => Effect.Effect<NewCredential | null>
    /**
     * The signature counter in an `AuthenticationResponseJSON` that the key signed; null for anything else. The caller compares
     * it with the previous one.
     */
    readonly signed: (
      party: RelyingParty,
      given: {
        readonly challenge: string
        readonly response: unknown
        readonly key: { readonly credentialId: string; readonly publicKey: string }
      }
    ) => Effect.Effect<number | null>
  }
>()("svc/ports/PasskeyVerifier") {}
