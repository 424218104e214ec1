/**
 * The contract of `core/ports/OpenIdClient`, as far as it can be tested without a provider: which servers it calls.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenIdClient } from "../../core/ports/OpenIdClient.ts"

/** A client to test. */
export interface OpenIdClientUnderTest {
  /** As in production: only https and public addresses. */
  readonly guarded: Layer.Layer<OpenIdClient>
  /** As in tests: also http, and addresses that are not public. */
  readonly local: Layer.Layer<OpenIdClient>
  /** Names with an address that is not public. */
  readonly privateNames: ReadonlyArray<string>
}

const secrets = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43) }
const partyAt = (issuer: string) => ({
  issuer,
  clientId: "svc",
  clientSecret: "secret",
  redirectUri: "https://mail.example/callback"
})

const refused = [
  "http://id.example",
  "https://127.0.0.1",
  "https://[::1]:8443",
  "https://10.1.2.3/realms/one",
  "https://169.254.169.254",
  "https://localhost",
  "https://idp",
  "https://idp.internal",
  "https://user:password@id.example",
  "https://id.example?tenant=one",
  "https://id.example#one",
  "ftp://id.example",
  "id.example",
  ""
]

/** Tests of the port `OpenIdClient`. */
export const openIdClientContract = (name: string, given: OpenIdClientUnderTest): void => {
  describe(`${name} OpenIdClient`, () => {
    it.effect("accepts https issuers on public servers alone", () =>
      Effect.gen(function* () {
        const { accepts } = yield* OpenIdClient
        expect(refused.filter(accepts)).toEqual([])
        expect(accepts("https://id.example/realms/one")).toBe(true)
      }).pipe(Effect.provide(given.guarded))
    )

    it.live("calls no server that is not public, nor one that does not answer", () =>
      Effect.gen(function* () {
        const client = yield* OpenIdClient
        const issuers = [...given.privateNames.map((one) => `https://${one}`), ...refused]
        for (const issuer of issuers) {
          const begun = yield* Effect.flip(client.begin(partyAt(issuer), secrets))
          expect([issuer, begun._tag]).toEqual([issuer, "OpenIdFailed"])
          const finished = yield* Effect.flip(
            client.finish(partyAt(issuer), secrets, { code: "x", state: "y" })
          )
          expect([issuer, finished._tag]).toEqual([issuer, "OpenIdFailed"])
        }
      }).pipe(Effect.provide(given.guarded))
    )

    it.live("says why a provider failed without what was sent", () =>
      Effect.gen(function* () {
        const client = yield* OpenIdClient
        expect(client.accepts("http://127.0.0.1:1")).toBe(true)
        const { reason } = yield* Effect.flip(client.begin(partyAt("http://127.0.0.1:1"), secrets))
        expect(reason).toMatch(/^\w{1,60}$/)
      }).pipe(Effect.provide(given.local))
    )
  })
}
