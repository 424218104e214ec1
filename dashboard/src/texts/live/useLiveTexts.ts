/**
 * The texts of the live view and of a webhook's notifications, which only their screens load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import { liveDe } from "./liveDe.ts"
import { liveEn, type LiveTexts } from "./liveEn.ts"
import type { Language } from "../texts.ts"

const texts: Readonly<Record<Language, LiveTexts>> = { en: liveEn, de: liveDe }

/** The texts in the reader's language. */
export const useLiveTexts = (): LiveTexts => texts[useReader().language]
