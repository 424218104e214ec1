/**
 * Holds counts by rate-limit window. Windows that start together are stored together, so that old ones are found without a
 * search.
 *
 * @module
 */
import type { CountedWindow } from "../../../core/ports/RateLimits.ts"
import type { Database } from "../engine/Database.ts"

/** Counts of windows. */
export class RateWindows {
  readonly #database: Database["Service"]
  readonly #starts = new Map<number, Map<string, number>>()

  constructor(database: Database["Service"]) {
    this.#database = database
  }

  /** Adds to a subject's window and returns its count afterwards. Adding 0 only reads. */
  add(accountId: string, subject: string, windowStart: number, amount: number): number {
    const key = `${accountId} ${subject}`
    const before = this.#starts.get(windowStart)?.get(key)
    const after = (before ?? 0) + amount
    if (amount !== 0) this.#change(windowStart, key, before, after)
    return after
  }

  /** A subject's windows that started at `since` or later and have a count other than 0, oldest first. */
  since(accountId: string, subject: string, since: number): ReadonlyArray<CountedWindow> {
    const key = `${accountId} ${subject}`
    const found: Array<CountedWindow> = []
    for (const [windowStart, counts] of this.#starts) {
      const count = windowStart < since ? 0 : (counts.get(key) ?? 0)
      if (count !== 0) found.push({ windowStart, count })
    }
    return found.toSorted((one, other) => one.windowStart - other.windowStart)
  }

  /** Removes up to `limit` windows that started before `before`. Returns their number. */
  prune(before: number, limit: number): number {
    let gone = 0
    for (const [start, counts] of this.#starts) {
      if (start >= before) continue
      for (const [key, count] of counts) {
        if (gone >= limit) return gone
        this.#change(start, key, count, undefined)
        gone++
      }
    }
    return gone
  }

  #change(start: number, key: string, before: number | undefined, after: number | undefined): void {
    this.#apply(start, key, after)
    this.#database.changed(() => this.#apply(start, key, before))
  }

  #apply(start: number, key: string, count: number | undefined): void {
    let counts = this.#starts.get(start)
    if (counts === undefined) this.#starts.set(start, (counts = new Map()))
    if (count === undefined) counts.delete(key)
    else counts.set(key, count)
    if (counts.size === 0) this.#starts.delete(start)
  }
}
