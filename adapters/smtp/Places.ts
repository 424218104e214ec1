/**
 * Limits the connections to the service's SMTP servers, in total, for each network and for each account. A connection occupies a
 * place. Some places are reserved for sessions that have authenticated. If the other places are taken, one of their
 * connections is closed to make room for a new one.
 *
 * @module
 */
import { type CallerLimits, defaultCallerLimits } from "../../core/shared/CallerLimits.ts"
import { networkOf } from "../../core/shared/Network.ts"

/** What is known about a client: nothing, that it named a recipient of the service, or that it has a key. */
export type Standing = "Unknown" | "KnowsRecipient" | "Authenticated"

/** The place of a connection. */
export interface Place {
  /** Records what is known about the client. */
  readonly setStanding: (standing: Exclude<Standing, "Authenticated">) => void
  /** Records that the client has logged in to an account. Returns false, and records nothing, if the account has its maximum. */
  readonly authenticate: (accountId: string) => boolean
  /** Sets how the connection is closed to make room for another. */
  readonly onEvict: (close: () => void) => void
  /** Gives up the place. Repeated calls have no effect. */
  readonly leave: () => void
}

interface Taken {
  readonly network: string
  readonly since: number
  standing: Standing
  /** The account to which the client has logged in; null before. */
  accountId: string | null
  close: () => void
}

/** One place in this many is reserved for authenticated sessions. */
const reservedPart = 4

/** The sessions of one account may occupy one place in this many. */
export const accountPart = 4

/** How long a client that named a recipient cannot be closed for others, in milliseconds. A report is sent immediately. */
const reportMillis = 60_000

/** Subtracts one from a count, and removes it at 0. */
const decrement = (counts: Map<string, number>, name: string): void => {
  const count = counts.get(name) ?? 0
  if (count > 1) counts.set(name, count - 1)
  else counts.delete(name)
}

/** The places of connections, within their limits. */
export class Places {
  readonly #limits: Pick<CallerLimits, "maxConnections" | "maxConnectionsPerNetwork">
  /** Oldest first. */
  readonly #taken = new Set<Taken>()
  readonly #byNetwork = new Map<string, number>()
  readonly #byAccount = new Map<string, number>()
  #authenticated = 0

  constructor(
    limits: Pick<CallerLimits, "maxConnections" | "maxConnectionsPerNetwork"> = defaultCallerLimits
  ) {
    this.#limits = limits
  }

  /**
   * Takes a place for a connection from an IP address. Returns null if there is none and no other connection can be closed.
   *
   * @param close closes the connection to make room for another
   */
  take(address: string, close: () => void): Place | null {
    const { maxConnections, maxConnectionsPerNetwork } = this.#limits
    const network = networkOf(address)
    if (this.#count(network) >= maxConnectionsPerNetwork && !this.#evict(network)) return null
    const open = maxConnections - Math.floor(maxConnections / reservedPart)
    const isFull = this.#taken.size >= maxConnections || this.#taken.size - this.#authenticated >= open
    if (isFull && !this.#evict(null)) return null
    const taken: Taken = { network, since: Date.now(), standing: "Unknown", accountId: null, close }
    this.#taken.add(taken)
    this.#byNetwork.set(network, this.#count(network) + 1)
    return {
      setStanding: (standing) => {
        taken.standing = standing
      },
      authenticate: (accountId) => this.#authenticate(taken, accountId),
      onEvict: (closeIt) => {
        taken.close = closeIt
      },
      leave: () => this.#leave(taken)
    }
  }

  #count(network: string): number {
    return this.#byNetwork.get(network) ?? 0
  }

  #authenticate(taken: Taken, accountId: string): boolean {
    // The connection has ended, or the client has logged in before.
    if (!this.#taken.has(taken) || taken.accountId !== null) return true
    const count = this.#byAccount.get(accountId) ?? 0
    if (count >= Math.ceil(this.#limits.maxConnections / accountPart)) return false
    this.#byAccount.set(accountId, count + 1)
    this.#authenticated++
    taken.standing = "Authenticated"
    taken.accountId = accountId
    return true
  }

  #leave(taken: Taken): void {
    if (!this.#taken.delete(taken)) return
    decrement(this.#byNetwork, taken.network)
    if (taken.accountId === null) return
    this.#authenticated--
    decrement(this.#byAccount, taken.accountId)
  }

  /**
   * Closes the connection of a client about which least is known. Among these it chooses the network with the most connections,
   * and of that the oldest. Returns false if no connection can be closed.
   *
   * @param network the network to which the choice is limited; null for any
   */
  #evict(network: string | null): boolean {
    const now = Date.now()
    let chosen: Taken | null = null
    let best = -1
    for (const taken of this.#taken) {
      if (network !== null && taken.network !== network) continue
      if (taken.standing === "Authenticated") continue
      const isKnown = taken.standing === "KnowsRecipient"
      if (isKnown && now - taken.since < reportMillis) continue
      const rank = (isKnown ? 0 : this.#limits.maxConnections) + this.#count(taken.network)
      if (rank > best) {
        best = rank
        chosen = taken
      }
    }
    if (chosen === null) return false
    this.#leave(chosen)
    chosen.close()
    return true
  }
}
