/**
 * A small S3 server on loopback with the objects of one bucket in memory. It verifies each signature by the steps of "AWS API
 * requests: Create a signed AWS API request" (Signature Version 4), and fails on demand.
 *
 * @module
 */
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** The ways in which requests can fail. */
export type S3Failure =
  | "500"
  | "503"
  | "403"
  | "404"
  | "elsewhere"
  | "reset"
  | "silent"
  | "truncated"
  | "altered"

/** The credentials and the region that requests must use. */
export interface S3Identity {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly region: string
}

/** A signed request. */
export interface SignedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Uint8Array, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest()

const uriEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  )

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : a > b ? 1 : 0

/** The error in a request's signature, as an S3 error code; null if it is valid. */
export const signatureProblem = (
  { headers, method, url }: SignedRequest,
  { accessKeyId, region, secretAccessKey, sessionToken }: S3Identity,
  now: number
): string | null => {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
  const [, key, day = "", place, signedHeaders = "", signature] =
    form.exec(headers.get("authorization") ?? "") ?? []
  if (key === undefined) return "AccessDenied"
  if (key !== accessKeyId) return "InvalidAccessKeyId"
  if (place !== region) return "AuthorizationHeaderMalformed"
  const names = signedHeaders.split(";")
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name))) {
    return "AccessDenied"
  }
  if (sessionToken !== undefined && headers.get("x-amz-security-token") !== sessionToken)
    return "InvalidToken"
  const date = headers.get("x-amz-date") ?? ""
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const at = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s))
  if (!date.startsWith(day) || !(Math.abs(now - at) < 15 * 60_000)) return "RequestTimeTooSkewed"
  const path = url.pathname.split("/").map((part) => uriEncode(decodeURIComponent(part)))
  const query = [...url.searchParams]
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .toSorted(byName)
  const canonical = [
    method,
    path.join("/"),
    query.map((pair) => pair.join("=")).join("&"),
    ...names.map((name) => `${name}:${name === "host" ? url.host : headers.get(name)?.trim()}`),
    "",
    signedHeaders,
    headers.get("x-amz-content-sha256")
  ].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")
  const signing = ["s3", "aws4_request"].reduce<Buffer>(
    hmac,
    hmac(hmac(`AWS4${secretAccessKey}`, day), region)
  )
  return hmac(signing, toSign).toString("hex") === signature ? null : "SignatureDoesNotMatch"
}

/** A running server. */
export interface S3Server {
  /** The URL's origin. */
  readonly endpoint: string
  readonly bucket: string
  /** The objects by key. */
  readonly objects: Map<string, Uint8Array>
  /** The requests so far: method and path. */
  readonly requests: Array<string>
  /** Makes the next requests fail: `times` of them, or all until `fail(null)`. */
  readonly fail: (failure: S3Failure | null, times?: number) => void
  readonly stop: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
}

/** Starts a server whose bucket is empty. */
export const startS3Server = async (identity: S3Identity, bucket = "content"): Promise<S3Server> => {
  const objects = new Map<string, Uint8Array>()
  const requests: Array<string> = []
  let failing: { readonly failure: S3Failure; left: number } | null = null

  const nextFailure = (): S3Failure | null => {
    if (failing === null || failing.left === 0) return null
    failing.left--
    return failing.failure
  }

  const list = (url: URL, response: ServerResponse): void => {
    const prefix = url.searchParams.get("prefix") ?? ""
    const after = url.searchParams.get("start-after") ?? ""
    // Returns fewer keys than requested, as a server may.
    const most = Math.min(Number(url.searchParams.get("max-keys") ?? 1000), 2)
    const found = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const contents = found.slice(0, most).map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
    response.writeHead(200, { "content-type": "application/xml" })
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${found.length > most}</IsTruncated>` +
        `${contents.join("")}</ListBucketResult>`
    )
  }

  const read = (key: string, failure: S3Failure | null, response: ServerResponse): void => {
    const bytes = objects.get(key)
    if (bytes === undefined) return refuse(response, 404, "NoSuchKey")
    if (failure === "altered") return void response.end(bytes.map((byte) => byte ^ 1))
    response.writeHead(200, { "content-length": bytes.length })
    if (failure !== "truncated") return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`)
    const method = request.method ?? ""
    requests.push(`${method} ${url.pathname}`)
    const body = await bodyOf(request)
    const failure = nextFailure()
    if (failure === "silent") return
    if (failure === "reset") return void response.destroy()
    if (failure === "500") return refuse(response, 500, "InternalError")
    if (failure === "503") return refuse(response, 503, "SlowDown")
    if (failure === "403") return refuse(response, 403, "AccessDenied")
    // A 404 page of a proxy or of another server, not of S3.
    if (failure === "404") return void response.writeHead(404).end("<h1>Not Found</h1>")
    if (failure === "elsewhere") return void response.end("<h1>It works!</h1>")
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const problem = signatureProblem({ method, url, headers }, identity, Date.now())
    if (problem !== null) return refuse(response, 403, problem)
    if (sha256(body) !== headers.get("x-amz-content-sha256")) {
      return refuse(response, 400, "XAmzContentSHA256Mismatch")
    }
    const [, named, ...rest] = url.pathname.split("/")
    if (named !== bucket) return refuse(response, 404, "NoSuchBucket")
    const key = rest.map(decodeURIComponent).join("/")
    if (method === "GET" && key === "") return list(url, response)
    if (method === "GET") return read(key, failure, response)
    if (method === "PUT") objects.set(key, body)
    else if (method === "DELETE") objects.delete(key)
    else return refuse(response, 405, "MethodNotAllowed")
    response.writeHead(method === "PUT" ? 200 : 204).end()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    objects,
    requests,
    fail: (failure, times = Infinity) => {
      failing = failure === null ? null : { failure, left: times }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
