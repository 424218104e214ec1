/**
 * Divides a capacity between holders, so that none takes all of it. Each may hold an equal part while 4 % of the capacity stays
 * free for the next holder, and otherwise up to one and a half times what is free (dynamic thresholds, as in the buffers of
 * switches). One holder alone gets 60 %, two get 48 % each, ten about 10 %, 25 about 4 %.
 *
 * A part may be reserved: what holders have beyond their equal parts leaves it free, unless it is for a purpose of its own.
 *
 * @module
 */

/** How much a holder may have of what is free. */
const factor = 1.5
/** The share of the capacity that one holder has at most, and the share that stays free where holders have equal parts. */
const alonePart = 0.6
const sparePart = 0.04

/** What each holder has of a capacity. */
export class FairShares {
  readonly #capacity: number
  readonly #reserved: number
  readonly #held = new Map<string, number>()
  #total = 0

  /** @param reserved how much of the capacity is reserved */
  constructor(capacity: number, reserved = 0) {
    this.#capacity = capacity
    this.#reserved = reserved
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

  /** Whether the next unit that a holder takes leaves the reserve to others, or is of its equal part, 4 % at least. */
  leavesReserve(holder: string): boolean {
    const holders = this.#held.size + (this.heldBy(holder) > 0 ? 0 : 1)
    return (
      this.free > this.#reserved || this.heldBy(holder) < Math.max(1 / holders, sparePart) * this.#capacity
    )
  }

  /** Adds to what a holder has, whether it is allowed or not; negative amounts give back. */
  add(holder: string, amount: number): void {
    const held = this.heldBy(holder) + amount
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#total += amount
  }
}
