/**
 * Encodes decimals and timestamps for JSON.
 *
 * @module
 */
import { formatDateTime } from "../../../core/shared/Validate.ts"

/** `JSON.rawJSON` (ECMAScript "JSON.parse source text access"). The runtimes have it; TypeScript's types do not yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON

/** An exact decimal as a JSON number, digit for digit. */
export const decimal = (text: string): number => rawJson(text) as number

/** An exact decimal as a JSON number, or null. */
export const decimalOrNull = (text: string | null): number | null => (text === null ? null : decimal(text))

/** Epoch milliseconds as ISO 8601 in UTC, or null. */
export const dateTimeOrNull = (millis: number | null): string | null =>
  millis === null ? null : formatDateTime(millis)
