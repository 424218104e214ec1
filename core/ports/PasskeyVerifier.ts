/**
 * Asks authenticators for passkeys and signatures, and verifies what they answer (WebAuthn Level 3). User verification is
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

/** For whom a passkey is made. */
export interface PasskeyUser {
  readonly id: string
  readonly email: string
  readonly name: string
}

/** A passkey as an authenticator made it. */
export interface NewCredential {
  readonly credentialId: string
  /** COSE, base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: ReadonlyArray<string>
}

/** The port of passkeys. */
export class PasskeyVerifier extends Context.Service<
  PasskeyVerifier,
  {
    /** `PublicKeyCredentialCreationOptionsJSON`; the authenticator makes no second passkey where it has one of `exclude`. */
    readonly creationOptions: (
      party: RelyingParty,
      given: {
        readonly challenge: string
        readonly user: PasskeyUser
        readonly exclude: ReadonlyArray<string>
      }
    ) => Effect.Effect<JsonObject>
    /** `PublicKeyCredentialRequestOptionsJSON`, which any passkey of the service may answer. */
    readonly requestOptions: (party: RelyingParty, challenge: string) => Effect.Effect<JsonObject>
    /**
     * The passkey of a `RegistrationResponseJSON`; null for anything else, whatever its shape. What the authenticator says of
     * its maker is not read.
     */
    readonly created: (
      party: RelyingParty,
      given: { readonly challenge: string; readonly response: unknown }
    ) => Effect.Effect<NewCredential | null>
    /**
     * How often the authenticator has signed, of an `AuthenticationResponseJSON` by the key; null for anything else. The
     * caller compares the count with the one before.
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
