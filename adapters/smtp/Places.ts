/**
 * The places for connections of the SMTP servers, in all, for each network and for each account. A part is kept for sessions that have
 * authenticated; where the others are full, one of them is closed for a new connection.
 *
 * @module
 */
import { type CallerLimits, defaultCallerLimits } from "../../core/shared/CallerLimits.ts"
import { networkOf } from "../../core/shared/Network.ts"

/** What a client has shown: nothing, that it knows a recipient of the service, or that it has a key. */
export type Standing = "Unknown" | "KnowsRecipient" | "Authenticated"

/** The place of a connection. */
export interface Place {
  /** Records what the client has shown. */
  readonly setStanding: (standing: Exclude<Standing, "Authenticated">) => void
  /** Records that the client has logged in to an account; false, and nothing is recorded, where its share is taken. */
  readonly authenticate: (accountId: string) => boolean
  /** Sets how the connection is closed for another. */
  readonly onEvict: (close: () => void) => void
  /** Gives the place up; more than once is the same as once. */
  readonly leave: () => void
}

interface Taken {
  readonly network: string
  readonly since: number
  standing: Standing
  /** Of a client that has logged in; null before. */
  accountId: string | null
  close: () => void
}

/** The part of the places that only authenticated sessions may take: one in four. */
const reservedPart = 4

/** The part of the places that the sessions of one account may take: one in four. */
export const accountPart = 4

/** How long a client that knows a recipient keeps its place from others, in milliseconds: a report is sent at once. */
const reportMillis = 60_000

/** Takes one from a count, which is removed at 0. */
const decrement = (counts: Map<string, number>, name: string): void => {
  const count = counts.get(name) ?? 0
  if (count > 1) counts.set(name, count - 1)
  else counts.delete(name)
}

/** Places within the limits of connections. */
export class Places {
  readonly #limits: Pick<CallerLimits, "maxConnections" | "maxConnectionsPerNetwork">
  /** The oldest first. */
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
   * Takes a place for a connection from an IP address; null where no other connection can be closed for it.
   *
   * @param close closes the connection for another one
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
    // Its connection has ended, or it has logged in before.
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
   * Closes the connection whose client has shown least: of those, one of the network with the most connections, and the oldest of
   * these. False where none can be closed.
   *
   * @param network the network to choose from; null for any
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
