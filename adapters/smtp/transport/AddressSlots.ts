/**
 * Limits the connections to an IP address, and to the network in which it is. Limits on host names would not suffice, because a
 * wildcard record creates any number of names. A connection also occupies a place in its lane.
 *
 * @module
 */
import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import {
  type LaneListener,
  type LaneShare,
  type LaneSharesShape,
  wholeShare
} from "../../../core/kernel/LaneShares.ts"
import { addressLane } from "../../../core/model/Lane.ts"

/** The maximum number of connections to an IPv4 address or an IPv6 /64. */
export const perAddress = 20
/** The maximum number of connections to an IPv4 /24 or an IPv6 /48. */
export const perNetwork = 60

/** The blocks to which an address belongs: an IPv4 address (also if IPv4-mapped) or IPv6 /64, and its /24 or /48. */
const blocksOf = (text: string): { readonly address: string; readonly network: string } => {
  const bare = text.split("%", 1)[0]!
  if (!ipaddr.isValid(bare)) return { address: bare, network: `${bare}/24` }
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

/** The name of the site with these addresses. All domains whose mail goes to the same addresses have the same site. */
export const siteOf = (addresses: ReadonlyArray<string>): string =>
  [...new Set(addresses.map((address) => blocksOf(address).address))].toSorted().slice(0, 8).join("+")

/** A connection's place at its address. */
export class AddressSlot {
  /** Closes the connection while it is idle; null while it is in use. */
  closeIdle: (() => void) | null = null
  readonly #release: (slot: AddressSlot) => void
  #isHeld = true

  constructor(release: (slot: AddressSlot) => void) {
    this.#release = release
  }

  /** Releases the place, after the connection is closed. */
  release(): void {
    if (this.#isHeld) this.#release(this)
    this.#isHeld = false
  }
}

/** A connection's place in its lane, held until the connection is closed. */
export class ConnectionPlace {
  readonly #take: () => boolean
  readonly #release: (place: ConnectionPlace) => void
  #isHeld = true

  constructor(take: () => boolean, release: (place: ConnectionPlace) => void) {
    this.#take = take
    this.#release = release
  }

  /** Releases the place. */
  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#release(this)
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Takes a place again for a connection that had released its own. Returns false if there is none. */
  retake(): boolean {
    this.#isHeld ||= this.#take()
    return this.#isHeld
  }
}

/** How long a connection waits until the process has a part of the limits, in milliseconds. */
const leaseTimeout = 2_000

/** The connections to a block of addresses, and the process's part of its limit. */
class Block {
  readonly name: string
  readonly held = new Set<AddressSlot>()
  /** The number of messages that may need a connection. */
  expected = 0
  /** Callbacks that wait until the process has a part of the limit. */
  readonly waiting = new Set<() => void>()
  readonly #share: LaneShare

  constructor(name: string, most: number, share: LaneSharesShape["share"], changed: LaneListener["changed"]) {
    this.name = name
    // The lanes of its connections are lost at the same time, and close these connections.
    this.#share = share(addressLane(name), { startLimit: most, maxLimit: most }, { changed, lost: changed })
  }

  /** Whether the process has a part of the limit. */
  isHeld(now: number): boolean {
    return this.#share.isHeld(now)
  }

  /** How many more connections the process may have. Negative if it must leave some to other processes. */
  room(now: number): number {
    return this.#share.places(now) - this.held.size
  }

  /** Closes an idle connection. Returns false if there is none. */
  closeIdle(): boolean {
    for (const { closeIdle } of this.held) {
      if (closeIdle === null) continue
      closeIdle()
      return true
    }
    return false
  }

  tell(now: number): void {
    this.#share.use(Math.max(this.held.size, this.expected), this.held.size, now)
  }
}

/** The connections to all addresses. Processes that share lanes also share the limits. */
export class AddressSlots {
  readonly #share: LaneSharesShape["share"]
  readonly #clock: () => number
  readonly #blocks = new Map<string, Block>()
  #total = 0

  /** @param clock the service's clock, in epoch milliseconds */
  constructor(share: LaneSharesShape["share"] = wholeShare, clock: () => number = Date.now) {
    this.#share = share
    this.#clock = clock
  }

  /** The number of places taken. */
  get total(): number {
    return this.#total
  }

  /** Requests places at an address, before a connection to it is opened. Returns a function that ends the request. */
  expect(text: string): () => void {
    const blocks = this.#blocksOf(text)
    for (const block of blocks) block.expected++
    this.#tell(blocks)
    let isExpected = true
    return () => {
      if (!isExpected) return
      isExpected = false
      for (const block of blocks) block.expected--
      this.#tell(blocks)
    }
  }

  /** As `take`, but waits until the process has a part of the limits. */
  open(text: string): Effect.Effect<AddressSlot | null> {
    return Effect.callback((resume) => {
      const leave = this.expect(text)
      const blocks = this.#blocksOf(text)
      const end = () => {
        clearTimeout(timer)
        for (const { waiting } of blocks) waiting.delete(retry)
        leave()
      }
      const done = (slot: AddressSlot | null) => {
        end()
        resume(Effect.succeed(slot))
      }
      const retry = () => {
        const now = this.#clock()
        if (blocks.every((block) => block.isHeld(now))) done(this.take(text))
      }
      const timer = setTimeout(() => done(null), leaseTimeout)
      for (const { waiting } of blocks) waiting.add(retry)
      retry()
      return Effect.sync(end)
    })
  }

  /**
   * Takes a place for a connection. If there is none, returns null and closes an idle connection, so that a place becomes free
   * soon.
   */
  take(text: string): AddressSlot | null {
    const blocks = this.#blocksOf(text)
    const now = this.#clock()
    const full = blocks.find((block) => block.room(now) <= 0)
    if (full !== undefined) {
      full.closeIdle()
      this.#tell(blocks)
      return null
    }
    this.#total++
    const slot = new AddressSlot((released) => {
      this.#total--
      for (const { held } of blocks) held.delete(released)
      this.#tell(blocks)
    })
    for (const { held } of blocks) held.add(slot)
    this.#tell(blocks)
    return slot
  }

  #blocksOf(text: string): ReadonlyArray<Block> {
    const { address, network } = blocksOf(text)
    return [this.#block(address, perAddress), this.#block(network, perNetwork)]
  }

  #block(name: string, most: number): Block {
    const known = this.#blocks.get(name)
    if (known !== undefined) return known
    const made: Block = new Block(name, most, this.#share, (now) => {
      for (let excess = -made.room(now); excess > 0 && made.closeIdle(); excess--);
      if (made.isHeld(now)) for (const retry of made.waiting) retry()
    })
    this.#blocks.set(name, made)
    return made
  }

  #tell(blocks: ReadonlyArray<Block>): void {
    const now = this.#clock()
    for (const block of blocks) {
      block.tell(now)
      if (block.held.size === 0 && block.expected === 0) this.#blocks.delete(block.name)
    }
  }
}
