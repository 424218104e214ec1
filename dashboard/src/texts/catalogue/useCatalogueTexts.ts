/**
 * The texts of the import of items and of where an item is used, which only these load.
 *
 * @module
 */
import { textsIn } from "../../app/textsIn.ts"
import { catalogueDe } from "./catalogueDe.ts"
import { catalogueEn, type CatalogueTexts } from "./catalogueEn.ts"

/** The texts in the reader's language. */
export const useCatalogueTexts = textsIn<CatalogueTexts>({ en: catalogueEn, de: catalogueDe })
