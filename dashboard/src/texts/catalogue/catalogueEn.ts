/**
 * The texts of importing items, and of where an item is used, in English.
 *
 * @module
 */

const items = (shown: string, count: number): string => `${shown} ${count === 1 ? "item" : "items"}`

/** The texts. */
export const catalogueEn = {
  importing: {
    open: "Import items",
    text: "A CSV file with a header row, or JSON with a list of items or one item on each line.",
    drop: "Drop a CSV or JSON file here",
    unreadable: "This is neither a CSV file with a header row and data, nor JSON with items.",
    tooLarge: "The file is larger than 64 MB.",
    tooMany: (most: string) => `A catalogue holds up to ${most} items; the file has more.`,
    mapText: "Map each column to a field. An item whose ID exists is updated; an empty cell changes nothing.",
    needsId: "Map a column to your ID.",
    fields: {
      id: "Your ID",
      name: "Name",
      kind: "Kind",
      description: "Description",
      url: "Page",
      imageUrl: "Image",
      price: "Price",
      comparePrice: "Compare-at price",
      currency: "Currency",
      inStock: "In stock",
      stockQuantity: "Stock",
      categories: "Categories",
      active: "Recommended",
      attributes: "Fields"
    },
    attribute: (name: string) => `Field: ${name}`,
    run: (shown: string, count: number) => `Import ${items(shown, count)}`,
    progress: "Progress",
    of: (done: string, total: string) => `${done} of ${total}`,
    stop: "Stop",
    goOn: "Continue",
    stopText: "If you stop or close this, the items that were imported are kept.",
    done: (shown: string, count: number) => `${items(shown, count)} processed.`
  },
  usage: {
    title: "Where it is used",
    byCategory: "Recommends items of its category",
    unused: "No template, flow or campaign uses it. To show it, add this code to one:",
    unusedOfStore: "No template, flow or campaign recommends it. To show items like it, add this code to one:"
  }
}

/** The texts in any language. */
export type CatalogueTexts = typeof catalogueEn
