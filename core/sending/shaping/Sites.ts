/**
 * Names sites, so that a site keeps its name even if the DNS returns a different selection of its addresses each time.
 *
 * @module
 */
import { laneWithoutSource } from "../../model/Source.ts"

/** How long an address belongs to a site after it was last seen there, milliseconds. */
const keptMillis = 24 * 3_600_000
/** The maximum number of addresses kept. The one that was seen longest ago is dropped. */
const maxAddresses = 50_000

/** The addresses in a site's name. */
const addressesOf = (site: string): ReadonlyArray<string> => site.split("+")

/** The site of a lane; null if the lane has none, such as that of a provider, a relay or a domain. */
export const siteOfLane = (lane: string): string | null => {
  const name = laneWithoutSource(lane)
  const end = name.indexOf(":")
  return end === -1 || name.startsWith("relay:") || name.startsWith("domain:") ? null : name.slice(end + 1)
}

/** The known sites. All times are epoch milliseconds. */
export class Sites {
  /** By address, with the address seen last at the end. */
  readonly #known = new Map<string, { readonly site: string; readonly until: number }>()

  /**
   * The site of the given addresses: a known site that has at least half of them, or the one of several that has the most.
   * Otherwise the addresses form a site of their own.
   *
   * @param site the addresses, joined as in a site's name
   */
  nameOf(site: string, now: number): string {
    const addresses = addressesOf(site)
    const counts = new Map<string, number>()
    for (const address of addresses) {
      const known = this.#known.get(address)
      if (known !== undefined && known.until > now) counts.set(known.site, (counts.get(known.site) ?? 0) + 1)
    }
    let name = site
    let most = 0
    for (const [other, count] of counts)
      if (2 * count >= addresses.length && (count > most || (count === most && other < name))) {
        name = other
        most = count
      }
    for (const address of addresses) this.#note(address, name, now, now + keptMillis)
    return name
  }

  /** Takes over a site that this or another process named, and that was last used at `usedAt`. */
  learn(site: string, usedAt: number, now: number): void {
    for (const address of addressesOf(site)) this.#note(address, site, now, usedAt + keptMillis)
  }

  /** An address stays in its site as long as that site is known. */
  #note(address: string, site: string, now: number, until: number): void {
    const known = this.#known.get(address)
    const current = known !== undefined && known.until > now ? known : { site, until }
    this.#known.delete(address)
    if (current.until <= now) return
    this.#known.set(address, { site: current.site, until: Math.max(current.until, until) })
    if (this.#known.size > maxAddresses) this.#known.delete(this.#known.keys().next().value!)
  }
}
