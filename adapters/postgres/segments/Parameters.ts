/**
 * Collects and numbers the parameters of a statement whose text depends on what it selects.
 *
 * @module
 */

export class Parameters {
  /** The values, in the order of their numbers. */
  readonly values: Array<unknown> = []
  readonly #known = new Map<string, string>()

  /** Adds a value, unless the same value of that type exists, and returns the parameter with its type, such as `$2::text`. */
  add(value: unknown, type: string): string {
    const key = `${type} ${JSON.stringify(value)}`
    const known = this.#known.get(key) ?? `$${this.values.push(value)}::${type}`
    this.#known.set(key, known)
    return known
  }
}
