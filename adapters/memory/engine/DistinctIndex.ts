/**
 * Finds the members with at least one row in a group, like `select distinct member where group` in SQL.
 *
 * @module
 */
import type { Index } from "./Table.ts"

const none: ReadonlyMap<string, number> = new Map()

/** Rows, indexed by a value that they share. */
export class DistinctIndex<Row> implements Index<Row> {
  readonly #groups = new Map<string, Map<string, number>>()
  readonly #groupOf: (row: Row) => string | null
  readonly #memberOf: (row: Row) => string

  /** Rows whose group is null are not indexed. */
  constructor(groupOf: (row: Row) => string | null, memberOf: (row: Row) => string) {
    this.#groupOf = groupOf
    this.#memberOf = memberOf
  }

  /** The members of a group, each with its number of rows. */
  members(group: string): ReadonlyMap<string, number> {
    return this.#groups.get(group) ?? none
  }

  add(row: Row): void {
    const group = this.#groupOf(row)
    if (group === null) return
    const member = this.#memberOf(row)
    let members = this.#groups.get(group)
    if (members === undefined) this.#groups.set(group, (members = new Map()))
    members.set(member, (members.get(member) ?? 0) + 1)
  }

  remove(row: Row): void {
    const group = this.#groupOf(row)
    if (group === null) return
    const member = this.#memberOf(row)
    const members = this.#groups.get(group)
    const count = members?.get(member)
    if (members === undefined || count === undefined) return
    if (count > 1) members.set(member, count - 1)
    else members.delete(member)
    if (members.size === 0) this.#groups.delete(group)
  }
}
