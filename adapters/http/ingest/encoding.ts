/**
 * Decodes the content encoding of bodies (RFC 9110, 8.4), because a proxy may compress what a provider sends.
 *
 * @module
 */
import { Effect } from "effect"
import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from "node:zlib"
import { Problem } from "../../../core/shared/Problem.ts"

const decoders: ReadonlyMap<string, (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>> = new Map([
  ["gzip", promisify<Uint8Array, ZlibOptions, Buffer>(gunzip)],
  ["x-gzip", promisify<Uint8Array, ZlibOptions, Buffer>(gunzip)],
  ["deflate", promisify<Uint8Array, ZlibOptions, Buffer>(inflate)],
  ["br", promisify<Uint8Array, ZlibOptions, Buffer>(brotliDecompress)]
])

const unsupported = Problem.of("common.encoding_unsupported", null, null, {
  expected: "gzip, deflate, br or none"
})

const isTooLarge = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE"

/**
 * Returns the decoded content of a body. Fails with common.body_too_large if it has more than `max` bytes, and decodes no
 * more than that. Fails with common.encoding_unsupported if the header names several encodings or an unknown one, or if the
 * body is not encoded as the header states.
 *
 * @param encoding the header `Content-Encoding`; null if absent
 */
export const contentOf = (
  bytes: Uint8Array,
  encoding: string | null,
  max: number
): Effect.Effect<Uint8Array, Problem> => {
  const name = encoding?.trim().toLowerCase() ?? ""
  if (name === "" || name === "identity") return Effect.succeed(bytes)
  const decode = decoders.get(name)
  if (decode === undefined) return unsupported
  return Effect.tryPromise({
    try: () => decode(bytes, { maxOutputLength: max }),
    catch: (error) => (isTooLarge(error) ? Problem.of("common.body_too_large", null, { max }) : unsupported)
  })
}
