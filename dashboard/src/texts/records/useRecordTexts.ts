/**
 * The texts of a person's runs, topics, devices and timeline, of store events, flow versions and the API reference. Only their
 * screens load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { recordsDe } from "./recordsDe.ts"
import { recordsEn, type RecordTexts } from "./recordsEn.ts"

/** The texts in the reader's language. */
export const useRecordTexts = textsIn<RecordTexts>({ en: recordsEn, de: recordsDe })
