/**
 * Divides a capacity between holders, so that none can take all of it: each may hold an equal part, as long as a twenty-fifth of
 * the capacity stays free for the next, and in any case one and a half times what is free (dynamic thresholds, as in the
 * buffers of switches). One holder alone gets three fifths of the capacity, two get 48 hundredths each, ten about a tenth, 25 about
 * a twenty-fifth.
 *
 * @module
 */

/** How much a holder may have of what is free. */
const factor = 1.5
/** The most that one has alone, and what is left free where holders have equal parts: parts of the capacity. */
const alonePart = 0.6
const sparePart = 0.04

/** What each holder has of a capacity. */
export class FairShares {
  readonly #capacity: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** What no holder has; negative where more was added than there is. */
  get free(): number {
    return this.#capacity - this.#total
  }

  /** The holders that have something. */
  holders(): ReadonlyArray<string> {
    return [...this.#held.keys()]
  }

  /** What a holder has. */
  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  /** How much more a holder may take; 0 or more. */
  room(holder: string): number {
    const held = this.heldBy(holder)
    const holders = this.#held.size + (held > 0 ? 0 : 1)
    const equal = Math.min(1 / holders, alonePart) * this.#capacity - held
    const spared = this.free - sparePart * this.#capacity
    return Math.max(0, (factor * this.free - held) / (1 + factor), Math.min(equal, spared))
  }

  /** Whether a holder may take an amount: within its share, or whatever the amount as its first while something is free. */
  allows(holder: string, amount: number): boolean {
    return this.free > 0 && (this.heldBy(holder) === 0 || amount <= this.room(holder))
  }

  /** Adds to what a holder has, whether it is allowed or not; negative amounts give back. */
  add(holder: string, amount: number): void {
    const held = this.heldBy(holder) + amount
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#total += amount
  }
}
