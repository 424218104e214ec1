/**
 * Bounds the bytes of request bodies that the process holds, in all and for each holder (an account, a network). Bytes
 * beyond a bound wait: the caller stops reading its connection until others were released. Holders wait in turn, so that
 * one with many requests does not delay another with one.
 *
 * @module
 */

/** The bounds of bytes that are held at the same time. */
export interface ByteBounds {
  /** Of all holders. */
  readonly total: number
  /** Of one holder. */
  readonly perHolder: number
  /**
   * The part of `total` that is left to holders with few bytes, so that small requests pass while large ones wait. A
   * holder has few bytes while it holds at most {@link fewBytes}.
   */
  readonly reserved: number
  /** How long bytes may wait, in milliseconds of real time. */
  readonly waitMillis: number
}

/** How many bytes a holder may take of the reserved part. */
export const fewBytes = 1024 * 1024

/** The bytes of one request. */
export interface Hold {
  /**
   * Takes bytes: true at once where they are within the bounds, else a promise of whether they were in time. A request
   * takes one amount after another, never two at the same time.
   */
  readonly take: (bytes: number) => true | Promise<boolean>
  /** Gives back all bytes that were taken, and gives up what waits. */
  readonly release: () => void
}

interface Waiter {
  readonly bytes: number
  readonly settle: (isTaken: boolean) => void
}

/** Bytes that requests hold within bounds. */
export class BytesInFlight {
  readonly #bounds: ByteBounds
  readonly #held = new Map<string, number>()
  /** The requests of each holder that wait, in order. The holder that is served next is first. */
  readonly #waiting = new Map<string, Array<Waiter>>()
  #total = 0

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds
  }

  /** How many bytes are held. */
  get total(): number {
    return this.#total
  }

  /** Starts a request of a holder, which holds nothing yet. */
  hold(holder: string): Hold {
    let taken = 0
    let waiter: Waiter | null = null
    const take = (bytes: number): true | Promise<boolean> => {
      if (!this.#waiting.has(holder) && this.#fits(holder, bytes)) {
        this.#add(holder, bytes)
        taken += bytes
        return true
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(false), this.#bounds.waitMillis)
        const settle = (isTaken: boolean): void => {
          clearTimeout(timer)
          if (isTaken) taken += bytes
          else this.#leave(holder, entry)
          waiter = null
          resolve(isTaken)
        }
        const entry: Waiter = { bytes, settle }
        waiter = entry
        const others = this.#waiting.get(holder)
        if (others === undefined) this.#waiting.set(holder, [entry])
        else others.push(entry)
      })
    }
    const release = (): void => {
      waiter?.settle(false)
      if (taken === 0) return
      this.#add(holder, -taken)
      taken = 0
      this.#admit()
    }
    return { take, release }
  }

  #fits(holder: string, bytes: number): boolean {
    const { perHolder, reserved, total } = this.#bounds
    const own = (this.#held.get(holder) ?? 0) + bytes
    return own <= perHolder && this.#total + bytes <= (own <= fewBytes ? total : total - reserved)
  }

  #add(holder: string, bytes: number): void {
    this.#total += bytes
    const held = (this.#held.get(holder) ?? 0) + bytes
    if (held === 0) this.#held.delete(holder)
    else this.#held.set(holder, held)
  }

  #leave(holder: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(holder)
    const index = waiters?.indexOf(waiter) ?? -1
    if (waiters === undefined || index === -1) return
    waiters.splice(index, 1)
    if (waiters.length === 0) this.#waiting.delete(holder)
  }

  /** Admits what fits now, one request of each holder in turn. */
  #admit(): void {
    let passed = 0
    while (passed < this.#waiting.size) {
      const [holder, waiters] = this.#waiting.entries().next().value!
      this.#waiting.delete(holder)
      const [first] = waiters
      if (first !== undefined && this.#fits(holder, first.bytes)) {
        waiters.shift()
        passed = 0
        this.#add(holder, first.bytes)
        first.settle(true)
      } else passed++
      if (waiters.length > 0) this.#waiting.set(holder, waiters)
    }
  }
}
