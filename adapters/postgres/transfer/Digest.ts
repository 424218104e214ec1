/**
 * The number and the hash of a table's rows, by which a copy is compared with what it was made of.
 *
 * @module
 */
import { createHash } from "node:crypto"

const modulus = 1n << 128n

/** Rows of one table, in any order. */
export class Digest {
  #rows = 0
  #sum = 0n

  get rows(): number {
    return this.#rows
  }

  /** The sum of the first 16 bytes of the rows' SHA-256, so that it does not depend on their order; in hex. */
  get hash(): string {
    return this.#sum.toString(16).padStart(32, "0")
  }

  add(lines: ReadonlyArray<string>): void {
    for (const line of lines) {
      const bytes = createHash("sha256").update(line).digest()
      this.#sum += (bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8)
    }
    this.#sum %= modulus
    this.#rows += lines.length
  }
}

/** The digests of tables, by their names. */
export class Digests {
  readonly #digests = new Map<string, Digest>()

  of(table: string): Digest {
    const found = this.#digests.get(table) ?? new Digest()
    this.#digests.set(table, found)
    return found
  }

  /** All rows. */
  get rows(): number {
    return [...this.#digests.values()].reduce((sum, { rows }) => sum + rows, 0)
  }

  /** What differs between these rows and those of a copy, of each table; empty where the copy is the same. */
  differences(copy: Digests, tables: ReadonlyArray<string>): ReadonlyArray<string> {
    return tables.flatMap((table) => {
      const [one, other] = [this.of(table), copy.of(table)]
      if (one.rows !== other.rows) return [`${table} has ${other.rows} rows instead of ${one.rows}`]
      return one.hash === other.hash ? [] : [`${table} has other values in its ${one.rows} rows`]
    })
  }
}
