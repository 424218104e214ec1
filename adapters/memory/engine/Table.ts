/**
 * Stores rows by primary key, with unique and other indexes. Rows are frozen. The database can undo every change.
 *
 * @module
 */
import { WriteConflict } from "../../../core/ports/Transaction.ts"
import type { Database } from "./Database.ts"

/** An index that is updated with every change of a table's rows. */
export interface Index<Row> {
  readonly add: (row: Row) => void
  readonly remove: (row: Row) => void
  /** Replaces a row with another of the same primary key. Without this method, the row is removed and added. */
  readonly replace?: (before: Row, after: Row) => void
}

/** Counts the changes of the tables that use it as an index, including undone ones. An equal count means equal rows. */
export class ChangeCount implements Index<object> {
  count = 0

  add(): void {
    this.count++
  }

  remove(): void {
    this.count++
  }
}

/** The value of a row in a unique index; null if the row is not indexed. */
export type UniqueKey<Row> = (row: Row) => string | null

/** The account whose tables are being created. */
let owner: string | null = null

/** Rows by primary key, with unique values, and indexes that are updated with every change. */
export class Table<Row extends object, Unique extends string = never> {
  readonly #rows = new Map<string, Row>()
  readonly #unique: ReadonlyArray<{ name: Unique; keyOf: UniqueKey<Row>; rows: Map<string, Row> }>
  readonly #database: Database["Service"]
  readonly #keyOf: (row: Row) => string
  readonly #indexes: ReadonlyArray<Index<Row>>
  /** The account that owns all rows; null if each row names its own. */
  readonly owner: string | null = owner

  /**
   * @param options.key the primary key
   * @param options.unique unique indexes, by the constraint names of their `WriteConflict`
   */
  constructor(
    database: Database["Service"],
    options: {
      readonly key: (row: Row) => string
      readonly unique?: Readonly<Record<Unique, UniqueKey<Row>>>
      readonly indexes?: ReadonlyArray<Index<Row>>
    }
  ) {
    this.#database = database
    this.#keyOf = options.key
    this.#indexes = options.indexes ?? []
    this.#unique = Object.entries<UniqueKey<Row>>(options.unique ?? {}).map(([name, keyOf]) => ({
      name: name as Unique,
      keyOf,
      rows: new Map<string, Row>()
    }))
    database.tables.push(this)
  }

  /** Every row. */
  rows(): Iterable<Row> {
    return this.#rows.values()
  }

  /** The row with a primary key. */
  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  /** The existing rows with the given primary keys, without duplicates. */
  getMany(keys: Iterable<string>): Array<Row> {
    const found = new Set<Row>()
    for (const key of keys) {
      const row = this.#rows.get(key)
      if (row !== undefined) found.add(row)
    }
    return [...found]
  }

  /** The row with a value in a unique index. */
  by(unique: Unique, value: string): Row | undefined {
    return this.#unique.find((index) => index.name === unique)?.rows.get(value)
  }

  /** Adds a row. Throws `WriteConflict` if a unique value is taken. A taken primary key is a defect. */
  insert(row: Row): Row {
    const key = this.#keyOf(row)
    if (this.#rows.has(key)) throw new Error(`The primary key ${key} is taken`)
    return this.#change(key, undefined, row)
  }

  /** Replaces the row with the same primary key. Throws `WriteConflict` like `insert`. */
  replace(row: Row): Row {
    const key = this.#keyOf(row)
    const before = this.#rows.get(key)
    if (before === undefined) throw new Error(`There is no row ${key}`)
    return this.#change(key, before, row)
  }

  /** Removes the row with a primary key and returns it. */
  remove(key: string): Row | undefined {
    const before = this.#rows.get(key)
    if (before !== undefined) this.#change(key, before, undefined)
    return before
  }

  /** Removes at most `limit` rows that satisfy a condition. Returns their number. */
  removeWhere(isGone: (row: Row) => boolean, limit: number): number {
    const gone: Array<string> = []
    for (const [key, row] of this.#rows) {
      if (gone.length === limit) break
      if (isGone(row)) gone.push(key)
    }
    this.removeMany(gone)
    return gone.length
  }

  /** Removes the rows with the given primary keys. */
  removeMany(keys: ReadonlyArray<string>): void {
    for (const key of keys) this.remove(key)
  }

  #change<After extends Row | undefined>(key: string, before: Row | undefined, after: After): After {
    if (after !== undefined) {
      Object.freeze(after)
      for (const { keyOf, name, rows } of this.#unique) {
        const value = keyOf(after)
        if (value === null) continue
        const holder = rows.get(value)
        if (holder !== undefined && holder !== before) throw new WriteConflict({ constraint: name })
      }
    }
    this.#apply(key, before, after)
    this.#database.changed(() => this.#apply(key, after, before))
    return after
  }

  #apply(key: string, before: Row | undefined, after: Row | undefined): void {
    if (after === undefined) this.#rows.delete(key)
    else this.#rows.set(key, after)
    for (const { keyOf, rows } of this.#unique) {
      const old = before === undefined ? null : keyOf(before)
      if (old !== null) rows.delete(old)
      const value = after === undefined ? null : keyOf(after)
      if (value !== null) rows.set(value, after!)
    }
    for (const index of this.#indexes) {
      if (before !== undefined && after !== undefined && index.replace !== undefined)
        index.replace(before, after)
      else {
        if (before !== undefined) index.remove(before)
        if (after !== undefined) index.add(after)
      }
    }
  }
}

/** A deep, frozen copy of plain data, so that callers cannot change the content of a table. */
export const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as A
  const copy: Record<string, unknown> = {}
  for (const [key, entry] of Object.entries(value)) {
    // An assignment to the key `__proto__` would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: frozen(entry), enumerable: true })
    else copy[key] = frozen(entry)
  }
  return Object.freeze(copy) as A
}

/** Makes a function that returns a value for each account, created at its first use. */
export const perAccount = <A>(make: (accountId: string) => A): ((accountId: string) => A) => {
  const made = new Map<string, A>()
  return (accountId) => {
    let one = made.get(accountId)
    if (one === undefined) {
      const outer = owner
      owner = accountId
      one = make(accountId)
      owner = outer
      made.set(accountId, one)
    }
    return one
  }
}
