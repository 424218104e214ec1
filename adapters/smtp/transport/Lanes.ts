/**
 * The lanes to all destinations, bounded: what is least lately used and not in use is forgotten.
 *
 * @module
 */
import { Lane, type LaneOptions } from "./Lane.ts"

const maxLanes = 10_000
const maxDomains = 50_000

/** Looks at so many of the oldest for one that can be forgotten. */
const looks = 16

/** Lanes by destination, and which destination a recipient's domain was last seen to have. */
export class Lanes {
  readonly #options: LaneOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #destinations = new Map<string, string>()

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** The lane of a destination, to which a domain's mail goes. */
  of(domain: string, destination: string, now: number): Lane {
    this.#destinations.delete(domain)
    this.#destinations.set(domain, destination)
    if (this.#destinations.size > maxDomains) {
      for (const oldest of this.#destinations.keys()) {
        this.#destinations.delete(oldest)
        break
      }
    }
    const lane = this.#lanes.get(destination) ?? new Lane(this.#options)
    this.#lanes.delete(destination)
    this.#lanes.set(destination, lane)
    if (this.#lanes.size > maxLanes) this.#forget(now)
    return lane
  }

  /** The lane a domain's mail last went by; null when none is known. */
  known(domain: string): Lane | null {
    const destination = this.#destinations.get(domain)
    return destination === undefined ? null : (this.#lanes.get(destination) ?? null)
  }

  #forget(now: number): void {
    let looked = 0
    for (const [destination, lane] of this.#lanes) {
      if (lane.isForgettable(now)) {
        this.#lanes.delete(destination)
        return
      }
      if (++looked === looks) return
    }
  }

  /** Says goodbye everywhere. */
  close(): void {
    for (const lane of this.#lanes.values()) lane.close()
  }
}
