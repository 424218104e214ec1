/**
 * Tests of the keys by which contacts are searched.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { contactText, isFound } from "../../../../core/audience/segments/ContactFilters.ts"
import { queryKeys, searchKeys, tagKey, topicKey } from "../../../../core/audience/segments/SearchKeys.ts"
import { newContact } from "../../../../core/model/Contact.ts"
import { foldCase } from "../../../../core/shared/Validate.ts"

const accountId = "0190a5d0-0000-7000-8000-0000deadbeef"
const otherId = "0190a5d0-0000-7000-8000-0000deadbee0"
const id = "0190a5d1-0000-7000-8000-000000000001"

// Few different characters, so that searches find matches: ends of words, letters with case, and characters outside the first
// plane.
const text = fc.string({ unit: fc.constantFrom("a", "B", "é", "Σ", "İ", "7", "😀", " ", ".", "-", "@", "+") })
const textOrNull = fc.option(text)

const arbitrary = fc
  .record({
    email: textOrNull,
    firstName: textOrNull,
    lastName: textOrNull,
    externalId: textOrNull,
    phone: textOrNull
  })
  .map((values) => ({ ...newContact(id, "", 0), ...values }))

describe("the keys of a contact", () => {
  it("are among those that any search which finds it looks for", () => {
    const isWanted = (keys: ReadonlySet<number>, q: string) => {
      const wanted = queryKeys(accountId, q)
      return "all" in wanted
        ? wanted.all.every((key) => keys.has(key))
        : wanted.any.some((key) => keys.has(key))
    }
    fc.assert(
      fc.property(
        arbitrary,
        text,
        fc.nat(),
        fc.integer({ min: 1, max: 30 }),
        (contact, other, from, length) => {
          const keys = new Set(searchKeys(accountId, contact))
          const content = contactText(contact)
          const characters = Array.from(content.replaceAll("\n", " "))
          const start = from % Math.max(1, characters.length)
          const part = characters.slice(start, start + length).join("")
          for (const q of [part, foldCase(other)]) {
            if (q !== "" && isFound(content, q)) expect([q, isWanted(keys, q)]).toEqual([q, true])
          }
        }
      )
    )
  })

  it("tell apart searches, tags, topics and accounts", () => {
    const contact = {
      ...newContact(id, "ada@lovelace.example", 0),
      tags: ["vip"],
      topics: { [id]: true, [otherId]: false }
    }
    const keys = new Set(searchKeys(accountId, contact))
    const { all } = queryKeys(accountId, "lovelace") as { readonly all: ReadonlyArray<number> }
    expect(all).toHaveLength("lovelace".length - 2)
    expect(all.map((key) => keys.has(key))).toEqual(all.map(() => true))
    expect(
      [tagKey(accountId, "vip"), topicKey(accountId, id, true), topicKey(accountId, otherId, false)].map(
        (key) => keys.has(key)
      )
    ).toEqual([true, true, true])
    expect(
      [tagKey(accountId, "vi"), topicKey(accountId, id, false), tagKey(otherId, "vip")].some((key) =>
        keys.has(key)
      )
    ).toBe(false)
    expect(searchKeys(otherId, contact).some((key) => keys.has(key))).toBe(false)
    expect(keys.size).toBe(
      new Set([
        "ada",
        "da@",
        "a@l",
        "@lo",
        "lov",
        "ove",
        "vel",
        "ela",
        "lac",
        "ace",
        "ce.",
        "e.e",
        ".ex",
        "exa",
        "xam",
        "amp",
        "mpl",
        "ple"
      ]).size + 4
    )
  })
})
