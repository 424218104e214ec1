/**
 * Counts by name.
 *
 * @module
 */

/** Counts by name; a name without a count is not kept. */
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

  /** Adds one; returns a function that subtracts it, which has an effect only once. */
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
