/**
 * The contract of `core/ports/PasskeyVerifier`.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { PasskeyVerifier } from "../../core/ports/PasskeyVerifier.ts"
import { softwareAuthenticator, type Variation } from "./softwareAuthenticator.ts"

const party = { id: "mail.example", origin: "https://mail.example" }
const user = { id: "01890a5d-ac96-774b-bcce-b302099a8057", email: "ada@example.org", name: "Ada" }
const newChallenge = (): string => randomBytes(32).toString("base64url")

const wrong: ReadonlyArray<Variation> = [
  { origin: "https://evil.example" },
  { origin: "http://mail.example" },
  { origin: "https://mail.example:8443" },
  { rpId: "evil.example" },
  { challenge: newChallenge() },
  { isUnverified: true },
  { type: "webauthn.other" }
]

const shapeless: ReadonlyArray<unknown> = [
  null,
  "",
  7,
  [],
  {},
  { id: "x" },
  { id: "x", rawId: "x", type: "public-key", response: {} },
  { id: "x", rawId: "x", type: "public-key", response: { clientDataJSON: "", attestationObject: "" } },
  {
    id: "x",
    rawId: "x",
    type: "public-key",
    response: { clientDataJSON: "e30", attestationObject: "oA", authenticatorData: "AA", signature: "AA" }
  }
]

/** Tests of the port `PasskeyVerifier`. */
export const passkeyVerifierContract = (it: Vitest.MethodsNonLive<PasskeyVerifier>): void => {
  describe("PasskeyVerifier", () => {
    const create = Effect.gen(function* () {
      const verifier = yield* PasskeyVerifier
      const authenticator = softwareAuthenticator(party.origin)
      const challenge = newChallenge()
      const options = { challenge, rpId: party.id }
      const key = yield* verifier.created(party, { challenge, response: authenticator.create(options) })
      return { authenticator, key: key! }
    })

    it.effect("asks for discoverable passkeys of verified users", () =>
      Effect.gen(function* () {
        const verifier = yield* PasskeyVerifier
        const challenge = newChallenge()
        const exclude = ["AAAA"]
        const created = yield* verifier.creationOptions(party, { challenge, user, exclude })
        expect(created).toMatchObject({
          challenge,
          rp: { id: party.id },
          user: { name: user.email, displayName: user.name },
          excludeCredentials: [{ id: "AAAA", type: "public-key" }],
          authenticatorSelection: { residentKey: "required", userVerification: "required" }
        })
        expect(yield* verifier.requestOptions(party, challenge)).toMatchObject({
          challenge,
          rpId: party.id,
          userVerification: "required"
        })
        // The options are plain JSON, as returned to the browser.
        expect(JSON.parse(JSON.stringify(created))).toEqual(created)
      })
    )

    it.effect("takes the passkeys that browsers make, and their signatures", () =>
      Effect.gen(function* () {
        const verifier = yield* PasskeyVerifier
        const { authenticator, key } = yield* create
        expect(key).toEqual({
          credentialId: authenticator.credentialId,
          publicKey: expect.stringMatching(/^[\w-]{90,120}$/),
          counter: 0,
          transports: ["internal"]
        })
        for (const counter of [1, 2, 1, 0]) {
          const challenge = newChallenge()
          const response = authenticator.get({ challenge, rpId: party.id }, { counter })
          expect(yield* verifier.signed(party, { challenge, response, key })).toBe(counter)
        }
      })
    )

    it.effect("takes a passkey whatever its maker says of it", () =>
      Effect.gen(function* () {
        const verifier = yield* PasskeyVerifier
        const challenge = newChallenge()
        // The format "packed" with an empty statement, which no library can verify.
        const statement = Buffer.from("63666d74667061636b65646761747453746d74a0", "hex")
        const response = softwareAuthenticator(party.origin).create(
          { challenge, rpId: party.id },
          {},
          statement
        )
        expect(yield* verifier.created(party, { challenge, response })).not.toBeNull()
      })
    )

    it.effect(
      "refuses answers of another origin, party or challenge, and of users who were not verified",
      () =>
        Effect.gen(function* () {
          const verifier = yield* PasskeyVerifier
          const { authenticator, key } = yield* create
          const { key: otherKey } = yield* create
          for (const varied of wrong) {
            const challenge = newChallenge()
            const options = { challenge, rpId: party.id }
            const made = softwareAuthenticator(party.origin).create(options, varied)
            expect([varied, yield* verifier.created(party, { challenge, response: made })]).toEqual([
              varied,
              null
            ])
            const response = authenticator.get(options, varied)
            expect([varied, yield* verifier.signed(party, { challenge, response, key })]).toEqual([
              varied,
              null
            ])
          }
          const challenge = newChallenge()
          const response = authenticator.get({ challenge, rpId: party.id })
          const others = { ...otherKey, credentialId: key.credentialId }
          expect(yield* verifier.signed(party, { challenge, response, key: others })).toBeNull()
        })
    )

    it.effect("refuses what has another shape", () =>
      Effect.gen(function* () {
        const verifier = yield* PasskeyVerifier
        const { key } = yield* create
        for (const response of shapeless) {
          const given = { challenge: newChallenge(), response }
          expect([response, yield* verifier.created(party, given)]).toEqual([response, null])
          expect([response, yield* verifier.signed(party, { ...given, key })]).toEqual([response, null])
        }
      })
    )
  })
}
