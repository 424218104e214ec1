/**
 * The texts of the marketing settings. That part of the settings and the command palette load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { marketingDe } from "./marketingDe.ts"
import { marketingEn, type MarketingTexts } from "./marketingEn.ts"

/** The texts in the reader's language. */
export const useMarketingTexts = textsIn<MarketingTexts>({ en: marketingEn, de: marketingDe })
