/**
 * The texts of standing, reports and held mail, which only their screens load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { deliveryDe } from "./deliveryDe.ts"
import { deliveryEn, type DeliveryTexts } from "./deliveryEn.ts"

const texts: Readonly<Record<Language, DeliveryTexts>> = { en: deliveryEn, de: deliveryDe }

/** The texts in the reader's language. */
export const useDeliveryTexts = (): DeliveryTexts => texts[useReader().language]
