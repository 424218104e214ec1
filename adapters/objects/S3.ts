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
  /** How long a request may take, milliseconds; 15,000 unless given. It may wait half as long for others to end. */
  readonly timeout?: number
}

/** The most requests at the same time. */
const maxRequests = 32
/**
 * How often a request is made at most: again where the server cannot serve it now, or the connection breaks, unless that took as
 * long as a request may.
 */
const maxAttempts = 3
/** The pause before the second attempt, milliseconds; then twice as long. */
const firstPause = 200
const defaultTimeout = 15_000
/** The bytes for which a request may take a millisecond longer: a slow line is no outage. */
const bytesPerMilli = 1_000
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

    const timeout = options.timeout ?? defaultTimeout

    /**
     * One attempt. `read` reads the body of a successful response; null where there is no such object. A bucket that does not exist,
     * and whatever else answers 404, is a failure: what is there must not be taken for gone.
     */
    const attemptOnce = async <A>(
      { body, hash, method, url }: S3Request,
      read: (response: Response | null) => Promise<A> | A
    ): Promise<A> => {
      const ending = new AbortController()
      const endIn = (bytes: number) =>
        setTimeout(
          () => ending.abort(new DOMException("the object storage took too long", "TimeoutError")),
          timeout + bytes / bytesPerMilli
        )
      let timer = endIn(body?.length ?? 0)
      try {
        const headers = { "x-amz-content-sha256": hash ?? emptyHash }
        const signed = await client.sign(url.href, {
          method,
          headers,
          ...(body === undefined ? {} : { body })
        })
        const response = await fetch(signed, { signal: ending.signal, redirect: "manual" })
        clearTimeout(timer)
        timer = endIn(Number(response.headers.get("content-length")) || 0)
        if (response.ok) return await read(response)
        const failure = await failureOf(response)
        if (failure.code === "NoSuchKey") return await read(null)
        throw failure
      } finally {
        clearTimeout(timer)
      }
    }

    const isFinal = (error: unknown): boolean =>
      error instanceof S3Failed && !isTemporary(Number(/\d{3}/.exec(error.message)?.[0]))

    const send = async <A>(
      request: S3Request,
      read: (response: Response | null) => Promise<A> | A,
      made = 1,
      began = performance.now()
    ): Promise<A> => {
      try {
        return await attemptOnce(request, read)
      } catch (error) {
        if (made === maxAttempts || performance.now() - began >= timeout || isFinal(error)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, firstPause * 2 ** (made - 1)))
      return send(request, read, made + 1, began)
    }

    /** What waited for a place for half as long as a request may take fails: the server hardly answers. */
    const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Unavailable> =>
      Effect.suspend(() => {
        const began = performance.now()
        return places.withPermit(
          Effect.tryPromise({
            try: () => {
              if (performance.now() - began >= timeout / 2) throw new Error("the object storage is busy")
              return run()
            },
            catch: (cause) => new Unavailable({ cause })
          })
        )
      })

    const each = <A, B>(all: ReadonlyArray<A>, run: (one: A) => Promise<B>) =>
      Effect.forEach(all, (one) => attempt(() => run(one)), { concurrency: maxRequests })

    /** For responses without a body that matters; the connection is free again once it is read. */
    const ended = async (response: Response | null) => {
      if (response === null) throw new S3Failed(404, "NoSuchKey")
      await response.arrayBuffer()
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
        if (response === null) throw new S3Failed(404, "NoSuchKey")
        const xml = await response.text()
        // A page that ends early, or is of another server, must not be taken for a bucket without objects.
        if (!xml.includes("</ListBucketResult>")) throw new Error("the object storage sent no list")
        return { found: elementsOf(xml, "Key"), hasMore: elementOf(xml, "IsTruncated") === "true" }
      })
    }

    /** A server may return fewer keys than it was asked for, and some may not be ours. */
    const list = async (
      accountId: string,
      after: string,
      limit: number
    ): Promise<ReadonlyArray<ObjectName>> => {
      const { found, hasMore } = await listPage(accountId, after, limit)
      const names = found.flatMap((key) => nameOfFile(accountId, key.slice(key.lastIndexOf("/") + 1)) ?? [])
      const last = found.at(-1)
      if (!hasMore || last === undefined || names.length >= limit) return names
      return [...names, ...(await list(accountId, last, limit - names.length))]
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
          send({ method: "GET", url: urlOf(name) }, async (response) =>
            response === null ? null : new Uint8Array(await response.arrayBuffer())
          )
        ),
      remove: (names) =>
        Effect.asVoid(
          each(names, (name) =>
            send({ method: "DELETE", url: urlOf(name) }, async (response) => {
              await response?.arrayBuffer()
            })
          )
        ),
      list: (accountId, after, limit) =>
        attempt(() => list(accountId, after === null ? "" : keys + keyOf(after), limit))
    })
  })
