/**
 * The texts of the import of items and of where an item is used, which only these load.
 *
 * @module
 */
import { useReader } from "../../app/reader.tsx"
import type { Language } from "../texts.ts"
import { catalogueDe } from "./catalogueDe.ts"
import { catalogueEn, type CatalogueTexts } from "./catalogueEn.ts"

const texts: Readonly<Record<Language, CatalogueTexts>> = { en: catalogueEn, de: catalogueDe }

/** The texts in the reader's language. */
export const useCatalogueTexts = (): CatalogueTexts => texts[useReader().language]
