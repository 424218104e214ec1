/**
 * Verifies signatures made with other parties' keys. Synchronous, since each call takes a fraction of a millisecond.
 *
 * @module
 */
import { Context } from "effect"

/** The hashes of RSA signatures (PKCS 1 v1.5). */
export type RsaHash = "sha1" | "sha256"

/** The port of public-key signatures. It never fails: input that cannot be read counts as not verified. */
export class SignatureVerifier extends Context.Service<
  SignatureVerifier,
  {
    /**
     * Whether an RSA key of at least 2,048 bits made a signature of data. The key is that of the first certificate in `pem`,
     * which must be valid at `at`, epoch milliseconds. If there are several certificates, each must be issued by the next. The
     * caller must know from the certificate's origin that it belongs to the signer.
     */
    readonly byCertificate: (
      pem: string,
      hash: RsaHash,
      data: string,
      signature: Uint8Array,
      at: number
    ) => boolean
    /** Whether an ECDSA key made a signature (DER) of the SHA-256 of data. */
    readonly byEcKey: (publicKey: string, data: Uint8Array, signature: Uint8Array) => boolean
    /** Whether a string is a public key on the curve P-256: a SubjectPublicKeyInfo in base64 or PEM. */
    readonly isEcKey: (publicKey: string) => boolean
  }
>()("svc/ports/SignatureVerifier") {}
