/**
 * The texts of importing items, and of where an item is used. Only the parts that show them load them.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { catalogueDe } from "./catalogueDe.ts"
import { catalogueEn, type CatalogueTexts } from "./catalogueEn.ts"

/** The texts in the reader's language. */
export const useCatalogueTexts = textsIn<CatalogueTexts>({ en: catalogueEn, de: catalogueDe })
