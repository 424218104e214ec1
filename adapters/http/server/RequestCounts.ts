/**
 * Counts requests in progress, in all and of each network, where the server does not see the connections of callers:
 * behind trusted proxies, and where a web handler is called.
 *
 * @module
 */
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import type { Origin } from "../../../core/shared/Network.ts"

/** Requests in progress within the limits of connections. */
export class RequestCounts {
  readonly #limits: CallerLimits
  readonly #byNetwork = new Map<string, number>()
  #total = 0

  constructor(limits: CallerLimits) {
    this.#limits = limits
  }

  /** Counts a request; false where there are too many. A trusted proxy itself has no limit of its network. */
  enter({ network, trust }: Origin): boolean {
    const { maxConnections, maxConnectionsPerNetwork } = this.#limits
    const count = this.#byNetwork.get(network) ?? 0
    if (this.#total >= maxConnections) return false
    if (trust !== "Proxy" && count >= maxConnectionsPerNetwork) return false
    this.#total++
    this.#byNetwork.set(network, count + 1)
    return true
  }

  /** Ends a request that was counted. */
  leave({ network }: Origin): void {
    this.#total--
    const count = this.#byNetwork.get(network) ?? 0
    if (count > 1) this.#byNetwork.set(network, count - 1)
    else this.#byNetwork.delete(network)
  }
}
