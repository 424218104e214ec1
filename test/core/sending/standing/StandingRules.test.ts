/**
 * Tests of rating an account's standing: thresholds, holds that end, and the slow increase after them.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Bucket,
  bucketCounts,
  type BucketCounts,
  goodStanding,
  noBucketCounts
} from "../../../../core/model/Standing.ts"
import { ProviderTable } from "../../../../core/sending/shaping/Providers.ts"
import { checkObservations } from "../../../../core/sending/standing/ObservationRules.ts"
import { changeOf, providerOfServer } from "../../../../core/sending/standing/StandingCounts.ts"
import {
  bounceHoldMillis,
  judgedSince,
  providersHeld,
  rampOf,
  reasonsOf,
  standingAfter,
  startOfDays,
  sumOf
} from "../../../../core/sending/standing/StandingRules.ts"

const now = Date.UTC(2031, 3, 6, 12)
const day = 86_400_000
const accountId = "01890a5d-ac96-774b-bcce-b302099a8057"

const bucket = (counts: Partial<BucketCounts>, provider = "other"): Bucket => ({
  accountId,
  stream: "Marketing",
  domain: "mail.example",
  provider,
  start: startOfDays(1, now),
  source: null,
  ...noBucketCounts,
  ...counts
})

/** The provider table, with one provider added by an operator's file. */
const table = new ProviderTable([{ key: "ours", mx: ["mx.partner.example"] }])
const reporters: ReadonlySet<string> = new Set(["yahoo", "comcast"])

const found = (days: ReadonlyArray<Bucket>, hours: ReadonlyArray<Bucket> = []) =>
  reasonsOf({ days, hours, observations: [], reporters }).map(({ days: of, provider, rate, state }) =>
    [rate, state, provider, of].join(" ")
  )

describe("rates", () => {
  it.each([
    [{ handed: 1_000, bounced: 19 }, []],
    [{ handed: 1_000, bounced: 20 }, ["bounces Notice  7"]],
    [{ handed: 1_000, bounced: 49 }, ["bounces Notice  7"]],
    [{ handed: 1_000, bounced: 50 }, ["bounces Held  7"]],
    [{ handed: 499, bounced: 400 }, []],
    [{ handed: 10_000, policy: 100 }, ["policy Notice other 7"]],
    [{ handed: 200, policy: 20 }, ["policy Held other 7"]],
    [{ handed: 199, policy: 199 }, []]
  ])("of %j are rated as %j", (counts, expected) => {
    expect(found([bucket(counts)])).toEqual(expected)
  })

  it("of complaints count only the mail to providers that report them", () => {
    const silent = bucket({ handed: 1_000_000, delivered: 1_000_000 }, "google")
    expect(found([silent, bucket({ delivered: 1_000, complained: 4 }, "yahoo")])).toEqual([])
    expect(found([silent, bucket({ delivered: 5_000, complained: 5 }, "yahoo")])).toEqual([
      "complaints Notice  7"
    ])
    expect(found([silent, bucket({ delivered: 1_000, complained: 5 }, "yahoo")])).toEqual([
      "complaints Held  7"
    ])
    expect(found([silent, bucket({ delivered: 999, complained: 99 }, "yahoo")])).toEqual([])
    // A provider that sends reports but had nothing to report also counts.
    const content = bucket({ delivered: 5_000 }, "comcast")
    expect(found([content, bucket({ delivered: 5_000, complained: 9 }, "yahoo")])).toEqual([])
    expect(found([content, bucket({ delivered: 5_000, complained: 10 }, "yahoo")])).toEqual([
      "complaints Notice  7"
    ])
  })

  it("of 24 hours hold where a tenth bounced", () => {
    const days = [bucket({ handed: 100_000, bounced: 50 })]
    expect(found(days, [bucket({ handed: 500, bounced: 49 })])).toEqual([])
    expect(found(days, [bucket({ handed: 500, bounced: 50 })])).toEqual(["bounces Held  1"])
  })

  it("of complaints that were entered count from one day on, the highest of each provider", () => {
    const observation = { accountId, provider: "google", domain: "mail.example", day: "2031-04-05" }
    const rated = (...rates: ReadonlyArray<number>) =>
      reasonsOf({
        days: [],
        hours: [],
        reporters,
        observations: rates.map((spamRate) => ({ ...observation, spamRate }))
      }).map(({ provider, state, value }) => [provider, state, value])
    expect(rated(0.0009)).toEqual([])
    expect(rated(0.0002, 0.001)).toEqual([["google", "Notice", 0.001]])
    expect(rated(0.003, 0)).toEqual([["google", "Held", 0.003]])
  })

  it("do not depend on how counts are divided into buckets", () => {
    const counts = fc.record({ handed: fc.nat(2_000), bounced: fc.nat(100), policy: fc.nat(100) })
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 8 }), (parts) => {
        const buckets = parts.map((part) => bucket(part))
        const whole = bucket({
          handed: sumOf(buckets, "handed"),
          bounced: sumOf(buckets, "bounced"),
          policy: sumOf(buckets, "policy")
        })
        expect(found(buckets)).toEqual(found([whole]))
      })
    )
  })
})

describe("standing", () => {
  const good = goodStanding(accountId)
  const reason = (rate: "bounces" | "complaints" | "policy", state: "Notice" | "Held") =>
    ({ rate, state, provider: null, days: 7, value: 1, threshold: 1 }) as const

  it("is held for bounces until a week later, and for complaints until it is lifted", () => {
    const bounced = standingAfter(good, [reason("bounces", "Held")], true, now)
    expect(bounced).toMatchObject({ state: "Held", heldAt: now, heldUntil: now + bounceHoldMillis })
    const complained = standingAfter(
      good,
      [reason("complaints", "Held"), reason("bounces", "Held")],
      true,
      now
    )
    expect(complained).toMatchObject({ state: "Held", heldUntil: null })
    expect(standingAfter(bounced, [reason("bounces", "Held")], true, now + day)).toBe(bounced)
    expect(standingAfter(bounced, [reason("complaints", "Held")], true, now + day).heldUntil).toBeNull()
    const ended = standingAfter(bounced, [reason("bounces", "Held")], true, now + bounceHoldMillis)
    expect(ended).toEqual({ ...good, liftedAt: now + bounceHoldMillis })
    expect(standingAfter(complained, [], true, now + 100 * day)).toBe(complained)
  })

  it("only takes notice where nothing may be held, and of what one provider refuses", () => {
    expect(standingAfter(good, [reason("bounces", "Held")], false, now)).toMatchObject({
      state: "Notice",
      reasons: [{ state: "Notice", threshold: 0.02 }]
    })
    expect(standingAfter(good, [reason("policy", "Held")], true, now).state).toBe("Notice")
    expect(standingAfter(good, [reason("bounces", "Notice")], true, now).state).toBe("Notice")
    const held = standingAfter(good, [reason("complaints", "Held")], true, now)
    expect(standingAfter(held, [], false, now + 1)).toEqual({ ...good, liftedAt: now + 1 })
  })

  it("is not rated by what was counted before a hold ended", () => {
    expect(judgedSince(good, now).days).toBe(startOfDays(7, now))
    const { days, hours } = judgedSince({ liftedAt: now - 5_400_000 }, now)
    expect([days, hours]).toEqual([startOfDays(1, now) + day, now - 3_600_000])
  })

  it("has marketing wait at a provider that refuses it by policy, and nowhere else", () => {
    const of = (provider: string, state: "Notice" | "Held", rate: "policy" | "bounces" = "policy") => ({
      ...reason(rate, state),
      provider
    })
    const reasons = [
      of("google", "Held"),
      of("yahoo", "Notice"),
      of("other", "Held"),
      of("orange", "Held", "bounces")
    ]
    expect([...providersHeld({ reasons })]).toEqual(["google"])
  })

  it("lets marketing increase for five days after a hold", () => {
    expect(rampOf(null, now)).toBeNull()
    expect([0, 1, 4, 5].map((days) => rampOf(now, now + days * day)?.limit ?? null)).toEqual([
      1_000,
      2_000,
      16_000,
      null
    ])
    expect(rampOf(now, now + day - 1)).toEqual({ day: 0, limit: 1_000, next: now + day })
    // The clock was set back, or is that of another node.
    for (const behind of [1, day, 30 * day])
      expect(rampOf(now, now - behind)).toMatchObject({ day: 0, limit: 1_000 })
  })
})

describe("results", () => {
  const key = { accountId, stream: "Marketing", domain: "mail.example" } as const
  const counted = (outcome: Parameters<typeof changeOf>[2]) =>
    changeOf(table, key, outcome, now).map((change) =>
      bucketCounts.filter((name) => change[name] === 1).join(" ")
    )
  const replied = (reply: string) => ({
    host: "mx.one.example [192.0.2.1]",
    tls: null,
    replies: [reply],
    error: null
  })

  it("count by their outcome", () => {
    expect(counted({ _tag: "Delivered" })).toEqual(["handed delivered"])
    expect(counted({ _tag: "Bounced" })).toEqual(["handed bounced"])
    expect(counted({ _tag: "MailboxFull" })).toEqual(["handed mailboxFull"])
    expect(counted({ _tag: "Deferred" })).toEqual(["deferred"])
    expect(counted({ _tag: "Refused", conversation: replied("554 5.6.0 Cannot convert") })).toEqual([
      "handed"
    ])
    expect(counted({ _tag: "Refused", conversation: replied("550 5.7.1 Blocked using a list") })).toEqual([
      "handed policy"
    ])
    expect(counted({ _tag: "Busy", at: now })).toEqual([])
    expect(counted({ _tag: "Withdrawn" })).toEqual([])
  })

  it("belong to the provider of the server", () => {
    expect(providerOfServer(table, "alt1.gmail-smtp-in.l.google.com [192.0.2.1]")).toBe("google")
    expect(providerOfServer(table, "mx.one.example [192.0.2.1]")).toBe("other")
    expect(providerOfServer(table, "google.com.evil.example")).toBe("other")
    expect(providerOfServer(table, null)).toBe("other")
    expect(providerOfServer(table, "a.mx.partner.example [192.0.2.1]")).toBe("ours")
    const observed = { provider: "ours", domain: "mail.example", day: "2031-04-05", spamRate: 0 }
    expect(checkObservations(table, accountId, [observed], now)._tag).toBe("Success")
  })
})
