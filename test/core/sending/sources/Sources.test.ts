/**
 * Tests of sources over the memory adapter: their reverse names in the test's DNS, and the machines that have them.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../../adapters/memory/index.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { systemActor } from "../../../../core/model/Actor.ts"
import { Dns, DnsMissing, DnsUnavailable } from "../../../../core/ports/Dns.ts"
import { NodeStore } from "../../../../core/ports/NodeStore.ts"
import { Transaction } from "../../../../core/ports/Transaction.ts"
import { ShapingStore } from "../../../../core/ports/ShapingStore.ts"
import { SourceStore } from "../../../../core/ports/SourceStore.ts"
import type { SourceCounts } from "../../../../core/model/Source.ts"
import type { Suspension } from "../../../../core/model/Suspension.ts"
import { Sources } from "../../../../core/sending/sources/Sources.ts"
import { capOf, dayOf } from "../../../../core/sending/sources/WarmUpRules.ts"
import { newDomain } from "../../../../core/model/Domain.ts"
import { AccountStore } from "../../../../core/ports/AccountStore.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { draftCompany, newId } from "../../../contract/fixtures.ts"

const mailHost = "mail.svc.example"
const start = Date.UTC(2031, 3, 6, 12)
const day = 86_400_000

const zone = new Map<string, ReadonlyArray<string> | "down">()

const look = (type: string) => (name: string) =>
  Effect.suspend((): Effect.Effect<ReadonlyArray<string>, DnsMissing | DnsUnavailable> => {
    const found = zone.get(`${type} ${name}`)
    if (found === "down") return Effect.fail(new DnsUnavailable({ name, reason: "timeout" }))
    return found === undefined ? Effect.fail(new DnsMissing({ name })) : Effect.succeed(found)
  })

const layer = Sources.layer.pipe(
  Layer.provide([
    Layer.succeed(Dns, {
      txt: look("TXT"),
      mx: () => Effect.succeed([]),
      addresses: look("A"),
      names: look("PTR")
    }),
    Layer.succeed(PublicEndpoint, { baseUrl: () => "https://svc.example", mailHost, takesReports: true }),
    AuditTrail.layer
  ]),
  Layer.provide(Ids.layer.pipe(Layer.provideMerge(crypto))),
  Layer.provideMerge(Memory.layer)
)

const report = (addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const now = yield* Effect.sync(() => start)
    yield* (yield* NodeStore).report({
      id: "01890a5d-ac96-774b-bcce-b302099a8057",
      host: "one",
      version: "1",
      runtime: "node",
      roles: ["worker"],
      startedAt: now,
      addresses,
      seenAt: now + 200 * day,
      eventLoopDelayMs: 0,
      memoryBytes: 1,
      heapUsedBytes: 1,
      heapLimitBytes: 1
    })
  })

it.effect("a source is active once its name leads there and back, and a machine has its address", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    zone.clear()
    const sources = yield* Sources
    const given = { address: "192.0.2.1", name: "out1.svc.example", pool: "default", isForced: false }
    const made = yield* sources.create(given, systemActor)
    expect(made).toMatchObject({ state: "Unready", reason: "shaping.source_without_ptr", hosts: [] })
    expect(made.reverse).toEqual({ names: [], isConfirmed: false, checkedAt: start })

    // The name must resolve back to the address.
    zone.set("PTR 192.0.2.1", ["out1.svc.example"])
    expect((yield* sources.check(made.id)).reverse).toMatchObject({ isConfirmed: false })
    zone.set("A out1.svc.example", ["192.0.2.1"])
    expect(yield* sources.check(made.id)).toMatchObject({ reason: "shaping.source_without_node" })
    yield* report(["127.0.0.1", "192.0.2.1"])
    expect(yield* sources.get(made.id)).toMatchObject({ state: "Active", reason: null, hosts: ["one"] })

    // A new name must be confirmed again. A source without a name uses that of the installation.
    const renamed = yield* sources.change(made.id, { name: null }, systemActor)
    expect(renamed).toMatchObject({ state: "Unready", sendsAs: mailHost })
    expect((yield* sources.change(made.id, { isForced: true }, systemActor)).state).toBe("Active")

    // A failed look-up changes nothing. One that finds nothing counts, after a day.
    yield* sources.change(made.id, { isForced: false, name: "out1.svc.example" }, systemActor)
    zone.set("PTR 192.0.2.1", "down")
    yield* TestClock.adjust(day + 1)
    yield* sources.checkDue(start + 1)
    expect((yield* sources.get(made.id)).state).toBe("Active")
    zone.delete("PTR 192.0.2.1")
    yield* sources.checkDue(start)
    expect((yield* sources.get(made.id)).state).toBe("Active")
    yield* sources.checkDue(start + 1)
    expect((yield* sources.get(made.id)).reason).toBe("shaping.source_without_ptr")
  }).pipe(Effect.provide(layer, { local: true }))
)

it.effect(
  "a source names the sending domains whose SPF record does not list it, of accounts whose mail may leave from it",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      zone.clear()
      const sources = yield* Sources
      yield* sources.createPool({ key: "bulk", name: "Bulk", overflow: "default" }, systemActor)
      yield* sources.createPool({ key: "own", name: "Own", overflow: null }, systemActor)
      const sendingFrom = Effect.fnUntraced(function* (
        domain: string,
        pool: string,
        values: { readonly isVerified?: boolean; readonly deletedAt?: number } = {}
      ) {
        const { company, live, sandbox } = draftCompany({ pools: { transactional: pool, marketing: pool } })
        const { deletedAt = null, isVerified = true } = values
        yield* (yield* AccountStore).insert([{ ...company, deletedAt }], [live, sandbox])
        const domains = yield* DomainStore
        const added = { id: newId(), domain, createdAt: start }
        yield* domains.insert(newDomain({ ...added, accountId: live.id }, isVerified))
        // A sandbox sends nothing.
        yield* domains.insert(
          newDomain({ ...added, id: newId(), accountId: sandbox.id, domain: `x.${domain}` }, true)
        )
      })
      yield* sendingFrom("bare.example", "default")
      yield* sendingFrom("listed.example", "default")
      yield* sendingFrom("overflows.example", "bulk")
      yield* sendingFrom("other.example", "own")
      yield* sendingFrom("pending.example", "default", { isVerified: false })
      yield* sendingFrom("deleted.example", "default", { deletedAt: start })
      yield* sendingFrom("silent.example", "default")
      zone.set("TXT bounces.listed.example", ["v=spf1 include:_spf.svc.example ~all"])
      zone.set("TXT _spf.svc.example", ["v=spf1 ip6:2001:db8::7 ~all"])
      zone.set("TXT bounces.overflows.example", ["v=spf1 ip6:2001:db8::8 ~all"])
      zone.set("TXT bounces.silent.example", "down")
      const given = { address: "2001:db8::7", name: null, pool: "default", isForced: false }
      const made = yield* sources.create(given, systemActor)
      expect([made.state, made.spfMissing]).toEqual(["Unready", ["bare.example", "overflows.example"]])
      expect((yield* sources.list({ page: 1, pageSize: 10 })).items[0]?.spfMissing).toBeNull()
      zone.set("TXT bounces.bare.example", ["v=spf1 ip6:2001:db8::/32 ~all"])
      expect((yield* sources.check(made.id)).spfMissing).toEqual(["overflows.example"])
      zone.delete("TXT bounces.listed.example")
      expect((yield* sources.get(made.id)).spfMissing).toEqual(["overflows.example"])
      yield* TestClock.adjust("1 minute")
      expect((yield* sources.get(made.id)).spfMissing).toEqual(["listed.example", "overflows.example"])
      const own = yield* sources.create({ ...given, address: "192.0.2.77", pool: "own" }, systemActor)
      expect(own.spfMissing).toEqual(["other.example"])
    }).pipe(Effect.provide(layer, { local: true }))
)

/** Counts messages of a source on one day. */
const countDay = (sourceId: string, at: number, counts: Partial<SourceCounts>, bucket = "google") =>
  Effect.gen(function* () {
    const store = yield* SourceStore
    const key = { sourceId, day: dayOf(at), bucket }
    const write = Effect.flatMap(store.lockDays([key]), ([row]) => store.putDays([{ ...row!, ...counts }]))
    yield* (yield* Transaction).run(write)
  })

const blockOf = (address: string, at: number): Suspension => ({
  id: newId(),
  lane: `google@${address}`,
  accountId: null,
  sender: null,
  cause: "Reply",
  action: "PauseSource",
  rule: "",
  words: "",
  remedy: "",
  minutes: 120,
  mostMinutes: 720,
  since: at,
  until: at + 7_200_000,
  resolvedAt: null,
  probeUntil: null,
  refused: [],
  slowly: true,
  changedAt: at
})

it.effect(
  "a source is warmed up day by day, moved back by a block, and sends all it is given after 45 days",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      zone.clear()
      zone.set("PTR 127.0.0.2", [mailHost])
      zone.set(`A ${mailHost}`, ["127.0.0.2"])
      yield* report(["127.0.0.1"])
      const sources = yield* Sources
      const given = { address: "127.0.0.2", name: null, pool: "default", isForced: false }
      const { id } = yield* sources.create(given, systemActor)
      const other = yield* sources.create({ ...given, address: "127.0.0.3", isForced: true }, systemActor)
      expect(yield* sources.warmUp(id, 1, systemActor)).toMatchObject({
        state: "Warming",
        warmUp: { day: 1, on: dayOf(start) },
        sentToday: 0,
        capToday: 250
      })
      let now = start
      const passDay = Effect.gen(function* () {
        yield* TestClock.adjust(day)
        now += day
        yield* sources.advance
        return (yield* sources.get(id)).warmUp?.day ?? null
      })
      /** The day of the plan on each calendar day, as long as mail is sent. */
      const course: Array<number | null> = []
      for (let passed = 0; passed < 49; passed++) {
        const { warmUp } = yield* sources.get(id)
        if (warmUp === null) break
        const isAway = passed >= 20 && passed < 21
        yield* countDay(id, now, { sent: isAway ? 10 : capOf(warmUp.day), bounced: 0 })
        // Two blocks on the same day count once.
        if (passed === 11) {
          yield* (yield* ShapingStore).put([
            blockOf("127.0.0.2", now),
            { ...blockOf("127.0.0.2", now + 60_000), lane: "yahoo@127.0.0.2" }
          ])
          yield* sources.advance
          expect((yield* sources.get(id)).warmUp).toMatchObject({ day: 9, movedBackAt: now })
        }
        course.push(yield* passDay)
      }
      const from = (first: number, last: number) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index)
      // The day of the block and the day with little mail are repeated.
      expect(course).toEqual([...from(2, 12), 9, ...from(10, 17), 17, ...from(18, 45)])
      expect(yield* sources.get(id)).toMatchObject({ state: "Warming", capToday: 5 * 390_000 })
      yield* countDay(id, now, { sent: 100_000 })
      expect(yield* passDay).toBeNull()
      expect(yield* sources.get(id)).toMatchObject({ state: "Active", warmUp: null, capToday: null })
      expect((yield* sources.get(other.id)).warmUp).toBeNull()

      // After a month without mail.
      yield* sources.warmUp(id, 30, systemActor)
      for (let passed = 0; passed < 31; passed++) yield* passDay
      expect((yield* sources.get(id)).warmUp?.day).toBe(10)
      yield* countDay(id, now, { sent: 7, bounced: 1 }, "yahoo")
      yield* countDay(id, now, { sent: 5 }, "ip:192.0.2.7")
      const shown = yield* sources.get(id)
      expect([shown.sentToday, shown.capToday]).toEqual([7, 5 * capOf(10)])
      expect(shown.groups.find(({ group }) => group === "yahoo")).toMatchObject({
        cap: capOf(10),
        sent: 7,
        bounced: 1
      })
      expect(yield* sources.prune(now + 3 * day, 100)).toBeGreaterThan(0)
      expect(yield* (yield* SourceStore).daysSince(dayOf(now), ["ip:192.0.2.7"])).toEqual([])
      expect((yield* sources.get(id)).sentToday).toBe(7)
      expect((yield* sources.warmUp(id, null, systemActor)).state).toBe("Active")
    }).pipe(Effect.provide(layer, { local: true }))
)
