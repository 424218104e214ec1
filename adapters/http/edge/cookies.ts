/**
 * The cookies of signed-in browsers, and the check that a request with such a cookie comes from the service's own pages
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

/** The parts of a request that the checks of cookies read. */
export interface CookieRequest {
  readonly method: string
  readonly origin: Origin
  /** Returns a header's value by its lower-case name; null if absent. */
  readonly header: (name: string) => string | null
  /** Whether this authenticates a call in progress again, which does not count as a use of its session. */
  readonly isRepeated?: boolean
}

/** How long a browser is recognised, in seconds: 400 days, the longest time that browsers keep a cookie. */
const deviceSeconds = 34_560_000

/** How long a sign-in at an identity provider may take, in seconds. */
const providerSeconds = providerMillis / 1000

/** The longest Cookie header that is read, in characters. */
const maxHeader = 8_192

/** The value of a cookie; null if absent. If a name occurs several times, the first value counts. */
const cookieOf = (header: string | null, name: string): string | null => {
  if (header === null || header.length > maxHeader) return null
  for (const part of header.split(";")) {
    const cut = part.indexOf("=")
    if (cut !== -1 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return null
}

/** The browser that sent a request. */
export const browserOf = ({ header, origin }: CookieRequest): Browser => ({
  origin,
  userAgent: header("user-agent")
})

/** The session of a call whose guard requires one. */
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
    /** The value of the cookie by which a browser is recognised; null if absent. */
    readonly device: (request: CookieRequest) => string | null
    /** The value of the session cookie; null if absent. */
    readonly session: (request: CookieRequest) => string | null
    /** The Set-Cookie header that sets a session; null ends the session. */
    readonly setSession: (token: string | null) => string
    /** The value of the cookie of a browser that is at its identity provider; null if absent. */
    readonly provider: (request: CookieRequest) => string | null
    /** The Set-Cookie header for a browser that is sent to its identity provider; null once the browser has returned. */
    readonly setProvider: (value: string | null) => string
    /** The Set-Cookie header that makes a browser recognised from now on. */
    readonly setDevice: (value: string) => string
    /**
     * Fails with users.request_forged if a request that may change something comes from another site. Such a request needs
     * an Origin equal to the base URL's, Sec-Fetch-Site: same-origin if the browser sends that header, and a property that
     * no form can send.
     */
    readonly refuseForged: (request: CookieRequest) => Effect.Effect<void, Problem>
    /**
     * As `refuseForged`, for a request that signs in. Programs may send it without an Origin. It prevents another site from
     * signing a browser in to that site's own user.
     */
    readonly refuseForeign: (request: CookieRequest) => Effect.Effect<void, Problem>
    /** The Set-Cookie header of a session whose id changes because another user changed its user's rights; otherwise null. */
    readonly renewal: (found: Authenticated) => Effect.Effect<string | null, Unavailable>
    /** Returns the session of a request. Fails with auth.unauthorized or users.request_forged. */
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
