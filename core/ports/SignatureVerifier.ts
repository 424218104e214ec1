/**
 * Verifies signatures made with keys that others hold. Synchronous: each takes a fraction of a millisecond.
 *
 * @module
 */
import { Context } from "effect"

/** The hashes with which RSA keys sign (PKCS 1 v1.5). */
export type RsaHash = "sha1" | "sha256"

/** The port of signatures by public keys. No input makes it fail: what cannot be read verifies nothing. */
export class SignatureVerifier extends Context.Service<
  SignatureVerifier,
  {
    /**
     * Whether an RSA key of at least 2,048 bits made a signature of data. The key is that of the first certificate of
     * `pem`, which must be valid at `at`, epoch milliseconds; of several certificates each must be issued by the next.
     * That the certificate is the signer's must be known from where it came.
     */
    readonly byCertificate: (
      pem: string,
      hash: RsaHash,
      data: string,
      signature: Uint8Array,
      at: number
    ) => boolean
    /** Whether an ECDSA key made a signature of the SHA-256 of data; the signature is in DER. */
    readonly byEcKey: (publicKey: string, data: Uint8Array, signature: Uint8Array) => boolean
    /** Whether a text is a public key of the curve P-256: SubjectPublicKeyInfo in base64, or as PEM. */
    readonly isEcKey: (publicKey: string) => boolean
  }
>()("svc/ports/SignatureVerifier") {}
