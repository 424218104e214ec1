/**
 * The WebhookClient port over `node:http` and `node:https`, which Node and Bun both have.
 *
 * A connection is made to an address that was looked up and checked here: the agent's own look-up is replaced by it, so
 * there is no second one that could answer otherwise. A connection that is kept open stays with the address it has.
 *
 * @module
 */
import { Effect, Exit, Layer } from "effect"
import { lookup as systemLookup } from "node:dns/promises"
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { Dns } from "../../core/ports/Dns.ts"
import { WebhookClient, type WebhookRequest } from "../../core/ports/WebhookClient.ts"
import type { AttemptAnswer } from "../../core/model/Webhook.ts"
import { addressOfHost, isPrivateName, isPublic } from "./Addresses.ts"
import { Pools } from "./Pools.ts"

/** What a client is made of. */
export interface Options {
  /** Also takes http and addresses that are not public: for development and tests only. */
  readonly allowPrivate: boolean
  /** Certificates trusted in place of the platform's, PEM. */
  readonly ca?: string
  /** How long an address has from connecting to the status line, milliseconds; 10 seconds unless given. */
  readonly answerMillis?: number
}

/** How long an address has unless given, milliseconds. */
export const defaultAnswerMillis = 10_000
/** How long the rest of an answer is waited for, milliseconds. */
const bodyMillis = 1_000
/** How often a connection that was lost is replaced at once, if it was lost within this time, milliseconds. */
const maxRetakes = 3
const lostMillis = 1_000
const maxRead = 16 * 1024
const maxKept = 1024
const userAgent = "svc-webhooks/1"

/** A look-up that ended without an address that may be connected to; `reason` is the attempt's error. */
class LookupRefused extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** The word of a failure before any answer. */
const wordOf = (error: unknown): string => {
  if (error instanceof LookupRefused) return error.reason
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown"
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|VERIFY/i.test(code)) return `tls_${code.toLowerCase()}`
  switch (code) {
    case "ECONNREFUSED":
      return "connection_refused"
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return "connection_lost"
    case "ETIMEDOUT":
      return "timeout"
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "unreachable"
    default:
      return `failed_${code.toLowerCase()}`
  }
}

/** What the URL parser takes out of a text in silence, and what ends a line elsewhere. */
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const accepts = (allowPrivate: boolean, text: string): boolean => {
  if (controls.test(text)) return false
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "" || url.hostname === "") return false
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return false
  if (allowPrivate) return true
  const address = addressOfHost(url.hostname)
  return address === null ? !isPrivateName(url.hostname) : isPublic(address)
}

/** The beginning of an answer, read to its end, to the limit, or for a while. */
const readAnswer = (response: IncomingMessage, done: (text: string | null) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  const finish = () => {
    clearTimeout(timer)
    if (!response.complete) response.destroy()
    const text = new TextDecoder()
      .decode(Buffer.concat(chunks).subarray(0, maxKept))
      .replaceAll("\0", "\ufffd")
    done(text === "" ? null : text)
  }
  const timer = setTimeout(finish, bodyMillis)
  response.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxRead + chunk.length) chunks.push(chunk)
    if (size > maxRead) finish()
  })
  response.once("end", finish)
  response.once("error", finish)
  response.once("aborted", finish)
}

/** One try of a request. */
interface Tried {
  readonly answer: AttemptAnswer
  /** It had a connection that was kept from before, and lost it at once. */
  readonly lostWhileIdle: boolean
}

/** The port over Dns. */
export const layer = (options: Options): Layer.Layer<WebhookClient, never, Dns> =>
  Layer.effect(
    WebhookClient,
    Effect.gen(function* () {
      const dns = yield* Dns
      const { allowPrivate, answerMillis = defaultAnswerMillis } = options
      const pools = yield* Effect.acquireRelease(
        Effect.sync(() => new Pools(options.ca)),
        (made) => Effect.sync(() => made.close())
      )

      /** The addresses of a name, all of them public; else why there are none. */
      const lookUp = async (name: string): Promise<ReadonlyArray<string>> => {
        const exit = await Effect.runPromiseExit(dns.addresses(name))
        if (Exit.isFailure(exit)) {
          // Names of this machine and its neighbours are in no DNS.
          const local = allowPrivate ? await systemLookup(name, { all: true }).catch(() => []) : []
          if (local.length > 0) return local.map(({ address }) => address)
          const error = Exit.findErrorOption(exit)
          const isMissing = error._tag === "Some" && error.value._tag === "DnsMissing"
          throw new LookupRefused(isMissing ? "name_unknown" : "name_unavailable")
        }
        if (!allowPrivate && !exit.value.every(isPublic)) throw new LookupRefused("address_refused")
        return exit.value
      }

      const tryOnce = (request: WebhookRequest, url: URL): Effect.Effect<Tried> =>
        Effect.callback<Tried>((resume) => {
          const secure = url.protocol === "https:"
          const { agent, leave } = pools.enter(request.pool, secure)
          let startedAt = performance.now()
          let timer: NodeJS.Timeout | undefined
          let settled = false
          let timedOut = false
          let sent: ClientRequest | null = null

          const end = (
            answer: Omit<AttemptAnswer, "durationMs">,
            durationMs: number,
            lostWhileIdle = false
          ) => {
            if (settled) return
            settled = true
            clearTimeout(timer)
            leave()
            resume(Effect.succeed({ answer: { ...answer, durationMs }, lostWhileIdle }))
          }
          const elapsed = () => Math.round(performance.now() - startedAt)
          const fail = (error: string, lostWhileIdle = false) =>
            end({ httpStatus: null, error, answer: null }, elapsed(), lostWhileIdle)
          /** The time to answer runs from here. */
          const begin = () => {
            clearTimeout(timer)
            startedAt = performance.now()
            timer = setTimeout(() => {
              timedOut = true
              sent?.destroy()
              fail("timeout")
            }, answerMillis)
          }

          // Only for a new connection, and only for a name. A look-up has its own limit, and its time is not the
          // receiver's.
          const lookup: LookupFunction = (name, { all }, callback) => {
            clearTimeout(timer)
            lookUp(name).then(
              (found) => {
                begin()
                const addresses = found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
                if (all === true) callback(null, addresses)
                else callback(null, addresses[0]!.address, addresses[0]!.family)
              },
              (error: Error) => {
                begin()
                callback(error, "", 4)
                fail(wordOf(error))
              }
            )
          }

          const address = addressOfHost(url.hostname)
          if (address !== null && !allowPrivate && !isPublic(address)) {
            fail("address_refused")
            return
          }
          begin()
          const body = Buffer.from(request.body, "utf8")
          const make = secure ? httpsRequest : httpRequest
          sent = make({
            method: "POST",
            protocol: url.protocol,
            hostname: address ?? url.hostname.replace(/\.$/, ""),
            port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
            path: url.pathname + url.search,
            headers: {
              ...request.headers,
              host: url.host,
              "user-agent": userAgent,
              "content-length": body.length
            },
            agent,
            lookup
          })
          sent.once("response", (response) => {
            clearTimeout(timer)
            const durationMs = elapsed()
            const httpStatus = response.statusCode ?? null
            const redirected = httpStatus !== null && httpStatus >= 300 && httpStatus < 400
            readAnswer(response, (answer) => {
              // The connection goes back to its pool in this turn; the next request is to find it there.
              setImmediate(() =>
                end({ httpStatus, error: redirected ? "redirect" : null, answer }, durationMs)
              )
            })
          })
          sent.on("error", (error) => {
            if (timedOut) return
            const word = wordOf(error)
            const kept = sent?.reusedSocket === true && elapsed() < lostMillis
            fail(word, kept && word === "connection_lost")
          })
          sent.end(body)
          return Effect.sync(() => {
            settled = true
            clearTimeout(timer)
            sent?.destroy()
            leave()
          })
        })

      return WebhookClient.of({
        accepts: (url) => accepts(allowPrivate, url),
        post: Effect.fnUntraced(function* (request) {
          // Checked again: the service may have been restarted with other rules since the webhook was made.
          if (!accepts(allowPrivate, request.url)) {
            return { httpStatus: null, error: "address_refused", durationMs: 0, answer: null }
          }
          const url = new URL(request.url)
          let tried = yield* tryOnce(request, url)
          // The receiver closed a kept connection at the moment it was used; most likely it never saw the request. Other
          // kept connections may be closed as well, so more tries than one.
          for (let again = 0; tried.lostWhileIdle && again < maxRetakes; again++) {
            tried = yield* tryOnce(request, url)
          }
          return tried.answer
        })
      })
    })
  )
