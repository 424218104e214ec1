/**
 * Tests of the provider table with an operator's changes.
 *
 * @module
 */
import { Result } from "effect"
import { expect, it } from "vitest"
import type { LaneOverride } from "../../../../core/model/Lane.ts"
import { parseShapingFile, ProviderTable } from "../../../../core/sending/shaping/Providers.ts"

const parsed = (entries: unknown) => parseShapingFile(JSON.stringify(entries, null, 1))

it("an operator's file changes entries, adds some, and may change what holds for all others", () => {
  const found = parseShapingFile(
    JSON.stringify([
      { key: "google", maxWidth: 2 },
      { key: "ours", mx: ["mx.partner.example"], maxWidth: 40 },
      { key: "default", idleSeconds: 9 }
    ])
  )
  const table = new ProviderTable(Result.getOrThrow(found))
  const google = table.of(["aspmx.l.google.com"])
  expect(google).toMatchObject({ key: "google", name: "Google", maxWidth: 2, tls: "required" })
  const ours = table.of(["a.mx.partner.example", "mx.partner.example"])
  expect([ours?.key, table.rules(ours).maxWidth, table.rules(ours).messagesPerConnection]).toEqual([
    "ours",
    40,
    100
  ])
  expect(table.of(["mx.partner.example", "other.example"])).toBeNull()
  expect(table.rules(null)).toMatchObject({ maxWidth: 20, idleSeconds: 9, tls: "offered" })
  const override = { rules: { maxWidth: 1 }, until: null, reason: "Wait." }
  expect(table.shownRules(google, override)).toMatchObject({
    maxWidth: { value: 1, from: "Override" },
    messagesPerConnection: { value: 50, from: "Table" },
    idleSeconds: { value: 9, from: "File" }
  })
  expect(table.shownRules(google, null)["maxWidth"]).toEqual({ value: 2, from: "File" })
})

it("a file and an override set how long servers are waited for, of a provider and of all others", () => {
  const found = parsed([
    { key: "default", timeouts: { openMs: 20_000, commandMs: 60_000 } },
    { key: "google", timeouts: { openMs: 5_000 } }
  ])
  const table = new ProviderTable(Result.getOrThrow(found))
  const google = table.withKey("google")
  const timeoutsOf = (override: LaneOverride | null = null) => table.rules(google, override).timeouts
  expect(table.rules(null).timeouts).toEqual({ openMs: 20_000, commandMs: 60_000 })
  expect(timeoutsOf()).toEqual({ openMs: 5_000, commandMs: 60_000 })
  expect(new ProviderTable().rules(null).timeouts).toEqual({})
  expect(new ProviderTable().shownRules(null, null)).not.toHaveProperty("timeouts")
  const override = { rules: { timeouts: { commandMs: 9_000 } }, until: null, reason: "They are slow." }
  expect(timeoutsOf(override)).toEqual({ openMs: 5_000, commandMs: 9_000 })
  expect(table.shownRules(google, override)["timeouts"]).toEqual({
    value: { openMs: 5_000, commandMs: 9_000 },
    from: "Override"
  })
  for (const timeouts of [{ openMs: 1 }, { answerMs: 3_600_001 }, { openMillis: 5_000 }])
    expect(Result.isFailure(parsed([{ key: "google", timeouts }]))).toBe(true)
})

it("a file that is not valid is refused with its line", () => {
  const lineOf = (entries: unknown) => {
    const result = parsed(entries)
    return Result.isFailure(result) ? /^line (\d+)/.exec(result.failure)?.[1] : null
  }
  const google = { key: "google", maxWidth: 2 }
  expect(lineOf([google])).toBeNull()
  expect(lineOf({ key: "google" })).toBe("1")
  expect(lineOf([google, { key: "yahoo", maxWidth: 0 }])).toBe("7")
  expect(lineOf([google, { key: "yahoo", maxwidth: 3 }])).toBe("7")
  expect(lineOf([{ key: "new", maxWidth: 3 }])).toBe("3")
  expect(lineOf([{ key: "NO" }])).toBe("3")
  // An initial width above the maximum, set by the entry, the table or the file's entry for all others, is lowered to the
  // maximum.
  expect(lineOf([{ key: "google", startWidth: 3, maxWidth: 2 }])).toBe("3")
  expect(lineOf([{ key: "google", startWidth: 50 }])).toBe("3")
  expect(
    lineOf([google, { key: "default", maxWidth: 2 }, { key: "x", mx: ["x.example"], startWidth: 3 }])
  ).toBe("11")
  expect(parseShapingFile('[\n{ "key": }\n]')).toMatchObject({ failure: expect.stringContaining("no JSON") })
})
