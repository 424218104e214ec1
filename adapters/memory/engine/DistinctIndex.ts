/**
 * Finds the members that have at least one row in a group, as `select distinct member where group` does in SQL.
 *
 * @module
 */
import type { Index } from "./Table.ts"

const none: ReadonlyMap<string, number> = new Map()

/** Rows by a value they share. */
export class DistinctIndex<Row> implements Index<Row> {
  readonly #groups = new Map<string, Map<string, number>>()
  readonly #groupOf: (row: Row) => string | null
  readonly #memberOf: (row: Row) => string

  /** A row whose group is null is left out. */
  constructor(groupOf: (row: Row) => string | null, memberOf: (row: Row) => string) {
    this.#groupOf = groupOf
    this.#memberOf = memberOf
  }

  /** A group's members, each with how many rows it has there. */
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
