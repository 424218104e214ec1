/**
 * The texts of the dialogs of further filters and of saved views. Only these dialogs load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { listsDe } from "./listsDe.ts"
import { listsEn, type ListTexts } from "./listsEn.ts"

/** The texts in the reader's language. */
export const useListTexts = textsIn<ListTexts>({ en: listsEn, de: listsDe })
