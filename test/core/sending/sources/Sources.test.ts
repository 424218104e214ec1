/**
 * Sources over the memory adapter: their reverse names by a DNS of the test, and the machines that have them.
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
import { Sources } from "../../../../core/sending/sources/Sources.ts"

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
      seenAt: now + 2 * day,
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

    // The name has to lead back.
    zone.set("PTR 192.0.2.1", ["out1.svc.example"])
    expect((yield* sources.check(made.id)).reverse).toMatchObject({ isConfirmed: false })
    zone.set("A out1.svc.example", ["192.0.2.1"])
    expect(yield* sources.check(made.id)).toMatchObject({ reason: "shaping.source_without_node" })
    yield* report(["127.0.0.1", "192.0.2.1"])
    expect(yield* sources.get(made.id)).toMatchObject({ state: "Active", reason: null, hosts: ["one"] })

    // Another name has to be confirmed anew; without one it is the installation's.
    const renamed = yield* sources.change(made.id, { name: null }, systemActor)
    expect(renamed).toMatchObject({ state: "Unready", sendsAs: mailHost })
    expect((yield* sources.change(made.id, { isForced: true }, systemActor)).state).toBe("Active")

    // A look-up that fails changes nothing; one that finds nothing does, a day later.
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
