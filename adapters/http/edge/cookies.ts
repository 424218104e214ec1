/**
 * The cookies of signed-in browsers, and the check that a request which carries one comes from the service's own pages
 * (docs/contributing/people.md 2).
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { providerMillis } from "../../../core/users/signin/ProviderSignIn.ts"
import { type Authenticated, type Browser, Sessions } from "../../../core/users/Sessions.ts"
import { isLoopbackUrl, type Origin } from "../../../core/shared/Network.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"

/** The parts of a request that a cookie's check reads. */
export interface CookieRequest {
  readonly method: string
  readonly origin: Origin
  /** A header's value by its lower-case name; null when absent. */
  readonly header: (name: string) => string | null
  /** Whether a call in progress is authenticated again, which is no use of its session. */
  readonly isRepeated?: boolean
}

/** How long a browser is recognised, seconds: 400 days, the most that browsers keep a cookie. */
const deviceSeconds = 34_560_000

/** How long a browser may be at its identity provider, seconds. */
const providerSeconds = providerMillis / 1000

/** The longest header of cookies that is read, characters. */
const maxHeader = 8_192

/** The value of a cookie; null without one. Of several with one name the first counts. */
const cookieOf = (header: string | null, name: string): string | null => {
  if (header === null || header.length > maxHeader) return null
  for (const part of header.split(";")) {
    const cut = part.indexOf("=")
    if (cut !== -1 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return null
}

/** Where a request comes from. */
export const browserOf = ({ header, origin }: CookieRequest): Browser => ({
  origin,
  userAgent: header("user-agent")
})

/** The session of a route whose guard takes one. */
export const sessionOf = ({
  caller: { session }
}: {
  readonly caller: { readonly session?: Authenticated }
}): Effect.Effect<Authenticated> =>
  session === undefined
    ? Effect.die(new Error("The route has no guard of sessions"))
    : Effect.succeed(session)

/** The cookies of signed-in browsers. */
export class SessionCookies extends Context.Service<
  SessionCookies,
  {
    /** The value of the cookie by which a browser is recognised; null without one. */
    readonly device: (request: CookieRequest) => string | null
    /** The value of the session's cookie; null without one. */
    readonly session: (request: CookieRequest) => string | null
    /** Set-Cookie of a session; null ends it. */
    readonly setSession: (token: string | null) => string
    /** The value of the cookie of a browser that is at its identity provider; null without one. */
    readonly provider: (request: CookieRequest) => string | null
    /** Set-Cookie of a browser that goes to its identity provider; null once it is back. */
    readonly setProvider: (value: string | null) => string
    /** Set-Cookie of a browser that is recognised from now on. */
    readonly setDevice: (value: string) => string
    /**
     * users.request_forged where a request that may change something comes from elsewhere: it needs an Origin equal to the
     * base URL's, Sec-Fetch-Site: same-origin where the browser sends that, and what no form can send.
     */
    readonly refuseForged: (request: CookieRequest) => Effect.Effect<void, Problem>
    /**
     * As `refuseForged`, for a request that signs in, which programs send without an Origin: another site cannot sign a
     * browser in to an account of its own.
     */
    readonly refuseForeign: (request: CookieRequest) => Effect.Effect<void, Problem>
    /** Set-Cookie of a session that gets another id, since someone else changed its user's rights; null for others. */
    readonly renewal: (found: Authenticated) => Effect.Effect<string | null, Unavailable>
    /** The session of a request; auth.unauthorized, users.request_forged. */
    readonly authenticate: (request: CookieRequest) => Effect.Effect<Authenticated, Problem | Unavailable>
  }
>()("svc/http/SessionCookies") {
  static readonly layer = Layer.effect(
    SessionCookies,
    Effect.gen(function* () {
      const { baseUrl, isLocal } = yield* PublicEndpoint
      const sessions = yield* Sessions

      const isPlain = (): boolean => baseUrl().startsWith("http:") && (isLocal ?? isLoopbackUrl(baseUrl()))
      const nameOf = (name: string): string => (isPlain() ? `svc_${name}` : `__Host-svc_${name}`)
      const attributes = (): string => `; Path=/; HttpOnly; SameSite=Lax${isPlain() ? "" : "; Secure"}`
      const read = (name: string) => (request: CookieRequest) =>
        cookieOf(request.header("cookie"), nameOf(name))
      const isOwn = (origin: string): boolean => origin === new URL(baseUrl()).origin

      const forged = Effect.fail(Problem.of("users.request_forged"))

      const refuseForged = ({ header, method }: CookieRequest): Effect.Effect<void, Problem> => {
        if (method === "GET" || method === "HEAD") return Effect.void
        const site = header("sec-fetch-site")
        const origin = header("origin")
        const isPlainForm =
          header("x-svc-request") !== "1" &&
          !/^application\/json *(?:;|$)/i.test(header("content-type") ?? "")
        const isForged = (site !== null && site !== "same-origin") || origin === null || !isOwn(origin)
        return isForged || isPlainForm ? forged : Effect.void
      }

      const setSession = (token: string | null): string =>
        `${nameOf("session")}=${token ?? ""}${attributes()}${token === null ? "; Max-Age=0" : ""}`

      return SessionCookies.of({
        device: read("device"),
        session: read("session"),
        provider: read("provider"),
        setProvider: (value) =>
          `${nameOf("provider")}=${value ?? ""}${attributes()}; Max-Age=${value === null ? 0 : providerSeconds}`,
        setSession,
        renewal: ({ session }) =>
          Effect.map(sessions.renewIfRequired(session), (token) =>
            token === null ? null : setSession(token)
          ),
        setDevice: (value) => `${nameOf("device")}=${value}${attributes()}; Max-Age=${deviceSeconds}`,
        refuseForged,
        refuseForeign: ({ header }) => {
          const site = header("sec-fetch-site")
          const origin = header("origin")
          const isForeign =
            (site !== null && site !== "same-origin" && site !== "none") ||
            (origin !== null && !isOwn(origin))
          return isForeign ? forged : Effect.void
        },
        authenticate: Effect.fnUntraced(function* (request) {
          const token = read("session")(request)
          const found =
            token === null
              ? null
              : yield* sessions.authenticate(token, browserOf(request), request.isRepeated)
          if (found === null) {
            return yield* Problem.of("auth.unauthorized", null, null, {
              reason: "The call must have the cookie of a session that has not ended."
            })
          }
          yield* refuseForged(request)
          return found
        })
      })
    })
  )
}
