/**
 * Counts by name.
 *
 * @module
 */

/** Counts by name. Names with a count of 0 are not stored. */
export class Counter {
  readonly #counts = new Map<string, number>()
  #total = 0

  /** The sum of all counts. */
  get total(): number {
    return this.#total
  }

  /** The highest count. */
  get highest(): number {
    return Math.max(0, ...this.#counts.values())
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Adds one, and returns a function that subtracts it. Calling that function again has no effect. */
  add(name: string): () => void {
    this.#change(name, 1)
    let counted = true
    return () => {
      if (counted) this.#change(name, -1)
      counted = false
    }
  }

  #change(name: string, by: number): void {
    const count = this.count(name) + by
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
    this.#total += by
  }
}
