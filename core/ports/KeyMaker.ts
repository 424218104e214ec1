/**
 * Generates the key pairs that sign email.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DkimAlgorithm } from "../model/Domain.ts"

/** A key pair. */
export interface KeyPair {
  /** The `p=` of a DKIM record: base64 of the SubjectPublicKeyInfo for RSA (RFC 6376), of the raw key for Ed25519 (RFC 8463). */
  readonly publicKey: string
  /** PKCS 8, PEM. */
  readonly privateKey: string
}

/** The port of key pairs. */
export class KeyMaker extends Context.Service<
  KeyMaker,
  {
    /** A new key pair: RSA with 2,048 bits, or Ed25519. Does not block other work. */
    readonly make: (algorithm: DkimAlgorithm) => Effect.Effect<KeyPair>
  }
>()("svc/ports/KeyMaker") {}
