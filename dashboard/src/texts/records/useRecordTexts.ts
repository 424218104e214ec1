/**
 * The texts of stores' events, of versions of flows, of where templates are used and of the API reference, which only their
 * screens load.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { recordsDe } from "./recordsDe.ts"
import { recordsEn, type RecordTexts } from "./recordsEn.ts"

/** The texts in the reader's language. */
export const useRecordTexts = textsIn<RecordTexts>({ en: recordsEn, de: recordsDe })
