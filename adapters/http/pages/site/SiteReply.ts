/**
 * Answers of files that change only with a new version: a validator, a short time to keep them, and 304 for who has
 * them already (RFC 9110 13, RFC 9111).
 *
 * @module
 */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import type { HandlerReply } from "../../edge/reply.ts"
import type { Call } from "../../edge/Route.ts"
import type { Asset } from "./SiteSources.ts"

/** How long a file is kept without asking, in seconds. */
const keptSeconds = 300

type Header = Call["header"]

/** A strong validator of a body. */
const etagOf = (body: string | Uint8Array): string =>
  `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`

const opaque = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether `If-None-Match` names the validator, compared weakly. */
const isKnown = (header: string | null, etag: string): boolean =>
  header !== null && header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === etag)

/** Answers a file, or 304 to a client that has it. `status` other than 200 is not kept by anyone. */
export const file = (
  header: Header,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
  status = 200
): HandlerReply<never> => {
  if (status !== 200) return { _tag: "Reply", status, headers: { ...headers }, body }
  const etag = etagOf(body)
  const all = { ...headers, etag, "cache-control": `public, max-age=${keptSeconds}` }
  return isKnown(header("if-none-match"), etag)
    ? { _tag: "Reply", status: 304, headers: all, body: null }
    : { _tag: "Reply", status: 200, headers: all, body }
}

const unzip = promisify(gunzip)

/** Whether a client takes gzip (RFC 9110 12.5.3). */
const takesGzip = (header: string | null): boolean =>
  (header ?? "").split(",").some((part) => {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return (coding === "gzip" || coding === "*") && !parameters.some((text) => /^q=0(\.0*)?$/.test(text))
  })

/** Answers a file that pages load: as it is kept where the client takes that. */
export const asset = (
  header: Header,
  { body, contentType, gzipped }: Asset
): Effect.Effect<HandlerReply<never>> => {
  const headers = { "content-type": contentType, "referrer-policy": "no-referrer" }
  if (!gzipped) return Effect.succeed(file(header, body, headers))
  if (takesGzip(header("accept-encoding")))
    return Effect.succeed(
      file(header, body, { ...headers, vary: "accept-encoding", "content-encoding": "gzip" })
    )
  return Effect.map(
    Effect.promise(() => unzip(body)),
    (plain) => file(header, plain, { ...headers, vary: "accept-encoding" })
  )
}
