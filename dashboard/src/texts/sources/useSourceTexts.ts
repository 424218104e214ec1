/**
 * The texts of providers, lanes, sources and pools, which only their screens load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { sourcesDe } from "./sourcesDe.ts"
import { sourcesEn, type SourceTexts } from "./sourcesEn.ts"

const texts: Readonly<Record<Language, SourceTexts>> = { en: sourcesEn, de: sourcesDe }

/** The texts in the reader's language. */
export const useSourceTexts = (): SourceTexts => texts[useReader().language]
