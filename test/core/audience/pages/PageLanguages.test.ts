import { describe, expect, it } from "vitest"
import {
  directionOf,
  pageLanguage,
  pageLanguages,
  pageTexts
} from "../../../../core/audience/pages/PageLanguages.ts"

/** Every text of a language, with names filled in. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "function") return [(value as (name: string) => string)("Acme <&>")]
  return typeof value === "string" ? [value] : Object.values(value as object).flatMap(textsIn)
}

describe("the languages of the hosted pages", () => {
  it("are the first of a person's tags that there is, else English", () => {
    expect(pageLanguage("pt-BR")).toBe("pt")
    expect(pageLanguage(null, "de-AT")).toBe("de")
    expect(pageLanguage("sv", "FR")).toBe("fr")
    for (const tag of [null, "", "sv", "constructor", "__proto__"]) expect(pageLanguage(tag)).toBe("en")
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
