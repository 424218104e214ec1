import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type DkimKey, newDomain, type SendingDomain, signingKeys } from "../../../../core/model/Domain.ts"
import { isRecordOf, selectorOf } from "../../../../core/sending/domains/DomainRecords.ts"
import {
  decideCheck,
  type Finding,
  type Findings,
  nextCheckAt,
  recordKey,
  type RecordLookUp,
  refreshRecords
} from "../../../../core/sending/domains/DomainRules.ts"

const receiver = { mailHost: "mail.svc.example", takesReports: false }
const now = Date.UTC(2031, 4, 6)
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const id = "0198c0de-0000-7000-8000-0123456789ab"

const keysOf = (generation: number, state: DkimKey["state"], createdAt = now): ReadonlyArray<DkimKey> =>
  (["rsa", "ed25519"] as const).map((algorithm) => ({
    selector: selectorOf(id, generation, algorithm),
    algorithm,
    publicKey: `key${generation}${algorithm}`,
    sealedKey: "sealed",
    state,
    createdAt,
    retiredAt: state === "Retired" ? createdAt : null
  }))

const domainOf = (values: Partial<SendingDomain> = {}): SendingDomain =>
  refreshRecords(
    {
      ...newDomain({ id, accountId: "account", domain: "example.com", createdAt: now }, false),
      keys: keysOf(1, "Active"),
      ...values
    },
    receiver
  )

const verified = domainOf({ status: "Verified", verifiedAt: now - day })

/** The findings for a domain's records: all found, except where a function returns something else. */
const findingsOf = (
  domain: SendingDomain,
  findingOf: (purpose: string, name: string) => Finding = () => "Found"
): Findings =>
  new Map(
    domain.records.map((record) => [recordKey(record), { finding: findingOf(record.purpose, record.name) }])
  )

const all = (finding: Finding) => (domain: SendingDomain) => findingsOf(domain, () => finding)
const found = all("Found")
const missing = all("Missing")
const unknown = all("Unknown")

const scheduled = (domain: SendingDomain, findings: Findings, at: number) =>
  decideCheck(domain, findings, receiver, at, true)

describe("a check", () => {
  it("verifies when the active keys and the return path are found, whatever the other records", () => {
    for (const before of [domainOf(), domainOf({ status: "Failing", failedChecks: 7 })]) {
      for (const isScheduled of [true, false]) {
        const findings = findingsOf(before, (purpose) =>
          purpose === "SPF" || purpose === "DMARC" ? "Missing" : "Found"
        )
        const { domain, isClear } = decideCheck(before, findings, receiver, now + 5, isScheduled)
        expect(isClear).toBe(true)
        expect(domain).toMatchObject({
          status: "Verified",
          failedChecks: 0,
          verifiedAt: now + 5,
          checkedAt: now + 5
        })
        expect(domain.records.map((record) => record.found)).toEqual([true, true, true, false, false])
      }
    }
    expect(scheduled(verified, found(verified), now).domain.verifiedAt).toBe(verified.verifiedAt)
  })

  it("never verifies with a required record that is not found", () => {
    const finding = fc.constantFrom<Finding>("Found", "Missing", "Unknown")
    fc.assert(
      fc.property(
        fc.array(finding, { minLength: 5, maxLength: 5 }),
        fc.constantFrom("Pending", "Failing", "Verified"),
        fc.nat({ max: 4 }),
        fc.boolean(),
        (list, status, failedChecks, isScheduled) => {
          const before = domainOf({ status, failedChecks, verifiedAt: 1 })
          const findings = new Map(
            before.records.map((record, index) => [recordKey(record), { finding: list[index]! }])
          )
          const { domain, isClear } = decideCheck(before, findings, receiver, now, isScheduled)
          const required = list.slice(0, 3)
          const holds = required.every((one) => one === "Found")
          expect(isClear).toBe(holds || required.includes("Missing"))
          if (holds) expect(domain).toMatchObject({ status: "Verified", failedChecks: 0 })
          else if (status !== "Verified") expect(domain.status).toBe(status)
          if (!isClear || !isScheduled) {
            expect(domain.status).toBe(holds ? "Verified" : status)
            if (!holds) expect(domain.failedChecks).toBe(failedChecks)
          }
          list.forEach((one, index) => {
            expect(domain.records[index]!.found).toBe(one === "Found")
          })
        }
      )
    )
  })

  it("un-verifies at the third failing day in a row, and not before", () => {
    let domain = verified
    for (const [index, status] of (["Verified", "Verified", "Failing", "Failing"] as const).entries()) {
      domain = scheduled(domain, missing(domain), now + index * day).domain
      expect([index, domain.status]).toEqual([index, status])
    }
    domain = scheduled(domain, found(domain), now + 5 * day).domain
    expect(domain).toMatchObject({ status: "Verified", failedChecks: 0, verifiedAt: now + 5 * day })
    for (const [index, findings] of [missing, missing, found, missing, missing].entries()) {
      domain = scheduled(domain, findings(domain), now + (6 + index) * day).domain
      expect(domain.status).toBe("Verified")
    }
  })

  it("counts no failing day when a name server does not reply, and keeps records found", () => {
    let domain = scheduled(verified, found(verified), now).domain
    for (let index = 0; index < 10; index++) {
      const checked = scheduled(domain, unknown(domain), now + index)
      expect(checked.isClear).toBe(false)
      expect(nextCheckAt(checked, now, 0.5)).toBe(now + hour)
      expect(checked.domain).toMatchObject({ status: "Verified", failedChecks: 0, records: domain.records })
      domain = checked.domain
    }
  })

  it("keeps what was seen at a name until a server replies again", () => {
    const spf = verified.records.find(({ purpose }) => purpose === "SPF")!
    const seenAfter = (before: SendingDomain, look: RecordLookUp) => {
      const { domain } = decideCheck(before, new Map([[recordKey(spf), look]]), receiver, now, true)
      expect(domain.records.filter(({ seen }) => seen !== undefined).length).toBeLessThanOrEqual(1)
      return domain
    }
    const seenOf = ({ records }: SendingDomain) => records.find(({ purpose }) => purpose === "SPF")!.seen
    expect(seenOf(verified)).toBeUndefined()
    const seen = seenAfter(verified, { finding: "Missing", seen: ["v=spf1 -all"] })
    expect(seenOf(seen)).toEqual(["v=spf1 -all"])
    expect(seenOf(seenAfter(seen, { finding: "Unknown" }))).toEqual(["v=spf1 -all"])
    expect(seenOf(refreshRecords(seen, receiver))).toEqual(["v=spf1 -all"])
    expect(seenOf(seenAfter(seen, { finding: "Missing", seen: [] }))).toEqual([])
  })

  it("un-verifies nothing on request, however often", () => {
    let domain = verified
    for (let index = 0; index < 10; index++) {
      domain = decideCheck(domain, missing(domain), receiver, now, false).domain
      expect(domain).toMatchObject({ status: "Verified", failedChecks: 0 })
      expect(domain.records.some((record) => record.found)).toBe(false)
    }
  })

  it("verifies no domain without keys", () => {
    const bare = domainOf({ keys: [] })
    expect(scheduled(bare, found(bare), now).domain.status).toBe("Pending")
  })

  it("requires the records of the current mail host", () => {
    const { domain } = decideCheck(
      verified,
      found(verified),
      { ...receiver, mailHost: "new.svc.example" },
      now,
      true
    )
    expect(domain.status).toBe("Verified")
    expect(domain.records.find((record) => record.type === "MX")).toMatchObject({
      value: "10 new.svc.example",
      found: false
    })
  })
})

describe("new keys", () => {
  const rotating = domainOf({
    status: "Verified",
    verifiedAt: now - day,
    createdAt: now - 30 * day,
    keys: [...keysOf(1, "Active", now - 30 * day), ...keysOf(2, "Next")]
  })
  const selectors = (domain: SendingDomain) => signingKeys(domain).map((key) => key.selector)

  it("become active once both are found; the old ones stop signing and are removed a week later", () => {
    const [, second] = keysOf(2, "Next") as [DkimKey, DkimKey]
    const half = findingsOf(rotating, (_, name) => (name.startsWith(second.selector) ? "Missing" : "Found"))
    const waiting = scheduled(rotating, half, now).domain
    expect(waiting.status).toBe("Verified")
    expect(selectors(waiting)).toEqual(selectors(rotating))

    const turned = scheduled(waiting, found(waiting), now + minute).domain
    expect(turned.status).toBe("Verified")
    expect(selectors(turned)).toEqual(keysOf(2, "Active").map((key) => key.selector))
    expect(turned.keys.filter((key) => key.state === "Retired").map((key) => key.retiredAt)).toEqual([
      now + minute,
      now + minute
    ])
    expect(turned.records.filter((record) => record.purpose === "DKIM")).toHaveLength(4)

    const withoutOld = findingsOf(turned, (_, name) => (name.startsWith("svc1") ? "Missing" : "Found"))
    const later = scheduled(turned, withoutOld, now + 7 * day).domain
    expect([later.status, later.keys.length]).toEqual(["Verified", 4])
    const last = scheduled(later, found(later), now + 7 * day + minute).domain
    expect(last.keys.map((key) => key.state)).toEqual(["Active", "Active"])
    expect(last.records).toHaveLength(5)
    expect(
      last.keys.every((key) => last.records.some((record) => isRecordOf(record, key, "example.com")))
    ).toBe(true)
  })

  it("are checked often, which counts no failing days", () => {
    let domain = rotating
    for (let index = 0; index < 20; index++) {
      domain = scheduled(domain, missing(domain), now + index * hour).domain
      expect(domain).toMatchObject({ status: "Verified", failedChecks: 0 })
    }
    for (const [index, status] of (["Verified", "Verified", "Failing"] as const).entries()) {
      domain = scheduled(domain, missing(domain), now + (4 + index) * day).domain
      expect(domain.status).toBe(status)
    }
    expect(selectors(domain)).toEqual(selectors(rotating))
  })
})

describe("the next check", () => {
  const times = (first: SendingDomain, until: number, check = (domain: SendingDomain) => missing(domain)) => {
    const list: Array<number> = []
    let domain = first
    let at = nextCheckAt({ domain, isClear: true }, now, 0)
    while (at <= now + until) {
      list.push(at - now)
      const checked = scheduled(domain, check(domain), at)
      domain = checked.domain
      at = nextCheckAt(checked, at, 0)
    }
    return list
  }
  const ladder = [1, 5, 15, 30].map((minutes) => minutes * minute)

  it("of a new domain is after 1, 5, 15 and 30 minutes, then hourly for 3 days, then daily", () => {
    const list = times(domainOf(), 6 * day)
    expect(list.slice(0, 4)).toEqual(ladder)
    const eager = list.filter((at) => at > 30 * minute && at <= 3 * day + hour)
    expect(eager).toHaveLength(72)
    eager.forEach((at, index) => expect(at).toBe(30 * minute + (index + 1) * hour))
    expect(list.slice(4 + eager.length)).toEqual([4, 5].map((days) => days * day + 30 * minute))
  })

  it("of a verified domain is a day later, spread over an hour", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (spread) => {
        const wait = nextCheckAt({ domain: verified, isClear: true }, now, spread) - now
        expect(wait).toBeGreaterThanOrEqual(day)
        expect(wait).toBeLessThanOrEqual(day + hour)
        expect(Number.isInteger(wait)).toBe(true)
      })
    )
  })

  it("of a verified domain with new keys is that of a new one, counted from their creation", () => {
    const domain = { ...verified, keys: [...verified.keys, ...keysOf(2, "Next")] }
    expect(times(domain, 2 * hour).slice(0, 5)).toEqual([...ladder, 90 * minute])
  })

  it("of a failing domain is hourly for 3 days, then daily", () => {
    const list = times({ ...verified, status: "Failing", failedChecks: 3 }, 6 * day)
    expect(list.slice(0, 72)).toEqual(Array.from({ length: 72 }, (_, index) => (index + 1) * hour))
    expect(list.slice(72)).toEqual([4 * day, 5 * day, 6 * day])
  })
})
