/**
 * The texts of the settings of marketing, which only their part loads.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { marketingDe } from "./marketingDe.ts"
import { marketingEn, type MarketingTexts } from "./marketingEn.ts"

/** The texts in the reader's language. */
export const useMarketingTexts = textsIn<MarketingTexts>({ en: marketingEn, de: marketingDe })
