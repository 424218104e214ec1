import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toBase64Url } from "../../../core/shared/Bytes.ts"
import { challengeOf, credentialIdOf, parsePasskeyName } from "../../../core/users/passkeys/PasskeyRules.ts"

const encode = (text: string): string => toBase64Url(new TextEncoder().encode(text))
const answer = (clientDataJSON: unknown) => ({ id: "x", response: { clientDataJSON } })

describe("the answer of an authenticator", () => {
  it("says which challenge it answers", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const challenge = toBase64Url(bytes)
        const data = encode(JSON.stringify({ type: "webauthn.get", challenge, origin: "https://a.example" }))
        expect(challengeOf(answer(data))).toBe(challenge)
      })
    )
  })

  it("is none for anything else", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(challengeOf(value)).toBeNull()
        expect(challengeOf(answer(value))).toBeNull()
        const id = credentialIdOf(value)
        expect(id === null || typeof id === "string").toBe(true)
      })
    )
    for (const text of ["", "null", "[]", "{", '{"challenge":7}', '{"challenge":"short"}', "\uffff"]) {
      expect([text, challengeOf(answer(encode(text)))]).toEqual([text, null])
    }
    expect(challengeOf(answer("_w"))).toBeNull()
    expect(challengeOf(answer("A".repeat(5_000)))).toBeNull()
  })
})

describe("the name of a passkey", () => {
  it("has 1 to 100 characters", () => {
    expect(parsePasskeyName(" Phone ")).toMatchObject({ success: "Phone" })
    for (const name of ["", "  ", "x".repeat(101)]) expect(parsePasskeyName(name)._tag).toBe("Failure")
  })
})
