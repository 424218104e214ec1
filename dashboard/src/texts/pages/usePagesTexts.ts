/**
 * The texts of the screen on which a company changes the texts of its pages. Only that screen loads them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { pagesDe } from "./pagesDe.ts"
import { pagesEn, type PagesTexts } from "./pagesEn.ts"

/** The texts in the reader's language. */
export const usePagesTexts = textsIn<PagesTexts>({ en: pagesEn, de: pagesDe })
