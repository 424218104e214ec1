/**
 * Parses submitted items into commands. Each write is validated alone; rules that depend on the stored item are in ItemRules.
 *
 * Source: docs/contributing/public-api.md "Catalogue item", docs/contributing/decisions.md 2 and 8. An omitted field keeps
 * its value. Null or an empty string clears a nullable field, and null empties `categories` and `attributes`; null for
 * `kind`, `name`, `inStock` and `active` counts as omitted. Submitted `categories` and `attributes` replace the stored ones.
 *
 * @module
 */
import { Result } from "effect"
import { parseCurrency } from "../shared/Currency.ts"
import { exactDecimalOf, maxExactDigits } from "../shared/Decimal.ts"
import type { WrittenNumber } from "../shared/Json.ts"
import { Issues, Problem, valueDetail } from "../shared/Problem.ts"
import { isStorable, type Maybe } from "../shared/Validate.ts"
import { type Item, type ItemAttribute, itemKinds } from "../model/Item.ts"

/** An item as submitted, of which only the types are validated. */
export interface ItemWrite {
  readonly id?: Maybe<string>
  readonly kind?: Maybe<string>
  readonly name?: Maybe<string>
  readonly description?: Maybe<string>
  readonly url?: Maybe<string>
  readonly imageUrl?: Maybe<string>
  readonly price?: Maybe<WrittenNumber>
  readonly comparePrice?: Maybe<WrittenNumber>
  readonly currency?: Maybe<string>
  readonly inStock?: Maybe<boolean>
  readonly stockQuantity?: Maybe<number>
  readonly categories?: Maybe<ReadonlyArray<string>>
  readonly attributes?: Maybe<{ readonly [key: string]: unknown }>
  readonly active?: Maybe<boolean>
}

/** The fields a write can set. */
export type ItemPatch = {
  -readonly [
    Key in Exclude<
      keyof Item,
      "id" | "storeId" | "source" | "externalId" | "createdAt" | "updatedAt" | "version"
    >
  ]?: Item[Key]
}

/** A valid write. */
export interface ItemCommand {
  readonly externalId: string
  readonly patch: ItemPatch
}

/** The maximum number of writes in a batch. */
export const maxItemBatch = 1000
/** The maximum number of characters of an item's id. */
export const maxItemId = 200
/** The maximum number of characters of a name. */
export const maxItemName = 300
/** The maximum number of characters of a description. */
export const maxItemDescription = 10_000
/** The maximum number of characters of a URL. */
export const maxItemUrl = 2000
/** The maximum number of categories of an item, and of characters of one. */
export const maxCategories = 50
export const maxCategory = 200
/** The maximum number of attributes of an item, and of characters of a key. */
export const maxItemAttributes = 100
export const maxItemAttributeKey = 100
/** The maximum number of characters of a string attribute, of entries in a list, and of characters of an entry. */
export const maxItemAttributeText = 1000
export const maxItemAttributeList = 100
export const maxItemAttributeEntry = 200

const minInt32 = -(2 ** 31)
const maxInt32 = 2 ** 31 - 1

/** The problem catalog.batch_too_large of a batch with too many writes; undefined for a valid size. */
export const refuseItemBatchSize = (size: number): Problem | undefined =>
  size > maxItemBatch
    ? Problem.of("catalog.batch_too_large", "items", { max: maxItemBatch }, { found: String(size) })
    : undefined

/**
 * Parses the id of an item, in a write or a path; null if it is invalid. `.` and `..` are invalid: in the path of a URL they
 * are path segments, even when escaped (WHATWG URL, 4.5), so no request could name the item.
 */
export const parseItemId = (value: string): string | null => {
  const id = value.trim()
  const isDotSegment = id === "." || id === ".."
  return id === "" || isDotSegment || id.length > maxItemId || !isStorable(id) ? null : id
}

/** Parses a write into a command, or returns a problem with every issue found, each a catalog.* code on its field. */
export const parseItemWrite = (write: ItemWrite): Result.Result<ItemCommand, Problem> => {
  const issues = new Issues()
  const externalId = parseItemId(write.id ?? "")
  if (externalId === null) issues.add("catalog.item_id_invalid", "id", { min: 1, max: maxItemId })
  const patch: ItemPatch = {}

  if (write.kind != null) {
    const given = write.kind.trim()
    const kind = itemKinds.find((known) => known === given)
    if (kind !== undefined) patch.kind = kind
    else issues.add("catalog.item_kind_invalid", "kind", null, valueDetail(given))
  }
  if (write.name != null) {
    patch.name = write.name.trim()
    if (patch.name === "") issues.add("catalog.item_name_missing", "name")
    else if (!fits(patch.name, maxItemName))
      issues.add("catalog.item_name_invalid", "name", { max: maxItemName })
  }
  if (write.description !== undefined) {
    patch.description = write.description?.trim() || null
    if (!fits(patch.description ?? "", maxItemDescription))
      issues.add("catalog.item_description_invalid", "description", { max: maxItemDescription })
  }
  for (const field of ["url", "imageUrl"] as const) {
    const value = write[field]
    if (value === undefined) continue
    const url = value?.trim() || null
    patch[field] = url
    if (url !== null && !isWebUrl(url)) issues.add("catalog.item_url_invalid", field, { max: maxItemUrl })
  }
  for (const field of ["price", "comparePrice"] as const) {
    const value = write[field]
    if (value === undefined) continue
    const exact = value === null ? null : exactDecimalOf(value)
    const price = exact?.startsWith("-") === true ? null : exact
    patch[field] = price
    if (price === null && value !== null)
      issues.add(
        "catalog.item_price_invalid",
        field,
        { min: 0, maxDigits: maxExactDigits },
        valueDetail(value)
      )
  }
  if (write.currency !== undefined) {
    const currency = write.currency?.trim() || null
    patch.currency = currency === null ? null : parseCurrency(currency)
    if (currency !== null && patch.currency === null)
      issues.add("catalog.item_currency_invalid", "currency", null, valueDetail(currency))
  }
  if (write.stockQuantity !== undefined) {
    const quantity = write.stockQuantity
    patch.stockQuantity = quantity === null ? null : quantity + 0
    if (quantity !== null && !(Number.isInteger(quantity) && quantity >= minInt32 && quantity <= maxInt32))
      issues.add("catalog.item_stock_quantity_invalid", "stockQuantity", { min: minInt32, max: maxInt32 })
  }
  if (write.inStock != null) patch.inStock = write.inStock
  if (write.active != null) patch.active = write.active
  if (write.categories !== undefined) {
    const categories = [...new Set((write.categories ?? []).map((category) => category.trim()))]
    patch.categories = categories
    const areValid = categories.every((category) => category !== "" && fits(category, maxCategory))
    if (!areValid || categories.length > maxCategories)
      issues.add("catalog.item_categories_invalid", "categories", { max: maxCategories })
  }
  if (write.attributes !== undefined) patch.attributes = readAttributes(write.attributes ?? {}, issues)
  return issues.result({ externalId: externalId ?? "", patch })
}

const fits = (value: string, max: number): boolean => value.length <= max && isStorable(value)

/** Whether a string is an absolute http or https URL of at most `maxItemUrl` characters. */
export const isWebUrl = (value: string): boolean => {
  if (!fits(value, maxItemUrl) || !/^https?:\/\/\S+$/i.test(value)) return false
  try {
    return new URL(value).hostname !== ""
  } catch {
    return false
  }
}

const readAttributes = (
  given: { readonly [key: string]: unknown },
  issues: Issues
): Readonly<Record<string, ItemAttribute>> => {
  const attributes: Record<string, ItemAttribute> = {}
  const keys = Object.keys(given).filter((key) => given[key] !== null)
  if (keys.length > maxItemAttributes)
    issues.add("catalog.item_attributes_invalid", "attributes", { max: maxItemAttributes })
  for (const key of keys.slice(0, maxItemAttributes)) {
    const value = attributeOf(given[key])
    const isKey = key !== "" && key !== "__proto__" && fits(key, maxItemAttributeKey)
    if (isKey && value !== null) attributes[key] = value
    else
      issues.add(
        "catalog.item_attributes_invalid",
        isKey ? `attributes.${key}` : "attributes",
        isKey ? null : { max: maxItemAttributeKey }
      )
  }
  return attributes
}

const attributeOf = (value: unknown): ItemAttribute | null => {
  switch (typeof value) {
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value + 0 : null
    case "string": {
      const trimmed = value.trim()
      return fits(trimmed, maxItemAttributeText) ? trimmed : null
    }
    default: {
      if (!Array.isArray(value) || value.length > maxItemAttributeList) return null
      const entries = value.map((entry: unknown) => (typeof entry === "string" ? entry.trim() : null))
      return entries.every((entry) => entry !== null && fits(entry, maxItemAttributeEntry))
        ? (entries as ReadonlyArray<string>)
        : null
    }
  }
}
