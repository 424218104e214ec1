/**
 * Collects the fields that a body has and its shape lacks. A caller may send any number of them, so few are kept.
 *
 * @module
 */
import { maxErrors } from "../../../core/shared/Problem.ts"
import { nearest } from "../../../core/shared/Validate.ts"

/** A field that a body has and its shape lacks. */
export interface UnknownField {
  /** Such as `consent.prof` or `contacts[3].nam`, cut where it is long. */
  readonly path: string
  /** The name in the shape that is most like it; null where none is. */
  readonly like: string | null
}

/** The longest name that is kept, in characters. */
const maxName = 100

/** How many paths are compared with further ones; beyond, a field counts once for each element that has it. */
const maxSeen = 1_000

const indexes = /\[\d+\]/g

/**
 * Collects unknown fields: the first {@link maxErrors}, and how many more there are. A field that several elements of a list
 * have counts once, with the path of the first.
 */
export class UnknownFields {
  readonly #list: Array<UnknownField> = []
  readonly #seen = new Set<string>()
  #more = 0
  /** Precedes each path. */
  prefix = ""

  /** Adds a field of the object at `below`, such as `consent.`, whose known fields are given. */
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

  /** How many further fields there are. */
  get more(): number {
    return this.#more
  }
}
