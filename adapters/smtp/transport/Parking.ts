/**
 * The transactions that only wait for the reply to their message, after the server was silent for a while. RFC 5321,
 * 4.5.3.2.6 gives the server ten minutes: they are kept where they take no other message's place, so these have bounds of
 * their own.
 *
 * @module
 */

/** Of the process. */
const maxParked = 200
const maxBytes = 64_000_000
const maxPerAccount = 25
const maxBytesPerAccount = 16_000_000
const maxPerSite = 10

/** A transaction that is parked. */
export interface Parked {
  readonly accountId: string
  readonly site: string
  /** What its message holds. */
  readonly bytes: number
  /** Ends the wait; the outcome is Unknown. */
  readonly abandon: () => void
}

/** The parked transactions of the process. */
export class Parking {
  /** The oldest first. */
  readonly #parked = new Set<Parked>()

  /**
   * Parks a transaction and returns whether there was a place. Where a site, an account or the process has none left, the wait
   * of the oldest there ends, of the account that has most; where a message is too large, the transaction stays where it is.
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

  /** Where there are as many as there may be, ends the wait of the oldest, of the account that has most of them. */
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
