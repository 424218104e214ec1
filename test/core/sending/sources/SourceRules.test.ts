/**
 * Tests of choosing the source of a message, for any sources, pools and suspensions.
 *
 * @module
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import {
  familyOf,
  laneFrom,
  laneWithoutSource,
  type MailSource,
  sourceOfLane
} from "../../../../core/model/Source.ts"
import { providers, ProviderTable } from "../../../../core/sending/shaping/Providers.ts"
import {
  chooseSource,
  type ChoiceRequest,
  conditionOf,
  hasAddress,
  isNamed,
  planDaysOf,
  poolsFrom
} from "../../../../core/sending/sources/SourceRules.ts"

const confirmed = { names: ["mx.example"], isConfirmed: true, checkedAt: 0 }

const warmUp = { day: 1, on: "2031-03-06", startedAt: 0, movedBackAt: null }

const sourceAt = (address: string, values: Partial<MailSource> = {}): MailSource => ({
  id: address,
  address,
  name: null,
  pool: "default",
  mode: "Active",
  isForced: false,
  reverse: confirmed,
  warmUp: null,
  createdAt: 0,
  ...values
})

const request = (values: Partial<ChoiceRequest> = {}): ChoiceRequest => ({
  pool: "default",
  stream: "account example.org",
  families: null,
  own: ["127.0.0.1", "192.0.2.1", "192.0.2.2", "192.0.2.3", "2001:db8::1"],
  isHeld: () => false,
  share: () => "Free",
  isMarketing: false,
  isListed: () => true,
  ...values
})

const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "198.51.100.1", "127.0.0.7", "2001:db8::1"]
const poolKeys = ["default", "a", "b"]

const anySource = fc
  .record({
    address: fc.constantFrom(...addresses),
    pool: fc.constantFrom(...poolKeys),
    mode: fc.constantFrom("Active" as const, "Paused" as const, "Retired" as const),
    isForced: fc.boolean(),
    reverse: fc.constantFrom(null, confirmed, { ...confirmed, isConfirmed: false }),
    warmUp: fc.constantFrom(null, null, warmUp)
  })
  .map(({ address, ...values }) => sourceAt(address, values))

const anySources = fc.record({
  sources: fc.uniqueArray(anySource, { selector: ({ address }) => address }),
  pools: fc.uniqueArray(
    fc.record({
      key: fc.constantFrom(...poolKeys),
      name: fc.constant("pool"),
      overflow: fc.constantFrom(null, ...poolKeys)
    }),
    { selector: ({ key }) => key }
  )
})

it("a message leaves from a source that may send, of its pools and families, whose mail is not held", () =>
  fc.assert(
    fc.property(
      anySources,
      fc.constantFrom(...poolKeys),
      fc.subarray(addresses),
      fc.constantFrom(null, new Set([4 as const]), new Set([6 as const]), new Set([4 as const, 6 as const])),
      fc.string(),
      fc.record({
        free: fc.subarray(addresses),
        asked: fc.subarray(addresses),
        isMarketing: fc.boolean(),
        areListed: fc.boolean()
      }),
      (known, pool, held, families, stream, { areListed, asked, free: withShare, isMarketing }) => {
        const share = ({ address }: MailSource) =>
          withShare.includes(address) ? "Free" : asked.includes(address) ? "Asked" : 7_000
        const isHeld = ({ address }: MailSource) => held.includes(address)
        const isListed = () => areListed
        const given = request({ pool, families, stream, isHeld, share, isMarketing, isListed })
        const choice = chooseSource(known, given)
        const pools = poolsFrom(pool, known)
        const usable = known.sources.filter(
          (source) =>
            pools.includes(source.pool) &&
            source.mode === "Active" &&
            isNamed(source) &&
            // IPv6 requires SPF; IPv4 does not.
            (areListed || familyOf(source.address) === 4) &&
            hasAddress(given.own, source.address) &&
            (families === null || families.has(familyOf(source.address)))
        )
        const free = usable.filter((source) => !isHeld(source))
        const isWarming = (source: MailSource) => source.warmUp !== null
        const able = free.filter((source) => !isWarming(source) || typeof share(source) === "string")
        // The first pool that has a usable source.
        const first = pools.find((key) => able.some((source) => source.pool === key))
        const inFirst = able.filter((source) => source.pool === first)
        const taking = inFirst.filter((source) => isWarming(source) && share(source) === "Free")
        switch (choice._tag) {
          case "Source":
            expect(free).toContain(choice.source)
            if (able.length === 0) expect(isMarketing).toBe(false)
            else {
              expect(choice.source.pool).toBe(first)
              if (taking.length > 0) expect(taking).toContain(choice.source)
            }
            break
          case "Asked":
            expect(taking).toEqual([])
            expect(inFirst).toContain(choice.source)
            expect(share(choice.source)).toBe("Asked")
            break
          case "Warming":
            expect([able, isMarketing, choice.until]).toEqual([[], true, 7_000])
            expect(free).toContain(choice.source)
            break
          case "Held":
            expect(free).toEqual([])
            expect(usable).toContain(choice.source)
            break
          case "None":
            expect(able).toEqual([])
            if (free.length > 0) expect(choice.isElsewhere).toBe(true)
            break
          case "System":
            expect(pools).toContain("default")
            expect(usable.filter((source) => source.pool === "default")).toEqual([])
        }
        expect(chooseSource(known, given)).toEqual(choice)
      }
    ),
    { numRuns: 2000 }
  ))

it("without sources the system chooses, and where the sources of the default pool cannot send yet", () => {
  expect(chooseSource({ sources: [], pools: [] }, request())).toEqual({ _tag: "System" })
  const unready = sourceAt("192.0.2.1", { reverse: null })
  expect(chooseSource({ sources: [unready], pools: [] }, request())).toEqual({ _tag: "System" })
  const paused = { ...unready, mode: "Paused" as const }
  expect(chooseSource({ sources: [paused], pools: [] }, request())._tag).toBe("None")
  expect(chooseSource({ sources: [unready], pools: [] }, request({ pool: "bulk" }))).toEqual({
    _tag: "None",
    pool: "bulk",
    isElsewhere: false
  })
})

it("another process sends what leaves from its addresses", () => {
  const elsewhere = sourceAt("198.51.100.1")
  expect(chooseSource({ sources: [elsewhere], pools: [] }, request())).toMatchObject({ isElsewhere: true })
})

it("streams keep their addresses: one source more moves its own part alone", () => {
  const three = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((address) => sourceAt(address))
  const chosen = (sources: ReadonlyArray<MailSource>, stream: string) => {
    const choice = chooseSource({ sources, pools: [] }, request({ stream }))
    return choice._tag === "Source" ? choice.source.address : null
  }
  const streams = Array.from({ length: 3000 }, (_, index) => `account domain${index}.example`)
  const counts = Map.groupBy(streams, (stream) => chosen(three, stream))
  for (const { address } of three) {
    expect(counts.get(address)!.length).toBeGreaterThan(900)
    expect(counts.get(address)!.length).toBeLessThan(1100)
  }
  for (const stream of streams) {
    const [before, after] = [chosen(three.slice(0, 2), stream), chosen(three, stream)]
    if (after !== three[2]!.address) expect(after).toBe(before)
  }
})

it("the plans of sources limit marketing where all of its pool and of those that take its mail are warmed up", () => {
  const pools = [
    { key: "default", name: "Default", overflow: "a" },
    { key: "a", name: "A", overflow: null }
  ]
  const daysOf = (...sources: ReadonlyArray<MailSource>) => planDaysOf("default", { sources, pools })
  const warming = sourceAt("192.0.2.1", { warmUp })
  const other = sourceAt("192.0.2.2", { pool: "a", warmUp: { ...warmUp, day: 7 } })
  expect(daysOf(warming, other)).toEqual([1, 7])
  expect(daysOf(warming, sourceAt("192.0.2.3", { pool: "b" }))).toEqual([1])
  expect(daysOf(warming, sourceAt("192.0.2.3", { mode: "Paused" }))).toEqual([1])
  expect(daysOf(warming, sourceAt("192.0.2.3", { pool: "a" }))).toEqual([])
  expect(daysOf()).toEqual([])
})

it("a source is ready with a confirmed name and a machine that has it; IPv6 cannot do without the name", () => {
  const own = ["192.0.2.1", "2001:db8::1"]
  expect(conditionOf(sourceAt("192.0.2.1"), own)).toEqual({ state: "Active", reason: null })
  expect(conditionOf(sourceAt("192.0.2.9"), own).reason).toBe("shaping.source_without_node")
  const nameless = { reverse: null, isForced: true }
  expect(conditionOf(sourceAt("192.0.2.1", nameless), own).state).toBe("Active")
  expect(conditionOf(sourceAt("2001:db8::1", nameless), own).reason).toBe("shaping.source_without_ptr")
  expect(conditionOf(sourceAt("2001:db8::1", { mode: "Paused" }), own).state).toBe("Paused")
})

it("a lane from a source belongs to the provider of the lane", () => {
  const table = new ProviderTable()
  for (const { key, mx } of providers) {
    if (mx.length === 0) continue
    for (const address of ["192.0.2.1", "2001:db8::1"])
      for (const lane of [key, `${key}:192.0.2.9`]) {
        const from = laneFrom(lane, { address })
        expect(table.ofLane(from)?.key).toBe(key)
        expect(laneWithoutSource(from)).toBe(lane)
        expect(sourceOfLane(from)).toBe(address)
      }
  }
  expect(sourceOfLane("google")).toBeNull()
})
