/**
 * The texts of providers, lanes, sources and pools. Only their screens load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { sourcesDe } from "./sourcesDe.ts"
import { sourcesEn, type SourceTexts } from "./sourcesEn.ts"

/** The texts in the reader's language. */
export const useSourceTexts = textsIn<SourceTexts>({ en: sourcesEn, de: sourcesDe })
