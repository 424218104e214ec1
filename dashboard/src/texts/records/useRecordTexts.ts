/**
 * The texts of stores' events, of versions of flows, of where templates are used and of the API reference, which only their
 * screens load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { recordsDe } from "./recordsDe.ts"
import { recordsEn, type RecordTexts } from "./recordsEn.ts"

const texts: Readonly<Record<Language, RecordTexts>> = { en: recordsEn, de: recordsDe }

/** The texts in the reader's language. */
export const useRecordTexts = (): RecordTexts => texts[useReader().language]
