/**
 * The texts of the screen of a company's own texts, which only it loads.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { pagesDe } from "./pagesDe.ts"
import { pagesEn, type PagesTexts } from "./pagesEn.ts"

const texts: Readonly<Record<Language, PagesTexts>> = { en: pagesEn, de: pagesDe }

/** The texts in the reader's language. */
export const usePagesTexts = (): PagesTexts => texts[useReader().language]
