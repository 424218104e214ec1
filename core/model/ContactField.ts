/**
 * Contact fields: the custom attributes that an account's contacts may have (docs/contributing/public-api.md "Contact field
 * definition").
 *
 * @module
 */

/** The types a field can have. A field's type never changes. */
export const fieldTypes = ["Text", "Number", "Boolean", "Date", "DateTime", "TextList"] as const

export type FieldType = (typeof fieldTypes)[number]

/** What created a field. */
export type FieldOrigin = "Ui" | "Api" | "Csv"

/** The most fields of an account, including archived ones. */
export const maxFields = 100

/** A field of an account. Its key is unique in the account and never changes. */
export interface ContactField {
  readonly accountId: string
  readonly key: string
  readonly label: string
  readonly type: FieldType
  readonly description: string | null
  readonly createdFrom: FieldOrigin
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When it was archived, epoch milliseconds; null while active. Values of an archived field are readable, but not writable. */
  readonly archivedAt: number | null
}
