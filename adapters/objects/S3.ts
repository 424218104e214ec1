/**
 * Objects in a bucket of Amazon S3, or of a server that speaks its protocol. Bodies are signed with their hash, so that the
 * server rejects one that arrives damaged. Works on real time: signatures need it, whatever the clock of the service is.
 *
 * @module
 */
import { AwsClient } from "aws4fetch"
import { Effect, Layer, Redacted, Semaphore } from "effect"
import type { ObjectName } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { keyOf, nameOfFile } from "./ObjectKeys.ts"

/** A bucket, and how it is reached. */
export interface S3Options {
  readonly bucket: string
  /** What the keys begin with, without slashes at its ends; empty for nothing. */
  readonly prefix: string
  readonly region: string
  /** The origin of the server; null for that of Amazon S3 in the region. */
  readonly endpoint: string | null
  /** Whether the bucket is the first part of the path, or of the host name. */
  readonly style: "Path" | "Host"
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken: Redacted.Redacted | null
  /** How long a request may take, milliseconds; 15,000 unless given. */
  readonly timeout?: number
}

/** The most requests at the same time. */
const maxRequests = 32
/** How often a request is made at most: again where the server cannot serve it now, or the connection breaks. */
const maxAttempts = 3
/** The pause before the second attempt, milliseconds; then twice as long. */
const firstPause = 200
const defaultTimeout = 15_000
/** The most keys of a page of the protocol. */
const maxPage = 1_000
/** The most characters of an error that are read. */
const maxError = 2_000

/** The server refused a request. The message has the status and the code of the protocol, nothing of the request. */
export class S3Failed extends Error {
  override readonly name = "S3Failed"
  readonly code: string

  constructor(status: number, code: string) {
    super(`the object storage answered ${status}${code === "" ? "" : ` ${code}`}`)
    this.code = code === "" ? String(status) : code
  }
}

const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 408

const elementOf = (xml: string, name: string): string =>
  xml.split(`<${name}>`, 2)[1]?.split(`</${name}>`, 1)[0] ?? ""

const elementsOf = (xml: string, name: string): ReadonlyArray<string> =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .map((part) => part.split(`</${name}>`, 1)[0] ?? "")

const failureOf = async (response: Response): Promise<S3Failed> => {
  const text = (await response.text()).slice(0, maxError)
  return new S3Failed(response.status, /^\w{1,60}$/.exec(elementOf(text, "Code"))?.[0] ?? "")
}

/** Where a bucket's keys begin, with a slash at the end. */
const rootOf = ({ bucket, endpoint, prefix, region, style }: S3Options): URL => {
  const root = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (style === "Host") root.hostname = `${bucket}.${root.hostname}`
  else root.pathname = `/${bucket}`
  root.pathname = `${root.pathname.replace(/\/$/, "")}/${prefix === "" ? "" : `${prefix}/`}`
  return root
}

interface S3Request {
  readonly method: "GET" | "PUT" | "DELETE"
  readonly url: URL
  readonly body?: Uint8Array<ArrayBuffer>
  readonly hash?: string
}

/** The port over a bucket. */
export const layer = (options: S3Options): Layer.Layer<ObjectStorage> =>
  Layer.sync(ObjectStorage, () => {
    const client = new AwsClient({
      accessKeyId: options.accessKeyId,
      secretAccessKey: Redacted.value(options.secretAccessKey),
      ...(options.sessionToken === null ? {} : { sessionToken: Redacted.value(options.sessionToken) }),
      service: "s3",
      region: options.region
    })
    const root = rootOf(options)
    const keys = root.pathname.slice(options.style === "Path" ? options.bucket.length + 2 : 1)
    const places = Semaphore.makeUnsafe(maxRequests)
    const urlOf = (name: ObjectName) => new URL(keyOf(name), root)

    /** One attempt. `read` reads the body of a response whose status is expected, within the same time. */
    const attemptOnce = async <A>(
      { body, hash, method, url }: S3Request,
      read: (response: Response) => Promise<A> | A
    ): Promise<A> => {
      const signal = AbortSignal.timeout(options.timeout ?? defaultTimeout)
      const headers = { "x-amz-content-sha256": hash ?? emptyHash }
      const signed = await client.sign(url.href, { method, headers, ...(body === undefined ? {} : { body }) })
      const response = await fetch(signed, { signal, redirect: "manual" })
      if (response.ok || response.status === 404) return await read(response)
      throw await failureOf(response)
    }

    const isFinal = (error: unknown): boolean =>
      error instanceof S3Failed && !isTemporary(Number(/\d{3}/.exec(error.message)?.[0]))

    const send = async <A>(request: S3Request, read: (response: Response) => Promise<A> | A): Promise<A> => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await attemptOnce(request, read)
        } catch (error) {
          if (attempt === maxAttempts || isFinal(error)) throw error
          await new Promise((resolve) => setTimeout(resolve, firstPause * 2 ** (attempt - 1)))
        }
      }
    }

    const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Unavailable> =>
      places.withPermit(Effect.tryPromise({ try: run, catch: (cause) => new Unavailable({ cause }) }))

    const each = <A, B>(all: ReadonlyArray<A>, run: (one: A) => Promise<B>) =>
      Effect.forEach(all, (one) => attempt(() => run(one)), { concurrency: maxRequests })

    /** For responses without a body that matters; the connection is free again once it is read. */
    const ended = async (response: Response) => {
      await response.arrayBuffer()
      if (response.status === 404) throw new S3Failed(404, "NoSuchBucket")
    }

    const listPage = async (accountId: string, after: string, limit: number) => {
      const url = new URL("/", root)
      url.pathname = options.style === "Path" ? `/${options.bucket}` : "/"
      url.search = new URLSearchParams({
        "list-type": "2",
        prefix: `${keys}${accountId}/`,
        "max-keys": String(Math.min(limit, maxPage)),
        ...(after === "" ? {} : { "start-after": after })
      }).toString()
      return send({ method: "GET", url }, async (response) => {
        const xml = await response.text()
        if (!response.ok) throw new S3Failed(response.status, elementOf(xml, "Code"))
        return { found: elementsOf(xml, "Key"), hasMore: elementOf(xml, "IsTruncated") === "true" }
      })
    }

    const list = async (accountId: string, after: ObjectName | null, limit: number) => {
      const names: Array<ObjectName> = []
      let start = after === null ? "" : keys + keyOf(after)
      for (;;) {
        const { found, hasMore } = await listPage(accountId, start, limit - names.length)
        for (const key of found) {
          const name = nameOfFile(accountId, key.slice(key.lastIndexOf("/") + 1))
          if (name !== null) names.push(name)
        }
        if (!hasMore || found.length === 0 || names.length >= limit) return names
        start = found.at(-1)!
      }
    }

    return ObjectStorage.of({
      place: "S3",
      put: (objects) =>
        Effect.asVoid(
          each(objects, ({ bytes, name }) =>
            send(
              // A copy where the bytes are shared memory, which `fetch` does not take.
              { method: "PUT", url: urlOf(name), body: new Uint8Array(bytes), hash: name.hash },
              ended
            )
          )
        ),
      get: (names) =>
        each(names, (name) =>
          send({ method: "GET", url: urlOf(name) }, async (response) => {
            const bytes = new Uint8Array(await response.arrayBuffer())
            return response.ok ? bytes : null
          })
        ),
      remove: (names) =>
        Effect.asVoid(
          each(names, (name) =>
            send({ method: "DELETE", url: urlOf(name) }, async (response) => {
              await response.arrayBuffer()
            })
          )
        ),
      list: (accountId, after, limit) => attempt(() => list(accountId, after, limit))
    })
  })
