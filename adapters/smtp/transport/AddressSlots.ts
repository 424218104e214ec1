/**
 * Bounds the connections to an address, and to the network it is in. Host names are free, since a wildcard makes any
 * number of them; addresses are not. A connection has a place in its lane as well.
 *
 * @module
 */
import ipaddr from "ipaddr.js"

/** The most connections to an IPv4 address or an IPv6 /64. */
export const perAddress = 20
/** The most connections to an IPv4 /24 or an IPv6 /48. */
export const perNetwork = 60

/** The IPv4 address, of an IPv4-mapped one too, or the IPv6 /64 that an address counts as; and its /24 or /48. */
const blocksOf = (text: string): { readonly address: string; readonly network: string } => {
  const bare = text.split("%", 1)[0]!
  if (!ipaddr.isValid(bare)) return { address: bare, network: bare }
  const address = ipaddr.process(bare)
  if (address instanceof ipaddr.IPv6) {
    const groups = address.parts.map((part) => part.toString(16))
    return {
      address: `${groups.slice(0, 4).join(":")}::/64`,
      network: `${groups.slice(0, 3).join(":")}::/48`
    }
  }
  return { address: address.toString(), network: `${address.octets.slice(0, 3).join(".")}.0/24` }
}

/** The name of the site that is reached at these addresses: the same for all domains whose mail goes to the same ones. */
export const siteOf = (addresses: ReadonlyArray<string>): string =>
  [...new Set(addresses.map((address) => blocksOf(address).address))].toSorted().slice(0, 8).join("+")

/** A connection's place at its address. */
export class AddressSlot {
  /** Closes the connection while it is kept without use; null while it is used. */
  closeIdle: (() => void) | null = null
  readonly #release: (slot: AddressSlot) => void
  #isHeld = true

  constructor(release: (slot: AddressSlot) => void) {
    this.#release = release
  }

  /** Gives the place back, once the connection is closed. */
  release(): void {
    if (this.#isHeld) this.#release(this)
    this.#isHeld = false
  }
}

/** The place of a connection in its lane, held until the connection is closed. */
export class ConnectionPlace {
  readonly #take: () => boolean
  readonly #release: (place: ConnectionPlace) => void
  #isHeld = true

  constructor(take: () => boolean, release: (place: ConnectionPlace) => void) {
    this.#take = take
    this.#release = release
  }

  /** Gives the place back. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#release(this)
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Takes a place again for a connection that gave its own back; false when there is none. */
  retake(): boolean {
    this.#isHeld ||= this.#take()
    return this.#isHeld
  }
}

/** The connections to all addresses. */
export class AddressSlots {
  readonly #held = new Map<string, Set<AddressSlot>>()
  #total = 0

  /** How many places are taken. */
  get total(): number {
    return this.#total
  }

  /**
   * Takes a place for a connection; null when there is none. Then a connection that is kept without use is closed, so that
   * there is one soon.
   */
  take(text: string): AddressSlot | null {
    const { address, network } = blocksOf(text)
    const bounds = [
      [`a ${address}`, perAddress],
      [`n ${network}`, perNetwork]
    ] as const
    for (const [key, most] of bounds) {
      const held = this.#held.get(key)
      if (held === undefined || held.size < most) continue
      for (const { closeIdle } of held) {
        if (closeIdle === null) continue
        closeIdle()
        break
      }
      return null
    }
    this.#total++
    const slot = new AddressSlot((released) => {
      this.#total--
      for (const [key] of bounds) {
        const held = this.#held.get(key)
        held?.delete(released)
        if (held?.size === 0) this.#held.delete(key)
      }
    })
    for (const [key] of bounds) {
      const held = this.#held.get(key) ?? new Set()
      held.add(slot)
      this.#held.set(key, held)
    }
    return slot
  }
}
