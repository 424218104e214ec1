/**
 * Tests the dashboard's rules of campaigns, lanes, the API reference and earlier builds, without a browser.
 *
 * @module
 */
import * as fc from "fast-check"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { defaultSettings } from "../../../core/model/Account.ts"
import { recipientReasons } from "../../../core/model/Campaign.ts"
import { relayKinds } from "../../../core/model/MailRelay.ts"
import { markedLinks } from "../../../dashboard/src/lib/campaigns/links.ts"
import {
  bodyOf,
  type CampaignFields,
  changesOf,
  draftOf,
  stepOf,
  type TrackingChoice,
  withoutTest,
  withoutVariant,
  withTest,
  withVariant
} from "../../../dashboard/src/lib/campaigns/draft.ts"
import {
  countedVisits,
  outcomesOf,
  shareDone,
  wouldBeCancelled
} from "../../../dashboard/src/lib/campaigns/outcomes.ts"
import { momentOf, wallTimeOf } from "../../../dashboard/src/lib/campaigns/wallTime.ts"
import {
  marketingChanges,
  marketingDraftOf,
  marketingOf,
  type MarketingSettings
} from "../../../dashboard/src/lib/marketing.ts"
import {
  isLoginChanged,
  loginOf,
  providerServers,
  reportFields,
  urlOfLogin
} from "../../../dashboard/src/lib/relays.ts"
import { limitsOf, namedLane } from "../../../dashboard/src/lib/lanes.ts"
import { addressOf, operationsOf } from "../../../dashboard/src/lib/reference.ts"
import { campaignsEn } from "../../../dashboard/src/texts/campaigns/campaignsEn.ts"
import { relaysEn } from "../../../dashboard/src/texts/relays/relaysEn.ts"

const zone = "Europe/Berlin"

const written = { subject: "Hello", preheader: null, html: "<p>Hi</p>", text: null }

const campaign: CampaignFields = {
  name: "Spring",
  tags: [],
  content: null,
  from: null,
  replyTo: null,
  topic: null,
  audience: { segments: [], exclude: [] },
  schedule: null,
  tracking: null,
  test: null,
  utm: null,
  pace: null,
  window: null,
  quietHours: "Respect",
  whenCapped: { action: "Skip" },
  holdoutPercent: 0
}

describe("a wall time", () => {
  it("is the same after it was a moment, in every zone and at every minute that the clocks show", () => {
    const minute = fc.integer({ min: 0, max: 60 * 24 * 366 * 3 }).map((count) => count * 60_000 + 1.7e12)
    const zones = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "Asia/Kolkata",
      "Pacific/Kiritimati",
      "America/St_Johns"
    )
    fc.assert(
      fc.property(minute, zones, (at, of) => {
        const shown = wallTimeOf(new Date(Math.floor(at / 60_000) * 60_000), of)
        expect(wallTimeOf(new Date(momentOf(shown, of)!), of)).toBe(shown)
      })
    )
  })

  it("that the clocks skip is after the gap, and what is no time is none", () => {
    expect(momentOf("2026-03-29T02:30", zone)).toBe("2026-03-29T01:30:00.000Z")
    expect(momentOf("2026-11-24T09:00", zone)).toBe("2026-11-24T08:00:00.000Z")
    expect([momentOf("", zone), momentOf("2026-13-40T99:99", zone)]).toEqual([null, null])
  })
})

describe("a campaign that is edited", () => {
  it("is sent to the API as it was read, where nothing was changed", () => {
    const all: CampaignFields = {
      ...campaign,
      tags: ["news", "spring"],
      content: { subject: "Hello", preheader: null, html: "<p>Hi</p>", text: null },
      from: { email: "news@shop.example", name: "Shop" },
      topic: "news",
      audience: { segments: ["a", "b"], exclude: ["c"] },
      schedule: { at: "2026-12-01T08:00:00Z" },
      tracking: { opens: true, clicks: false },
      holdoutPercent: 10
    }
    for (const one of [
      all,
      campaign,
      { ...all, schedule: { localTime: "2026-12-01T09:00", late: "Skip" }, content: null },
      { ...all, content: { templateId: "t", templateVersion: 3 } },
      {
        ...all,
        content: {
          templateId: "t",
          templateVersion: null,
          languages: { de: { templateId: "u", templateVersion: 2 } }
        }
      },
      {
        ...all,
        content: null,
        test: {
          variants: ["a", "b"].map((id) => ({ id, name: null, content: written, from: null })),
          share: 30,
          metric: "Opens",
          after: "PT6H",
          decide: "Auto",
          confidence: 0.9,
          undecided: "Ask"
        },
        utm: { source: "news", medium: "email", campaign: "spring", term: null, content: null },
        pace: { emails: 500, per: "Hour" },
        window: { from: "09:00", to: "17:00", days: [1, 2, 3] },
        quietHours: "Ignore",
        whenCapped: { action: "Wait", hours: 12 }
      }
    ]) {
      const draft = draftOf(one, zone)
      const body = bodyOf(draft, zone)
      expect(changesOf(body, bodyOf(draftOf({ ...one, ...body }, zone), zone))).toEqual({})
      const { schedule: _, replyTo: __, ...rest } = one
      expect(body).toMatchObject(rest)
    }
  })

  it("is saved in what was changed alone", () => {
    const before = draftOf(campaign, zone)
    const content = { ...before.content, source: "Written" as const, subject: "Hello" }
    const after = { ...before, content, when: "Time" as const }
    expect(changesOf(bodyOf(before, zone), bodyOf(after, zone))).toEqual({
      content: { subject: "Hello", preheader: null, html: null, text: null }
    })
    // A draft without a time is saved without a schedule; the check before the launch reports it.
    expect(bodyOf({ ...after, at: "2026-12-01T09:00" }, zone).schedule).toEqual({
      at: "2026-12-01T08:00:00.000Z"
    })
  })

  it("compares copies of its content once it has a test, and keeps that of the first without one", () => {
    const one = draftOf({ ...campaign, content: written }, zone)
    const tested = { ...one, ...withTest(one) }
    const three = withVariant(tested.variants)
    expect([bodyOf(tested, zone).content, three.map(({ id }) => id)]).toEqual([null, ["a", "b", "c"]])
    expect(withoutVariant(three, "a").map(({ id }) => id)).toEqual(["a", "b"])
    expect(bodyOf({ ...tested, ...withoutTest(tested) }, zone)).toEqual(bodyOf(one, zone))
  })

  it("keeps each choice of tracking", () => {
    for (const tracking of ["Default", "Both", "Opens", "Clicks", "None"] satisfies Array<TrackingChoice>) {
      const body = bodyOf({ ...draftOf(campaign, zone), tracking }, zone)
      expect(draftOf({ ...campaign, tracking: body.tracking }, zone).tracking).toBe(tracking)
    }
  })

  it("shows a finding where its field is", () => {
    expect(
      ["audience.segments[0]", "topic", "content.subject", "from", "schedule", "approval", null].map(stepOf)
    ).toEqual(["who", "who", "what", "what", "when", "check", "what"])
  })

  it("has a sentence for each reason of a recipient", () => {
    expect(recipientReasons.filter((reason) => campaignsEn.reasons[reason] === undefined)).toEqual([])
  })
})

describe("what became of an audience", () => {
  it("adds up to the audience", () => {
    const emails = fc.record({
      delivered: fc.nat(100),
      sent: fc.nat(100),
      bounced: fc.nat(100),
      queued: fc.nat(100),
      unknown: fc.nat(100),
      pendingReview: fc.nat(100)
    })
    fc.assert(
      fc.property(emails, fc.array(fc.nat(100), { minLength: 4, maxLength: 4 }), (byStatus, others) => {
        const [pending = 0, skipped = 0, heldOut = 0, cancelled = 0] = others
        const submitted = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
        const audience = submitted + pending + skipped + heldOut + cancelled
        const counts = { audience, pending, submitted, skipped, heldOut, cancelled, emails: byStatus }
        expect(Object.values(outcomesOf(counts)).reduce((sum, count) => sum + count, 0)).toBe(audience)
        expect(wouldBeCancelled(counts)).toBe(pending + byStatus.queued + byStatus.pendingReview)
        expect(shareDone(counts)).toBeLessThanOrEqual(1)
      })
    )
  })

  it("counts people and machines apart", () => {
    expect(countedVisits({ human: 3, unknown: 1, machine: 7 })).toEqual({ people: 4, machines: 7 })
  })
})

describe("the login of a relay", () => {
  it("is the same after it was a URL, which shows no password", () => {
    const text = fc
      .string({ minLength: 1, maxLength: 20 })
      .filter((one) => one.isWellFormed() && one !== "***")
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom("Starttls" as const, "Implicit" as const),
        (user, pass, security) => {
          const login = { host: "smtp.example.org", port: "2525", security, user, password: pass }
          const url = urlOfLogin(login)
          expect(URL.parse(url)).not.toBeNull()
          expect(loginOf(url)).toEqual({ ...login, password: "" })
          expect(isLoginChanged(loginOf(url), url)).toBe(false)
        }
      )
    )
  })

  it("keeps what else its URL states, and brackets around an address", () => {
    const shown = "smtps://user:***@[2001:db8::1]:465/?pool=5"
    expect(urlOfLogin({ ...loginOf(shown), password: "new" }, shown)).toBe(
      "smtps://user:new@[2001:db8::1]:465?pool=5"
    )
    expect(relayKinds.filter((kind) => !(kind in providerServers) || !(kind in reportFields))).toEqual([])
    expect(relayKinds.filter((kind) => relaysEn.kinds[kind] === undefined)).toEqual([])
  })
})

describe("the settings of marketing", () => {
  it("are the same after they were typed, and changed in what was typed alone", () => {
    const settings: MarketingSettings = {
      ...defaultSettings,
      quietHours: { from: "21:00", to: "08:00" },
      marketingCaps: [
        { emails: 2, days: 1 },
        { emails: 5, days: 7 }
      ],
      testAddresses: ["ada@example.org", "grace@example.org"]
    }
    const draft = marketingDraftOf(settings)
    expect(settings).toMatchObject(marketingOf(draft))
    expect(marketingChanges(marketingOf(draft), marketingOf({ ...draft, caps: "3 in 2, many" }))).toEqual({
      marketingCaps: [
        { emails: 3, days: 2 },
        { emails: 0, days: 1 }
      ]
    })
  })
})

describe("a lane", () => {
  it("is named by its provider, its domain or its addresses", () => {
    expect(["google", "domain:slow.example", "ip:192.0.2.1+198.51.100.7", "relay"].map(namedLane)).toEqual([
      { provider: "google" },
      { domain: "slow.example" },
      { site: "ip:192.0.2.1+198.51.100.7" },
      { site: "relay" }
    ])
  })

  it("takes the limits that were typed: whole numbers, and hours above none", () => {
    const numbers = ["maxWidth", "idleSeconds"]
    expect(limitsOf({ maxWidth: " 3 ", idleSeconds: "", tls: "required", hours: "0.5" }, numbers)).toEqual({
      values: { rules: { maxWidth: 3, tls: "required" }, hours: 0.5 },
      fields: {}
    })
    for (const text of ["0", "-1", "1.5", "10001", "many", "1e9"])
      expect(limitsOf({ maxWidth: text }, numbers)).toEqual({
        values: { rules: {}, hours: null },
        fields: { maxWidth: "notANumber" }
      })
    expect(limitsOf({ openMs: "30", answerMs: "600" }, numbers)).toEqual({
      values: { rules: { timeouts: { openMs: 30_000, answerMs: 600_000 } }, hours: null },
      fields: {}
    })
    for (const commandMs of ["0", "3601", "1.5", "soon"])
      expect(limitsOf({ commandMs }, numbers).fields).toEqual({ commandMs: "notSeconds" })
    for (const hours of ["0", "-2", "soon", "Infinity"])
      expect(limitsOf({ hours }, numbers).fields).toEqual({ hours: "notHours" })
  })
})

describe("the API reference", () => {
  const document = {
    components: { parameters: { limit: { name: "limit", in: "query", description: "How many" } } },
    paths: {
      "/api/v1/contacts/{reference}": {
        parameters: [{ name: "reference", in: "path", required: true }],
        get: { summary: "Get", parameters: [{ $ref: "#/components/parameters/limit" }] },
        post: {
          description: "Change\nmore",
          requestBody: { content: { "application/json": { example: { a: 1 } } } }
        }
      },
      "/flows/{id}/trigger": { post: {} }
    }
  }

  it("lists the calls below a path with their parameters and an example of the body", () => {
    const [get, post, ...others] = operationsOf(document, "/api/v1/")
    expect([get?.method, get?.parameters.map(({ name }) => name), get?.body]).toEqual([
      "GET",
      ["reference", "limit"],
      null
    ])
    expect([post?.summary, post?.body, others]).toEqual(["Change", '{\n  "a": 1\n}', []])
  })

  it("escapes what is filled in, and leaves out what is not", () => {
    const [get] = operationsOf(document, "/api/v1/")
    expect(addressOf(get!, { reference: "email:a/b@c.example", limit: "5" })).toBe(
      "/api/v1/contacts/email%3Aa%2Fb%40c.example?limit=5"
    )
    expect(addressOf(get!, { reference: "x", limit: " " })).toBe("/api/v1/contacts/x")
  })

  it("is empty where the document is none", () => {
    expect([null, "", [], { paths: { "/api/v1/x": null } }].map((one) => operationsOf(one, "/api"))).toEqual([
      [],
      [],
      [],
      []
    ])
  })
})

describe("links on an email", () => {
  it("are marked with their numbers and clicks, whatever their address is", () => {
    const marked = markedLinks([
      { number: 1, url: "https://a.example/?x=1&y=2", label: "3" },
      { number: 2, url: 'https://a.example/"]{}</style><script>', label: "4" },
      { number: null, url: null, label: "5" }
    ])
    expect(marked).toContain('a[href="https://a.example/?x=1\\26 y=2"]::after{content:"1: 3";')
    expect(marked.match(/[<>&]/g)?.join("")).toBe("<><>")
    expect(marked).not.toContain("5")
    expect(markedLinks([])).toBe("")
    const rendered = (url: string) => markedLinks([{ number: 1, url, label: "1" }])
    expect(rendered("https://a.example/?a=1&b={{ b }}")).toContain(
      'a[href="https://a.example/?a=1\\26 b={{ b }}"]'
    )
    for (const url of [
      'https://a.example/{{ "a" }}',
      "https://a.example/{% if a %}",
      "{{ a | append: '<' }}"
    ]) {
      expect(rendered(url)).toBe("")
    }
  })
})

describe("a build of the dashboard", () => {
  it("keeps the files of the build before alone, and over the same build again", async () => {
    const url = new URL("../../../dashboard/build.mjs", import.meta.url)
    const { keepFormer } = (await import(url.href)) as {
      readonly keepFormer: (present: string, fresh: string, now: number) => void
    }
    const folder = mkdtempSync(join(tmpdir(), "svc-build-"))
    const make = (name: string, files: ReadonlyArray<string>): string => {
      const path = join(folder, name)
      mkdirSync(join(path, "assets"), { recursive: true })
      for (const file of files) writeFileSync(join(path, "assets", file), file)
      return path
    }
    const filesOf = (path: string) => readdirSync(join(path, "assets")).toSorted()
    try {
      const first = make("first", ["a-1.js", "same.css"])
      keepFormer(join(folder, "none"), first, 1)
      const second = make("second", ["a-2.js", "same.css"])
      keepFormer(first, second, 2)
      expect(filesOf(second)).toEqual(["a-1.js", "a-2.js", "same.css"])
      const again = make("again", ["a-2.js", "same.css"])
      keepFormer(second, again, 3)
      expect(filesOf(again)).toEqual(["a-1.js", "a-2.js", "same.css"])
      const third = make("third", ["a-3.js", "same.css"])
      keepFormer(again, third, 4)
      expect(filesOf(third)).toEqual(["a-2.js", "a-3.js", "same.css"])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
