/**
 * Parked transactions: those that only wait for the reply to their message, after the server was silent for a while. RFC 5321,
 * 4.5.3.2.6 gives the server ten minutes. Parked transactions occupy no slot that other messages need, so they have limits
 * of their own.
 *
 * @module
 */

/** The maximum for the process. */
const maxParked = 200
const maxBytes = 64_000_000
const maxPerAccount = 25
const maxBytesPerAccount = 16_000_000
const maxPerSite = 10

/** A parked transaction. */
export interface Parked {
  readonly accountId: string
  readonly site: string
  /** The size of its message. */
  readonly bytes: number
  /** Ends the wait, with the outcome Unknown. */
  readonly abandon: () => void
}

/** The parked transactions of the process. */
export class Parking {
  /** Oldest first. */
  readonly #parked = new Set<Parked>()

  /**
   * Parks a transaction. If a site, an account or the process has reached its limit, the wait of another transaction there ends:
   * the oldest of the account that has most. Returns false, without parking, if the message is too large.
   */
  enter(parked: Parked): boolean {
    const { accountId, bytes, site } = parked
    const all = [...this.#parked]
    const own = all.filter((one) => one.accountId === accountId)
    if (bytesOf(own) + bytes > maxBytesPerAccount || bytesOf(all) + bytes > maxBytes) return false
    this.#keepBelow(maxPerSite, (one) => one.site === site)
    this.#keepBelow(maxPerAccount, (one) => one.accountId === accountId)
    this.#keepBelow(maxParked, () => true)
    this.#parked.add(parked)
    return true
  }

  /** Removes a transaction whose wait has ended. */
  leave(parked: Parked): void {
    this.#parked.delete(parked)
  }

  /** If the limit is reached, ends the wait of the oldest transaction of the account that has most of them. */
  #keepBelow(most: number, isMeant: (parked: Parked) => boolean): void {
    const some = [...this.#parked].filter(isMeant)
    if (some.length < most) return
    const accounts = [...Map.groupBy(some, (one) => one.accountId).values()]
    const [oldest] = accounts.reduce((found, group) => (group.length > found.length ? group : found))
    this.#parked.delete(oldest!)
    oldest!.abandon()
  }
}

const bytesOf = (group: ReadonlyArray<Parked>): number => group.reduce((sum, { bytes }) => sum + bytes, 0)
