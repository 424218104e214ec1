/**
 * Tests the limits of direct delivery: connections to an address and its network, parked transactions, an account's share of
 * servers that accept nothing, and how long a reply may take.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { afterEach, vi } from "vitest"
import { AddressSlots, siteOf } from "../../../adapters/smtp/transport/AddressSlots.ts"
import * as Direct from "../../../adapters/smtp/transport/Direct.ts"
import { type Limits, limits, shortened } from "../../../adapters/smtp/transport/Limits.ts"
import { Parking, type Parked } from "../../../adapters/smtp/transport/Parking.ts"
import { wholeShare } from "../../../core/kernel/LaneShares.ts"
import { Dns } from "../../../core/ports/Dns.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import {
  type Behaviour,
  loopbackAddress,
  makeWildcardDns,
  type SilentServers,
  startSilentServers
} from "../../support/silentServers.ts"
import { errorOf, messageTo } from "./transport.ts"

let running: SilentServers | null = null

afterEach(async () => {
  await running?.stop()
  running = null
})

/** A transport to servers of the test. Each name `d<number>.evil.test` has its own address. */
const startTransport = Effect.fnUntraced(function* (changes: Partial<Limits>) {
  const servers = yield* Effect.promise(startSilentServers)
  running = servers
  const names = makeWildcardDns()
  names.wildcard(".evil.test", (name) => loopbackAddress(Number(/d(\d+)\./.exec(name)?.[1] ?? 0)))
  const layer = Direct.layer({
    port: servers.port,
    allowLocal: true,
    limits: { ...limits, closeMillis: 50, ...changes }
  }).pipe(
    Layer.provide([
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "http://svc.test",
        mailHost: "svc.test",
        takesReports: true
      }),
      Layer.succeed(Dns, Dns.of(names.dns))
    ])
  )
  return { names, servers, transport: Context.get(yield* Layer.build(layer), MailTransport) }
})

const yes = Effect.succeed(true)

describe("connections to an address", () => {
  it("are bounded, and to its network", () => {
    const slots = new AddressSlots()
    const taken = Array.from({ length: 20 }, () => slots.take("192.0.2.1"))
    expect(taken.every((slot) => slot !== null)).toBe(true)
    expect(slots.take("192.0.2.1")).toBeNull()
    // The same address in another notation.
    expect(slots.take("::ffff:192.0.2.1")).toBeNull()
    for (let index = 0; index < 40; index++) expect(slots.take(`192.0.2.${2 + (index % 4)}`)).not.toBeNull()
    expect(slots.take("192.0.2.200")).toBeNull()
    expect(slots.take("192.0.3.1")).not.toBeNull()
    taken[0]!.release()
    taken[0]!.release()
    expect(slots.take("192.0.2.200")).not.toBeNull()
    expect(slots.take("192.0.2.201")).toBeNull()
  })

  it("count an IPv6 /64 as one address, and a /48 as its network", () => {
    const slots = new AddressSlots()
    for (let index = 0; index < 20; index++) expect(slots.take(`2001:db8:1:1::${index + 1}`)).not.toBeNull()
    expect(slots.take("2001:db8:1:1:ffff::1")).toBeNull()
    for (let index = 0; index < 40; index++) expect(slots.take(`2001:db8:1:${index + 2}::1`)).not.toBeNull()
    expect(slots.take("2001:db8:1:ff::1")).toBeNull()
    expect(slots.take("2001:db8:2::1")).not.toBeNull()
  })

  it("wait for the process's part of their bounds, and each asks again only where it may have come", async () => {
    const changed = new Map<string, () => void>()
    const isHeld = new Set<string>()
    let asked = 0
    const slots = new AddressSlots((lane, bounds, listener) => {
      changed.set(lane, () => listener.changed(0))
      return {
        ...wholeShare(lane, bounds, listener),
        isHeld: () => {
          asked++
          return isHeld.has(lane)
        },
        places: () => (isHeld.has(lane) ? bounds.maxLimit : 0)
      }
    })
    const addresses = Array.from({ length: 1_000 }, (_, index) => `192.0.${index >> 5}.${1 + (index & 31)}`)
    const opened = addresses.map((address) => Effect.runPromise(slots.open(address)))
    await new Promise((resolve) => setImmediate(resolve))
    asked = 0
    for (const [lane, change] of changed) {
      isHeld.add(lane)
      change()
    }
    const found = await Promise.all(opened)
    expect(found.filter((slot) => slot !== null)).toHaveLength(1_000)
    expect(asked).toBeLessThan(10_000)
  })

  it("are closed while they are kept without use, for one that is needed", () => {
    const slots = new AddressSlots()
    const taken = Array.from({ length: 20 }, () => slots.take("192.0.2.1")!)
    const kept = taken[7]!
    let closed = 0
    kept.closeIdle = () => {
      closed++
      kept.release()
    }
    expect(slots.take("192.0.2.1")).toBeNull()
    expect(closed).toBe(1)
    expect(slots.take("192.0.2.1")).not.toBeNull()
  })

  it("make a site by their addresses, whatever the names and the order", () => {
    expect(siteOf(["192.0.2.1", "192.0.2.2"])).toBe(siteOf(["192.0.2.2", "::ffff:192.0.2.1", "192.0.2.1"]))
    expect(siteOf(["2001:db8::1"])).toBe(siteOf(["2001:db8::2"]))
    expect(siteOf(["192.0.2.1"])).not.toBe(siteOf(["192.0.2.1", "192.0.2.2"]))
  })
})

describe("parked transactions", () => {
  const parking = () => {
    const lot = new Parking()
    const abandoned: Array<string> = []
    const enter = (accountId: string, site: string, bytes = 1_000) => {
      const parked: Parked = { accountId, site, bytes, abandon: () => abandoned.push(`${accountId} ${site}`) }
      return { entered: lot.enter(parked), leave: () => lot.leave(parked) }
    }
    return { abandoned, enter }
  }

  it("are bounded by site, account and in all, and the oldest of the account that has most ends", () => {
    const site = parking()
    const all = Array.from({ length: 10 }, (_, index) => site.enter(index < 7 ? `a${index}` : "b", "site"))
    all[3]!.leave()
    for (const _ of [1, 2, 3]) expect(site.enter("c", "site").entered).toBe(true)
    expect(site.abandoned).toEqual(["b site", "b site"])
    const { abandoned, enter } = parking()
    for (let index = 0; index < 26; index++) expect(enter("a", `s${index}`).entered).toBe(true)
    expect(abandoned).toEqual(["a s0"])
    for (let index = 0; index < 176; index++) expect(enter(`b${index % 20}`, `t${index}`).entered).toBe(true)
    expect(abandoned).toEqual(["a s0", "a s1"])
  })

  it("hold no more than so many bytes", () => {
    const { abandoned, enter } = parking()
    expect(enter("a", "s1", 10_000_000).entered).toBe(true)
    expect(enter("a", "s2", 10_000_000).entered).toBe(false)
    for (let index = 0; index < 5; index++) expect(enter(`b${index}`, "s3", 10_000_000).entered).toBe(true)
    expect(enter("c", "s4", 10_000_000).entered).toBe(false)
    expect(abandoned).toEqual([])
  })
})

describe("a server that accepts a message and never replies", () => {
  it.live("holds no slot after a while, and its late reply still counts", () =>
    Effect.gen(function* () {
      const { servers, transport } = yield* startTransport({ parkMillis: 200, answerMillis: 60_000 })
      let parked = 0
      const sends = Array.from({ length: 4 }, () =>
        transport.send(messageTo("ada@d1.evil.test"), yes, () => {
          parked++
        })
      )
      const fibers = yield* Effect.forEach(sends, (send) => Effect.forkChild(send))
      // There are two slots: the third and fourth message are sent once the first two are parked.
      yield* Effect.promise(() =>
        vi.waitFor(() => expect([parked, servers.received(), servers.open()]).toEqual([4, 4, 4]), {
          timeout: 20_000
        })
      )
      servers.answerAll("250 2.0.0 Ok")
      const outcomes = yield* Effect.forEach(fibers, Fiber.join)
      expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Delivered", "Delivered", "Delivered", "Delivered"])
    }).pipe(Effect.scoped)
  )

  it.live("leaves the outcome unknown where the account parks too many, and sends nothing twice", () =>
    Effect.gen(function* () {
      const { servers, transport } = yield* startTransport({ parkMillis: 100, answerMillis: 60_000 })
      const fibers = yield* Effect.forEach(Array.from({ length: 30 }), (_, index) =>
        Effect.forkChild(transport.send(messageTo(`ada@d${index}.evil.test`), yes))
      )
      yield* Effect.promise(() =>
        vi.waitFor(() => expect([servers.received(), servers.open()]).toEqual([30, 25]), { timeout: 20_000 })
      )
      servers.answerAll("250 2.0.0 Ok")
      const outcomes = yield* Effect.forEach(fibers, Fiber.join)
      const tags = Map.groupBy(outcomes, ({ _tag }) => _tag)
      expect([tags.get("Unknown")?.length, tags.get("Delivered")?.length]).toEqual([5, 25])
    }).pipe(Effect.scoped)
  )
})

describe("an account", () => {
  it.live("has 50 messages at servers that took none yet, and any number at those that did", () =>
    Effect.gen(function* () {
      const { names, servers, transport } = yield* startTransport({})
      servers.behave("127.0.0.2", "accepts")
      names.set("good.test", "127.0.0.2")
      expect((yield* transport.send(messageTo("ada@good.test"), yes))._tag).toBe("Delivered")
      const fibers = yield* Effect.forEach(Array.from({ length: 50 }), (_, index) =>
        Effect.forkChild(transport.send(messageTo(`ada@d${index}.evil.test`), yes))
      )
      yield* Effect.promise(() => vi.waitFor(() => expect(servers.open()).toBe(51), { timeout: 20_000 }))
      const next = messageTo("ada@d99.evil.test")
      expect((yield* transport.send(next, yes))._tag).toBe("Busy")
      const now = Date.now()
      const tries = Array.from({ length: 5 }, () =>
        transport.busyUntil("d99.evil.test", now, 0, next.accountId)
      )
      expect(new Set(tries).size).toBe(5)
      expect(transport.busyUntil("good.test", now, 0, next.accountId)).toBeNull()
      expect((yield* transport.send(messageTo("bob@good.test"), yes))._tag).toBe("Delivered")
      expect(transport.busyUntil("d99.evil.test", now, 0, "another")).toBeNull()
      yield* Effect.forEach(fibers, Fiber.interrupt)
    }).pipe(Effect.scoped)
  )
})

describe("a server without an end to its replies", () => {
  const stages: ReadonlyArray<readonly [Behaviour, string]> = [
    ["connect", "timeout"],
    ["ehlo", "timeout"],
    ["mail", "timeout"],
    ["rcpt", "timeout"],
    ["drips", "timeout"],
    ["endless", "timeout"]
  ]
  it.live("is left when the time of its stage has ended, however it replies", () =>
    Effect.gen(function* () {
      const { servers, transport } = yield* startTransport({
        openMillis: 700,
        helloMillis: 700,
        commandMillis: 700
      })
      const outcomes = yield* Effect.forEach(
        stages,
        ([behaviour], index) => {
          servers.behave(loopbackAddress(index), behaviour)
          const started = Date.now()
          return Effect.map(transport.send(messageTo(`ada@d${index}.evil.test`), yes), (outcome) => ({
            outcome,
            took: Date.now() - started
          }))
        },
        { concurrency: "unbounded" }
      )
      expect(outcomes.map(({ outcome }) => [outcome._tag, errorOf(outcome)])).toEqual(
        stages.map(([, error]) => ["Deferred", error])
      )
      for (const { took } of outcomes) expect(took).toBeLessThan(5_000)
    }).pipe(Effect.scoped)
  )

  it("is given less time where others wait, except for the reply to the message", () => {
    const short = shortened(limits)
    expect(short).toEqual({
      ...limits,
      openMillis: 10_000,
      helloMillis: 10_000,
      commandMillis: 30_000,
      bodyMillis: 60_000,
      reachMillis: 30_000
    })
    expect(shortened({ ...limits, openMillis: 5 }).openMillis).toBe(5)
  })
})
