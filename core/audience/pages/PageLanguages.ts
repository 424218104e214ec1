/**
 * The languages of the hosted pages: the choice of a person's language, and the texts of a company in it.
 *
 * @module
 */
import type { OwnTexts, TextsByKey } from "../../model/Account.ts"
import { de } from "../pageTexts/de.ts"
import { en } from "../pageTexts/en.ts"
import { es } from "../pageTexts/es.ts"
import { fr } from "../pageTexts/fr.ts"
import { it } from "../pageTexts/it.ts"
import { ja } from "../pageTexts/ja.ts"
import { nl } from "../pageTexts/nl.ts"
import { pl } from "../pageTexts/pl.ts"
import { pt } from "../pageTexts/pt.ts"
import { tr } from "../pageTexts/tr.ts"
import type { PageTexts } from "../pageTexts/PageTexts.ts"

const texts: Readonly<Record<string, PageTexts>> = { en, de, fr, es, it, pt, nl, pl, tr, ja }

/** The languages in which the service has texts. */
export const pageLanguages: ReadonlyArray<string> = Object.keys(texts)

/** The language of pages for readers whose language is not known. */
export const defaultLanguage = "en"

/** Languages that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(["ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"])

/**
 * The language of the first tag (BCP 47) in which the service or the company has texts, such as `pt` for `pt-BR`; English if
 * there is none.
 */
export const pageLanguage = (own: OwnTexts, ...tags: ReadonlyArray<string | null>): string => {
  for (const tag of tags) {
    const [primary = ""] = (tag ?? "").toLowerCase().split("-")
    if (Object.hasOwn(texts, primary) || Object.hasOwn(own, primary)) return primary
  }
  return defaultLanguage
}

/** The placeholder in a company's own text for the value that the text takes: the sender's name, or an address. */
export const placeholderOf = (key: string): string => (key === "addressed" ? "{email}" : "{name}")

type Text = string | ((value: string) => string)

/** Maps all texts by their keys; the parts of a key are joined by dots. */
const mapTexts = (of: object, change: (text: Text, key: string) => Text, path = ""): object =>
  Object.fromEntries(
    Object.entries(of).map(([name, value]: [string, Text | object]) => {
      const key = path + name
      return [name, typeof value === "object" ? mapTexts(value, change, `${key}.`) : change(value, key)]
    })
  )

const replaced =
  (own: TextsByKey) =>
  (text: Text, key: string): Text => {
    const other = Object.hasOwn(own, key) ? own[key]! : null
    if (other === null) return text
    return typeof text === "string" ? other : (value) => other.replaceAll(placeholderOf(key), () => value)
  }

/** The texts of a language. A company's own texts replace those of the service; English ones are used if neither has one. */
export const pageTexts = (language: string, own: OwnTexts = {}): PageTexts => {
  const known = Object.hasOwn(texts, language) ? texts[language]! : en
  return Object.hasOwn(own, language) ? (mapTexts(known, replaced(own[language]!)) as PageTexts) : known
}

/** A text that a company can replace. */
export interface TextChoice {
  readonly key: string
  /** The service's text, in English if it has none in the language. */
  readonly text: string
  /** The placeholder for the value that the text takes; null if it takes none. */
  readonly placeholder: string | null
}

/** The texts of pages without a valid link, for which the company is not known. */
const ofNoCompany = /^(?:notFound|outdated|unavailable)\./

/** The texts that a company can replace in a language. */
export const textChoices = (language: string): ReadonlyArray<TextChoice> => {
  const choices: Array<TextChoice> = []
  mapTexts(pageTexts(language), (text, key) => {
    const placeholder = typeof text === "string" ? null : placeholderOf(key)
    if (!ofNoCompany.test(key)) {
      choices.push({ key, text: typeof text === "string" ? text : text(placeholder!), placeholder })
    }
    return text
  })
  return choices
}

/** The direction of a language (HTML, `dir`). */
export const directionOf = (language: string): "ltr" | "rtl" => (rightToLeft.has(language) ? "rtl" : "ltr")
