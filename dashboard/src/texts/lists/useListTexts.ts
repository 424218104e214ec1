/**
 * The texts of the dialogs of further filters and of saved views, which only these load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { listsDe } from "./listsDe.ts"
import { listsEn, type ListTexts } from "./listsEn.ts"

const texts: Readonly<Record<Language, ListTexts>> = { en: listsEn, de: listsDe }

/** The texts in the reader's language. */
export const useListTexts = (): ListTexts => texts[useReader().language]
