/**
 * Bounds the bytes of request bodies that the process holds, in all and for each holder (an account, a network). Bytes
 * beyond a bound wait: the caller stops reading its connection until others were released. Holders wait in turn, so that
 * one with many requests does not delay another with one.
 *
 * Requests that are all halfway would wait for each other. So one request of each holder, and one of all, may exceed the
 * bound, by what a request takes at most.
 *
 * @module
 */

/** The bounds of bytes that are held at the same time. */
export interface ByteBounds {
  /** Of all holders. */
  readonly total: number
  /** Of one holder. */
  readonly perHolder: number
  /** Of one request, which takes no more. */
  readonly perRequest: number
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

/** A request, and how many bytes it has taken. */
interface Taking {
  taken: number
}

interface Waiter {
  readonly request: Taking
  readonly bytes: number
  readonly settle: (isTaken: boolean) => void
}

/** Bytes that requests hold within bounds. */
export class BytesInFlight {
  readonly #bounds: ByteBounds
  readonly #held = new Map<string, number>()
  /** The requests of each holder that wait, in order. The holder that is served next is first. */
  readonly #waiting = new Map<string, Array<Waiter>>()
  /** The request of each holder, and the one of all, that may exceed the bound. */
  readonly #exempt = new Map<string, Taking>()
  #exemptOfAll: Taking | null = null
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
    const request: Taking = { taken: 0 }
    let waiter: Waiter | null = null
    const take = (amount: number): true | Promise<boolean> => {
      const bytes = Math.min(amount, this.#bounds.perRequest - request.taken)
      if (this.#mayPass(holder, request) && this.#fits(holder, request, bytes)) {
        this.#add(holder, bytes)
        request.taken += bytes
        return true
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(false), this.#bounds.waitMillis)
        const settle = (isTaken: boolean): void => {
          clearTimeout(timer)
          if (isTaken) request.taken += bytes
          else this.#leave(holder, entry)
          waiter = null
          resolve(isTaken)
        }
        const entry: Waiter = { request, bytes, settle }
        waiter = entry
        this.#enqueue(holder, entry)
      })
    }
    const release = (): void => {
      waiter?.settle(false)
      if (request.taken === 0) return
      this.#add(holder, -request.taken)
      request.taken = 0
      if (this.#exempt.get(holder) === request) this.#exempt.delete(holder)
      if (this.#exemptOfAll === request) this.#exemptOfAll = null
      this.#admit()
    }
    return { take, release }
  }

  /** Whether a request need not queue behind its holder's others. */
  #mayPass(holder: string, request: Taking): boolean {
    const first = this.#waiting.get(holder)?.[0]
    if (first === undefined) return true
    return this.#rankOf(holder, request) < this.#rankOf(holder, first.request)
  }

  #rankOf(holder: string, request: Taking): number {
    if (request === this.#exemptOfAll || request === this.#exempt.get(holder)) return 0
    return request.taken > 0 ? 1 : 2
  }

  /** Puts first what may exceed the bound, then what is halfway: a request that has not begun would end after them. */
  #enqueue(holder: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(holder) ?? []
    const rank = this.#rankOf(holder, waiter.request)
    const next = waiters.findIndex(({ request }) => this.#rankOf(holder, request) > rank)
    waiters.splice(next === -1 ? waiters.length : next, 0, waiter)
    this.#waiting.set(holder, waiters)
  }

  /**
   * Whether a request may take bytes now. One that is halfway becomes the one that may exceed a bound where there is none
   * yet.
   */
  #fits(holder: string, request: Taking, bytes: number): boolean {
    if (request === this.#exemptOfAll) return true
    const { perHolder, reserved, total } = this.#bounds
    const own = (this.#held.get(holder) ?? 0) + bytes
    const isWithinOwn = own <= perHolder
    const none = request.taken > 0 ? request : null
    if (!isWithinOwn && (this.#exempt.get(holder) ?? none) !== request) return false
    const isWithinAll = this.#total + bytes <= (own <= fewBytes ? total : total - reserved)
    if (!isWithinAll && (this.#exemptOfAll !== null || none === null)) return false
    if (!isWithinOwn) this.#exempt.set(holder, request)
    if (!isWithinAll) this.#exemptOfAll = request
    return true
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
      if (first !== undefined && this.#fits(holder, first.request, first.bytes)) {
        waiters.shift()
        passed = 0
        this.#add(holder, first.bytes)
        first.settle(true)
      } else passed++
      if (waiters.length > 0) this.#waiting.set(holder, waiters)
    }
  }
}
