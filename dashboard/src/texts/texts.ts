/**
 * The languages of the dashboard. The texts of one are loaded when it is chosen.
 *
 * @module
 */
import type { Texts } from "./en.ts"

/** The languages, each named in itself. */
export const languages = { en: "English", de: "Deutsch" } as const

/** A language of the dashboard. */
export type Language = keyof typeof languages

/** The language of a tag (BCP 47); null where the dashboard has none of it. */
export const languageOf = (tag: string | null): Language | null => {
  const [primary = ""] = (tag ?? "").toLowerCase().split("-")
  return primary in languages ? (primary as Language) : null
}

/** Loads the texts of a language. */
export const loadTexts = async (language: Language): Promise<Texts> => {
  if (language === "de") return (await import("./de.ts")).de
  return (await import("./en.ts")).en
}
