/**
 * Implements the ImageFetcher port with `node:http` and `node:https`, with the checks of addresses that webhooks have. A
 * connection is made to the address that was looked up and checked.
 *
 * @module
 */
import { Effect, Exit, Layer, Semaphore } from "effect"
import { lookup as systemLookup } from "node:dns/promises"
import { type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { Dns } from "../../core/ports/Dns.ts"
import { type FetchedImage, ImageFetcher, type ImageType } from "../../core/ports/ImageFetcher.ts"
import { addressOfHost, isPrivateName, isPublic } from "./Addresses.ts"

/** The options for fetching images. */
export interface ImageOptions {
  /** Whether addresses that are not public are permitted too. For development and tests only. */
  readonly allowPrivate: boolean
}

/** The maximum size of an image, in bytes. */
export const maxImageBytes = 5_000_000
/** The time limit of an image with all its redirects, in milliseconds. */
export const imageMillis = 10_000
const maxRedirects = 3
/** The maximum number of images that a process fetches at the same time. Others wait. */
const atOnce = 16

const begins = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0))

/** The type of an image, from its first bytes; null for any other. */
export const imageTypeOf = (bytes: Uint8Array): ImageType | null => {
  if (begins(bytes, 0, "\u0089PNG\r\n\u001a\n")) return "image/png"
  if (begins(bytes, 0, "\u00ff\u00d8\u00ff")) return "image/jpeg"
  if (begins(bytes, 0, "GIF87a") || begins(bytes, 0, "GIF89a")) return "image/gif"
  if (begins(bytes, 0, "RIFF") && begins(bytes, 8, "WEBP")) return "image/webp"
  return begins(bytes, 4, "ftypavif") || begins(bytes, 4, "ftypavis") ? "image/avif" : null
}

/** A URL that may be fetched; null for any other. */
const acceptedUrl = (text: string, allowPrivate: boolean): URL | null => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return null
  if (allowPrivate) return url
  if (url.port !== "") return null
  const address = addressOfHost(url.hostname)
  return (address === null ? !isPrivateName(url.hostname) : isPublic(address)) ? url : null
}

/** Reads a body up to the limit; null if it is larger or incomplete. */
const readBody = (response: IncomingMessage, done: (bytes: Uint8Array | null) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= maxImageBytes) return
    response.destroy()
    done(null)
  })
  response.once("end", () => done(Buffer.concat(chunks)))
  response.once("error", () => done(null))
  response.once("aborted", () => done(null))
}

type Answer =
  | { readonly _tag: "Body"; readonly bytes: Uint8Array }
  | { readonly _tag: "Redirect"; readonly to: string }
  | { readonly _tag: "None" }

const none: Answer = { _tag: "None" }

/** The port over {@link Dns}. */
export const layer = ({ allowPrivate }: ImageOptions): Layer.Layer<ImageFetcher, never, Dns> =>
  Effect.gen(function* () {
    const dns = yield* Dns
    const places = yield* Semaphore.make(atOnce)
    /** The addresses of a name, all of which must be public. */
    const lookUp = async (name: string): Promise<ReadonlyArray<string>> => {
      const exit = await Effect.runPromiseExit(dns.addresses(name))
      if (Exit.isFailure(exit)) {
        // The DNS does not contain the names of this machine and its neighbours.
        return allowPrivate ? (await systemLookup(name, { all: true })).map(({ address }) => address) : []
      }
      return allowPrivate || exit.value.every(isPublic) ? exit.value : []
    }

    const lookup: LookupFunction = (name, _options, callback) => {
      lookUp(name).then(
        (found) => {
          const [first] = found
          if (first === undefined) callback(new Error("no address that may be connected to"), "", 4)
          else callback(null, [{ address: first, family: first.includes(":") ? 6 : 4 }])
        },
        (error: Error) => callback(error, "", 4)
      )
    }

    const get = (url: URL) =>
      Effect.callback<Answer>((resume) => {
        const send = url.protocol === "https:" ? httpsRequest : httpRequest
        const headers = { accept: "image/*", "accept-encoding": "identity", "user-agent": "svc-images/1" }
        const request = send(url, { method: "GET", headers, agent: false, lookup }, (response) => {
          const { location } = response.headers
          const status = response.statusCode ?? 0
          if (status >= 300 && status < 400 && location !== undefined) {
            response.destroy()
            resume(Effect.succeed({ _tag: "Redirect", to: location }))
          } else if (status !== 200) {
            response.destroy()
            resume(Effect.succeed(none))
          } else {
            readBody(response, (bytes) =>
              resume(Effect.succeed(bytes === null ? none : { _tag: "Body", bytes }))
            )
          }
        })
        request.once("error", () => resume(Effect.succeed(none)))
        request.end()
        return Effect.sync(() => request.destroy())
      })

    const fetch = Effect.fnUntraced(function* (text: string): Effect.fn.Return<FetchedImage | null> {
      let next: string = text
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const url = acceptedUrl(next, allowPrivate)
        if (url === null) return null
        const answer: Answer = yield* get(url)
        if (answer._tag === "None") return null
        if (answer._tag === "Body") {
          const type = imageTypeOf(answer.bytes)
          return type === null ? null : { type, bytes: answer.bytes }
        }
        next = URL.parse(answer.to, url.href)?.href ?? ""
      }
      return null
    })

    return ImageFetcher.of({
      fetch: (url) =>
        places.withPermit(
          fetch(url).pipe(Effect.timeoutOrElse({ duration: imageMillis, orElse: () => Effect.succeed(null) }))
        )
    })
  }).pipe(Layer.effect(ImageFetcher))
