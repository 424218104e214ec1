/**
 * Collects the fields of a body that its shape does not have. A caller may send any number of them, so only a few are kept.
 *
 * @module
 */
import { maxErrors } from "../../../core/shared/Problem.ts"
import { nearest } from "../../../core/shared/Validate.ts"

/** A field of a body that its shape does not have. */
export interface UnknownField {
  /** A path such as `consent.prof` or `contacts[3].nam`, cut if it is long. */
  readonly path: string
  /** The most similar name in the shape; null if none is similar. */
  readonly like: string | null
}

/** The longest name that is kept, in characters. */
const maxName = 100

/** How many paths are remembered to detect repetitions. Beyond that, a field counts once for each element that has it. */
const maxSeen = 1_000

const indexes = /\[\d+\]/g

/**
 * Collects unknown fields: the first {@link maxErrors}, and the number of the others. A field of several elements of a list
 * counts once, with the path of the first.
 */
export class UnknownFields {
  readonly #list: Array<UnknownField> = []
  readonly #seen = new Set<string>()
  #more = 0
  /** The prefix of each path. */
  prefix = ""

  /** Adds a field of the object at `below`, such as `consent.`, whose known fields are `known`. */
  add(below: string, name: string, known: ReadonlyArray<string>): void {
    const path = this.prefix + below + name.slice(0, maxName)
    const place = path.replace(indexes, "[]")
    if (this.#seen.has(place)) return
    if (this.#seen.size < maxSeen) this.#seen.add(place)
    if (this.#list.length < maxErrors) this.#list.push({ path, like: nearest(name, known) })
    else this.#more++
  }

  /** The fields that are kept. */
  get list(): ReadonlyArray<UnknownField> {
    return this.#list
  }

  /** The number of further fields. */
  get more(): number {
    return this.#more
  }
}
