/**
 * The lanes to all destinations. Their number is limited: the least recently used lane that is not in use is removed.
 *
 * Effect's Cache is not suitable here. It would evict a lane whose slots are in use, with its concurrency limit and its
 * suspension. Its look-up is an effect, whereas `busyUntil` of the port is synchronous.
 *
 * @module
 */
import { laneFrom, type SendingSource } from "../../../core/model/Source.ts"
import { Lane, type LaneContext, type LaneOptions } from "./Lane.ts"

const maxLanes = 10_000
const maxDomains = 50_000

/** How many of the least recently used lanes are checked to find one that can be removed. */
const maxChecked = 16

/** Lanes by destination (a provider or a site) and source, and the last destination of each recipient's domain. */
export class Lanes {
  readonly #context: Omit<LaneContext, "name"> | null
  readonly #lanes = new Map<string, Lane>()
  readonly #destinations = new Map<string, string>()

  /** @param context how processes share the lanes; null if they do not */
  constructor(context: Omit<LaneContext, "name"> | null = null) {
    this.#context = context
  }

  /** The lane from a source to the destination of a domain's mail. It uses these options from now on. */
  laneTo(
    domain: string,
    destination: string,
    source: Pick<SendingSource, "address"> | null,
    options: LaneOptions,
    now: number
  ): Lane {
    this.#destinations.delete(domain)
    this.#destinations.set(domain, destination)
    if (this.#destinations.size > maxDomains) {
      for (const oldest of this.#destinations.keys()) {
        this.#destinations.delete(oldest)
        break
      }
    }
    const name = laneFrom(destination, source)
    const known = this.#lanes.get(name)
    known?.adopt(options)
    const lane = known ?? this.#make(name, options)
    this.#lanes.delete(name)
    this.#lanes.set(name, lane)
    if (this.#lanes.size > maxLanes) this.#removeUnused(now)
    return lane
  }

  #make(name: string, options: LaneOptions): Lane {
    return this.#context === null ? new Lane(options) : new Lane(options, { ...this.#context, name })
  }

  /** The lane that a domain's mail last used from a source's address; null if there is none. */
  lastLaneOf(domain: string, address: string | null = null): Lane | null {
    const destination = this.#destinations.get(domain)
    if (destination === undefined) return null
    return this.#lanes.get(laneFrom(destination, address === null ? null : { address })) ?? null
  }

  #removeUnused(now: number): void {
    let checked = 0
    for (const [name, lane] of this.#lanes) {
      if (lane.isUnused(now)) {
        this.#lanes.delete(name)
        return
      }
      if (++checked === maxChecked) return
    }
  }

  /** The number of connections of all lanes. */
  get connections(): number {
    let count = 0
    for (const lane of this.#lanes.values()) count += lane.connections
    return count
  }

  /** Closes the idle connections of all lanes. */
  close(): void {
    for (const lane of this.#lanes.values()) lane.close()
  }
}
