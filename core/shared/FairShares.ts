/**
 * Divides a capacity between holders, so that none can take all of it: each may hold at most one and a half times what
 * is still free. One holder alone gets three fifths of the capacity, two get three eighths each, 25 about a twenty-fifth
 * each, and some is always left for the next (dynamic thresholds, as in the buffers of switches).
 *
 * @module
 */

/** How much a holder may have of what is free. */
const factor = 1.5

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
    return Math.max(0, (factor * this.free - this.heldBy(holder)) / (1 + factor))
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
