import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maxOwnText, parseOwnTexts } from "../../../../core/audience/pages/OwnTextRules.ts"
import {
  directionOf,
  pageLanguage,
  pageLanguages,
  pageTexts,
  textChoices
} from "../../../../core/audience/pages/PageLanguages.ts"

/** Every text of a language, with names inserted. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "function") return [(value as (name: string) => string)("Acme <&>")]
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(textsIn)
}

describe("the languages of the hosted pages", () => {
  it("are the first of a person's tags that there is, else English", () => {
    expect(pageLanguage({}, "pt-BR")).toBe("pt")
    expect(pageLanguage({}, null, "de-AT")).toBe("de")
    expect(pageLanguage({}, "sv", "FR")).toBe("fr")
    expect(pageLanguage({ sv: {} }, "sv-SE", "FR")).toBe("sv")
    for (const tag of [null, "", "sv", "constructor", "__proto__"]) expect(pageLanguage({}, tag)).toBe("en")
  })

  it("have every text, each of their own, with the sender's name where English has it", () => {
    expect(pageLanguages).toHaveLength(10)
    const english = textsIn(pageTexts("en"))
    for (const language of pageLanguages) {
      const texts = textsIn(pageTexts(language))
      expect(texts).toHaveLength(english.length)
      expect(texts.every((text) => text.trim() === text && text !== "")).toBe(true)
      const named = (all: ReadonlyArray<string>) => all.map((text) => text.includes("Acme <&>"))
      expect([language, named(texts)]).toEqual([language, named(english)])
      const same = texts.filter((text, at) => text === english[at])
      if (language !== "en")
        expect([language, same]).toEqual([language, same.filter((text) => text.length < 12)])
    }
  })

  it("are ready for those that are written from right to left", () => {
    expect(pageLanguages.map(directionOf)).toEqual(pageLanguages.map(() => "ltr"))
    expect(directionOf("ar")).toBe("rtl")
  })
})

/** A valid company text to replace another. */
const textFor = (placeholder: string | null) =>
  fc
    .string({ unit: "binary", minLength: 1, maxLength: 60 })
    .map((text) => text.replaceAll(/[\u0000-\u001f\u007f{}]/g, "").trim())
    .filter((text) => text !== "")
    .map((text) => (placeholder === null ? text : `${text} ${placeholder}`))

describe("the texts of a company", () => {
  it("stand in place of the service's, each alone, in their language alone", () => {
    const one = fc.tuple(fc.constantFrom(...pageLanguages, "ar", "sv"), fc.nat()).chain(([language, at]) => {
      const choices = textChoices(language)
      const choice = choices[at % choices.length]!
      return fc.record({
        language: fc.constant(language),
        choice: fc.constant(choice),
        text: textFor(choice.placeholder)
      })
    })
    fc.assert(
      fc.property(one, ({ choice, language, text }) => {
        const parsed = parseOwnTexts(language.toUpperCase(), { [choice.key]: ` ${text} ` })
        const texts = Result.getOrThrow(parsed).texts
        expect(texts).toEqual({ [choice.key]: text })
        const own = { [language]: texts }
        const before = textsIn(pageTexts(language))
        const after = textsIn(pageTexts(language, own))
        const changed = after.filter((shown, at) => shown !== before[at])
        // A name is inserted literally, even if it contains replacement patterns.
        const filled = text.replaceAll(/\{name\}|\{email\}/g, () => "Acme <&>")
        expect(changed.every((shown) => shown === filled)).toBe(true)
        expect(changed.length).toBeLessThanOrEqual(1)
        const other = language === "de" ? "fr" : "de"
        expect(textsIn(pageTexts(other, own))).toEqual(textsIn(pageTexts(other)))
      })
    )
  })

  it("are shown with every name as it is, and not replaced by what all objects have", () => {
    const own = { en: { "confirm.text": "Yes to {name} and {name}" } }
    expect(pageTexts("en", own).confirm.text("$& {name}")).toBe("Yes to $& {name} and $& {name}")
    expect(pageTexts("constructor", own)).toBe(pageTexts("en"))
    expect(pageTexts("en", { en: {} })).toEqual(expect.objectContaining({ links: pageTexts("en").links }))
  })

  it("are none of unknown keys, with other names in braces, on several lines or too long", () => {
    const issuesOf = (language: string, texts: Record<string, string | null>) => {
      const parsed = parseOwnTexts(language, texts)
      return Result.isSuccess(parsed) ? [] : parsed.failure.issues.map(({ code, field }) => [code, field])
    }
    const title = "confirm.title"
    expect(issuesOf("en", { [title]: "", "confirm.text": null })).toEqual([])
    expect(issuesOf("en", { "notFound.title": "x", toString: "x" })).toEqual([
      ["validation.unknown_field", "texts.notFound.title"],
      ["validation.unknown_field", "texts.toString"]
    ])
    for (const text of ["{name}", "{nmae}", "{email}"])
      expect(issuesOf("en", { [title]: text })).toEqual([["validation.format", `texts.${title}`]])
    expect(issuesOf("en", { "confirm.text": "{nmae}" })).toEqual([
      ["validation.format", "texts.confirm.text"]
    ])
    expect(issuesOf("en", { [title]: "a\nb" })).toEqual([["validation.format", `texts.${title}`]])
    expect(issuesOf("en", { [title]: "x".repeat(maxOwnText + 1) })).toEqual([
      ["validation.max_length", `texts.${title}`]
    ])
    for (const language of ["", "e", "pt-BR", "e1", "engl"])
      expect(issuesOf(language, {})).toEqual([["validation.format", "language"]])
  })
})
