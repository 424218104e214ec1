/**
 * The texts of relays, which only their screen loads.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { relaysDe } from "./relaysDe.ts"
import { relaysEn, type RelayTexts } from "./relaysEn.ts"

const texts: Readonly<Record<Language, RelayTexts>> = { en: relaysEn, de: relaysDe }

/** The texts in the reader's language. */
export const useRelayTexts = (): RelayTexts => texts[useReader().language]
