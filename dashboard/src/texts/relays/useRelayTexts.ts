/**
 * The texts of relays. Only the screens of relays load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { relaysDe } from "./relaysDe.ts"
import { relaysEn, type RelayTexts } from "./relaysEn.ts"

/** The texts in the reader's language. */
export const useRelayTexts = textsIn<RelayTexts>({ en: relaysEn, de: relaysDe })
