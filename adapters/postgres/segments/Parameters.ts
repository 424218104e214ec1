/**
 * Numbers the parameters of a statement whose text depends on what it selects.
 *
 * @module
 */

export class Parameters {
  /** In the order of their numbers. */
  readonly values: Array<unknown> = []

  /** Adds a value and returns its parameter with its type, for example `$2::text`. */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`
  }
}
