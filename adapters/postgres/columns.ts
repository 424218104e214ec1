/**
 * Records as rows: fields in camelCase, columns in snake_case, moments in epoch milliseconds and `timestamptz`.
 *
 * @module
 */

const columnOf = (field: string): string =>
  `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`

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

  return {
    /** The columns of an `insert`. */
    names: list(columnOf),
    /** What an `insert` selects of a recordset. */
    fields: list((field) => `"${field}"`),
    /** The columns of `json_to_recordset`, which costs less than that of jsonb. */
    recordset: list((field) => `"${field}" ${types[field]}`),
    /** What a `select` answers of the table `table`. */
    selected: (table: string) => list((field) => `${table}.${columnOf(field)} as "${field}"`),
    /** What an `on conflict do update` sets. */
    assigned: list((field) => `${columnOf(field)} = excluded.${columnOf(field)}`),
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
    /** The record a `select` of these fields and no others answered: the row itself, its moments in milliseconds. */
    revive: <A>(row: object): A => {
      const found = row as Record<string, unknown>
      for (const field of moments) {
        const value = found[field]
        if (value instanceof Date) found[field] = value.getTime()
      }
      return found as A
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
