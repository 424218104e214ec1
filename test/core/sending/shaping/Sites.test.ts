/**
 * Tests of grouping the addresses of mail servers into sites, although the DNS returns only a part of them each time.
 *
 * @module
 */
import { Context, Effect, Layer, Scope } from "effect"
import { expect, it } from "@effect/vitest"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { LaneShares } from "../../../../core/kernel/LaneShares.ts"
import { ShapingStore } from "../../../../core/ports/ShapingStore.ts"
import * as LaneLeases from "../../../../core/sending/shaping/LaneLeases.ts"
import { newLane } from "../../../../core/model/Lane.ts"
import { siteOfLane, Sites } from "../../../../core/sending/shaping/Sites.ts"

const day = 86_400_000

it("a set of which half is known belongs to the site that has that half, for a day after it was last seen", () => {
  const sites = new Sites()
  expect(sites.nameOf("a+b", 0)).toBe("a+b")
  expect(sites.nameOf("b+c", 1)).toBe("a+b")
  // Further rotation is still the same site, whose addresses now include these.
  expect(sites.nameOf("c+d", 2)).toBe("a+b")
  expect(sites.nameOf("d", 3)).toBe("a+b")
  // Fewer than half of the three are known.
  expect(sites.nameOf("a+x+y", 4)).toBe("a+x+y")
  // Of two sites, the one with more of the addresses is chosen.
  expect(sites.nameOf("b+x+y", 5)).toBe("a+x+y")
  expect(sites.nameOf("c+d", day + 1)).toBe("a+b")
  expect(sites.nameOf("b", day + 2)).toBe("a+b")
  expect(sites.nameOf("c", 3 * day)).toBe("c")
})

it("only lanes to addresses have a site", () => {
  expect(
    [
      "ip:192.0.2.1+2001:db8:0:0::/64@192.0.2.9",
      "mimecast:192.0.2.1",
      "google",
      "relay:1",
      "domain:a.example"
    ].map(siteOfLane)
  ).toEqual(["192.0.2.1+2001:db8:0:0::/64", "192.0.2.1", null, null, null])
})

it.effect("a process that starts names sites as others did before", () =>
  Effect.gen(function* () {
    const store = yield* ShapingStore
    const lane = "ip:192.0.2.1+192.0.2.2@192.0.2.9"
    const none = { leases: [], pace: null, marks: {}, override: null, changedAt: 0 }
    yield* store.lockLanes([{ ...newLane({ startLimit: 3, maxLimit: 20 }), lane, ...none }])
    const scope = yield* Scope.make()
    const context = yield* Scope.provide(Layer.build(LaneLeases.layer), scope)
    const shares = Context.get(context, LaneShares)
    yield* shares.memory!.refresh
    expect(shares.memory!.sites.nameOf("192.0.2.2+192.0.2.3", 1)).toBe("192.0.2.1+192.0.2.2")
  }).pipe(Effect.provide(Layer.mergeAll(memory, crypto)))
)
