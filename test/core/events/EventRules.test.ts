/**
 * Tests of parsing reported events (docs/contributing/public-api.md "Events", docs/contributing/decisions.md 4).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import {
  eventCountProblem,
  type EventCommand,
  type EventWrite,
  flawsOfProperties,
  maxEvents,
  maxPropertiesBytes,
  maxPropertiesLevels,
  parseEvent,
  reservedPrefixes
} from "../../../core/events/EventRules.ts"
import { anyText, longTexts } from "../arbitraries.ts"
import { spentMillis } from "../../support/stall.ts"

const now = Date.UTC(2031, 4, 6, 7, 8, 9)
const day = 86_400_000

const valid = { id: "e-1", name: "user.signed_up", contact: { email: " Ada@Example.org " } }

const issuesOf = (write: EventWrite) => {
  const result = parseEvent(write, now)
  return Result.isFailure(result) ? result.failure.issues.map(({ code, field }) => `${code} ${field}`) : []
}

const accepted = (write: EventWrite): EventCommand => Result.getOrThrow(parseEvent(write, now))

const at = (millis: number) => new Date(millis).toISOString()

/** Any string that can be stored. */
const storable = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => !text.includes("\0"))
const scalar = fc.oneof(fc.constant(null), fc.boolean(), fc.double({ noNaN: true }), storable)

/** The number of levels of a value. */
const levelsOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0

const anyProperties = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(storable, tie("value"), { maxKeys: 3 })
  ),
  root: fc.dictionary(storable, tie("value"), { maxKeys: 4 })
})).root

describe("parseEvent", () => {
  it("defaults to now and to no properties", () => {
    expect(accepted(valid)).toEqual({
      eventId: "e-1",
      name: "user.signed_up",
      occurredAt: now,
      properties: {},
      contact: valid.contact,
      person: { contactId: null, externalId: null, email: "ada@example.org" },
      size: expect.any(Number)
    })
    expect(accepted({ ...valid, occurredAt: null, properties: null })).toEqual(accepted(valid))
  })

  it("returns the normalized keys of the contact", () => {
    const id = "018F0000-0000-7000-8000-0000000000AB"
    expect(
      accepted({ ...valid, contact: { id: ` ${id} `, externalId: " u 1 ", email: "ÄDA@Example.org" } }).person
    ).toEqual({ contactId: id.toLowerCase(), externalId: "u 1", email: expect.any(String) })
    expect(accepted({ ...valid, contact: { id: "x", externalId: "a\0b", email: "nobody" } }).person).toEqual({
      contactId: null,
      externalId: null,
      email: null
    })
  })

  it("requires one of id, externalId and email", () => {
    for (const contact of [
      undefined,
      null,
      {},
      { firstName: "Ada" },
      { id: null, externalId: " ", email: "" }
    ]) {
      const write: EventWrite = contact === undefined ? { id: "e", name: "a" } : { ...valid, contact }
      expect(issuesOf(write)).toEqual(["activity.event_contact_required contact"])
    }
    for (const contact of [{ id: "x" }, { externalId: "x" }, { email: "x" }]) {
      expect(issuesOf({ ...valid, contact })).toEqual([])
    }
  })

  it("limits occurredAt to 30 days ago and 5 seconds of clock skew, to the millisecond", () => {
    const isRejected = (millis: number) => issuesOf({ ...valid, occurredAt: at(millis) }).length === 1
    fc.assert(
      fc.property(fc.integer({ min: -40 * day, max: 2 * day }), (offset) => {
        expect(isRejected(now + offset)).toBe(offset > 5000 || offset < -30 * day - 5000)
      })
    )
    for (const [offset, rejected] of [
      [5000, false],
      [5001, true],
      [-30 * day - 5000, false],
      [-30 * day - 5001, true]
    ] as const) {
      expect(isRejected(now + offset)).toBe(rejected)
    }
    expect(accepted({ ...valid, occurredAt: "2031-05-06T09:08:09+02:00" }).occurredAt).toBe(now)
  })

  it("accepts names of lowercase letters, digits, _ and ., a letter first, that are not reserved", () => {
    const units = fc.constantFrom(..."abz019_.A-é \n")
    fc.assert(
      fc.property(fc.string({ unit: units, maxLength: 70 }), (name) => {
        const trimmed = name.trim()
        const isName = /^[a-z][a-z0-9_.]{0,63}$/.test(trimmed)
        expect(issuesOf({ ...valid, name })).toEqual(isName ? [] : ["activity.event_name_invalid name"])
        if (isName) expect(accepted({ ...valid, name }).name).toBe(trimmed)
      })
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...reservedPrefixes),
        fc.stringMatching(/^[a-z0-9_.]{0,20}$/),
        (prefix, rest) => {
          expect(issuesOf({ ...valid, name: prefix + rest })).toEqual(["activity.event_name_reserved name"])
          expect(issuesOf({ ...valid, name: `a${prefix}${rest}` })).toEqual([])
        }
      )
    )
  })

  it("accepts ids of 1 to 200 characters", () => {
    fc.assert(
      fc.property(anyText, (id) => {
        const trimmed = id.trim()
        const isId = trimmed !== "" && trimmed.isWellFormed() && !trimmed.includes("\0")
        expect(issuesOf({ ...valid, id })).toEqual(isId ? [] : ["activity.event_id_invalid id"])
        if (isId) expect(accepted({ ...valid, id }).eventId).toBe(trimmed)
      })
    )
    expect(issuesOf({ ...valid, id: "x".repeat(200) })).toEqual([])
    expect(issuesOf({ ...valid, id: "x".repeat(201) })).toHaveLength(1)
  })

  it("returns every issue, and rejects hostile strings within a second", () => {
    expect(issuesOf({ properties: 1, occurredAt: "x" })).toEqual([
      "activity.event_id_invalid id",
      "activity.event_name_invalid name",
      "activity.event_occurred_at_invalid occurredAt",
      "activity.event_contact_required contact",
      "activity.event_properties_invalid properties"
    ])
    for (const text of longTexts) {
      const from = spentMillis()
      const write = {
        id: text,
        name: text,
        occurredAt: text,
        contact: { email: text },
        properties: { [text]: text }
      }
      expect(Result.isFailure(parseEvent(write, now))).toBe(true)
      expect(spentMillis() - from).toBeLessThan(1000)
    }
  })
})

describe("flawsOfProperties", () => {
  it("measures compact JSON in UTF-8 and counts the object itself as the first level", () => {
    fc.assert(
      fc.property(anyProperties, fc.integer({ min: 0, max: 3 }), (properties, filling) => {
        // Sizes around the limit.
        const size = Buffer.byteLength(JSON.stringify(properties))
        const room = maxPropertiesBytes - size - Buffer.byteLength(',"filling":""')
        const filled = { ...(properties as object), filling: "x".repeat(Math.max(0, room - 1 + filling)) }
        for (const value of [properties, filled]) {
          const expected = [
            ...(Buffer.byteLength(JSON.stringify(value)) > maxPropertiesBytes ? ["too_large"] : []),
            ...(levelsOf(value) > maxPropertiesLevels ? ["too_deep"] : [])
          ]
          expect(flawsOfProperties(value)).toEqual(expected)
        }
      })
    )
    const bytes = (text: string) => flawsOfProperties({ a: text })
    for (const character of ["a", "é", "漢", "😀"]) {
      const room = maxPropertiesBytes - Buffer.byteLength(JSON.stringify({ a: "" }))
      const count = Math.floor(room / Buffer.byteLength(character))
      expect(bytes(character.repeat(count))).toEqual([])
      expect(bytes(character.repeat(count + 1))).toEqual(["too_large"])
    }
  })

  it("accepts any JSON object that can be stored, and rejects other values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
        const text = JSON.stringify(value)
        const isOdd = /\\u0000|\\ud[89a-f]/.test(text.replaceAll("\\\\", ""))
        expect(flawsOfProperties(value).includes("invalid")).toBe(!isObject || isOdd)
      })
    )
    expect(flawsOfProperties({ a: [{ b: "\ud800" }] })).toEqual(["invalid"])
    let deep: unknown = "x"
    for (let level = 0; level < 64; level++) deep = { deep }
    expect(flawsOfProperties(deep)).toEqual(["too_deep"])
  })
})

describe("eventCountProblem", () => {
  it("accepts 1 to 100 events", () => {
    expect([0, 1, maxEvents, maxEvents + 1].map((count) => eventCountProblem(count)?.issues[0].code)).toEqual(
      ["activity.batch_too_large", undefined, undefined, "activity.batch_too_large"]
    )
  })
})
