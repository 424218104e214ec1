/**
 * Tests of the results of a sending domain's checks: what large providers require fails, and the rest warns.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import {
  type AlignmentFacts,
  alignmentOf,
  sandboxAlignment
} from "../../../../core/sending/alignment/AlignmentRules.ts"

const good: AlignmentFacts = {
  domain: "news.example.com",
  mailHost: "mail.svc.example",
  takesReports: false,
  organizationalDomain: (name) => name.split(".").slice(-2).join("."),
  keys: [
    { selector: "svc1r-a", finding: "Found" },
    { selector: "svc1e-a", finding: "Found" }
  ],
  spf: ["v=spf1 a:mail.svc.example ~all"],
  unlisted: [],
  unused: [],
  hasSources: false,
  dmarc: ["v=DMARC1; p=none"],
  exchangers: [{ preference: 10, exchange: "mx.example.com" }],
  hasAddress: true,
  sources: [
    { address: "192.0.2.1", sendsAs: "mail.svc.example", names: ["mail.svc.example"], isConfirmed: true }
  ],
  isRelayed: false,
  hasSecureLinks: true
}

/** The checks that do not pass, with their outcomes. */
const wrong = (facts: Partial<AlignmentFacts>) =>
  alignmentOf({ ...good, ...facts })
    .filter(({ outcome }) => outcome !== "Pass")
    .map(({ check, outcome }) => `${check} ${outcome}`)

describe("alignment", () => {
  it("passes where every record is there, without anything to do", () => {
    const checks = alignmentOf(good)
    expect(checks.map(({ check }) => check)).toEqual(sandboxAlignment.map(({ check }) => check))
    expect(checks.map(({ fix, outcome }) => [outcome, fix])).toEqual(checks.map(() => ["Pass", null]))
  })

  it("advises a DMARC record that has reports sent here where they are taken", () => {
    const dmarcOf = (dmarc: ReadonlyArray<string>) =>
      alignmentOf({ ...good, takesReports: true, dmarc }).find(({ check }) => check === "Dmarc")!
    const asking = "v=DMARC1; p=none; rua=mailto:dmarc@mail.svc.example"
    expect(dmarcOf([]).fix).toContain(asking)
    expect(dmarcOf([asking])).toMatchObject({ outcome: "Pass", seen: asking })
    expect(dmarcOf(["v=DMARC1; p=reject"])).toMatchObject({
      outcome: "Pass",
      seen: "v=DMARC1; p=reject (asks for no reports at dmarc@mail.svc.example)"
    })
  })

  it("names the IPv6 sources that the SPF record keeps from sending, and passes", () => {
    const spf = alignmentOf({ ...good, hasSources: true, unused: ["2001:db8::1"] }).find(
      ({ check }) => check === "Spf"
    )
    expect(spf).toMatchObject({ outcome: "Pass", fix: null })
    expect(spf!.seen).toContain("(does not allow 2001:db8::1: no mail of ")
  })

  it.each<[Partial<AlignmentFacts>, ReadonlyArray<string>]>([
    [{ keys: good.keys.map((key) => ({ ...key, finding: "Missing" })) }, ["Dkim Fail"]],
    [{ keys: [good.keys[0]!, { selector: "svc1e-a", finding: "Missing" }] }, ["Dkim Warn"]],
    [{ keys: good.keys.map((key) => ({ ...key, finding: "Unknown" })) }, ["Dkim Warn"]],
    [{ keys: [] }, ["Dkim Fail"]],
    [{ spf: [] }, ["Spf Fail"]],
    [{ spf: ["v=spf1 a", "v=spf1 mx"] }, ["Spf Fail"]],
    [{ unlisted: ["192.0.2.9"] }, ["Spf Fail"]],
    [{ unlisted: "Unknown" }, ["Spf Warn"]],
    [{ unlisted: ["192.0.2.9"], hasSources: true }, ["Spf Fail"]],
    [{ spf: "Unknown" }, ["Spf Warn"]],
    [{ dmarc: ["v=DMARC1; p=reject; aspf=s"] }, ["Spf Warn"]],
    [{ organizationalDomain: (name) => name }, ["Spf Warn"]],
    [{ organizationalDomain: (name) => name, keys: [] }, ["Dkim Fail", "Spf Fail"]],
    [{ dmarc: [] }, ["Dmarc Fail"]],
    [{ dmarc: ["v=DMARC1; p=none", "v=DMARC1; p=reject"] }, ["Dmarc Fail"]],
    [{ dmarc: ["v=DMARC1; rua=mailto:a@b.example"] }, ["Dmarc Fail"]],
    [{ dmarc: ["v=DMARC1; p=some"] }, ["Dmarc Fail"]],
    [{ dmarc: "Unknown" }, ["Dmarc Warn"]],
    [{ hasSecureLinks: false }, ["Unsubscribe Fail"]],
    [{ exchangers: [] }, []],
    [{ exchangers: [], hasAddress: false }, ["Mx Warn"]],
    [{ exchangers: [{ preference: 0, exchange: "" }] }, ["Mx Warn"]],
    [{ sources: [] }, ["Ptr Fail"]],
    [
      {
        sources: [
          { address: "192.0.2.1", sendsAs: "mail.svc.example", names: ["other.example"], isConfirmed: false }
        ]
      },
      ["Ptr Fail"]
    ],
    [
      {
        sources: [{ address: "192.0.2.1", sendsAs: "mail.svc.example", names: "Unknown", isConfirmed: false }]
      },
      ["Ptr Warn"]
    ],
    [{ sources: null }, []]
  ])("of %j is %j", (facts, expected) => {
    expect(wrong(facts)).toEqual(expected)
    for (const { fix, outcome } of alignmentOf({ ...good, ...facts })) {
      expect(fix === null).toBe(outcome === "Pass")
    }
  })

  it("leaves addresses and connections out behind a relay, whose SPF only warns beside DKIM", () => {
    const relayed = { isRelayed: true, sources: null, unlisted: ["192.0.2.9"] } as const
    expect(wrong(relayed)).toEqual([])
    expect(alignmentOf({ ...good, ...relayed }).map(({ check }) => check)).toEqual([
      "Dkim",
      "Spf",
      "Dmarc",
      "Unsubscribe",
      "Mx"
    ])
    expect(wrong({ ...relayed, spf: [] })).toEqual(["Spf Warn"])
    expect(wrong({ ...relayed, spf: [], keys: [] })).toEqual(["Dkim Fail", "Spf Fail"])
  })
})
