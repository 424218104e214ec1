/**
 * Numbers the parameters of a statement whose text depends on what it selects.
 *
 * @module
 */

export class Parameters {
  /** In the order of their numbers. */
  readonly values: Array<unknown> = []
  readonly #known = new Map<string, string>()

  /** Adds a value, unless it has the same one of that type, and returns its parameter with its type: `$2::text`. */
  add(value: unknown, type: string): string {
    const key = `${type} ${JSON.stringify(value)}`
    const known = this.#known.get(key) ?? `$${this.values.push(value)}::${type}`
    this.#known.set(key, known)
    return known
  }
}
