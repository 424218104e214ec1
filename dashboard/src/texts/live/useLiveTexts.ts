/**
 * The texts of the live view and of a webhook's notifications. Only their screens load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { liveDe } from "./liveDe.ts"
import { liveEn, type LiveTexts } from "./liveEn.ts"

/** The texts in the reader's language. */
export const useLiveTexts = textsIn<LiveTexts>({ en: liveEn, de: liveDe })
