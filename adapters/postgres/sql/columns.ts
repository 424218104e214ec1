/**
 * Maps records to rows: camelCase fields to snake_case columns, and epoch milliseconds to `timestamptz`.
 *
 * @module
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** The quoted column name of a field. */
export const columnOf = (field: string): string =>
  `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`

type Row = Readonly<Record<string, unknown>>

/** The parts of a `select` that reads records from a statement's parameters. */
export interface Unnested {
  /** What it selects: the fields, in order. */
  readonly values: string
  /** What it selects from. */
  readonly from: string
}

/** A value as a string that PostgreSQL parses as `type`; null is NULL. */
const stringOf = (value: unknown, type: string): string | null => {
  if (value === null || value === undefined) return null
  if (type === "jsonb") return JSON.stringify(value)
  return type === "timestamptz" ? new Date(value as number).toISOString() : String(value)
}

/** The values of one field of records, as strings. */
const stringsOf = (
  records: ReadonlyArray<Row>,
  field: string,
  type: string
): ReadonlyArray<string | null> => {
  let last: unknown
  let string: string | null = null
  return records.map((record) => {
    const value = record[field]
    // Consecutive records often share a timestamp or a string.
    if (value !== last) {
      last = value
      string = stringOf(value, type)
    }
    return string
  })
}

const special = /["\\]/
/** Characters that JSON writes in another form than PostgreSQL's array literals. */
const unlikeJson = /[\u0000-\u001f\ud800-\udfff]/

/** A string with special characters, as an element of an array literal. */
const escaped = (string: string): string =>
  unlikeJson.test(string) ? `"${string.replaceAll(/["\\]/g, "\\$&")}"` : JSON.stringify(string)

/** Strings as one array parameter. */
export const arrayOf = (strings: ReadonlyArray<string | null>): string => {
  let array = "{"
  for (const string of strings) {
    if (array !== "{") array += ","
    if (string === null) array += "NULL"
    else array += special.test(string) ? escaped(string) : `"${string}"`
  }
  return `${array}}`
}

/** Integers as one array parameter, in the binary format. As text they would take a third more, and each would be parsed. */
export const integersOf = (integers: ReadonlyArray<number>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(integers, PgTypes.OID.int4))

/** The columns of a table, or some of them, corresponding to the fields of a record. */
export type Columns<A extends object> = ReturnType<typeof columnsOf<A>>

/**
 * Builds the parts of statements that read and write records.
 *
 * @param types the type of each field's column. The first field is a key and never null
 * @param renamed columns with names that do not follow from their fields
 */
export const columnsOf = <A extends object>(
  types: Readonly<Record<keyof A & string, string>>,
  renamed?: Readonly<Partial<Record<keyof A & string, string>>>
) => {
  const fields = Object.keys(types) as unknown as ReadonlyArray<keyof A & string>
  const ofType = (type: string) => fields.filter((field) => types[field] === type)
  const timestamps = ofType("timestamptz")
  const bigints = ofType("bigint")
  const column = (field: keyof A & string): string => renamed?.[field] ?? columnOf(field)
  const list = (each: (field: keyof A & string) => string) => fields.map(each).join(", ")
  const writers = fields.map(
    (field) => [field, `${JSON.stringify(field)}:`, timestamps.includes(field)] as const
  )
  const [key] = fields

  return {
    /** The columns of an `insert`. */
    names: list(column),
    /** The fields that an `insert` selects from a recordset. */
    fields: list((field) => `"${field}"`),
    /** The fields, in order. */
    order: fields,
    /** The columns of `json_to_recordset`, which is cheaper than `jsonb_to_recordset`. */
    recordset: list((field) => `"${field}" ${types[field]}`),
    column,
    /** What a `select` returns from the table `table`. */
    selected: (table: string) => list((field) => `${table}.${column(field)} as "${field}"`),
    /** The assignments of an `on conflict do update` in the table `table`: the fields whose flag, a parameter, is true. */
    assigned: (table: string, flag: (field: string) => string) =>
      list((field) => {
        const name = column(field)
        return `${name} = case when ${flag(field)} then excluded.${name} else ${table}.${name} end`
      }),
    /** The assignments of an `on conflict do update`: the given fields, with the values to be inserted. */
    replaced: (replacing: ReadonlyArray<keyof A & string>) =>
      replacing.map((field) => `${column(field)} = excluded.${column(field)}`).join(", "),
    /** The type of a field's column. */
    typeOf: (field: keyof A & string): string => types[field],
    /** A field's value as a typed parameter. */
    parameter: (record: A, field: keyof A & string) =>
      [stringOf(record[field], types[field]), types[field]] as const,
    /**
     * Records as the string of a JSON parameter. Fields that are null are omitted, which has the same meaning in a recordset
     * and is much shorter. The string is written piece by piece, because copying each record for `JSON.stringify` would
     * cost twice as much.
     */
    encode: (records: ReadonlyArray<A>): string => {
      let text = "["
      for (const record of records) {
        let row = text === "[" ? "{" : ",{"
        let separator = ""
        for (const [field, name, isTimestamp] of writers) {
          const value: unknown = record[field]
          if (value === null || value === undefined) continue
          row += separator + name
          row +=
            isTimestamp && typeof value === "number"
              ? `"${new Date(value).toISOString()}"`
              : JSON.stringify(value)
          separator = ","
        }
        text += `${row}}`
      }
      return `${text}]`
    },
    /**
     * Records as one array parameter per field, which is the cheapest form for many records. A field with the same value in
     * all records, such as a timestamp or a default, is a single value instead of an array. The first field, the key, is
     * always an array and so determines the number of records.
     *
     * @param add adds a parameter and returns its number, for example `$2`
     * @param fillers the values of fields that the statement does not use
     */
    unnest: (
      records: ReadonlyArray<A>,
      add: (value: string | null) => string,
      fillers: Readonly<Record<string, string | null>> = {}
    ): Unnested => {
      const values: Array<string> = []
      const arrays: Array<string> = []
      for (const field of fields) {
        const type = types[field]
        const filler = fillers[field]
        const strings =
          filler === undefined ? stringsOf(records as ReadonlyArray<Row>, field, type) : [filler]
        const isArray = field === key || strings.some((string) => string !== strings[0])
        arrays.push(`unnest(${add(isArray ? arrayOf(strings) : "{}")}::${type}[])`)
        values.push(
          `coalesce(r."${field}", ${add(isArray ? null : (strings[0] ?? null))}::${type}) as "${field}"`
        )
      }
      return {
        values: values.join(", "),
        from: `rows from (${arrays.join(", ")}) as r(${list((field) => `"${field}"`)})`
      }
    },
    /** The record of a row's values in the order of `selected`. It is a copy of `blank`, which has all fields. */
    revive: <B extends object>(values: ReadonlyArray<unknown>, blank: B): B => {
      const record: Record<string, unknown> = { ...blank } as Record<string, unknown>
      for (let index = 0; index < fields.length; index++) {
        const value = values[index]
        record[fields[index]!] = value instanceof Date ? value.getTime() : value
      }
      return record as B
    },
    /** The record of a row, which may have arrived as JSON. Other columns of the row are ignored. */
    decode: (row: object): A => {
      const found = row as Row
      const record: Record<string, unknown> = {}
      for (const field of fields) record[field] = found[field]
      for (const field of timestamps) {
        const value = record[field]
        if (value instanceof Date) record[field] = value.getTime()
        else if (typeof value === "string") record[field] = Date.parse(value)
      }
      // The driver returns a bigint as a string. All bigints of the service fit a number.
      for (const field of bigints) record[field] = Number(record[field])
      return record as A
    }
  }
}
