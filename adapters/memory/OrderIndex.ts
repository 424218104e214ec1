/**
 * Rows in groups, each group in order: what a sorted index is in SQL.
 *
 * @module
 */
import { offsetOf, type Page, type PageRequest } from "../../core/shared/Page.ts"
import type { Index } from "./Table.ts"

const none: ReadonlyArray<never> = []

/** Rows of each group in one order. */
export class OrderIndex<Row> implements Index<Row> {
  readonly #groups = new Map<string, Array<Row>>()
  readonly #groupOf: (row: Row) => string | null
  readonly #compare: (a: Row, b: Row) => number

  /**
   * @param groupOf the group a row belongs to; null for a row that is not held
   * @param compare the order, oldest first; no two rows of a group are equal
   */
  constructor(groupOf: (row: Row) => string | null, compare: (a: Row, b: Row) => number) {
    this.#groupOf = groupOf
    this.#compare = compare
  }

  /** A group's rows, oldest first. */
  rows(group: string): ReadonlyArray<Row> {
    return this.#groups.get(group) ?? none
  }

  /** A page of a group, newest first. */
  page(group: string, request: PageRequest): Page<Row> {
    const rows = this.rows(group)
    const end = Math.max(0, rows.length - offsetOf(request))
    const items = rows.slice(Math.max(0, end - request.pageSize), end).reverse()
    return { items, page: request.page, pageSize: request.pageSize, totalCount: rows.length }
  }

  add(row: Row): void {
    const group = this.#groupOf(row)
    if (group === null) return
    const rows = this.#groups.get(group)
    if (rows === undefined) {
      this.#groups.set(group, [row])
      return
    }
    // Most rows are newer than all before them.
    if (this.#compare(rows[rows.length - 1]!, row) < 0) rows.push(row)
    else
      rows.splice(
        lowerBound(rows, (other) => this.#compare(other, row)),
        0,
        row
      )
  }

  remove(row: Row): void {
    const group = this.#groupOf(row)
    const rows = group === null ? undefined : this.#groups.get(group)
    if (rows === undefined) return
    if (rows[rows.length - 1] === row) rows.pop()
    else
      rows.splice(
        lowerBound(rows, (other) => this.#compare(other, row)),
        1
      )
    if (rows.length === 0) this.#groups.delete(group!)
  }

  replace(before: Row, after: Row): void {
    const group = this.#groupOf(before)
    if (group === this.#groupOf(after) && this.#compare(before, after) === 0) {
      const rows = group === null ? undefined : this.#groups.get(group)
      if (rows !== undefined) rows[lowerBound(rows, (other) => this.#compare(other, before))] = after
      return
    }
    this.remove(before)
    this.add(after)
  }
}

/** The first place whose row does not come before, by `compare`, what is looked for. */
export const lowerBound = <Row>(rows: ReadonlyArray<Row>, compare: (row: Row) => number): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(rows[middle]!) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The rows of an order by time, from a moment to one that is no longer in it. */
export const rowsBetween = <Row>(
  rows: ReadonlyArray<Row>,
  timeOf: (row: Row) => number,
  { from, to }: { readonly from: number; readonly to: number }
): ReadonlyArray<Row> =>
  rows.slice(
    lowerBound(rows, (row) => timeOf(row) - from),
    lowerBound(rows, (row) => timeOf(row) - to)
  )

/** How many rows are in each of some groups, zeroes included. */
export const tally = <Row, Group extends string>(
  rows: ReadonlyArray<Row>,
  groups: ReadonlyArray<Group>,
  groupOf: (row: Row) => Group
): Record<Group, number> => {
  const counts = Object.fromEntries(groups.map((group) => [group, 0])) as Record<Group, number>
  for (const row of rows) counts[groupOf(row)]++
  return counts
}

/** Orders texts by their UTF-16 units, which for ids is the order of SQL. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Oldest first by a time, then by id. */
export const byTime =
  <Row extends { readonly id: string }>(timeOf: (row: Row) => number) =>
  (a: Row, b: Row): number =>
    timeOf(a) - timeOf(b) || compareText(a.id, b.id)
