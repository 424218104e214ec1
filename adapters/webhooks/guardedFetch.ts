/**
 * Fetches from servers that a caller names, at addresses that were looked up and checked here.
 *
 * @module
 */
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { addressOfHost } from "./Addresses.ts"
import { accepts, type LookUp } from "./Guard.ts"

/** The maximum size of a response, in bytes, unless another limit is given. */
const defaultMaxBody = 1_048_576

/** The time limit of a request with its response, in milliseconds. */
const totalMillis = 10_000

/** The options of a request that are supported here. */
export interface FetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | URLSearchParams | null
  /** Ends the request early. */
  readonly signal?: AbortSignal
}

/** The limits of fetches. */
export interface FetchBounds {
  /** The maximum size of a response, in bytes. */
  readonly maxBody?: number | undefined
  /** Certificates that are trusted instead of the platform's, in PEM. */
  readonly ca?: string | undefined
}

/** Makes a function like `fetch` that follows no redirects and rejects what the guard rejects. */
export const makeGuardedFetch = (
  lookUp: LookUp,
  allowPrivate: boolean,
  { ca, maxBody = defaultMaxBody }: FetchBounds = {}
) => {
  const lookup: LookupFunction = (name, { all }, callback) => {
    lookUp(name).then(
      (found) => {
        const addresses = found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
        if (all === true) callback(null, addresses)
        else callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error: Error) => callback(error, "", 4)
    )
  }
  return (
    address: string,
    { body = null, headers = {}, method = "GET", signal }: FetchOptions
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      if (!accepts(allowPrivate, address)) {
        reject(new Error("address_refused"))
        return
      }
      const url = new URL(address)
      const bytes =
        body === null ? null : Buffer.from(body instanceof URLSearchParams ? body.toString() : body)
      const make = url.protocol === "https:" ? httpsRequest : httpRequest
      const request = make({
        method,
        protocol: url.protocol,
        hostname: addressOfHost(url.hostname) ?? url.hostname,
        port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
        path: url.pathname + url.search,
        headers: {
          ...headers,
          host: url.host,
          ...(bytes === null ? {} : { "content-length": bytes.length })
        },
        // A new connection each time: no connection to another caller's server is kept.
        agent: false,
        ...(ca === undefined ? {} : { ca }),
        lookup,
        signal: AbortSignal.any([AbortSignal.timeout(totalMillis), ...(signal === undefined ? [] : [signal])])
      })
      request.once("error", reject)
      request.once("response", (response) => {
        const chunks: Array<Buffer> = []
        let size = 0
        response.on("data", (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size > maxBody) request.destroy(new Error("body_too_large"))
        })
        response.once("error", reject)
        response.once("end", () => {
          const { statusCode = 0 } = response
          const given = Object.entries(response.headers).flatMap(([name, value]): Array<[string, string]> =>
            typeof value === "string" ? [[name, value]] : []
          )
          const isEmpty = [204, 205, 304].includes(statusCode)
          try {
            resolve(
              new Response(isEmpty ? null : Buffer.concat(chunks), { status: statusCode, headers: given })
            )
          } catch (error) {
            reject(error as Error)
          }
        })
      })
      request.end(bytes)
    })
}
