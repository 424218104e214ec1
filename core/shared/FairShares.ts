/**
 * Divides a capacity between holders, so that none takes all of it. As long as 4 % of the capacity stays free for the next
 * holder, each may hold an equal part; otherwise each may hold up to one and a half times what is free (dynamic thresholds, as in
 * the buffers of switches). A single holder gets 60 %, two get 48 % each, ten about 10 %, 25 about 4 %.
 *
 * A part of the capacity may be reserved. Holders do not use it for what they take beyond their equal parts, except for a special
 * purpose.
 *
 * @module
 */

/** The most that a holder may have, as a multiple of what is free. */
const factor = 1.5
/** The highest share of the capacity for a single holder, and the share that stays free when holders have equal parts. */
const alonePart = 0.6
const sparePart = 0.04

/** The amounts of a capacity that each holder has. */
export class FairShares {
  readonly #capacity: number
  readonly #reserved: number
  readonly #held = new Map<string, number>()
  #total = 0

  /** @param reserved the reserved amount of the capacity */
  constructor(capacity: number, reserved = 0) {
    this.#capacity = capacity
    this.#reserved = reserved
  }

  /** The amount that no holder has; negative if more was added than the capacity. */
  get free(): number {
    return this.#capacity - this.#total
  }

  /** The holders that have any amount. */
  holders(): ReadonlyArray<string> {
    return [...this.#held.keys()]
  }

  /** The amount that a holder has. */
  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0
  }

  /** The further amount that a holder may take; 0 or more. */
  room(holder: string): number {
    const held = this.heldBy(holder)
    const holders = this.#held.size + (held > 0 ? 0 : 1)
    const equal = Math.min(1 / holders, alonePart) * this.#capacity - held
    const spared = this.free - sparePart * this.#capacity
    return Math.max(0, (factor * this.free - held) / (1 + factor), Math.min(equal, spared))
  }

  /** Whether a holder may take an amount: within its share or, if it has nothing and something is free, any amount. */
  allows(holder: string, amount: number): boolean {
    return this.free > 0 && (this.heldBy(holder) === 0 || amount <= this.room(holder))
  }

  /** Whether the next unit that a holder takes leaves the reserve to others, or is within its equal part of at least 4 %. */
  leavesReserve(holder: string): boolean {
    const holders = this.#held.size + (this.heldBy(holder) > 0 ? 0 : 1)
    return (
      this.free > this.#reserved || this.heldBy(holder) < Math.max(1 / holders, sparePart) * this.#capacity
    )
  }

  /** Adds to the amount that a holder has, whether it is allowed or not. A negative amount is returned. */
  add(holder: string, amount: number): void {
    const held = this.heldBy(holder) + amount
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#total += amount
  }
}
