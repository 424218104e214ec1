/**
 * Records as rows: fields in camelCase, columns in snake_case, moments in epoch milliseconds and `timestamptz`.
 *
 * @module
 */

/** The column of a field. */
export const columnOf = (field: string): string =>
  `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`

type Row = Readonly<Record<string, unknown>>

/** Records as a statement reads them from its parameters. */
export interface Unnested {
  /** What it selects: the fields, in their order. */
  readonly values: string
  /** What it selects from. */
  readonly from: string
}

/** A field of records as the texts PostgreSQL reads; null is NULL. */
const textsOf = (records: ReadonlyArray<Row>, field: string, type: string): ReadonlyArray<string | null> => {
  let last: unknown
  let text: string | null = null
  return records.map((record) => {
    const value = record[field]
    // Many records share a moment or a text.
    if (value !== last) {
      last = value
      text = textOf(value, type)
    }
    return text
  })
}

const textOf = (value: unknown, type: string): string | null => {
  if (value === null || value === undefined) return null
  if (type === "jsonb") return JSON.stringify(value)
  return type === "timestamptz" ? new Date(value as number).toISOString() : String(value)
}

const special = /["\\]/

/** Texts as the text of an array parameter. */
export const arrayOf = (texts: ReadonlyArray<string | null>): string => {
  let array = "{"
  for (const text of texts) {
    if (array !== "{") array += ","
    if (text === null) array += "NULL"
    else array += special.test(text) ? `"${text.replaceAll(/["\\]/g, "\\$&")}"` : `"${text}"`
  }
  return `${array}}`
}

/**
 * The parts of statements that read and write records.
 *
 * @param types the type of each field's column
 */
export const columnsOf = (types: Readonly<Record<string, string>>) => {
  const fields = Object.keys(types)
  const moments = new Set(fields.filter((field) => types[field] === "timestamptz"))
  const list = (each: (field: string) => string) => fields.map(each).join(", ")
  const writers = fields.map((field) => [field, `${JSON.stringify(field)}:`, moments.has(field)] as const)
  const [key] = fields

  return {
    /** The columns of an `insert`. */
    names: list(columnOf),
    /** What an `insert` selects of a recordset. */
    fields: list((field) => `"${field}"`),
    /** The fields themselves, in their order. */
    order: fields,
    /** The columns of `json_to_recordset`, which costs less than that of jsonb. */
    recordset: list((field) => `"${field}" ${types[field]}`),
    /** What a `select` answers of the table `table`. */
    selected: (table: string) => list((field) => `${table}.${columnOf(field)} as "${field}"`),
    /** What an `on conflict do update` of the table `table` sets: the fields whose flag, a parameter, is true. */
    assigned: (table: string, flag: (field: string) => string) =>
      list((field) => {
        const column = columnOf(field)
        return `${column} = case when ${flag(field)} then excluded.${column} else ${table}.${column} end`
      }),
    /**
     * Those fields of records, as the text of a JSON parameter. Null is left out, which to a recordset is the same and
     * much shorter. Written piece by piece: a copy of each record for `JSON.stringify` costs twice as much.
     */
    encode: (records: ReadonlyArray<object>): string => {
      let text = "["
      for (const record of records) {
        const given = record as Readonly<Record<string, unknown>>
        let row = text === "[" ? "{" : ",{"
        let separator = ""
        for (const [field, name, isMoment] of writers) {
          const value = given[field]
          if (value === null || value === undefined) continue
          row += separator + name
          row +=
            isMoment && typeof value === "number"
              ? `"${new Date(value).toISOString()}"`
              : JSON.stringify(value)
          separator = ","
        }
        text += `${row}}`
      }
      return `${text}]`
    },
    /**
     * Those fields of records, as parameters of an array each: the cheapest way in for many. A field whose values are all
     * the same, such as a moment or a default, is one value in place of an array. The first field, the key, is an array
     * always: it says how many records there are.
     *
     * @param add takes a parameter, and answers its place
     * @param fillers what stands for fields that the statement has no use for
     */
    unnest: (
      records: ReadonlyArray<object>,
      add: (value: string | null) => string,
      fillers: Readonly<Record<string, string | null>> = {}
    ): Unnested => {
      const values: Array<string> = []
      const arrays: Array<string> = []
      for (const field of fields) {
        const type = types[field]!
        const filler = fillers[field]
        const texts = filler === undefined ? textsOf(records as ReadonlyArray<Row>, field, type) : [filler]
        const isArray = field === key || texts.some((text) => text !== texts[0])
        arrays.push(`unnest(${add(isArray ? arrayOf(texts) : "{}")}::${type}[])`)
        values.push(
          `coalesce(r."${field}", ${add(isArray ? null : (texts[0] ?? null))}::${type}) as "${field}"`
        )
      }
      return {
        values: values.join(", "),
        from: `rows from (${arrays.join(", ")}) as r(${list((field) => `"${field}"`)})`
      }
    },
    /** The record of a row's values in the order of `selected`, in a copy of `blank`, which has all fields. */
    revive: <A extends object>(values: ReadonlyArray<unknown>, blank: A): A => {
      const record: Record<string, unknown> = { ...blank } as Record<string, unknown>
      for (let index = 0; index < fields.length; index++) {
        const value = values[index]
        record[fields[index]!] = value instanceof Date ? value.getTime() : value
      }
      return record as A
    },
    /** As `decode`, of a row that came as JSON, which has moments as texts. */
    parse: <A>(row: object): A => {
      const found = row as Readonly<Record<string, unknown>>
      const record: Record<string, unknown> = {}
      for (const field of fields) {
        const value = found[field]
        record[field] = moments.has(field) && typeof value === "string" ? Date.parse(value) : value
      }
      return record as A
    },
    /** The record a `select` answered; other fields of the row are left out. */
    decode: <A>(row: object): A => {
      const found = row as Readonly<Record<string, unknown>>
      const record: Record<string, unknown> = {}
      for (const field of fields) {
        const value = found[field]
        record[field] = value instanceof Date ? value.getTime() : value
      }
      return record as A
    }
  }
}
