/**
 * Random bytes and hashes. Synchronous, since each call takes microseconds and runs while a request waits.
 *
 * @module
 */
import { Context } from "effect"

/** The port of randomness and hashes. */
export class Crypto extends Context.Service<
  Crypto,
  {
    /** Cryptographically strong random bytes; tests may provide seeded ones. */
    readonly randomBytes: (size: number) => Uint8Array
    /** SHA-256 of a string's UTF-8 bytes, or of bytes, lower-case hex. */
    readonly sha256Hex: (data: string | Uint8Array) => string
    /** HMAC-SHA-256 of a string's UTF-8 bytes, or of bytes. The bytes of `key` must never change after its first use. */
    readonly hmacSha256: (key: Uint8Array, data: string | Uint8Array) => Uint8Array
    /** Whether two strings are equal, in a time that does not depend on their content. */
    readonly constantTimeEquals: (a: string, b: string) => boolean
  }
>()("svc/ports/Crypto") {}
