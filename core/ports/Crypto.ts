/**
 * Randomness and hashes. Synchronous: each is a matter of microseconds and sits on the request path.
 *
 * @module
 */
import { Context } from "effect"

/** The port of randomness and hashes. */
export class Crypto extends Context.Service<
  Crypto,
  {
    /** Cryptographically strong random bytes; a test harness may give seeded ones. */
    readonly randomBytes: (size: number) => Uint8Array
    /** SHA-256 of a text's UTF-8 bytes, or of bytes, lower-case hex. */
    readonly sha256Hex: (data: string | Uint8Array) => string
    /** HMAC-SHA-256 of a text's UTF-8 bytes, or of bytes. A key's bytes are never changed once it was used. */
    readonly hmacSha256: (key: Uint8Array, data: string | Uint8Array) => Uint8Array
    /** Whether two texts are equal, in a time that depends on neither's content. */
    readonly constantTimeEquals: (a: string, b: string) => boolean
  }
>()("svc/ports/Crypto") {}
