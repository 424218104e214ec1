/**
 * Limits the bytes of request bodies that the process holds, in total and for each holder (an account or a network). A
 * request for bytes beyond a limit waits: the caller stops reading its connection until other requests release bytes.
 * Holders are served in rotation, so that a holder with many requests does not delay one with a single request.
 *
 * If every request were half read and waiting, none could finish. So one request of each holder, and one of all, may exceed
 * the limit, by at most what one request takes.
 *
 * @module
 */

/** The limits of the bytes that are held at the same time. */
export interface ByteBounds {
  /** For all holders together. */
  readonly total: number
  /** For one holder. */
  readonly perHolder: number
  /** For one request. */
  readonly perRequest: number
  /**
   * The part of `total` that is reserved for holders with few bytes, so that small requests pass while large ones wait. A
   * holder has few bytes if it holds at most {@link fewBytes}.
   */
  readonly reserved: number
  /** The longest wait for bytes, in milliseconds of real time. */
  readonly waitMillis: number
}

/** The most bytes that a holder can have and still use the reserved part. */
export const fewBytes = 1024 * 1024

/** The bytes of one request. */
export interface Hold {
  /**
   * Takes bytes. Returns true at once if they are within the limits, otherwise a promise that tells whether they became
   * free in time. A request takes one amount after another, never two at the same time.
   */
  readonly take: (bytes: number) => true | Promise<boolean>
  /** Releases all bytes that were taken, and cancels a waiting `take`. */
  readonly release: () => void
}

/** A request and the number of bytes it has taken. */
interface Taking {
  taken: number
}

interface Waiter {
  readonly request: Taking
  readonly bytes: number
  readonly settle: (isTaken: boolean) => void
}

/** The bytes that requests hold, within limits. */
export class BytesInFlight {
  readonly #bounds: ByteBounds
  readonly #held = new Map<string, number>()
  /** The waiting requests of each holder, in order. The holder that is served next is first. */
  readonly #waiting = new Map<string, Array<Waiter>>()
  /** The one request of each holder that may exceed the holder's limit. */
  readonly #exempt = new Map<string, Taking>()
  #exemptOfAll: Taking | null = null
  #total = 0

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds
  }

  /** The number of bytes held. */
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

  /** Whether a request may pass the waiting requests of its holder. */
  #mayPass(holder: string, request: Taking): boolean {
    const first = this.#waiting.get(holder)?.[0]
    if (first === undefined) return true
    return this.#rankOf(holder, request) < this.#rankOf(holder, first.request)
  }

  #rankOf(holder: string, request: Taking): number {
    if (request === this.#exemptOfAll || request === this.#exempt.get(holder)) return 0
    return request.taken > 0 ? 1 : 2
  }

  /** Queues requests that may exceed the limit first, then those that hold bytes already, then those that hold none. */
  #enqueue(holder: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(holder) ?? []
    const rank = this.#rankOf(holder, waiter.request)
    const next = waiters.findIndex(({ request }) => this.#rankOf(holder, request) > rank)
    waiters.splice(next === -1 ? waiters.length : next, 0, waiter)
    this.#waiting.set(holder, waiters)
  }

  /**
   * Whether a request may take bytes now. If no request may exceed a limit yet, and this one already holds bytes, it becomes
   * the one that may.
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

  /** Grants the bytes that fit now, to one request of each holder in rotation. */
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
