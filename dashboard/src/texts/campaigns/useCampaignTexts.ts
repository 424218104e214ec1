/**
 * The texts of campaigns, which only their screens load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { campaignsDe } from "./campaignsDe.ts"
import { campaignsEn, type CampaignTexts } from "./campaignsEn.ts"

const texts: Readonly<Record<Language, CampaignTexts>> = { en: campaignsEn, de: campaignsDe }

/** The texts in the reader's language. */
export const useCampaignTexts = (): CampaignTexts => texts[useReader().language]
