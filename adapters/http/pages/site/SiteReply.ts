/**
 * Replies with files that change only with a new version. They have an ETag and a short cache lifetime, and clients that
 * have the file get 304 (RFC 9110 13, RFC 9111).
 *
 * @module
 */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import type { HandlerReply } from "../../edge/reply.ts"
import type { Call } from "../../edge/Route.ts"
import type { Asset, Coding } from "./SiteSources.ts"

/** A client caches a file for five minutes without revalidation. */
const forMinutes = "public, max-age=300"

type Header = Call["header"]

/** A body in one buffer, which the replies on all connections share, and its strong ETag. */
interface Prepared {
  readonly bytes: Uint8Array
  readonly etag: string
}

const prepare = (body: string | Uint8Array): Prepared => {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` }
}

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether `If-None-Match` contains the ETag, by weak comparison. */
const isKnown = (header: string | null, etag: string): boolean =>
  header !== null && header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === etag)

const unzip = promisify(gunzip)

/** Whether a client accepts a content coding (RFC 9110 12.5.3). */
const accepts = (header: string | null, wanted: Coding): boolean =>
  (header ?? "").split(",").some((part) => {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return (coding === wanted || coding === "*") && !parameters.some((text) => /^q=0(\.0*)?$/.test(text))
  })

/** The compressed codings, with the smallest bodies first. */
const compressed: ReadonlyArray<Coding> = ["br", "gzip"]

/** The files of some routes. Every body that is passed is kept, so callers must pass the same objects each time. */
export const makeFiles = () => {
  const prepared = new Map<string | Uint8Array, Prepared>()
  const plain = new Map<Asset, Promise<Uint8Array>>()

  /** Replies with a file, or with 304 to a client that has it. */
  const file = (
    header: Header,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>>
  ): HandlerReply<never> => {
    const { bytes, etag } = prepared.get(body) ?? prepare(body)
    prepared.set(body, { bytes, etag })
    const all = { "cache-control": forMinutes, ...headers, etag }
    return isKnown(header("if-none-match"), etag)
      ? { _tag: "Reply", status: 304, headers: all, body: null }
      : { _tag: "Reply", status: 200, headers: all, body: bytes }
  }

  /** Replies with a file that pages load, compressed if the client accepts that. */
  const asset = (
    header: Header,
    found: Asset,
    more: Readonly<Record<string, string>> = {}
  ): Effect.Effect<HandlerReply<never>> => {
    const { bodies, contentType } = found
    const headers = { "content-type": contentType, "referrer-policy": "no-referrer", ...more }
    const held = compressed.filter((coding) => bodies[coding] !== undefined)
    if (held.length === 0 && bodies.identity !== undefined)
      return Effect.succeed(file(header, bodies.identity, headers))
    const varying = { ...headers, vary: "accept-encoding" }
    const coding = held.find((one) => accepts(header("accept-encoding"), one))
    if (coding !== undefined)
      return Effect.succeed(file(header, bodies[coding]!, { ...varying, "content-encoding": coding }))
    if (bodies.identity !== undefined) return Effect.succeed(file(header, bodies.identity, varying))
    const unzipped = plain.get(found) ?? unzip(bodies.gzip!)
    plain.set(found, unzipped)
    return Effect.map(
      Effect.promise(() => unzipped),
      (bytes) => file(header, bytes, varying)
    )
  }
  return { file, asset }
}
