/**
 * Bounds the connections to an address, and to the network it is in. Host names are free, since a wildcard makes any
 * number of them; addresses are not. A connection has a place in its lane as well.
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

/** The most connections to an IPv4 address or an IPv6 /64. */
export const perAddress = 20
/** The most connections to an IPv4 /24 or an IPv6 /48. */
export const perNetwork = 60

/** The IPv4 address, of an IPv4-mapped one too, or the IPv6 /64 that an address counts as; and its /24 or /48. */
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

/** How long a connection waits for the process's part of the bounds, milliseconds. */
const leaseTimeout = 2_000

/** The connections to a block of addresses, and the part of its bound that the process has. */
class Block {
  readonly name: string
  readonly held = new Set<AddressSlot>()
  /** Messages that may need a connection. */
  expected = 0
  /** What waits for the process's part of the bound. */
  readonly waiting = new Set<() => void>()
  readonly #share: LaneShare

  constructor(name: string, most: number, share: LaneSharesShape["share"], changed: LaneListener["changed"]) {
    this.name = name
    // The lanes of its connections are lost at the same time, and close them.
    this.#share = share(addressLane(name), { startLimit: most, maxLimit: most }, { changed, lost: changed })
  }

  /** Whether the process has a part of the bound. */
  isHeld(now: number): boolean {
    return this.#share.isHeld(now)
  }

  /** How many connections more the process may have; negative where others are to have some of them. */
  room(now: number): number {
    return this.#share.places(now) - this.held.size
  }

  /** Closes a connection that is kept without use; false where there is none. */
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

/** The connections to all addresses. Processes that share lanes share the bounds too. */
export class AddressSlots {
  readonly #share: LaneSharesShape["share"]
  readonly #clock: () => number
  readonly #blocks = new Map<string, Block>()
  #total = 0

  /** @param clock the service's, epoch milliseconds */
  constructor(share: LaneSharesShape["share"] = wholeShare, clock: () => number = Date.now) {
    this.#share = share
    this.#clock = clock
  }

  /** How many places are taken. */
  get total(): number {
    return this.#total
  }

  /** Asks for places at an address, before a connection is opened to it; returns how to ask no more. */
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

  /** As `take`, once the process has a part of the bounds. */
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
   * Takes a place for a connection; null when there is none. Then a connection that is kept without use is closed, so that
   * there is one soon.
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
