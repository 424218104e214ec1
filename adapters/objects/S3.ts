/**
 * Stores objects in a bucket of Amazon S3, or of a server with the same protocol. The signature covers the hash of the body, so
 * the server rejects a body that arrives damaged. Uses real time, which signatures need, whatever the clock of the service.
 *
 * @module
 */
import { AwsClient } from "aws4fetch"
import { Effect, Layer, Redacted, Semaphore } from "effect"
import type { ObjectName } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { keyOf, nameOfFile } from "./ObjectKeys.ts"

/** A bucket, and how to reach it. */
export interface S3Options {
  readonly bucket: string
  /** The prefix of keys, without leading and trailing slashes; empty for none. */
  readonly prefix: string
  readonly region: string
  /** The origin of the server; null for Amazon S3 in the region. */
  readonly endpoint: string | null
  /** Whether the bucket is the first part of the path or of the host name. */
  readonly style: "Path" | "Host"
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly sessionToken: Redacted.Redacted | null
  /** The time limit of a request, in milliseconds; by default 15,000. It may wait half as long for other requests to end. */
  readonly timeout?: number
}

/** The maximum number of simultaneous requests. */
const maxRequests = 32
/**
 * The maximum number of attempts of a request. It is repeated if the server cannot serve it now or the connection breaks, unless
 * the attempt took as long as a request may take.
 */
const maxAttempts = 3
/** The pause before the second attempt, in milliseconds. It doubles before the third. */
const firstPause = 200
const defaultTimeout = 15_000
/** For this many bytes, a request may take a millisecond longer. A slow line is not an outage. */
const bytesPerMilli = 1_000
/** The maximum number of keys in a page of the protocol. */
const maxPage = 1_000
/** The maximum number of characters of an error that are read. */
const maxError = 2_000

/** The server rejected a request. The message has the status and the protocol's error code, but nothing of the request. */
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

/** The URL with which a bucket's keys begin, ending with a slash. */
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
     * Makes one attempt. `read` reads the body of a successful response. The result is null if the object does not exist. If the
     * bucket does not exist, or the 404 has another reason, the attempt fails: existing objects must not be taken for missing.
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

    /** Fails if a request waits half the time limit before it is made, because the server then hardly responds. */
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

    /** Reads a response whose body is not needed. The connection can be reused only after that. */
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
        // An incomplete page, or one of another server, must not be taken for a bucket without objects.
        if (!xml.includes("</ListBucketResult>")) throw new Error("the object storage sent no list")
        return { found: elementsOf(xml, "Key"), hasMore: elementOf(xml, "IsTruncated") === "true" }
      })
    }

    /** Lists keys. A server may return fewer keys than requested, and other programs' keys. */
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
              // Copied if the bytes are in shared memory, which `fetch` does not accept.
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
