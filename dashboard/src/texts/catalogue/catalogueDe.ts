/**
 * The texts of importing items, and of where an item is used, in German.
 *
 * @module
 */
import type { CatalogueTexts } from "./catalogueEn.ts"

/** The texts. */
export const catalogueDe: CatalogueTexts = {
  importing: {
    open: "Artikel importieren",
    text: "Eine CSV-Datei mit einer Kopfzeile, oder JSON: eine Liste von Artikeln, oder einer in jeder Zeile.",
    drop: "Legen Sie eine CSV- oder JSON-Datei hier ab",
    unreadable: "Das ist weder eine CSV-Datei mit Kopfzeile und Daten noch JSON mit Artikeln.",
    tooLarge: "Die Datei ist größer als 64 MB.",
    tooMany: (most) => `Ein Katalog hat höchstens ${most} Artikel; die Datei hat mehr.`,
    mapText:
      "Ordnen Sie jeder Spalte ein Feld zu. Ein Artikel mit bekannter Kennung wird geändert; eine leere Zelle ändert nichts.",
    needsId: "Ordnen Sie eine Spalte Ihrer Kennung zu.",
    fields: {
      id: "Ihre Kennung",
      name: "Name",
      kind: "Art",
      description: "Beschreibung",
      url: "Seite",
      imageUrl: "Bild",
      price: "Preis",
      comparePrice: "Preis vorher",
      currency: "Währung",
      inStock: "Vorrätig",
      stockQuantity: "Bestand",
      categories: "Kategorien",
      active: "Wird empfohlen",
      attributes: "Felder"
    },
    attribute: (name) => `Feld: ${name}`,
    run: (shown) => `${shown} Artikel importieren`,
    progress: "Fortschritt",
    of: (done, total) => `${done} von ${total}`,
    stop: "Anhalten",
    goOn: "Fortsetzen",
    stopText: "Wenn Sie anhalten oder dies schließen, bleiben die importierten Artikel.",
    done: (shown) => `${shown} Artikel wurden verarbeitet.`
  },
  usage: {
    title: "Wo er verwendet wird",
    byCategory: "Empfiehlt Artikel seiner Kategorie",
    unused: "Keine Vorlage, kein Flow und keine Kampagne nennt ihn. Schreiben Sie dort, um ihn zu zeigen:",
    unusedOfStore:
      "Keine Vorlage, kein Flow und keine Kampagne empfiehlt ihn. Schreiben Sie dort, um solche Artikel zu zeigen:"
  }
}
