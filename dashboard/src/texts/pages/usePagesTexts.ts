/**
 * The texts of the screen of a company's own texts, which only it loads.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { pagesDe } from "./pagesDe.ts"
import { pagesEn, type PagesTexts } from "./pagesEn.ts"

/** The texts in the reader's language. */
export const usePagesTexts = textsIn<PagesTexts>({ en: pagesEn, de: pagesDe })
