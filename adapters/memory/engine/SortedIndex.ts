/**
 * Keeps the rows of each group sorted, like an index in SQL.
 *
 * @module
 */
import { type Page, pageOfAll, type PageRequest, type Place } from "../../../core/shared/Page.ts"
import type { Index } from "./Table.ts"

const none: ReadonlyArray<never> = []

/** The name of the group of an index over all rows. */
export const all = "all"

/** Up to this distance from a group's beginning, a row is removed by moving the rows before it instead of those after it. */
const nearBeginning = 1_000

interface Group<Row> {
  readonly rows: Array<Row>
  /** The number of free positions at the beginning. */
  free: number
}

/** Removes a row. Retention removes the oldest rows of a group one by one, and the group may be long. */
const removeAt = <Row>(group: Group<Row>, index: number): void => {
  const { free, rows } = group
  if (index === rows.length - 1) rows.pop()
  else if (index - free < nearBeginning) {
    for (let at = index; at > free; at--) rows[at] = rows[at - 1]!
    group.free++
    if (2 * group.free > rows.length) close(group)
  } else rows.splice(index, 1)
}

/** Removes the free positions. */
const close = <Row>(group: Group<Row>): ReadonlyArray<Row> => {
  if (group.free > 0) {
    group.rows.splice(0, group.free)
    group.free = 0
  }
  return group.rows
}

/** Sorted rows by group. */
export class SortedIndex<Row> implements Index<Row> {
  readonly #groups = new Map<string, Group<Row>>()
  readonly #groupOf: (row: Row) => string | null
  readonly #compare: (a: Row, b: Row) => number

  /**
   * @param groupOf the group of a row; null for a row that is not indexed
   * @param compare the order, oldest first; no two rows of a group are equal
   */
  constructor(groupOf: (row: Row) => string | null, compare: (a: Row, b: Row) => number) {
    this.#groupOf = groupOf
    this.#compare = compare
  }

  /** A group's rows, oldest first. */
  rows(group: string): ReadonlyArray<Row> {
    const held = this.#groups.get(group)
    return held === undefined ? none : close(held)
  }

  /** A page of a group, newest first unless requested otherwise. `placeOf` must correspond to the order of the index. */
  page(group: string, request: PageRequest, placeOf: (row: Row) => Place): Page<Row> {
    return pageOfAll(this.rows(group), request, placeOf)
  }

  add(row: Row): void {
    const name = this.#groupOf(row)
    if (name === null) return
    const group = this.#groups.get(name)
    if (group === undefined) {
      this.#groups.set(name, { rows: [row], free: 0 })
      return
    }
    const { rows } = group
    // Most rows are newer than all existing ones.
    if (this.#compare(rows[rows.length - 1]!, row) < 0) rows.push(row)
    else rows.splice(this.#indexOf(group, row), 0, row)
  }

  remove(row: Row): void {
    const name = this.#groupOf(row)
    const group = name === null ? undefined : this.#groups.get(name)
    if (group === undefined) return
    removeAt(group, this.#indexOf(group, row))
    if (group.rows.length === group.free) this.#groups.delete(name!)
  }

  replace(before: Row, after: Row): void {
    const name = this.#groupOf(before)
    if (name === this.#groupOf(after) && this.#compare(before, after) === 0) {
      const group = name === null ? undefined : this.#groups.get(name)
      if (group !== undefined) group.rows[this.#indexOf(group, before)] = after
      return
    }
    this.remove(before)
    this.add(after)
  }

  #indexOf({ free, rows }: Group<Row>, row: Row): number {
    if (rows[rows.length - 1] === row) return rows.length - 1
    return lowerBound(rows, (other) => this.#compare(other, row), free)
  }
}

/** The first `limit` rows that pass, up to the first row out of range. */
export const firstRows = <Row>(
  rows: ReadonlyArray<Row>,
  limit: number,
  isInRange: (row: Row) => boolean,
  passes: (row: Row) => boolean = () => true
): ReadonlyArray<Row> => {
  const first: Array<Row> = []
  for (const row of rows) {
    if (first.length >= limit || !isInRange(row)) break
    if (passes(row)) first.push(row)
  }
  return first
}

/** The first index, from `low` on, whose row does not come before the sought one according to `compare`. */
export const lowerBound = <Row>(
  rows: ReadonlyArray<Row>,
  compare: (row: Row) => number,
  low: number = 0
): number => {
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(rows[middle]!) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows, which are sorted by time, from one timestamp (inclusive) to another (exclusive). */
export const rowsBetween = <Row>(
  rows: ReadonlyArray<Row>,
  timeOf: (row: Row) => number,
  { from, to }: { readonly from: number; readonly to: number }
): ReadonlyArray<Row> =>
  rows.slice(
    lowerBound(rows, (row) => timeOf(row) - from),
    lowerBound(rows, (row) => timeOf(row) - to)
  )

/** The number of rows in each of the given groups, including zeros. */
export const tally = <Row, Name extends string>(
  rows: ReadonlyArray<Row>,
  groups: ReadonlyArray<Name>,
  groupOf: (row: Row) => Name
): Record<Name, number> => {
  const counts = Object.fromEntries(groups.map((group) => [group, 0])) as Record<Name, number>
  for (const row of rows) counts[groupOf(row)]++
  return counts
}

/** Compares strings by their UTF-16 code units, which for ids is the order of SQL. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Oldest first by a time, then by id. */
export const byTime =
  <Row extends { readonly id: string }>(timeOf: (row: Row) => number) =>
  (a: Row, b: Row): number =>
    timeOf(a) - timeOf(b) || compareText(a.id, b.id)

/** Oldest first by the time in a field, then by id. */
export const byField =
  <Field extends string>(field: Field) =>
  <Row extends { readonly id: string } & Readonly<Record<Field, number>>>(a: Row, b: Row): number =>
    a[field] - b[field] || compareText(a.id, b.id)
