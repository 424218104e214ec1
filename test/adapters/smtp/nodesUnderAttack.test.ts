/**
 * Tests four nodes over one storage that send to servers which reject, close, fall silent or reply nonsense, each in one way at
 * one stage of the dialogue. The servers count connections and messages.
 *
 * The nodes use a virtual clock; the connections are real.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type Socket } from "node:net"
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls"
import { layer as crypto } from "../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { selfSigned } from "../../../adapters/smtp/Certificate.ts"
import * as Direct from "../../../adapters/smtp/transport/Direct.ts"
import { limits } from "../../../adapters/smtp/transport/Limits.ts"
import { LaneShares, type LaneSharesShape } from "../../../core/kernel/LaneShares.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { Dns } from "../../../core/ports/Dns.ts"
import { ShapingStore } from "../../../core/ports/ShapingStore.ts"
import { SuppressionStore } from "../../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import * as LaneLeases from "../../../core/sending/shaping/LaneLeases.ts"
import { KnownProviders, ProviderTable } from "../../../core/sending/shaping/Providers.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"
import { deliveriesOf, makeSenderOver, queueMail, sendingAccount } from "../../support/senders.ts"
import { start, to } from "../../support/senderTests.ts"
import { loopbackAddress, makeWildcardDns } from "../../support/silentServers.ts"

const stages = [
  "connect",
  "greeting",
  "ehlo",
  "starttls",
  "tls",
  "mail",
  "rcpt",
  "data",
  "body",
  "dot",
  "quit"
] as const
type Stage = (typeof stages)[number]

/** What a server says or does instead of the expected reply. */
const attacks = [
  "421 4.3.2 closing",
  "451 4.7.1 try again later",
  "550 5.7.1 rejected by policy",
  "554 5.7.1 blocked using zen.spamhaus.org",
  "\u0000\u00ffnonsense",
  "close",
  "silence"
] as const
type Attack = (typeof attacks)[number]

/** The concurrency limit of each server, and of one that has accepted nothing yet. */
const width = 3
const unproven = 2

/** A server and its counts. */
class Target {
  readonly address: string
  readonly domain: string
  readonly stage: Stage
  readonly attack: Attack
  readonly open = new Set<Socket>()
  peak = 0
  unprovenPeak = 0
  readonly hasTls: boolean
  /** How often it accepted the message to each recipient, and how often it received it without replying. */
  readonly accepted = new Map<string, number>()
  readonly unanswered = new Map<string, number>()
  attacked = 0

  constructor(index: number, stage: Stage, attack: Attack) {
    this.address = loopbackAddress(256 * (index + 1) + 1)
    this.domain = `d${index}.test`
    this.stage = stage
    this.attack = attack
    this.hasTls = ["starttls", "tls", "dot"].includes(stage)
  }

  count(): void {
    this.peak = Math.max(this.peak, this.open.size)
    if (this.accepted.size === 0) this.unprovenPeak = Math.max(this.unprovenPeak, this.open.size)
  }
}

const more = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** An SMTP session with a server. */
class Conversation {
  readonly #target: Target
  readonly #isBad: boolean
  readonly #context: SecureContext
  #stream: Socket
  #input = ""
  #recipient = ""
  #isInMessage = false
  #isSilent = false
  #isSecure = false

  constructor(target: Target, socket: Socket, isBad: boolean, context: SecureContext) {
    this.#target = target
    this.#isBad = isBad
    this.#context = context
    this.#stream = socket
  }

  begin(): void {
    const { open } = this.#target
    const socket = this.#stream
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    // Connections closed at the same time are then no longer counted.
    setImmediate(() => this.#target.count())
    this.#read(socket)
    if (!this.#fails("connect") && !this.#fails("greeting")) this.#say("220 server ESMTP")
  }

  #read(stream: Socket): void {
    this.#stream = stream
    stream.on("error", () => stream.destroy())
    stream.on("data", (chunk: Buffer) => {
      this.#input += chunk.toString("latin1")
      while (!this.#stream.destroyed && this.#take());
    })
  }

  #say(line: string): void {
    if (!this.#isSilent && this.#stream.writable) this.#stream.write(`${line}\r\n`, "latin1")
  }

  /** Whether the server attacks at a stage and does not continue. */
  #fails(stage: Stage): boolean {
    const { attack } = this.#target
    if (!this.#isBad || this.#target.stage !== stage) return false
    this.#target.attacked++
    if (stage === "connect" && attack === "close") this.#stream.resetAndDestroy()
    else if (attack === "close") this.#stream.destroy()
    else if (attack === "silence") this.#isSilent = true
    else this.#say(attack)
    if (attack.startsWith("421")) this.#stream.end()
    return true
  }

  #secure(): void {
    if (this.#fails("starttls")) return
    this.#say("220 2.0.0 Ready")
    this.#stream.removeAllListeners("data")
    this.#input = ""
    this.#isSecure = true
    this.#read(new TLSSocket(this.#stream, { isServer: true, secureContext: this.#context }))
  }

  /** Processes a line or a message; false if none is complete. */
  #take(): boolean {
    if (this.#isInMessage && this.#input.length > 0 && this.#fails("body")) {
      this.#isInMessage = false
      this.#input = ""
      return false
    }
    const separator = this.#isInMessage ? "\r\n.\r\n" : "\r\n"
    const end = this.#input.indexOf(separator)
    if (end === -1) return false
    const line = this.#input.slice(0, end)
    this.#input = this.#input.slice(end + separator.length)
    if (this.#isInMessage) this.#message()
    else this.#command(line.toUpperCase(), line)
    return true
  }

  #message(): void {
    this.#isInMessage = false
    const { attack } = this.#target
    if (this.#fails("dot")) {
      if (!/^[45]/.test(attack)) more(this.#target.unanswered, this.#recipient)
      return
    }
    more(this.#target.accepted, this.#recipient)
    this.#say("250 2.0.0 Ok")
  }

  #command(verb: string, line: string): void {
    if (verb.startsWith("EHLO")) {
      if (this.#fails(this.#isSecure ? "tls" : "ehlo")) return
      this.#say(
        this.#isSecure || !this.#target.hasTls
          ? "250-server\r\n250 PIPELINING"
          : "250-server\r\n250-STARTTLS\r\n250 PIPELINING"
      )
    } else if (verb.startsWith("STARTTLS")) this.#secure()
    else if (verb.startsWith("MAIL")) {
      if (!this.#fails("mail")) this.#say("250 2.1.0 Ok")
    } else if (verb.startsWith("RCPT")) {
      this.#recipient = /<(.*?)>/.exec(line)?.[1] ?? ""
      if (!this.#fails("rcpt")) this.#say("250 2.1.5 Ok")
    } else if (verb.startsWith("DATA")) {
      if (this.#fails("data")) return
      this.#isInMessage = true
      this.#say("354 go ahead")
    } else if (verb.startsWith("QUIT")) {
      if (this.#fails("quit")) return
      this.#say("221 2.0.0 Bye")
      this.#stream.end()
    } else this.#say("250 2.0.0 Ok")
  }
}

const startTargets = async () => {
  const targets = stages.flatMap((stage, row) =>
    attacks.map((attack, column) => new Target(row * attacks.length + column, stage, attack))
  )
  const { cert, key } = await selfSigned("server.test", Date.now())
  const context = createSecureContext({ cert, key })
  const state = { isBad: false }
  const byAddress = new Map(targets.map((target) => [target.address, target]))
  const server = createServer({ noDelay: true }, (socket) => {
    const target = byAddress.get((socket.localAddress ?? "").replace("::ffff:", ""))
    if (target === undefined) socket.destroy()
    else new Conversation(target, socket, state.isBad, context).begin()
  })
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const { open } of targets) for (const socket of open) socket.destroy()
    })
  return { targets, state, port: (server.address() as { port: number }).port, stop }
}

const endpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "http://svc.test",
  mailHost: "svc.test",
  takesReports: true
})

const shortLimits = {
  ...limits,
  openMillis: 400,
  helloMillis: 400,
  commandMillis: 400,
  bodyMillis: 400,
  // Long enough that a slow machine does not cause a time-out, which would make the email Unknown.
  answerMillis: 3_000,
  resetMillis: 200,
  closeMillis: 50
}

const wait = (millis: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, millis)))

/** A second of virtual time, with real time for the connections. */
const second = Effect.andThen(TestClock.adjust(1_000), wait(12))

const pass = (seconds: number) => Effect.repeat(second, { times: seconds - 1 })

/** Advances time until a condition holds. If it never holds, the caller's assertion fails. */
const passUntil = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < 180 && !(yield* holds); passed++) yield* second
  })

/** Advances time while an effect ends that may wait for the clock. */
const passWhile = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(second))

/** A node that sends what is due until it is killed. */
const startNode = Effect.fnUntraced(function* (
  carrierOf: (shares: LaneSharesShape) => Parameters<typeof makeSenderOver>[0]
) {
  const store = yield* ShapingStore
  const transactions = yield* Transaction
  const scope = yield* Scope.make()
  const state = { isCutOff: false }
  const unlessCutOff = <A>(effect: Effect.Effect<A, Unavailable>) =>
    Effect.suspend(() => (state.isCutOff ? Effect.fail(new Unavailable({ cause: "cut off" })) : effect))
  const lockLanes: typeof store.lockLanes = (lanes) => unlessCutOff(store.lockLanes(lanes))
  const exchangeLanes: typeof store.exchangeLanes = (lanes) => unlessCutOff(store.exchangeLanes(lanes))
  const leases = Layer.fresh(LaneLeases.layer).pipe(
    Layer.provide([
      crypto,
      Layer.succeed(Transaction, transactions),
      Layer.succeed(ShapingStore, ShapingStore.of({ ...store, exchangeLanes, lockLanes }))
    ])
  )
  const shares = Context.get(yield* Scope.provide(Layer.build(leases), scope), LaneShares)
  const sender = yield* makeSenderOver(carrierOf(shares)).pipe(
    Effect.provideService(LaneShares, shares),
    Scope.provide(scope)
  )
  const work = yield* Effect.forkChild(Effect.forever(Effect.andThen(sender.worker.drain, wait(10))))
  return {
    stop: Effect.andThen(Fiber.interrupt(work), Scope.close(scope, Exit.void)),
    /** Its leases remain. */
    kill: Effect.suspend(() => {
      state.isCutOff = true
      sender.frozen = true
      return Effect.andThen(Fiber.interrupt(work), Scope.close(scope, Exit.void))
    })
  }
})

const page = { page: 1, pageSize: 1_000 }

const attackNodes = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { port, state, stop, targets } = yield* Effect.promise(startTargets)
  const names = makeWildcardDns()
  for (const { address, domain } of targets) names.set(domain, address)
  const table = new ProviderTable([{ key: "default", startWidth: width, maxWidth: width, idleSeconds: 0.1 }])
  const carrierOf = (shares: LaneSharesShape) =>
    Direct.layer({ port, allowLocal: true, limits: shortLimits }).pipe(
      Layer.provide([
        endpoint,
        Layer.succeed(Dns, Dns.of(names.dns)),
        Layer.succeed(LaneShares, shares),
        Layer.succeed(KnownProviders, table)
      ])
    )
  const nodes = yield* Effect.forEach([1, 2, 3, 4], () => startNode(carrierOf))
  yield* Effect.addFinalizer(() => passWhile(Effect.forEach(nodes, ({ kill }) => kill)))
  const accounts = yield* Effect.forEach([1, 2, 3], () => sendingAccount())
  const mails = targets.flatMap(({ domain, stage }) =>
    Array.from({ length: 3 }, (_, index) =>
      to(accounts[index]!.id, `p${index}@${domain}`, {
        createdAt: start,
        // So long that its last bytes are sent separately.
        subject: "x".repeat(stage === "body" ? 20_000 : 20)
      })
    )
  )
  // Every second server is known to accept mail at the beginning.
  const known = mails.filter((_, index) => index % 6 === 0)
  yield* queueMail(known, start)
  const accepting = () => targets.filter(({ accepted }) => accepted.size > 0).length
  yield* passUntil(Effect.sync(() => accepting() === known.length))
  expect(accepting()).toBe(known.length)
  state.isBad = true
  yield* queueMail(
    mails.filter((_, index) => index % 6 !== 0),
    start
  )
  yield* passUntil(Effect.sync(() => targets.every(({ attacked }) => attacked > 0)))
  yield* pass(10)

  // The lanes of a killed node are free once its leases have ended.
  const holders = Effect.map((yield* ShapingStore).lanes(page, {}), ({ items }) => items)
  yield* passWhile(nodes[0]!.kill)
  yield* pass(21)
  const now = yield* Clock.currentTimeMillis
  const left = new Set(
    (yield* holders).flatMap(({ leases }) => leases.flatMap((one) => (one.expiresAt > now ? [one.node] : [])))
  )
  expect(left.size).toBeLessThanOrEqual(3)

  // Everything is sent once the servers recover.
  state.isBad = false
  const isDone = Effect.map(deliveriesOf(mails), (found) =>
    found.every(({ status }) => status === "Delivered" || status === "Unknown")
  )
  for (let step = 0; step < 60 && !(yield* isDone); step++) {
    yield* TestClock.adjust(15 * 60_000)
    yield* pass(5)
  }
  const found = yield* deliveriesOf(mails)
  yield* passWhile(Effect.forEach(nodes.slice(1), ({ stop: end }) => end))

  const untouched = targets.filter(({ attacked }) => attacked === 0)
  expect(untouched.map(({ attack, stage }) => [stage, attack])).toEqual([])
  for (const target of targets) {
    const name = `${target.stage} ${target.attack}`
    const own = found.filter(({ email }) => email.endsWith(`@${target.domain}`))
    const statuses = own.map(({ email, reason, status }) => [
      name,
      email,
      status,
      reason,
      target.accepted.get(email) ?? 0,
      target.unanswered.get(email) ?? 0
    ])
    // A message that a server may have received without replying is never sent again.
    const isUnknown = ({ email, status }: (typeof own)[number]) =>
      target.unanswered.has(email) || (target.stage === "body" && status === "Unknown")
    expect(statuses).toEqual(
      own.map((one) =>
        isUnknown(one)
          ? [name, one.email, "Unknown", one.reason, 0, target.stage === "body" ? 0 : 1]
          : [name, one.email, "Delivered", one.reason, 1, 0]
      )
    )
    expect([name, target.peak <= width, target.unprovenPeak <= unproven]).toEqual([name, true, true])
  }
  const suppressed = yield* Effect.forEach(accounts, ({ id }) =>
    Effect.flatMap(SuppressionStore, (store) => store.list(id, page))
  )
  expect(suppressed.flatMap(({ items }) => items)).toEqual([])
  const isClosed = Effect.sync(() => targets.every(({ open }) => open.size === 0))
  yield* passUntil(isClosed)
  expect(yield* isClosed).toBe(true)
  yield* Effect.promise(stop)
})

it.effect(
  "nodes lose, repeat and suppress nothing, and keep each width, whatever servers do at whatever stage",
  () => attackNodes.pipe(Effect.scoped, Effect.provide(Layer.fresh(memory))),
  60_000
)
