/**
 * A lane: one destination from one source, with its concurrency limit, its suspension, its waiting messages and its idle
 * connections.
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

/** The limits and options of a lane. */
export interface LaneOptions extends LaneBounds {
  /** How long an idle connection is kept, in milliseconds. */
  readonly idleMillis: number
  /** The maximum number of messages sent on a connection. */
  readonly maxUses: number
  /** Messages per second, and connections per minute, for all processes together. By default unlimited. */
  readonly messagesPerSecond?: number
  readonly connectionsPerMinute?: number
  /** Messages per second while the destination has accepted none within a day. By default as for others. */
  readonly unprovenPerSecond?: number
  /** The fraction of a second's messages that can leave at once. By default all of them. */
  readonly burst?: number
  /** Whether messages wait for a slot without a time limit. If all mail goes to one relay, none delays others by waiting. */
  readonly waitsForSlot?: boolean
}

/** A lane's name, with which processes share it, how they share it, and the service's clock in epoch milliseconds. */
export interface LaneContext {
  readonly name: string
  readonly share: LaneSharesShape["share"]
  readonly clock: () => number
}

/** The context of a lane that only one process uses. */
const alone: LaneContext = { name: "", share: wholeShare, clock: Date.now }

/** The result of a request for a slot. */
export type Slot =
  | { readonly _tag: "Granted" }
  /** The concurrency limit has been reached. */
  | { readonly _tag: "Full" }
  /** The lane is suspended until a time, in epoch milliseconds. */
  | { readonly _tag: "Suspended"; readonly until: number }

/** How long a message waits for a slot, in milliseconds. */
const slotTimeout = 2000

/** From this number of connections per minute, each process has its part of the rate. Below it, they share one counter. */
const fewestInParts = 40

/** How many messages may wait for each slot. */
const waitingPerSlot = 10

/** After how long a message that found no slot is sent again, in milliseconds. */
export const fullWait = 1000

/** A request for one slot of a lane's concurrency limit. */
export class SlotRequest {
  /** The account of the message. Accounts share a lane's slots. */
  readonly accountId: string
  readonly mailClass: MailClass
  /** Returns the slot, if one was granted. */
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

  /** Ends the request with a result. */
  resolve(slot: Slot): void {
    this.cancelTimeout()
    this.#result = slot
    this.#listener?.(slot)
  }

  /** Calls a function after a time, unless the request ends before. */
  setTimeout(run: () => void, millis: number): void {
    this.#timer = setTimeout(run, millis)
  }

  cancelTimeout(): void {
    clearTimeout(this.#timer)
  }
}

/** A message that is being sent. */
interface Running {
  /** Whether its last byte may be sent. */
  isCommitted: boolean
  /** Ends the sending as if it had not been tried. */
  abandon: () => void
}

/** A lane. All times are those of the service's clock, in epoch milliseconds. */
export class Lane {
  #options: LaneOptions
  readonly #messages = new TokenBucket()
  readonly #openings = new TokenBucket()
  #wake: NodeJS.Timeout | null = null
  readonly #clock: () => number
  readonly #share: LaneShare
  readonly #idle: Array<{ readonly connection: Connection; readonly timer: NodeJS.Timeout }> = []
  readonly #waiting = new Set<SlotRequest>()
  /** The granted slots, by account. */
  readonly #active = new Counter()
  #ofCampaigns = 0
  readonly #running = new Set<Running>()
  /** The number of connections that are being opened, open or being closed. */
  #connections = 0
  /** The places of connections that are being closed. */
  readonly #closing = new Set<ConnectionPlace>()
  /** Sends that wait for the place of a connection, oldest first. */
  readonly #placeless = new Set<(place: ConnectionPlace | null) => void>()

  constructor(options: LaneOptions, { clock, name, share }: LaneContext = alone) {
    this.#options = options
    this.#clock = clock
    this.#share = share(name, options, {
      changed: (now) => this.#fit(now),
      lost: (now) => this.#lose(now)
    })
  }

  /** Applies other options from now on. */
  adopt(options: LaneOptions): void {
    this.#options = options
    this.#share.adopt(options)
  }

  /** The process's part of the lane's rates, from 0 to 1. */
  #part(now: number): number {
    return this.limit(now) / Math.max(1, this.#share.width(now))
  }

  /** Adjusts the token buckets to the process's part of the rates. */
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

  /** When the next message may leave, in epoch milliseconds. If that is now, the message is counted. */
  #nextTurn(now: number): number {
    if (this.#options.messagesPerSecond === undefined) return now
    this.#followRates(now)
    return this.#messages.take(now)
  }

  /** When the next connection may be opened, in epoch milliseconds. If that is now, the connection is counted. */
  #nextOpening(now: number): number {
    const { connectionsPerMinute } = this.#options
    if (connectionsPerMinute === undefined) return now
    // With a low rate, the one connection with which each process begins would exceed it.
    if (connectionsPerMinute < fewestInParts && this.#share.takeOpening !== undefined)
      return this.#share.takeOpening(connectionsPerMinute, now) ?? now
    this.#followRates(now)
    return this.#openings.take(now)
  }

  /** The current maximum number of connections. */
  limit(now: number): number {
    return this.#share.places(now)
  }

  /** Whether the destination accepted a message within the last day. */
  isProven(now: number): boolean {
    return this.#share.isProven(now)
  }

  /** The number of connections that are being opened, open or being closed. */
  get connections(): number {
    return this.#connections
  }

  /** How many waiting messages go before a message of this class. */
  waitingBefore(mailClass: MailClass = "Transactional"): number {
    return this.#before(mailClass).length
  }

  /** Whether the lane has no state that is worth keeping. */
  isUnused(now: number): boolean {
    return (
      this.#active.total === 0 &&
      this.#waiting.size === 0 &&
      this.#connections === 0 &&
      this.suspendedUntil(now) === null
    )
  }

  /** Until when the lane is suspended; null if it is not. */
  suspendedUntil(now: number): number | null {
    return this.#share.suspendedUntil(now)
  }

  /** How many slots are free for a message of a class. Campaigns leave some slots to all other mail. */
  #free(mailClass: MailClass, limit: number): number {
    const free = limit - this.#active.total
    if (mailClass !== "Campaign") return free
    return Math.min(free, Math.max(1, Math.floor(campaignShare * limit)) - this.#ofCampaigns)
  }

  /** The waiting messages, without those that go after messages of this class. */
  #before(mailClass: MailClass): ReadonlyArray<SlotRequest> {
    return [...this.#waiting].filter((request) => isBehind(mailClass, request.mailClass))
  }

  /**
   * Whether another message of an account would find no slot soon, with `ahead` messages before it. An account without a message
   * in the lane may always wait for a slot.
   */
  isFull(now: number, accountId: string, ahead = 0, mailClass: MailClass = "Transactional"): boolean {
    if (this.#options.waitsForSlot === true) return false
    if (this.#soonest(now) > now + fullWait) return true
    // If the process has no share yet, the number of places it will get is not known.
    const limit = this.limit(now) || this.#share.width(now)
    const free = Math.max(0, this.#free(mailClass, limit))
    const before = this.#before(mailClass)
    if (before.length + Math.max(0, ahead - free) < limit * waitingPerSlot) return false
    return this.#active.count(accountId) > 0 || before.some((request) => request.accountId === accountId)
  }

  /** Until when the lane takes no more messages of an account, with `ahead` before them; null if it takes them now. */
  busyUntil(now: number, ahead: number, accountId: string, mailClass?: MailClass): number | null {
    const isFull = () => this.isFull(now, accountId, ahead, mailClass)
    return this.suspendedUntil(now) ?? (isFull() ? this.#soonest(now) : null)
  }

  /** The earliest time at which a message that finds no slot is sent again. */
  #soonest(now: number): number {
    return Math.max(now + fullWait, this.#share.fullUntil(now) ?? 0)
  }

  /**
   * Runs a send in a slot, when there is one. The outcome is Busy if there is none soon, or if the process loses the slot before
   * the message's last byte. The send may return the slot before it ends, with the given function, and must use the given
   * point of no return.
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
          // The process may have been suspended for a while, so other processes may have its places.
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

  /** Requests a slot. `release` returns a granted slot. */
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

  /** Ends a request whose slot will not be used, and returns the slot if it was granted. */
  withdraw(request: SlotRequest, now: number): void {
    request.cancelTimeout()
    this.#waiting.delete(request)
    this.release(request, null, now)
  }

  /** Returns a granted slot, if not done before, and learns from the destination's feedback; null if there is none. */
  release(request: SlotRequest, feedback: Feedback | null, now: number): void {
    if (feedback !== null) this.#share.learn(feedback, now)
    request.giveBack?.()
    request.giveBack = null
    this.#fit(now)
  }

  /** Grants free slots, ends requests if the lane is suspended, and closes connections beyond the limit. */
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

  /** How many connections exceed a limit, not counting those that are being closed. */
  #excess(limit: number): number {
    return this.#connections - this.#closing.size - limit
  }

  /** Closes a connection. Its place becomes free after it is closed. */
  #quit(connection: Connection): void {
    const { place } = connection
    if (place?.isHeld === true) this.#closing.add(place)
    connection.quit()
  }

  /** Whether a message may start now. If not, waiting messages are checked again when one may. */
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

  /** Ends all sends whose last byte has not been sent. */
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
   * Takes a place for a new connection. If all are taken, an idle connection is closed. The result is null if none becomes free
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
   * The waiting request that gets the next slot: of the class of mail that goes first, the oldest request of an account with the
   * fewest slots. Null if no slot is free for any.
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
   * Takes an idle connection to one of the given servers, which must have the same name, address and terms; null if there is
   * none. Domains with the same addresses share a lane, but each may use other names for the servers.
   */
  takeConnection(peers: ReadonlyArray<Pick<Peer, "host" | "address" | "security">>): Connection | null {
    while (true) {
      // The connection used last is the least likely to have been closed by the server.
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

  /** Keeps a connection for the next message, for a limited time. */
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
   * Learns from limits that a server states in a reply.
   *
   * @param accepted the number of messages that the connection carried before; null if the connection itself was rejected, and
   *   is no longer counted
   */
  heed(reply: SmtpReply, accepted: number | null, now: number): void {
    // Other processes may be using all places that are not this process's.
    const ofOthers = Math.max(0, this.#share.width(now) - this.limit(now))
    const connections = ofOthers + this.#connections + (accepted === null ? 1 : 0)
    const statement = statementOf(reply, { connections, accepted: accepted ?? 0 })
    if (statement !== null) this.#share.learn({ _tag: "Stated", statement }, now)
  }

  /** Closes all idle connections. */
  close(): void {
    if (this.#wake !== null) clearTimeout(this.#wake)
    this.#wake = null
    while (this.#idle.length > 0) this.#quit(this.#remove(0).connection)
  }
}
