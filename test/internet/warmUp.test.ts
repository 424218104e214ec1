/**
 * Simulates forty-five days of warm-up on a virtual clock. Two processes send from several loopback addresses, with the service's
 * own SMTP client, to servers that count the mail from each address by day and group of providers.
 *
 * @module
 */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type Socket } from "node:net"
import { createSecureContext, TLSSocket } from "node:tls"
import { expect } from "vitest"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { selfSigned } from "../../adapters/smtp/Certificate.ts"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import { AuditTrail } from "../../core/accounts/AuditTrail.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { ProcessInfo, unknownProcess } from "../../core/kernel/ProcessInfo.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import type { MailSource } from "../../core/model/Source.ts"
import type { Submission } from "../../core/model/Submission.ts"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { SourceStore } from "../../core/ports/SourceStore.ts"
import { Sources } from "../../core/sending/sources/Sources.ts"
import { capOf, dayOf, warmUpFrom } from "../../core/sending/sources/WarmUpRules.ts"
import { newId } from "../contract/fixtures.ts"
import { deliveriesOf, draftMail, makeSenderOver, queueMail, sendingAccount } from "../support/senders.ts"
import { marketingTo } from "../support/senderTests.ts"

const minute = 60_000
const day = 24 * 60 * minute
const start = Date.UTC(2031, 3, 6)
const days = 45

const [first, second, steady] = ["127.0.0.2", "127.0.0.3", "127.0.0.4"] as const

/** The mail servers of domains, each at its own address, and their group in the plan. */
const places = [
  { domain: "mail.example", host: "mx.google.com", address: "127.3.0.1", group: "google" },
  { domain: "yahoo.example", host: "mx.yahoodns.net", address: "127.3.0.2", group: "yahoo" },
  ...[1, 2, 3, 4, 5].map((index) => ({
    domain: `site${index}.example`,
    host: `mx.site${index}.example`,
    address: `127.3.1.${index}`,
    group: "other"
  }))
]
const [google, yahoo, ...sites] = places as [(typeof places)[0], (typeof places)[0], ...typeof places]

const found = <Value>(name: string, value: Value | undefined) =>
  value === undefined ? Effect.fail(new DnsMissing({ name })) : Effect.succeed([value])

const names = Layer.succeed(Dns, {
  txt: (name) => Effect.fail(new DnsMissing({ name })),
  mx: (name) => {
    const place = places.find(({ domain }) => domain === name)
    return found(name, place && { preference: 10, exchange: place.host })
  },
  addresses: (name) => found(name, places.find(({ host }) => host === name)?.address)
})

const endpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "https://svc.example",
  mailHost: "svc.example",
  takesReports: true
})

const plain = (address: string | undefined): string => (address ?? "").replace("::ffff:", "")

/** Servers that accept and count everything. */
const startServers = async (now: () => number) => {
  const secureContext = createSecureContext(await selfSigned("mx.google.com", Date.now()))
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  /** An address that Google blocks. */
  let blocked: string | null = null
  const serve = (socket: Socket, from: string, to: string) => {
    let input = ""
    let isInMessage = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk: Buffer) => {
      input += chunk.toString("latin1")
      for (;;) {
        const end = input.indexOf(isInMessage ? "\r\n.\r\n" : "\r\n")
        if (end === -1) return
        const line = input.slice(0, end)
        input = input.slice(end + (isInMessage ? 5 : 2))
        if (isInMessage) {
          isInMessage = false
          const { domain, group } = places.find(({ address }) => address === to)!
          for (const key of [group, domain]) {
            const text = `${dayOf(now())} ${from} ${key}`
            counts.set(text, (counts.get(text) ?? 0) + 1)
          }
          say("250 2.0.0 Ok")
        } else if (line.startsWith("EHLO")) say("250-mx\r\n250-STARTTLS\r\n250 PIPELINING")
        else if (line.startsWith("STARTTLS")) {
          say("220 2.0.0 Ready")
          socket.removeAllListeners("data")
          return serve(new TLSSocket(socket, { isServer: true, secureContext }), from, to)
        } else if (line.startsWith("MAIL") && to === google.address && from === blocked)
          say("550 5.7.1 Service unavailable; client host blocked using Spamhaus")
        else if (line.startsWith("RCPT") && from === blocked && to === google.address)
          say("503 5.5.1 No sender")
        else if (line.startsWith("DATA") && !(from === blocked && to === google.address)) {
          isInMessage = true
          say("354 Go ahead")
        } else if (line.startsWith("DATA")) say("503 5.5.1 No recipient")
        else say(line.startsWith("QUIT") ? "221 2.0.0 Bye" : "250 2.0.0 Ok")
      }
    })
  }
  const listener = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.write("220 mx ESMTP\r\n")
    serve(socket, plain(socket.remoteAddress), plain(socket.localAddress))
  })
  await new Promise<void>((resolve) => listener.listen(0, "0.0.0.0", resolve))
  return {
    port: (listener.address() as { port: number }).port,
    block: (address: string | null) => {
      blocked = address
    },
    count: (on: string, from: string, key: string) => counts.get(`${on} ${from} ${key}`) ?? 0,
    total: () => [...counts].reduce((sum, [key, count]) => (key.endsWith(".example") ? sum + count : sum), 0),
    addresses: () => new Set([...counts.keys()].map((key) => key.split(" ")[1]!)),
    stop: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
  }
}

const addSource = (address: string, pool: string, warmUpDay: number | null) =>
  Effect.gen(function* () {
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    const source: MailSource = {
      id: newId(),
      address,
      name: null,
      pool,
      mode: "Active",
      isForced: true,
      reverse: null,
      warmUp: warmUpDay === null ? null : warmUpFrom(warmUpDay, now),
      createdAt: now
    }
    yield* (yield* SourceStore).insert(source)
  })

const plans = Sources.layer.pipe(
  Layer.provide([names, endpoint, AuditTrail.layer]),
  Layer.provide(Ids.layer.pipe(Layer.provideMerge(crypto)))
)

it.effect(
  "no source exceeds its plan, which goes on as its mail is taken, over 45 days",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      let now = start
      const servers = yield* Effect.acquireRelease(
        Effect.promise(() => startServers(() => now)),
        ({ stop }) => Effect.promise(stop)
      )
      const store = yield* SourceStore
      const { advance } = yield* Sources
      yield* store.putPool({ key: "bulk", name: "Bulk", overflow: "warm" })
      yield* store.putPool({ key: "warm", name: "Warm", overflow: null })
      yield* addSource(first, "bulk", 1)
      yield* addSource(steady, "warm", null)
      const { id: accountId } = yield* sendingAccount("Live", {
        pools: { transactional: "warm", marketing: "bulk" }
      })
      const readerAt = (name: string) => `reader@${name}`
      const marketingOf = yield* marketingTo(
        accountId,
        places.map(({ domain }) => readerAt(domain))
      )
      const carrier = () =>
        Direct.layer({ port: servers.port, allowLocal: true }).pipe(Layer.provide([names, endpoint]))
      const sender = () =>
        Effect.provideService(makeSenderOver(carrier()), ProcessInfo, {
          ...unknownProcess,
          node: { ...unknownProcess.node, id: newId(), addresses: ["127.0.0.1"] }
        })
      const senders = [yield* sender(), yield* sender()]

      const mails: Array<Submission> = []
      const queue = (domain: string) => {
        const address = readerAt(domain)
        const mail = draftMail(accountId, [[address, "To"]], { ...marketingOf(address), createdAt: now })
        mails.push(mail)
        return queueMail([mail], now)
      }
      let round = 0
      /** Advances time, and runs each job at its time, alternately by the two processes. */
      const passUntil = Effect.fnUntraced(function* (target: number) {
        for (;;) {
          const { worker } = senders[round++ % 2]!
          yield* worker.drain
          const due = yield* worker.nextDue
          if (due === null || due > target) break
          now = Math.max(due, now + 1)
          yield* TestClock.setTime(now)
        }
        now = Math.max(now, target)
        yield* TestClock.setTime(now)
      })
      const planDayOf = (address: string) =>
        Effect.map(
          store.all,
          ({ sources }) => sources.find((one) => one.address === address)?.warmUp?.day ?? 0
        )

      const planDays: Array<number> = []
      for (let index = 0; index < days; index++) {
        const begin = start + index * day
        const on = dayOf(begin)
        yield* passUntil(begin)
        yield* advance
        if (index === 30) yield* addSource(second, "bulk", 1)
        const caps = new Map<string, number>()
        for (const address of [first, second]) {
          const plan = yield* planDayOf(address)
          if (plan > 0) caps.set(address, capOf(plan))
        }
        planDays.push(yield* planDayOf(first))
        servers.block(index === 11 ? first : null)
        const isQuiet = index >= 19 && index < 26
        // More than the plan allows for four days, and after the second address was added; little otherwise.
        const isBusy = index < 4 || index === 31
        const every = isBusy ? 3 : 48
        const until = isQuiet ? 0 : day
        for (let time = 0; time < until; time += every * minute) {
          yield* passUntil(begin + time)
          const step = time / minute / every
          yield* queue(google.domain)
          if (step % 4 === 0) yield* queue(yahoo.domain)
          if (step % 4 === 2) yield* queue(sites[((step - 2) / 4) % sites.length]!.domain)
        }
        yield* passUntil(begin + day - minute)
        for (const [address, cap] of caps) {
          for (const group of ["google", "yahoo", "other"])
            expect([on, address, group, servers.count(on, address, group) <= cap]).toEqual([
              on,
              address,
              group,
              true
            ])
          for (const { domain } of sites)
            expect([on, address, domain, servers.count(on, address, domain) <= Math.floor(cap / 4)]).toEqual([
              on,
              address,
              domain,
              true
            ])
        }
        // With mail every three minutes, the plan's share is used to the last message.
        if (index < 4) expect([on, servers.count(on, first, "google")]).toEqual([on, capOf(index + 1)])
      }
      yield* passUntil(start + (days + 1) * day)

      // Everything was sent; what exceeded the plan, from the overflow pool.
      const statuses = (yield* deliveriesOf(mails)).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set(["Delivered"]))
      expect(servers.total()).toBe(mails.length)
      expect([...servers.addresses()].toSorted()).toEqual([first, second, steady])
      expect(servers.count(dayOf(start), steady, "google")).toBe(480 - capOf(1))

      // The plan advances by a day for each day on which enough was sent, goes back three days after the block, and does not
      // advance without mail.
      expect(planDays.slice(0, 5)).toEqual([1, 2, 3, 4, 5])
      expect(planDays[11]! - planDays[12]!).toBe(3)
      expect(new Set(planDays.slice(20, 27)).size).toBe(1)
      expect(servers.count(dayOf(start + 11 * day), first, "google")).toBe(0)
      expect(servers.count(dayOf(start + 12 * day), first, "google")).toBeGreaterThan(0)
    }).pipe(Effect.scoped, Effect.provide(plans.pipe(Layer.provideMerge(memory)), { local: true })),
  { timeout: 300_000 }
)
