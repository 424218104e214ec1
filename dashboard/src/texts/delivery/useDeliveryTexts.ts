/**
 * The texts of standing, reports and held mail. Only their screens load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { deliveryDe } from "./deliveryDe.ts"
import { deliveryEn, type DeliveryTexts } from "./deliveryEn.ts"

/** The texts in the reader's language. */
export const useDeliveryTexts = textsIn<DeliveryTexts>({ en: deliveryEn, de: deliveryDe })
