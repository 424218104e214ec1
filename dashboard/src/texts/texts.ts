/**
 * The languages of the dashboard. The texts of a language are loaded once it is chosen.
 *
 * @module
 */
import type { Texts } from "./en.ts"

/** The languages, with their own names. */
export const languages = { en: "English", de: "Deutsch" } as const

/** A language of the dashboard. */
export type Language = keyof typeof languages

/** The language for a BCP 47 tag; null if the dashboard does not have it. */
export const languageOf = (tag: string | null): Language | null => {
  const [primary = ""] = (tag ?? "").toLowerCase().split("-")
  return primary in languages ? (primary as Language) : null
}

/** Loads the texts of a language. */
export const loadTexts = async (language: Language): Promise<Texts> => {
  if (language === "de") return (await import("./de.ts")).de
  return (await import("./en.ts")).en
}
