/**
 * Implements the OpenIdClient port with openid-client, which is loaded with the first sign-in. It is located beside the webhook
 * client because both use the same guard.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Dns } from "../../core/ports/Dns.ts"
import { OpenIdClient, OpenIdFailed, type OpenIdParty } from "../../core/ports/OpenIdClient.ts"
import { accepts, makeLookUp } from "./Guard.ts"
import { makeGuardedFetch } from "./guardedFetch.ts"

/** The configuration of the client. */
export interface OpenIdOptions {
  /** Whether http and addresses that are not public are permitted too. For development and tests only. */
  readonly allowPrivate: boolean
}

/** Why a call failed: the library's error code, which contains nothing of what was sent. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null
  return (code ?? (error instanceof Error ? error.name : "unknown")).slice(0, 60)
}

const textOf = (value: unknown, max: number): string | null =>
  typeof value === "string" && value !== "" && value.length <= max ? value : null

/** The client, over the Dns port. */
export const layer = ({ allowPrivate }: OpenIdOptions): Layer.Layer<OpenIdClient, never, Dns> =>
  Effect.gen(function* () {
    const dns = yield* Dns
    const call = makeGuardedFetch(makeLookUp(dns, allowPrivate), allowPrivate)

    const configure = async ({ clientId, clientSecret, issuer }: OpenIdParty) => {
      const openid = await import("openid-client")
      const config = await openid.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: 10,
        [openid.customFetch]: (url, { body, headers, method }) =>
          call(url, { method, headers, body: body as string | null }),
        ...(allowPrivate ? { execute: [openid.allowInsecureRequests] } : {})
      })
      return { config, openid }
    }

    const attempt = <A>(made: () => Promise<A>): Effect.Effect<A, OpenIdFailed> =>
      Effect.tryPromise({ try: made, catch: (error) => new OpenIdFailed({ reason: reasonOf(error) }) })

    return OpenIdClient.of({
      accepts: (issuer) => accepts(allowPrivate, issuer) && !/[?#]/.test(issuer),
      begin: (party, { nonce, state, verifier }) =>
        attempt(async () => {
          const { config, openid } = await configure(party)
          const url = openid.buildAuthorizationUrl(config, {
            redirect_uri: party.redirectUri,
            scope: "openid email profile",
            code_challenge: await openid.calculatePKCECodeChallenge(verifier),
            code_challenge_method: "S256",
            nonce,
            state
          })
          // The browser is redirected there, so it must be the URL of a web page.
          if (!/^https?:$/.test(url.protocol)) throw new Error("invalid_endpoint")
          return url.href
        }),
      finish: (party, { nonce, state, verifier }, parameters) =>
        attempt(async () => {
          const { config, openid } = await configure(party)
          const current = new URL(party.redirectUri)
          for (const [name, value] of Object.entries(parameters)) current.searchParams.set(name, value)
          const tokens = await openid.authorizationCodeGrant(config, current, {
            pkceCodeVerifier: verifier,
            expectedNonce: nonce,
            expectedState: state,
            idTokenExpected: true
          })
          const claims = tokens.claims()
          if (claims === undefined) throw new Error("no_id_token")
          // Many providers return the address only from their userinfo endpoint.
          const isElsewhere =
            claims["email"] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
          const said = isElsewhere
            ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
            : claims
          const verified = said["email_verified"]
          const subject = textOf(claims.sub, 255)
          if (subject === null) throw new Error("invalid_subject")
          return {
            issuer: claims.iss,
            subject,
            email: textOf(said["email"], 320),
            emailVerified: typeof verified === "boolean" ? verified : verified === "true" ? true : null,
            name: textOf(said["name"], 100)
          }
        })
    })
  }).pipe(Layer.effect(OpenIdClient))
