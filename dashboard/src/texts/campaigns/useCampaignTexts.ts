/**
 * The texts of campaigns. Only the screens of campaigns load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { campaignsDe } from "./campaignsDe.ts"
import { campaignsEn, type CampaignTexts } from "./campaignsEn.ts"

/** The texts in the reader's language. */
export const useCampaignTexts = textsIn<CampaignTexts>({ en: campaignsEn, de: campaignsDe })
