/**
 * Computes the number and the hash of a table's rows, with which a copy is compared to its source.
 *
 * @module
 */
import { createHash } from "node:crypto"

const modulus = 1n << 128n

/** The digest of the rows of one table, in any order. */
export class Digest {
  #rows = 0
  #sum = 0n

  get rows(): number {
    return this.#rows
  }

  /** The sum of the first 16 bytes of each row's SHA-256, in hex. It does not depend on the order of rows. */
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

/** The digests of tables, by name. */
export class Digests {
  readonly #digests = new Map<string, Digest>()

  of(table: string): Digest {
    const found = this.#digests.get(table) ?? new Digest()
    this.#digests.set(table, found)
    return found
  }

  /** The number of all rows. */
  get rows(): number {
    return [...this.#digests.values()].reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Describes the differences from a copy, for each table; empty if the copy is the same. */
  differences(copy: Digests, tables: ReadonlyArray<string>): ReadonlyArray<string> {
    return tables.flatMap((table) => {
      const [one, other] = [this.of(table), copy.of(table)]
      if (one.rows !== other.rows) return [`${table} has ${other.rows} rows instead of ${one.rows}`]
      return one.hash === other.hash ? [] : [`${table} has other values in its ${one.rows} rows`]
    })
  }
}
