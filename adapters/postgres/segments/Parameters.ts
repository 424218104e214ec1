/**
 * The parameters of a statement whose text depends on what is asked.
 *
 * @module
 */

export class Parameters {
  /** In the order of their numbers. */
  readonly values: Array<unknown> = []

  /** The place of a value in the text. */
  add(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`
  }
}
