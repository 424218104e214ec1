import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkPassword, passwordLengths, wordsOf } from "../../../core/users/PasswordRules.ts"

const codesOf = (password: string, email = "ada.lovelace@example.org"): ReadonlyArray<string> => {
  const checked = checkPassword(password, email)
  return Result.isSuccess(checked) ? [] : checked.failure.issues.map(({ code }) => code)
}

describe("a password", () => {
  it("has 12 to 200 characters of any kind, not code units", () => {
    const { max, min } = passwordLengths
    expect(codesOf("👩".repeat(min - 1))).toEqual(["users.password_weak"])
    expect(codesOf("👩".repeat(min))).toEqual([])
    expect(codesOf("👩".repeat(max))).toEqual([])
    expect(codesOf("👩".repeat(max + 1))).toEqual(["validation.max_length"])
  })

  it.each(["xxADA.LOVELACE@example.orgxx", "my-Ada.Lovelace-is-47", "tundra-SVC-ochre-vivid"])(
    "must not be %s, which holds the address or the service's name",
    (password) => {
      expect(codesOf(password)).toEqual(["users.password_weak"])
    }
  )

  it("may hold a local part that is part of many words", () => {
    expect(codesOf("armada-tundra-ochre", "ada@example.org")).toEqual([])
  })

  it("is checked whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (password) => {
        expect(codesOf(password).length).toBeLessThanOrEqual(1)
      })
    )
  })
})

it("the words of a user are the parts of the address and of the name", () => {
  expect(wordsOf("ada.love-lace@mail.example.org", "Augusta Ada King")).toEqual(
    expect.arrayContaining(["ada", "love", "lace", "mail", "example", "org", "Augusta", "King"])
  )
})
