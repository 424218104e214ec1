/**
 * The texts of relays, which only their screen loads.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { relaysDe } from "./relaysDe.ts"
import { relaysEn, type RelayTexts } from "./relaysEn.ts"

/** The texts in the reader's language. */
export const useRelayTexts = textsIn<RelayTexts>({ en: relaysEn, de: relaysDe })
