/**
 * The schemas of the values in archive lines: strings, amounts, timestamps and names of stores.
 *
 * @module
 */
import { Schema, SchemaTransformation } from "effect"
import { platforms } from "../model/Store.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { isUuid } from "../shared/Uuid.ts"
import { formatDateTime, isStorable, parseDateTime } from "../shared/Validate.ts"

const maxInt = 2_147_483_647

const filtered = (is: (value: string) => boolean, expected: string) =>
  Schema.String.pipe(Schema.check(Schema.makeFilter((value: string) => is(value) || expected)))

/** A storable string of at most `max` characters. */
export const stringUpTo = (max: number) =>
  filtered((value) => value.length <= max && isStorable(value), `a string of at most ${max} characters`)

/** A schema, or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

/** A UUID as this project writes it. */
export const Id = filtered((value) => isUuid(value) && value === value.toLowerCase(), "a UUID in lower case")
/** An address, which is normalized, because archives of earlier versions may contain another spelling. */
export const Email = filtered((value) => parseEmail(value) !== null, "an email address").pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (value: string) => parseEmail(value) ?? value,
      encode: (value: string) => value
    })
  )
)
/** A decimal in plain notation. */
export const Amount = filtered(
  (value) => /^-?\d{1,20}(\.\d{1,20})?$/.test(value),
  "a decimal in plain notation"
)
/** A count that fits a 32-bit column. */
export const Count = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: maxInt })))
/** The number of a version, well below the limit of the column, so that further versions can follow. */
export const Version = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })))
/** A quantity in stock, which may be negative. */
export const Stock = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: -maxInt, maximum: maxInt })))

/** Epoch milliseconds, written as ISO 8601 in UTC. */
export const Timestamp = filtered((value) => parseDateTime(value) !== null, "an ISO 8601 date-time").pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({
      decode: (value: string) => parseDateTime(value) ?? 0,
      encode: formatDateTime
    })
  )
)

/** The name of a connected store. */
export const StoreName = Schema.Struct({ platform: Schema.Literals(platforms), domain: stringUpTo(253) })

/** A value of a field or attribute. */
export const Value = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])
