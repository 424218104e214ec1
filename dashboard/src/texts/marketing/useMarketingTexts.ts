/**
 * The texts of the settings of marketing, which only their part loads.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { marketingDe } from "./marketingDe.ts"
import { marketingEn, type MarketingTexts } from "./marketingEn.ts"

const texts: Readonly<Record<Language, MarketingTexts>> = { en: marketingEn, de: marketingDe }

/** The texts in the reader's language. */
export const useMarketingTexts = (): MarketingTexts => texts[useReader().language]
