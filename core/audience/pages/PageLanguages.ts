/**
 * The languages of the hosted pages, and which of them a person reads.
 *
 * @module
 */
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

const texts = { en, de, fr, es, it, pt, nl, pl, tr, ja } as const satisfies Readonly<
  Record<string, PageTexts>
>

/** A language of the pages. */
export type PageLanguage = keyof typeof texts

/** Every language of the pages. */
export const pageLanguages = Object.keys(texts) as ReadonlyArray<PageLanguage>

/** The language of pages whose reader's is not known. */
export const defaultLanguage: PageLanguage = "en"

/** Languages that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(["ar", "fa", "he", "ur"])

/** The language of the first tag (BCP 47) that the pages have, such as `pt` for `pt-BR`; English where they have none. */
export const pageLanguage = (...tags: ReadonlyArray<string | null>): PageLanguage => {
  for (const tag of tags) {
    const [primary = ""] = (tag ?? "").toLowerCase().split("-")
    if (Object.hasOwn(texts, primary)) return primary as PageLanguage
  }
  return defaultLanguage
}

/** The words of a language. */
export const pageTexts = (language: PageLanguage): PageTexts => texts[language]

/** The direction of a language (HTML, `dir`). */
export const directionOf = (language: string): "ltr" | "rtl" => (rightToLeft.has(language) ? "rtl" : "ltr")
