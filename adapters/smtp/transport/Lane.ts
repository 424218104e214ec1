/**
 * A lane: one destination, with its concurrency limit, its suspension, and its open connections.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type LaneShare, type LaneSharesShape, wholeShare } from "../../../core/kernel/LaneShares.ts"
import type { Feedback, LaneBounds } from "../../../core/model/Lane.ts"
import {
  campaignShare,
  isBehind,
  type MailClass,
  mailClasses,
  type OutboundMessage,
  type Outcome
} from "../../../core/model/Message.ts"
import { statementOf } from "../../../core/sending/shaping/StatedLimits.ts"
import type { SmtpReply } from "../../../core/sending/shaping/SmtpReply.ts"
import { Counter } from "../../../core/shared/Counter.ts"
import { ConnectionPlace } from "./AddressSlots.ts"
import type { Connection, Peer } from "./Connection.ts"
import { TokenBucket, withinMinute } from "../TokenBucket.ts"
import type { Consequence } from "./TransactionResult.ts"

/** How a lane is used. */
export interface LaneOptions extends LaneBounds {
  /** How long an open connection is kept without use, milliseconds. */
  readonly idleMillis: number
  /** Messages for which a connection is used. */
  readonly maxUses: number
  /** Messages a second, and connections a minute, of all processes together; any number by default. */
  readonly messagesPerSecond?: number
  readonly connectionsPerMinute?: number
  /** Messages a second while the destination has accepted none within a day; as others by default. */
  readonly unprovenPerSecond?: number
  /** The messages that may leave at once, as the part of those of a second; all of them by default. */
  readonly burst?: number
  /** Whether messages wait for a slot without a timeout: where all go to one relay, none holds up others. */
  readonly waitsForSlot?: boolean
}

/** Where a lane is: its name, by which processes share it, how they do, and the service's clock, epoch milliseconds. */
export interface LaneContext {
  readonly name: string
  readonly share: LaneSharesShape["share"]
  readonly clock: () => number
}

/** A lane of one process. */
const alone: LaneContext = { name: "", share: wholeShare, clock: Date.now }

/** The result of a request for a slot. */
export type Slot =
  | { readonly _tag: "Granted" }
  /** The concurrency limit is reached. */
  | { readonly _tag: "Full" }
  /** The lane is suspended until then, epoch milliseconds. */
  | { readonly _tag: "Suspended"; readonly until: number }

/** How long a message waits for a slot, milliseconds. */
const slotTimeout = 2000

/** From how many connections a minute on processes take turns by their parts; below, all together. */
const fewestInParts = 40

/** Messages that wait for a slot, for each slot. */
const waitingPerSlot = 10

/** When a message that found no slot is sent again, milliseconds. */
export const fullWait = 1000

/** A request for one slot of a lane's concurrency limit. */
export class SlotRequest {
  /** Whose message it is for: accounts share a lane's slots. */
  readonly accountId: string
  readonly mailClass: MailClass
  /** Gives back what was counted for a granted slot. */
  giveBack: (() => void) | null = null
  #result: Slot | null = null
  #timer: NodeJS.Timeout | undefined
  #listener: ((slot: Slot) => void) | null = null

  constructor(accountId: string, mailClass: MailClass) {
    this.accountId = accountId
    this.mailClass = mailClass
  }

  /** The result; null while the request waits. */
  get result(): Slot | null {
    return this.#result
  }

  /** Waits for the result. */
  readonly slot: Effect.Effect<Slot> = Effect.callback((resume) => {
    this.#listener = (slot) => resume(Effect.succeed(slot))
    if (this.#result !== null) this.#listener(this.#result)
  })

  /** Ends the request. */
  resolve(slot: Slot): void {
    this.cancelTimeout()
    this.#result = slot
    this.#listener?.(slot)
  }

  /** Calls a function unless the request ends before. */
  setTimeout(run: () => void, millis: number): void {
    this.#timer = setTimeout(run, millis)
  }

  cancelTimeout(): void {
    clearTimeout(this.#timer)
  }
}

/** A send in progress. */
interface Running {
  /** Whether its last byte may be sent. */
  isCommitted: boolean
  /** Ends it as not tried. */
  abandon: () => void
}

/** A lane. All its times are those of the service's clock, epoch milliseconds. */
export class Lane {
  #options: LaneOptions
  readonly #messages = new TokenBucket()
  readonly #openings = new TokenBucket()
  #wake: NodeJS.Timeout | null = null
  readonly #clock: () => number
  readonly #share: LaneShare
  readonly #idle: Array<{ readonly connection: Connection; readonly timer: NodeJS.Timeout }> = []
  readonly #waiting = new Set<SlotRequest>()
  /** Granted slots, by account. */
  readonly #active = new Counter()
  #ofCampaigns = 0
  readonly #running = new Set<Running>()
  /** Connections that are opened, open or being closed. */
  #connections = 0
  /** The places of those that are being closed. */
  readonly #closing = new Set<ConnectionPlace>()
  /** Sends that wait for the place of a connection, the oldest first. */
  readonly #placeless = new Set<(place: ConnectionPlace | null) => void>()

  constructor(options: LaneOptions, { clock, name, share }: LaneContext = alone) {
    this.#options = options
    this.#clock = clock
    this.#share = share(name, options, {
      changed: (now) => this.#fit(now),
      lost: (now) => this.#lose(now)
    })
  }

  /** Follows other options from now on. */
  adopt(options: LaneOptions): void {
    this.#options = options
    this.#share.adopt(options)
  }

  /** The part of the lane's rates that this process has. */
  #part(now: number): number {
    return this.limit(now) / Math.max(1, this.#share.width(now))
  }

  /** Has turns follow the part of the rates that the process has. */
  #followRates(now: number): void {
    const {
      burst = 1,
      connectionsPerMinute,
      messagesPerSecond: most,
      unprovenPerSecond = Infinity
    } = this.#options
    const part = this.#part(now)
    const isRested = this.#share.isRested()
    if (most !== undefined) {
      const rate = (this.isProven(now) ? most : Math.min(most, unprovenPerSecond)) * part
      this.#messages.follow({ perMilli: rate / 1000, burst: burst * rate }, isRested, now)
    }
    if (connectionsPerMinute !== undefined)
      this.#openings.follow(withinMinute(connectionsPerMinute, part), isRested, now)
  }

  /** When the next message may leave, epoch milliseconds; counts it where that is now. */
  #nextTurn(now: number): number {
    if (this.#options.messagesPerSecond === undefined) return now
    this.#followRates(now)
    return this.#messages.take(now)
  }

  /** When the next connection may be opened, epoch milliseconds; counts it where that is now. */
  #nextOpening(now: number): number {
    const { connectionsPerMinute } = this.#options
    if (connectionsPerMinute === undefined) return now
    // Of few, the one with which each process begins would be too many.
    if (connectionsPerMinute < fewestInParts && this.#share.takeOpening !== undefined)
      return this.#share.takeOpening(connectionsPerMinute, now) ?? now
    this.#followRates(now)
    return this.#openings.take(now)
  }

  /** The most connections now. */
  limit(now: number): number {
    return this.#share.places(now)
  }

  /** Whether the destination accepted a message within the last day. */
  isProven(now: number): boolean {
    return this.#share.isProven(now)
  }

  /** How many connections are opened, open or being closed. */
  get connections(): number {
    return this.#connections
  }

  /** How many messages wait for a slot that go before one of this kind. */
  waitingBefore(mailClass: MailClass = "Transactional"): number {
    return this.#before(mailClass).length
  }

  /** Whether the lane holds nothing that is worth keeping. */
  isUnused(now: number): boolean {
    return (
      this.#active.total === 0 &&
      this.#waiting.size === 0 &&
      this.#connections === 0 &&
      this.suspendedUntil(now) === null
    )
  }

  /** Until when the lane is suspended; null when it is not. */
  suspendedUntil(now: number): number | null {
    return this.#share.suspendedUntil(now)
  }

  /** How many slots are free for a message: campaigns leave some to all others. */
  #free(mailClass: MailClass, limit: number): number {
    const free = limit - this.#active.total
    if (mailClass !== "Campaign") return free
    return Math.min(free, Math.max(1, Math.floor(campaignShare * limit)) - this.#ofCampaigns)
  }

  /** The messages that wait, without those that wait for messages of this kind. */
  #before(mailClass: MailClass): ReadonlyArray<SlotRequest> {
    return [...this.#waiting].filter((request) => isBehind(mailClass, request.mailClass))
  }

  /**
   * Whether another message of an account would find no slot soon, with `ahead` others before it. An account that has
   * none in the lane may always wait for one.
   */
  isFull(now: number, accountId: string, ahead = 0, mailClass: MailClass = "Transactional"): boolean {
    if (this.#options.waitsForSlot === true) return false
    if (this.#soonest(now) > now + fullWait) return true
    // Without a share the places that the process is about to get are not known.
    const limit = this.limit(now) || this.#share.width(now)
    const free = Math.max(0, this.#free(mailClass, limit))
    const before = this.#before(mailClass)
    if (before.length + Math.max(0, ahead - free) < limit * waitingPerSlot) return false
    return this.#active.count(accountId) > 0 || before.some((request) => request.accountId === accountId)
  }

  /** Until when the lane takes no more messages of an account, with `ahead` others before; null when it takes them. */
  busyUntil(now: number, ahead: number, accountId: string, mailClass?: MailClass): number | null {
    const isFull = () => this.isFull(now, accountId, ahead, mailClass)
    return this.suspendedUntil(now) ?? (isFull() ? this.#soonest(now) : null)
  }

  /** When a message that finds no slot is sent again at the soonest. */
  #soonest(now: number): number {
    return Math.max(now + fullWait, this.#share.fullUntil(now) ?? 0)
  }

  /**
   * Runs a send in a slot, once there is one; Busy when there is none soon, or when the process loses the slot before the
   * message's last byte. The send may give the slot back before it ends, by the function it is given, and asks for its
   * point of no return as it is given.
   */
  place(
    { accountId, mailClass }: Pick<OutboundMessage, "accountId" | "mailClass">,
    pointOfNoReturn: Effect.Effect<boolean>,
    send: (giveBack: () => void, pointOfNoReturn: Effect.Effect<boolean>) => Effect.Effect<Consequence>
  ): Effect.Effect<Outcome> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const now = yield* Clock.currentTimeMillis
        const request = this.request(now, accountId, mailClass)
        const slot = yield* Effect.onInterrupt(restore(request.slot), () =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.sync(() => this.withdraw(request, at)))
        )
        if (slot._tag === "Full") return { _tag: "Busy", at: this.#soonest(now) }
        if (slot._tag === "Suspended") return { _tag: "Busy", at: slot.until }
        const clock = yield* Clock.Clock
        const nowUnsafe = () => clock.currentTimeMillisUnsafe()
        const busy = (): Consequence => ({
          outcome: { _tag: "Busy", at: nowUnsafe() + fullWait },
          feedback: null
        })
        const running: Running = { isCommitted: false, abandon: () => undefined }
        let isLost = false
        const abandoned = Effect.callback<Consequence>((resume) => {
          running.abandon = () => resume(Effect.succeed(busy()))
        })
        const permission = Effect.suspend(() => {
          // The process was stopped for a while: others may have its places.
          isLost = !this.#share.isHeld(nowUnsafe())
          if (isLost) return Effect.succeed(false)
          running.isCommitted = true
          return pointOfNoReturn
        })
        const sending = Effect.suspend(() => send(() => this.release(request, null, nowUnsafe()), permission))
        this.#running.add(running)
        const exit = yield* Effect.exit(restore(Effect.raceFirst(sending, abandoned)))
        this.#running.delete(running)
        this.release(
          request,
          exit._tag === "Success" ? exit.value.feedback : null,
          yield* Clock.currentTimeMillis
        )
        const { outcome } = yield* exit
        return isLost && outcome._tag === "Withdrawn" ? busy().outcome : outcome
      })
    )
  }

  /** Requests a slot. A slot that was granted is given back by `release`. */
  request(now: number, accountId: string, mailClass: MailClass = "Transactional"): SlotRequest {
    const request = new SlotRequest(accountId, mailClass)
    const until = this.suspendedUntil(now)
    const isNext = () => this.#free(mailClass, this.limit(now)) > 0 && this.#before(mailClass).length === 0
    if (until !== null) request.resolve({ _tag: "Suspended", until })
    else if (isNext() && this.#mayStart(now)) this.#grant(request)
    else if (this.isFull(now, accountId, 0, mailClass)) request.resolve({ _tag: "Full" })
    else {
      this.#waiting.add(request)
      if (this.#options.waitsForSlot !== true)
        request.setTimeout(() => this.#resolve(request, { _tag: "Full" }), slotTimeout)
    }
    this.#tell(now)
    return request
  }

  /** Ends a request whose slot will not be used, and gives back the slot if it was granted. */
  withdraw(request: SlotRequest, now: number): void {
    request.cancelTimeout()
    this.#waiting.delete(request)
    this.release(request, null, now)
  }

  /** Gives a granted slot back, unless that was done before, and learns from the destination's feedback; null for none. */
  release(request: SlotRequest, feedback: Feedback | null, now: number): void {
    if (feedback !== null) this.#share.learn(feedback, now)
    request.giveBack?.()
    request.giveBack = null
    this.#fit(now)
  }

  /** Grants free slots, ends what waits for a lane that is suspended, and closes connections for which there is no place. */
  #fit(now: number): void {
    this.#followRates(now)
    const limit = this.limit(now)
    const until = this.suspendedUntil(now)
    if (until !== null)
      for (const request of this.#waiting) this.#resolve(request, { _tag: "Suspended", until })
    for (let next = this.#next(limit); next !== null && this.#mayStart(now); next = this.#next(limit))
      this.#grant(next)
    for (const resume of this.#placeless) {
      const place = this.#takePlace(now)
      if (place === null) break
      this.#placeless.delete(resume)
      resume(place)
    }
    while (this.#excess(limit) > 0 && this.#idle.length > 0) this.#quit(this.#remove(0).connection)
    this.#tell(now)
  }

  /** How many connections there are beyond a limit, those that are being closed left out. */
  #excess(limit: number): number {
    return this.#connections - this.#closing.size - limit
  }

  /** Closes a connection, whose place is free once it is closed. */
  #quit(connection: Connection): void {
    const { place } = connection
    if (place?.isHeld === true) this.#closing.add(place)
    connection.quit()
  }

  /** Whether a message may start; otherwise those that wait are looked at again once one may. */
  #mayStart(now: number): boolean {
    const at = this.#nextTurn(now)
    if (at > now) this.#wakeIn(at - now)
    return at <= now
  }

  #wakeIn(millis: number): void {
    this.#wake ??= setTimeout(() => {
      this.#wake = null
      this.#fit(this.#clock())
    }, Math.ceil(millis))
    this.#wake.unref()
  }

  #tell(now: number): void {
    this.#share.use(this.#active.total + this.#waiting.size, this.#connections, now)
  }

  /** Ends all sends before their last byte. */
  #lose(now: number): void {
    this.close()
    for (const { abandon, isCommitted } of this.#running) if (!isCommitted) abandon()
    this.#tell(now)
  }

  #hasPlace(now: number): boolean {
    return this.#connections < this.limit(now)
  }

  #takePlace(now: number): ConnectionPlace | null {
    if (!this.#hasPlace(now)) return null
    const at = this.#nextOpening(now)
    if (at > now) {
      this.#wakeIn(at - now)
      return null
    }
    this.#connections++
    return new ConnectionPlace(
      () => {
        const isFree = this.#hasPlace(this.#clock())
        if (isFree) this.#connections++
        return isFree
      },
      (place) => {
        this.#connections--
        this.#closing.delete(place)
        this.#fit(this.#clock())
      }
    )
  }

  /**
   * The place of a new connection; where all are taken, one that is kept without use is closed. Null when none is free
   * soon.
   */
  readonly openPlace: Effect.Effect<ConnectionPlace | null> = Effect.callback((resume) => {
    const free = this.#takePlace(this.#clock())
    if (free !== null) return resume(Effect.succeed(free))
    const done = (place: ConnectionPlace | null) => {
      clearTimeout(timer)
      this.#placeless.delete(done)
      resume(Effect.succeed(place))
    }
    const timer = setTimeout(() => done(null), slotTimeout)
    this.#placeless.add(done)
    const isClosed = this.#closing.size >= this.#placeless.size
    if (!isClosed && !this.#hasPlace(this.#clock()) && this.#idle.length > 0)
      this.#quit(this.#remove(0).connection)
    return Effect.sync(() => {
      clearTimeout(timer)
      this.#placeless.delete(done)
    })
  })

  /**
   * The waiting request that gets the next slot: of the kind of mail that goes first, the oldest of an account that has the fewest
   * slots. Null where no slot is free for any.
   */
  #next(limit: number): SlotRequest | null {
    for (const mailClass of mailClasses) {
      if (this.#free(mailClass, limit) <= 0) continue
      let next: SlotRequest | null = null
      for (const request of this.#waiting)
        if (
          request.mailClass === mailClass &&
          (next === null || this.#active.count(request.accountId) < this.#active.count(next.accountId))
        )
          next = request
      if (next !== null) return next
    }
    return null
  }

  #grant(request: SlotRequest): void {
    const giveBack = this.#active.add(request.accountId)
    const counted = Number(request.mailClass === "Campaign")
    this.#ofCampaigns += counted
    request.giveBack = () => {
      this.#ofCampaigns -= counted
      giveBack()
    }
    this.#resolve(request, { _tag: "Granted" })
  }

  #resolve(request: SlotRequest, slot: Slot): void {
    this.#waiting.delete(request)
    request.resolve(slot)
  }

  /**
   * Takes an open connection to one of those servers, by name, address and terms, out of those that are kept; null for none.
   * Domains with the same addresses share a lane, but each names its servers itself.
   */
  takeConnection(peers: ReadonlyArray<Pick<Peer, "host" | "address" | "security">>): Connection | null {
    while (true) {
      // The last one used is the least likely to have been closed since.
      const index = this.#idle.findLastIndex(({ connection: { peer } }) =>
        peers.some(
          ({ address, host, security }) =>
            address === peer.address && host === peer.host && security?.key === peer.security?.key
        )
      )
      if (index === -1) return null
      const { connection } = this.#remove(index)
      if (connection.isOpen()) return connection
    }
  }

  /** Keeps a connection for the next message, for a while. */
  keepConnection(connection: Connection): void {
    if (!connection.isOpen()) return
    const isOver = this.#excess(this.limit(this.#clock())) > 0
    const maxUses = Math.min(this.#options.maxUses, this.#share.statedUses(this.#clock()))
    if (connection.uses() >= maxUses || isOver || connection.place?.retake() === false)
      return this.#quit(connection)
    const drop = () => {
      const index = this.#idle.findIndex((kept) => kept.connection === connection)
      if (index !== -1) this.#remove(index)
      this.#quit(connection)
    }
    const timer = setTimeout(drop, this.#options.idleMillis)
    timer.unref()
    if (connection.slot !== null) connection.slot.closeIdle = drop
    this.#idle.push({ connection, timer })
  }

  #remove(index: number): { readonly connection: Connection } {
    const [kept] = this.#idle.splice(index, 1)
    clearTimeout(kept!.timer)
    if (kept!.connection.slot !== null) kept!.connection.slot.closeIdle = null
    return kept!
  }

  /**
   * Follows what a server states of its limits in a reply.
   *
   * @param accepted how many messages the connection carried before; null where it was rejected itself, and counts no more
   */
  heed(reply: SmtpReply, accepted: number | null, now: number): void {
    // Other processes may use all places that are not this one's.
    const ofOthers = Math.max(0, this.#share.width(now) - this.limit(now))
    const connections = ofOthers + this.#connections + (accepted === null ? 1 : 0)
    const statement = statementOf(reply, { connections, accepted: accepted ?? 0 })
    if (statement !== null) this.#share.learn({ _tag: "Stated", statement }, now)
  }

  /** Closes all connections that are kept. */
  close(): void {
    if (this.#wake !== null) clearTimeout(this.#wake)
    this.#wake = null
    while (this.#idle.length > 0) this.#quit(this.#remove(0).connection)
  }
}
