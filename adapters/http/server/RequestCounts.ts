/**
 * Counts requests in progress, in total and for each network. It is used where the server does not see the callers'
 * connections: behind trusted proxies, and in a web handler.
 *
 * @module
 */
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import type { Origin } from "../../../core/shared/Network.ts"

/** The requests in progress, within the limits of connections. */
export class RequestCounts {
  readonly #limits: CallerLimits
  readonly #byNetwork = new Map<string, number>()
  #total = 0

  constructor(limits: CallerLimits) {
    this.#limits = limits
  }

  /** Counts a request. Returns false if there are too many. A trusted proxy itself has no limit of its network. */
  enter({ network, trust }: Origin): boolean {
    const { maxConnections, maxConnectionsPerNetwork } = this.#limits
    const count = this.#byNetwork.get(network) ?? 0
    if (this.#total >= maxConnections) return false
    if (trust !== "Proxy" && count >= maxConnectionsPerNetwork) return false
    this.#total++
    this.#byNetwork.set(network, count + 1)
    return true
  }

  /** Removes a request from the count. */
  leave({ network }: Origin): void {
    this.#total--
    const count = this.#byNetwork.get(network) ?? 0
    if (count > 1) this.#byNetwork.set(network, count - 1)
    else this.#byNetwork.delete(network)
  }
}
