/**
 * Tests the dashboard's rules without a browser.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { auditDe } from "../../../dashboard/src/texts/audit/auditDe.ts"
import { auditEn } from "../../../dashboard/src/texts/audit/auditEn.ts"
import { errorOf } from "../../../dashboard/src/api/errors.ts"
import { withChange } from "../../../dashboard/src/lib/ahead.ts"
import { gateOf } from "../../../dashboard/src/api/gates.ts"
import { installationDe } from "../../../dashboard/src/texts/installationDe.ts"
import { installationEn } from "../../../dashboard/src/texts/installationEn.ts"
import { type AlertFacts, alertsOf } from "../../../core/operation/AlertRules.ts"
import { queues } from "../../../core/ports/JobQueue.ts"
import { actionName, shortId, shownTarget, targetName } from "../../../dashboard/src/lib/audit.ts"
import { explainRecipient } from "../../../core/explain/ExplainRules.ts"
import { reasons } from "../../../core/explain/Reasons.ts"
import {
  type Campaign,
  type CampaignRecipient,
  campaignStatuses,
  pauseReasons
} from "../../../core/model/Campaign.ts"
import { consentStatuses, isMailable } from "../../../core/model/Consent.ts"
import type { DkimKey } from "../../../core/model/Domain.ts"
import { flowStatuses } from "../../../core/model/Flow.ts"
import { deliveryReasons } from "../../../core/model/DeliveryStatus.ts"
import { recordsOf, selectorOf } from "../../../core/sending/domains/DomainRecords.ts"
import { catalogue } from "../../../core/shared/Problem.ts"
import { alertsDe } from "../../../dashboard/src/texts/said/alertsDe.ts"
import { saidEn, translate as inEnglish } from "../../../dashboard/src/texts/said/english.ts"
import { translate as inGerman } from "../../../dashboard/src/texts/said/german.ts"
import { messagesIn } from "../../../dashboard/src/texts/said/said.ts"
import { saidDe } from "../../../dashboard/src/texts/said/saidDe.ts"
import { statesDe } from "../../../dashboard/src/texts/said/statesDe.ts"
import { failureText, stoppedText } from "../../../dashboard/src/lib/failures.ts"
import { relayUse } from "../../../dashboard/src/lib/relays.ts"
import { eventName, eventSummary } from "../../../dashboard/src/lib/timeline.ts"
import { browserOf } from "../../../dashboard/src/lib/agent.ts"
import { makeEventReader } from "../../../dashboard/src/lib/eventStream.ts"
import { batchesOf } from "../../../dashboard/src/lib/archive.ts"
import { areaOf, lineOf, pointsOf, roundedTop } from "../../../dashboard/src/lib/curve.ts"
import { countsOf } from "../../../dashboard/src/lib/counts.ts"
import { byTime, type Day, figuresOf, totalOf, withResponses } from "../../../dashboard/src/lib/figures.ts"
import { diffOf } from "../../../dashboard/src/lib/diff.ts"
import { distanceOf, makeFormat } from "../../../dashboard/src/lib/format.ts"
import { dkimKeyOf } from "../../../dashboard/src/lib/dkim.ts"
import { attentionKeys } from "../../../dashboard/src/lib/keyAge.ts"
import { objectOf, readableJson } from "../../../dashboard/src/lib/json.ts"
import { headersOf, linksOf } from "../../../dashboard/src/lib/mail.ts"
import {
  batchesOf as itemBatchesOf,
  failedFile,
  guessFields,
  itemOf,
  noReport,
  readSheet,
  showingOf,
  withBatch
} from "../../../dashboard/src/lib/items.ts"
import { readCsv } from "../../../dashboard/src/lib/csv.ts"
import { matching } from "../../../dashboard/src/lib/match.ts"
import {
  filtersOf,
  nextSort,
  onlySearch,
  parseSearch,
  toggleValue,
  valuesOf,
  writeSearch
} from "../../../dashboard/src/lib/search.ts"
import { companyRights, installationRights } from "../../../dashboard/src/lib/rights.ts"
import { press } from "../../../dashboard/src/lib/shortcuts.ts"
import {
  cleared,
  emptyTail,
  maxKept,
  paused,
  resumed,
  type Tail,
  withChanges
} from "../../../dashboard/src/lib/tail.ts"
import { isSameView, searchOf, shownColumns, toggleColumn, viewOf } from "../../../dashboard/src/lib/view.ts"
import { pathWithin } from "../../../dashboard/src/lib/within.ts"
import * as rights from "../../../core/model/Right.ts"
import { de } from "../../../dashboard/src/texts/de.ts"
import { en } from "../../../dashboard/src/texts/en.ts"
import { campaignsDe } from "../../../dashboard/src/texts/campaigns/campaignsDe.ts"
import { campaignsEn } from "../../../dashboard/src/texts/campaigns/campaignsEn.ts"
import { deliveryDe } from "../../../dashboard/src/texts/delivery/deliveryDe.ts"
import { deliveryEn } from "../../../dashboard/src/texts/delivery/deliveryEn.ts"
import { recordsDe } from "../../../dashboard/src/texts/records/recordsDe.ts"
import { recordsEn } from "../../../dashboard/src/texts/records/recordsEn.ts"
import { liveDe } from "../../../dashboard/src/texts/live/liveDe.ts"
import { liveEn } from "../../../dashboard/src/texts/live/liveEn.ts"
import { languageOf } from "../../../dashboard/src/texts/texts.ts"
import { spentMillis } from "../../support/stall.ts"

describe("a stream", () => {
  const text =
    'retry: 2000\nid: 1\n\n: heartbeat\nid: 2\nevent: emails\ndata: {"a":1}\n\nid: 3\nevent: jobs\ndata: {}\n\n'

  it("is read alike however it is divided", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const ids: Array<string> = []
        const read = makeEventReader((id) => ids.push(id))
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const events = places.slice(1).flatMap((to, index) => read(text.slice(places[index], to)))
        expect(events).toEqual([
          { id: "2", event: "emails", data: '{"a":1}' },
          { id: "3", event: "jobs", data: "{}" }
        ])
        expect(ids).toEqual(["1", "2", "3"])
      })
    )
  })

  it("is kept up to a number of changes, newest first, and held back while it is paused", () => {
    const steps = fc.array(fc.oneof(fc.nat(300), fc.constantFrom("pause", "resume", "clear")))
    fc.assert(
      fc.property(steps, (given) => {
        let tail: Tail<number> = emptyTail
        let last = 0
        let heldFrom: number | null = null
        for (const step of given) {
          if (typeof step === "number") {
            tail = withChanges(
              tail,
              Array.from({ length: step }, () => ++last)
            )
          } else if (step === "pause") {
            tail = paused(tail)
            heldFrom ??= last
          } else if (step === "resume") {
            tail = resumed(tail)
            heldFrom = null
          } else tail = cleared(tail)
          expect(tail.shown).toEqual(tail.shown.toSorted((a, b) => b - a))
          expect(Math.max(tail.shown.length, tail.held?.length ?? 0)).toBeLessThanOrEqual(maxKept)
          expect([tail.held !== null, tail.heldCount]).toEqual([
            heldFrom !== null,
            heldFrom === null ? 0 : last - heldFrom
          ])
          if (heldFrom !== null) expect(tail.shown[0] ?? 0).toBeLessThanOrEqual(heldFrom)
        }
      })
    )
  })
})

describe("search parameters", () => {
  const parameters = fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
    fc.string({ minLength: 1 })
  )

  it("are read as they were written", () => {
    fc.assert(
      fc.property(parameters, (search) => {
        const wellFormed = Object.fromEntries(
          Object.entries(search).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()])
        )
        expect(parseSearch(writeSearch(search))).toEqual(wellFormed)
      })
    )
  })

  it("leave out what is empty, and what the view does not have", () => {
    expect(writeSearch({ q: "", status: "Sent,Bounced", sort: undefined })).toBe("?status=Sent,Bounced")
    expect(onlySearch("q", "sort")({ q: 1, sort: "", other: "x" })).toEqual({ q: "1" })
  })

  it("leave out what is open and chosen, where they filter a list", () => {
    expect(filtersOf({ q: "ada", sort: "-added", shown: "new", selected: "1,2", columns: "tags" })).toEqual({
      q: "ada",
      sort: "-added"
    })
  })

  it("have each value once, in the order of choosing", () => {
    const one = toggleValue(toggleValue(undefined, "a"), "b")
    expect([one, toggleValue(one, "a"), toggleValue("a", "a"), valuesOf("")]).toEqual([
      "a,b",
      "b",
      undefined,
      []
    ])
  })

  it("order ascending, descending, and not at all", () => {
    expect([nextSort(undefined, "time"), nextSort("time", "time"), nextSort("-time", "time")]).toEqual([
      "time",
      "-time",
      undefined
    ])
  })
})

describe("an address to return to after signing in", () => {
  it("is one of the dashboard", () => {
    expect(pathWithin("/a/1/emails?status=Sent")).toBe("/app/a/1/emails?status=Sent")
    for (const to of ["//evil.example", "/\\evil.example", "https://evil.example", "", undefined])
      expect(pathWithin(to)).toBe("/app/")
  })
})

describe("formats", () => {
  const format = makeFormat("en-GB", "Europe/Berlin")
  const now = new Date("2026-11-23T12:00:00Z")

  it.each([
    [0, "now"],
    [-9, "now"],
    [-11, "11 seconds ago"],
    [-59, "59 seconds ago"],
    [-60, "1 minute ago"],
    [-3_599, "59 minutes ago"],
    [-3_600, "1 hour ago"],
    [86_400, "tomorrow"],
    [-8 * 86_400, "last week"]
  ])("say %i seconds as %s", (seconds, text) => {
    expect(format.relative(new Date(now.getTime() + seconds * 1_000), now)).toBe(text)
  })

  it("never say a distance larger than it is", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (seconds) => {
        const [unit, count] = distanceOf(seconds)
        const length = {
          year: 31_557_600,
          month: 2_629_800,
          week: 604_800,
          day: 86_400,
          hour: 3_600,
          minute: 60,
          second: 1
        }
        expect(Math.abs(count * length[unit as keyof typeof length])).toBeLessThanOrEqual(Math.abs(seconds))
      })
    )
  })

  it("show times in the zone, with its name, and days as they are", () => {
    expect(format.exact(now)).toContain("13:00:00")
    expect([format.moment(now, now), format.date("2026-11-01")]).toEqual(["23 Nov, 13:00", "1 Nov"])
    expect(makeFormat("en", "Mars/Olympus").timeZone).not.toBe("Mars/Olympus")
  })

  it("show sizes in the largest unit that has a whole one", () => {
    expect([0, 999, 1_000, 5_242_880].map(format.bytes)).toEqual(["0 bytes", "999 bytes", "1 kB", "5.2 MB"])
  })
})

describe("shortcuts", () => {
  const shortcuts = [{ keys: "g e" }, { keys: "mod+k" }, { keys: "?" }]
  const key = (name: string, more: object = {}) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isTyping: false,
    ...more
  })

  it("are found by one key, by a sequence, and with Ctrl or Cmd", () => {
    expect(press(shortcuts, "", key("?")).found).toEqual({ keys: "?" })
    expect(press(shortcuts, "", key("g"))).toEqual({ found: null, begun: "g" })
    expect(press(shortcuts, "g", key("e")).found).toEqual({ keys: "g e" })
    expect(press(shortcuts, "g", key("?")).found).toEqual({ keys: "?" })
    expect(press(shortcuts, "", key("k", { metaKey: true })).found).toEqual({ keys: "mod+k" })
  })

  it("leave keys to fields, those with Ctrl excepted", () => {
    expect(press(shortcuts, "", key("?", { isTyping: true })).found).toBeNull()
    expect(press(shortcuts, "", key("k", { ctrlKey: true, isTyping: true })).found).toEqual({ keys: "mod+k" })
  })
})

describe("commands", () => {
  it("are found by any of their words, the beginning of one first", () => {
    const names = ["Suppressions", "Sign out", "Theme: Light", "Émails"]
    const found = (typed: string) => matching(names, typed, (name) => name)
    expect([found("s"), found("email"), found("light th"), found("zz")]).toEqual([
      ["Suppressions", "Sign out", "Émails"],
      ["Émails"],
      ["Theme: Light"],
      []
    ])
  })
})

describe("charts", () => {
  it("have an axis that ends at a round number, no smaller than any value", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (value) => {
        const top = roundedTop(value)
        expect(top).toBeGreaterThanOrEqual(value)
        expect(top).toBeLessThanOrEqual(Math.max(1, value * 2.5))
      })
    )
  })

  it("have every point within the picture", () => {
    const points = pointsOf([0, 5, 10], 100, 50, 10)
    expect(points).toEqual([
      { x: 0, y: 50 },
      { x: 50, y: 25 },
      { x: 100, y: 0 }
    ])
    expect([lineOf(points), areaOf(points, 50), areaOf([], 50)]).toEqual([
      "M0 50L50 25L100 0",
      "M0 50L50 25L100 0L100 50L0 50Z",
      ""
    ])
  })
})

describe("figures", () => {
  const day = (date: string, delivered: number): Day => ({
    date,
    emails: { delivered, sent: 1, queued: 7, bounced: 2 },
    opens: 3,
    opensByMachines: 4,
    clicks: 5,
    events: 6,
    runs: { active: 1, completed: 2 }
  })

  it("count every email that has left, whatever became of it", () => {
    expect(figuresOf(day("2026-11-01", 10))).toMatchObject({ sent: 13, delivered: 10, bounced: 2, runs: 3 })
  })

  it("are sums of the days, in order of time", () => {
    const days = [day("2026-11-02", 2), day("2026-11-01", 1)]
    expect(totalOf(days)).toMatchObject({ delivered: 3, events: 12 })
    expect(byTime(days).map(({ date }) => date)).toEqual(["2026-11-01", "2026-11-02"])
  })

  it("count complaints and conversions of every source on their day", () => {
    const days = withResponses(
      [day("2026-11-01", 1), day("2026-11-02", 2)],
      [
        { at: "2026-11-02T00:00:00.000Z", complained: 1, conversions: 0 },
        { at: "2026-11-02T00:00:00.000Z", complained: 2, conversions: 3 }
      ]
    )
    expect(days.map(({ complained, conversions }) => [complained, conversions])).toEqual([
      [0, 0],
      [3, 3]
    ])
  })
})

describe("keys that need attention", () => {
  const now = new Date("2026-11-23T00:00:00Z")
  const key = (
    name: string,
    expiresAt: string | null,
    lastUsedAt: string | null,
    revokedAt: string | null = null
  ) => ({
    name,
    expiresAt,
    lastUsedAt,
    revokedAt
  })

  it("expire within 14 days, or were last used 90 days ago", () => {
    const keys = [
      key("ending", "2026-12-07T00:00:00Z", null),
      key("later", "2026-12-07T00:00:01Z", null),
      key("ended", "2026-11-22T00:00:00Z", "2026-01-01T00:00:00Z"),
      key("unused", null, "2026-08-25T00:00:00Z"),
      key("used", null, "2026-08-25T00:00:01Z"),
      key("revoked", "2026-11-24T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
    ]
    const { ending, unused } = attentionKeys(keys, now)
    expect([ending.map(({ name }) => name), unused.map(({ name }) => name)]).toEqual([["ending"], ["unused"]])
  })
})

describe("errors", () => {
  const headers = new Headers({ "x-request-id": "r1", "retry-after": "30" })

  it("have the code, the details and the messages of fields", () => {
    const entry = {
      code: "users.right_missing",
      message: "No.",
      params: null,
      details: { right: "keys:write" }
    }
    const refused = errorOf(
      403,
      { isSuccess: false, errors: [entry], fieldErrors: { name: [entry] } },
      headers
    )
    expect(refused).toMatchObject({
      status: 403,
      code: "users.right_missing",
      message: "No.",
      details: { right: "keys:write" },
      fields: { name: "No." },
      requestId: "r1",
      retryAfterSeconds: 30,
      isPassing: false
    })
  })

  it("are made of refused shapes, and of what is none of the API's answers", () => {
    const shape = errorOf(
      400,
      { statusCode: 400, message: "Bad", errors: { email: ["must be a string"] } },
      headers
    )
    expect(shape).toMatchObject({ code: "validation.type", fields: { email: "must be a string" } })
    for (const body of [null, 5, [], "text", { errors: 3 }, { errors: [null] }]) {
      expect(errorOf(502, body, headers)).toMatchObject({ code: "unreadable", isPassing: true })
    }
  })

  it("open the gate at which the user can do something about them", () => {
    const gate = (status: number, code: string) =>
      gateOf(errorOf(status, { errors: [{ code, message: "" }] }, headers))
    expect([
      gate(401, "auth.unauthorized"),
      gate(403, "users.confirmation_required"),
      gate(401, "users.sign_in_failed"),
      gate(403, "users.right_missing")
    ]).toEqual(["SignIn", "Confirm", null, null])
  })
})

describe("rights", () => {
  it("offers those that the service has", () => {
    expect(installationRights).toEqual(rights.installationRights)
    expect(companyRights).toEqual(rights.companyRights)
  })
})

describe("an email", () => {
  it("has the header fields of its message, unfolded, the body left out", () => {
    const raw = "Subject: a\r\n b\r\nReceived: one\r\nReceived: two\r\nno field\r\n\r\nTo: body"
    expect(headersOf(raw)).toEqual([
      { name: "Subject", value: "a b" },
      { name: "Received", value: "one" },
      { name: "Received", value: "two" }
    ])
  })

  it("has the links of its HTML, with their texts", () => {
    const html = `<abbr href="no">x</abbr><A class="b" HREF='https://a.example/?x=1&amp;y=2'><b>Track</b> &amp;
      see</a><a name=top></a><a href=https://b.example/>B<a href="https://c.example/`
    expect(linksOf(html)).toEqual([
      { url: "https://a.example/?x=1&y=2", text: "Track & see" },
      { url: "https://b.example/", text: "" }
    ])
    fc.assert(fc.property(fc.string(), (text) => linksOf(`<a ${text}`).length <= text.length + 1))
  })

  it("has its links found in time that grows with its length alone", () => {
    const began = spentMillis()
    linksOf("<a href ".repeat(200_000))
    linksOf(`<a ${" ".repeat(200_000)}`)
    expect(spentMillis() - began).toBeLessThan(5_000)
  })
})

it("tells DKIM records apart by their algorithm and selector", () => {
  const keys = (["rsa", "ed25519"] as const).map((algorithm) => ({
    algorithm,
    publicKey: "AAAA",
    selector: selectorOf("0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a", 1, algorithm)
  }))
  const records = recordsOf("example.com", keys as unknown as ReadonlyArray<DkimKey>, {
    mailHost: "mail.example.net",
    takesReports: false
  })
  expect(records.filter(({ purpose }) => purpose === "DKIM").map(dkimKeyOf)).toEqual([
    { algorithm: "RSA", selector: keys[0]!.selector },
    { algorithm: "Ed25519", selector: keys[1]!.selector }
  ])
  expect(dkimKeyOf({ name: "mail._domainkey.example.com", value: "v=DKIM1; p=AAAA" })).toEqual({
    algorithm: "RSA",
    selector: "mail"
  })
})

describe("calls", () => {
  it("are counted by name, the most first", () => {
    const counts = countsOf(["a", "b", "c", "b"], (name) => name)
    expect(counts.map(({ count, name }) => [name, count])).toEqual([
      ["b", 2],
      ["a", 1],
      ["c", 1]
    ])
  })

  it("show bodies over several lines, and those that were cut as they are", () => {
    expect(readableJson('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(readableJson('{"a":')).toBe('{"a":')
    expect([objectOf(" "), objectOf('{"a":1}'), objectOf("[1]"), objectOf("{")]).toEqual([
      {},
      { a: 1 },
      null,
      null
    ])
  })
})

describe("an archive", () => {
  it("is imported in batches that each begin with its header, and hold every line once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_500 }), (count) => {
        const lines = Array.from({ length: count }, (_, at) => `line ${at}`)
        const batches = batchesOf(["header", "", ...lines].join("\n"))
        const read = batches.map(({ text }) => text.trimEnd().split("\n"))
        expect(read.every(([first, ...rest]) => first === "header" && rest.length <= 999)).toBe(true)
        expect(read.flatMap(([, ...rest]) => rest)).toEqual(lines)
        expect(batches.map(({ before }) => before)).toEqual(batches.map((_, at) => at * 999))
      }),
      { numRuns: 20 }
    )
  })
})

describe("browsers", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) AppleWebKit/605 (KHTML, like Gecko) Version/26.0 Safari/605",
      "Safari, macOS"
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 (KHTML, like Gecko) Chrome/140 Safari/537 Edg/140",
      "Edge, Windows"
    ],
    ["a program", null],
    [null, null]
  ])("are named by %s", (userAgent, name) => {
    expect(browserOf(userAgent)).toBe(name)
  })
})

describe("texts", () => {
  /** All texts and their paths. */
  const leavesOf = (value: object, path = ""): ReadonlyArray<readonly [string, unknown]> =>
    Object.entries(value).flatMap(([name, one]) =>
      typeof one === "object" && one !== null
        ? leavesOf(one, `${path}${name}.`)
        : [[`${path}${name}`, one] as const]
    )

  it("are in German what they are in English, each translated", () => {
    const english = new Map(leavesOf({ ...en, own: [liveEn, campaignsEn, deliveryEn, recordsEn] }))
    const german = leavesOf({ ...de, own: [liveDe, campaignsDe, deliveryDe, recordsDe] })
    expect(german.map(([path]) => path)).toEqual([...english.keys()])
    const same = german.filter(([path, text]) => typeof text === "string" && text === english.get(path))
    // Only short words are the same in both languages.
    expect(same.map(([, text]) => text).filter((text) => String(text).length > 12)).toEqual([])
  })

  it("are found by the tag of a language", () => {
    expect([languageOf("de-AT"), languageOf("en"), languageOf("fr"), languageOf(null)]).toEqual([
      "de",
      "en",
      null,
      null
    ])
  })
})

describe("icons", () => {
  it("are named by their files", async () => {
    const { iconNames } = await import("../../../dashboard/src/lib/icons.ts")
    const files = readdirSync(new URL("../../../dashboard/src/icons/", import.meta.url))
    expect(files.map((file) => file.replace(/\.svg$/, "")).toSorted()).toEqual([...iconNames])
  })
})

describe("views of lists", () => {
  const columns = [{ key: "name" }, { key: "state" }, { key: "time" }, { key: "actions", isHeadHidden: true }]
  const keysOf = (chosen: string | undefined) => shownColumns(columns, chosen).map(({ key }) => key)

  it("always show the first column and the buttons", () => {
    expect(keysOf(undefined)).toEqual(["name", "state", "time", "actions"])
    expect(keysOf("time")).toEqual(["name", "time", "actions"])
    expect(keysOf("-")).toEqual(["name", "actions"])
  })

  it("leave a column out and take it back", () => {
    const none = toggleColumn(columns, toggleColumn(columns, undefined, "state"), "time")
    expect([toggleColumn(columns, undefined, "state"), none]).toEqual(["time", "-"])
    expect(toggleColumn(columns, toggleColumn(columns, none, "time"), "state")).toBeUndefined()
  })

  it("are the same after they were kept", () => {
    const search = { status: "Paid", q: "ada", sort: "-time", columns: "state" }
    expect(searchOf(viewOf(search))).toEqual(search)
    expect(viewOf({ sort: "" })).toEqual({ query: { filters: {}, q: null, sort: null }, columns: null })
    expect(isSameView(viewOf(search), viewOf({ ...search, q: undefined }))).toBe(false)
  })
})

describe("comparisons of texts", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 12 })
  const sideOf = (before: string, after: string, kind: "Added" | "Removed") =>
    diffOf(before, after)
      .filter((line) => line.kind === "Same" || line.kind === kind)
      .map(({ text }) => text)
      .join("\n")

  it("hold both texts, and nothing else", () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const [before, after] = [one.join("\n"), other.join("\n")]
        expect(sideOf(before, after, "Removed")).toBe(before)
        expect(sideOf(before, after, "Added")).toBe(after)
      })
    )
  })

  it("find what stayed between what changed", () => {
    expect(diffOf("a\nb\nc", "a\nx\nb\nd").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "Same a",
      "Added x",
      "Same b",
      "Removed c",
      "Added d"
    ])
  })
})

describe("the queues of jobs", () => {
  it("have a name in both languages", () => {
    for (const { installation } of [installationEn, installationDe])
      expect(Object.keys(installation.queueNames).toSorted()).toEqual([...queues].toSorted())
  })
})

describe("the actions of the audit log", () => {
  const core = new URL("../../../core/", import.meta.url)
  const sources = readdirSync(core, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(name, core), "utf8"))
  const actions = new Set(
    sources.flatMap((source) => [
      ...[...source.matchAll(/\baction(?::| =) ([^\n]*)/g)].flatMap(([, rest = ""]) =>
        [...rest.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, action = ""]) => action)
      ),
      ...[...source.matchAll(/\b(?:audit|note)\(\s*\w+,\s*"([a-z_]+\.[a-z_]+)"/g)].map(
        ([, action = ""]) => action
      )
    ])
  )

  it("are said in words, in both languages", () => {
    expect(actions.size).toBeGreaterThan(60)
    for (const words of [auditEn, auditDe])
      expect([...actions].filter((action) => actionName(action, words) === action)).toEqual([])
    expect(actionName("template.deleted", auditEn)).toBe("Template deleted")
    expect(actionName("user.password_set", auditDe)).toBe("Passwort gesetzt")
  })

  it("are shown as they are where a newer service has others", () => {
    for (const action of ["comet.landed", "template.exploded", "template", ""])
      expect(actionName(action, auditEn)).toBe(action)
  })

  it("name what they are about where the entry knows it", () => {
    const target = { kind: "template", id: "01a22185-e8e8-72e0-9457-3828357d5cd0", name: null }
    const entry = { actor: { id: "7", name: "Ada" }, target, before: null, after: null }
    expect(targetName({ ...entry, target: { ...target, name: "Welcome" }, after: { name: "Other" } })).toBe(
      "Welcome"
    )
    expect(targetName({ ...entry, before: { name: "Old" }, after: { name: "New" } })).toBe("New")
    expect(targetName({ ...entry, before: { host: "hooks.example" } })).toBe("hooks.example")
    expect(targetName({ ...entry, target: { ...target, id: "7" } })).toBe("Ada")
    expect(targetName({ ...entry, target: { ...target, id: "google" } })).toBe("google")
    expect(targetName({ ...entry, after: { name: "" }, before: [1] })).toBe(null)
    const id = "0199e1a4-7c1e-7b6a-9a51-3f0d2c4b5a69"
    expect(shownTarget({ kind: "contact", id })).toEqual({ kind: "Contact", id })
    expect([shownTarget({ kind: "contact", id: "7" }), shownTarget({ kind: "session", id })]).toEqual([
      null,
      null
    ])
    expect([shortId(id), shortId("google")]).toEqual(["…4b5a69", "google"])
  })
})

describe("the failures of webhooks", () => {
  it("are said in words, with the code after them", () => {
    const client = readFileSync(
      new URL("../../../adapters/webhooks/WebhookClient.ts", import.meta.url),
      "utf8"
    )
    const codes = [...client.matchAll(/(?:return|error:|#fail\() ?"([a-z_]+)"/g)].map(([, code = ""]) => code)
    expect(codes.length).toBeGreaterThan(4)
    for (const { notification } of [liveEn, liveDe])
      for (const code of [
        ...codes,
        "name_unknown",
        "name_unavailable",
        "redirect",
        "tls_cert_has_expired",
        "failed_ebadf"
      ])
        expect(failureText(code, notification)).toMatch(new RegExp(`^[A-Z].+ \\(${code}\\)$`))
    expect(failureText("comet", liveEn.notification)).toBe("comet")
  })

  it("are said in words where a webhook stopped", () => {
    const reason = (last: string) => `15 failed deliveries in a row; the last one: ${last}`
    expect(stoppedText(reason("name_unknown"), liveEn.notification)).toBe(
      reason("The host name does not exist (name_unknown)")
    )
    expect(stoppedText(reason("HTTP 500"), liveEn.notification)).toBe(reason("HTTP 500"))
    expect(stoppedText(reason("HTTP 500"), liveDe.notification)).toMatch(/^15 Zustellungen .+: HTTP 500$/)
    expect(stoppedText("The operator asked for it", liveDe.notification)).toBe("The operator asked for it")
  })
})

describe("the timeline of a person", () => {
  const format = { number: String, money: (amount: number, currency: string) => `${currency} ${amount}` }
  const properties = { externalId: "1001", number: "#1001", status: "Paid", currency: "EUR", total: 19.9 }

  it("says the events of the service and of stores in words, and their amounts as such", () => {
    const event = { name: "order.placed", source: "Store", properties }
    expect(eventName(event, recordsEn.timeline)).toBe("Order placed")
    expect(eventSummary(event, recordsEn.timeline, format)).toBe("Number: #1001 · Total: EUR 19.9")
  })

  it("shows what programs report as they name it", () => {
    const event = { name: "order.placed", source: "Api", properties: { plan: "pro", seats: 3 } }
    expect(eventName(event, recordsEn.timeline)).toBe("order.placed")
    expect(eventSummary(event, recordsEn.timeline, format)).toBe("plan: pro · seats: 3")
    const none = { list: [1], id: "01a22185-e8e8-72e0-9457-3828357d5cd0" }
    expect(eventSummary({ ...event, properties: none }, recordsEn.timeline, format)).toBe(null)
  })
})

describe("the use of a relay", () => {
  it("counts the streams that it is a route of, and those whose only one it is", () => {
    const delivery = { transactional: ["relay:a"], marketing: ["relay:a", "Direct"] }
    expect(relayUse(delivery, "a")).toEqual({ named: 2, only: 1 })
    expect(relayUse(delivery, "b")).toEqual({ named: 0, only: 0 })
    expect(relayUse(null, "a")).toEqual({ named: 0, only: 0 })
    expect(relayUse({ transactional: null, marketing: ["relay:a"] }, "a")).toEqual({ named: 1, only: 1 })
  })
})

describe("a file of items", () => {
  const itemsOf = (text: string) => {
    const sheet = readSheet(text)!
    return sheet.rows.map((row) => itemOf(guessFields(sheet.heads), row))
  }

  it("is read as CSV by the names of its columns, without empty cells", () => {
    expect(
      itemsOf(
        "SKU;Title;Preis;Currency;In stock;Bestand;Categories;attributes.grams;Note\n" +
          '"a;1";Tea;19,90;EUR;yes;12;Tea | Hot;100;x\nb;;cheap;;maybe;many;;;\n'
      )
    ).toEqual([
      {
        id: "a;1",
        name: "Tea",
        price: 19.9,
        currency: "EUR",
        inStock: true,
        stockQuantity: 12,
        categories: ["Tea", "Hot"],
        attributes: { grams: "100" }
      },
      { id: "b", price: "cheap", inStock: "maybe", stockQuantity: "many" }
    ])
  })

  it("is read as JSON: a list, the API's list, or one item on each line", () => {
    const items = [
      { id: "a", name: "Tea", price: 5, active: false, attributes: { grams: 100 }, description: null },
      { id: "b", categories: ["x"] }
    ]
    for (const text of [
      JSON.stringify(items),
      JSON.stringify({ items }, null, 2),
      items.map((item) => JSON.stringify(item)).join("\n\n")
    ]) {
      expect(itemsOf(text)).toEqual(items)
    }
    expect(itemsOf('[{"id":"uuid","externalId":"a","source":"Api"}]')).toEqual([{ id: "a" }])
    for (const text of ["", "a,b", "[]", "[1]", "{", '{"id":"a"}\n[1]', "[{}]"])
      expect(readSheet(text)).toBeNull()
  })

  it("is sent in batches of at most 1,000 items, in their order", () => {
    const items = Array.from({ length: 2_001 }, (_, at) => ({ id: String(at) }))
    const batches = itemBatchesOf(items)
    expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 1])
    expect(batches.flat()).toEqual(items)
    expect(itemBatchesOf([0, 1, 2].map(() => ({ description: "x".repeat(5_000_000) })))).toHaveLength(3)
  })

  it("gives back its failed rows, which are the same items when they are read again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.constantFrom("", "=", "'=", "''@"), fc.string()), {
          minLength: 1,
          maxLength: 5
        }),
        fc.boolean(),
        (pairs, isJson) => {
          const rows = pairs.map(([id, begin, name]) => [`id${id}`.trim(), `${begin}${name}.`.trim()])
          const text = isJson
            ? JSON.stringify(rows.map(([id, name]) => ({ id, name })))
            : [
                "id,name",
                ...rows.map((row) => row.map((cell) => `"${cell!.replaceAll('"', '""')}"`).join(","))
              ].join("\n")
          const sheet = readSheet(text)!
          const errors = [{ code: "catalog.item_name_invalid", field: "name" }]
          const results = rows.map((_, index) => ({ index, errors }))
          const report = withBatch({ ...noReport, done: 0 }, { created: 0, updated: 0, results })
          expect(report).toMatchObject({ done: rows.length, failures: { length: rows.length } })
          const file = failedFile(sheet, report.failures)
          expect(file.text).toContain("name: catalog.item_name_invalid")
          // No cell may look like a formula to a spreadsheet.
          if (!isJson) {
            const cells = readCsv(file.text, Infinity)!.rows.flat()
            expect(cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell))).toEqual([])
          }
          expect(itemsOf(file.text)).toEqual(itemsOf(text))
        }
      )
    )
  })
})

it("a template shows an item by its id, and one of a store by its category", () => {
  const item = { externalId: "sku 1", storeId: null, categories: ["Tea"] }
  expect(showingOf(item)).toBe('{{ item["sku 1"].name }}')
  expect(showingOf({ ...item, externalId: 'a"b' })).toBe("{{ item['a\"b'].name }}")
  expect(showingOf({ ...item, externalId: "a]b" })).toBeNull()
  expect(showingOf({ ...item, storeId: "1" })).toContain('recommend["Tea"]')
  expect(showingOf({ ...item, storeId: "1", categories: [] })).toContain("recommend.any")
})

it("isolates names from right to left within sentences, and no others", () => {
  expect(en.topics.wasArchived("أخبار (2)")).toBe("\u2068أخبار (2)\u2069 was archived")
  expect(de.topics.wasArchived("Neues")).not.toMatch(/\u2068/)
})

describe("what the service says", () => {
  const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const ofReasons = Object.values(reasons).flatMap(({ next, sentence }) => [
    sentence,
    ...(next === null ? [] : [next])
  ])
  const ofErrors = Object.values(catalogue).flatMap((entry) => [
    entry.message,
    ...("explained" in entry ? [entry.explained].flat() : [])
  ])

  it("is known in German as the service says it, with values that it has", () => {
    expect(Object.keys(saidDe).filter((one) => ![...ofErrors, ...ofReasons].includes(one))).toEqual([])
    expect(ofReasons.filter((one) => saidDe[one] === undefined)).toEqual([])
    for (const [sentence, text] of Object.entries(saidDe))
      expect(namesIn(sentence)).toEqual(expect.arrayContaining(namesIn(text)))
  })

  it("is said in English in the words of the screens", () => {
    expect(Object.keys(saidEn).filter((one) => saidDe[one] === undefined)).toEqual([])
    for (const [sentence, text] of Object.entries(saidEn))
      expect(namesIn(sentence)).toEqual(expect.arrayContaining(namesIn(text)))
    const ofApi = /^[a-z]|\b[a-z]+[A-Z]|\b(?:GET|POST|PUT|PATCH|DELETE) \/|Retry-After|\bparams\b/
    expect(
      Object.keys(saidDe)
        .map((sentence) => saidEn[sentence] ?? sentence)
        .filter((sentence) => ofApi.test(sentence))
    ).toEqual([])
    expect(inEnglish("audience must have at least one segment.")).toBe("Choose at least one segment.")
    expect(inEnglish("variants[0].replyTo must be given.")).toBe("Reply-to is missing.")
    expect(inEnglish("window.from must be a time of day, such as 09:30.")).toBe(
      "From must be a time of day, such as 09:30."
    )
    expect(inEnglish("test.after must be a duration from PT1H to P7D.")).toBe(
      "Duration must be 1 to 168 hours."
    )
    expect(inEnglish("The file must be encoded in UTF-8.")).toBe("The file must be encoded in UTF-8.")
    expect(inEnglish("firstName must be at most 100 characters long.")).toBe(
      "First name must be at most 100 characters long."
    )
  })

  it("keeps the values of a case", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ofReasons),
        fc.stringMatching(/^[a-zA-Z0-9$ ]{1,9}$/),
        (sentence, word) => {
          const said = (text: string) => text.replaceAll(/\{\w+\}/g, () => word)
          expect(inGerman(said(sentence))).toBe(said(saidDe[sentence]!))
        }
      )
    )
  })

  it("is said in errors with phrases and numbers of the language; what is not known stays as it is", async () => {
    expect(inGerman("at must be a time in the future.")).toBe(
      "Zeitpunkt: Erwartet wird ein Zeitpunkt in der Zukunft."
    )
    expect(inGerman("The request body must be at most 5,000,000 bytes.")).toContain("5.000.000 Bytes")
    expect(inGerman("Something new.")).toBe("Something new.")
    const entry = { code: "validation.required", message: "name must be given.", params: null }
    const error = errorOf(400, { errors: [entry], fieldErrors: { name: [entry] } }, new Headers())
    expect(await messagesIn("de", error)).toEqual({
      message: "Name fehlt.",
      details: {},
      fields: { name: "Name fehlt." }
    })
    const details = { hint: "Dates are easy to guess.", right: "keys:read" }
    const weak = { ...error, message: error.message, details }
    expect((await messagesIn("de", weak)).details).toEqual({
      hint: "Datumsangaben sind leicht zu erraten.",
      right: "keys:read"
    })
    expect((await messagesIn("en", error)).message).toBe("Name is missing.")
  })

  it("is known in German of every alert, whatever was found", () => {
    const now = Date.UTC(2031, 0, 1)
    const none: AlertFacts = {
      now,
      depths: [],
      waiting: [],
      nodes: [],
      pingMs: 3,
      backup: null,
      certificates: [],
      failingDomains: 0,
      partitions: [],
      suspensions: [],
      held: [],
      heldAccounts: 0
    }
    const cases = [
      [30_000, []],
      [300_000, ["a"]],
      [20_000_000, ["a", "b", "c", "d"]],
      [500_000_000, ["a"]]
    ] as const
    const found = cases.map(([millis, lanes]): AlertFacts => {
      const since = now - millis
      return {
        ...none,
        depths: [{ queue: "events", pending: 1, buried: 4, nextRunAt: since }],
        waiting: [{ queue: "events", accountId: "a", dueAt: since }],
        backup: { at: since },
        certificates: [{ validTo: now + millis }],
        failingDomains: 2,
        partitions: [{ until: now + millis }],
        suspensions: lanes.map((lane) => ({ lane, since })),
        held: [{ lane: "google", count: 2_000, since }],
        heldAccounts: 3
      }
    })
    const many = found.map((facts) => ({ ...facts, held: [{ ...facts.held[0]!, count: 10_001 }] }))
    const expired = { ...none, backup: { at: null }, certificates: [{ validTo: now - 1 }] }
    const summaries = [none, expired, ...found, ...many]
      .flatMap((facts) => alertsOf(facts))
      .map((one) => one.summary)
    for (const summary of summaries) {
      const said = inGerman(summary)
      expect([summary, said === summary]).toEqual([summary, false])
      expect(said.match(/\d+/g)).toEqual(summary.match(/\d+/g))
    }
    const isFound = (form: string) =>
      summaries.some((summary) => form.split(/\{\w+\}/).every((part) => summary.includes(part)))
    expect(Object.keys(alertsDe).filter((form) => !isFound(form))).toEqual([])
    expect(inGerman("The partitions end in 40 days.")).toBe("Die Partitionen enden in 40 Tagen.")
  })

  it("is known in German with each state that it names, and before the words of servers", () => {
    const campaign = { id: "c", status: "Paused", statusAt: 0 } as Campaign
    const pending = { state: "Pending", dueAt: 0, decidedAt: null, reason: null } as CampaignRecipient
    const filled = (code: keyof typeof reasons, values: ReadonlyArray<string>) =>
      values.map((value) => reasons[code].sentence.replace(/\{\w+\}/, value))
    const lower = (values: ReadonlyArray<string>) => values.map((value) => value.toLowerCase())
    const sentences = [
      ...pauseReasons.map(
        (statusReason) => explainRecipient({ ...campaign, statusReason }, pending, true).because.sentence
      ),
      ...filled("explain.campaign_not_started", lower(campaignStatuses)),
      ...filled("explain.flow_not_published", lower(flowStatuses)),
      ...filled("explain.not_in_segment", ["entered", "left"]),
      ...filled(
        "explain.consent_missing",
        consentStatuses.filter((status) => !isMailable(status))
      )
    ]
    expect(Object.keys(statesDe).toSorted()).toEqual(sentences.toSorted())
    expect(inGerman(sentences[0]!)).toBe(statesDe[sentences[0]!])
    expect(inGerman("The recipient's mailbox is full. The server replied: 452 Full: {until}.")).toBe(
      "Das Postfach des Empfängers ist voll. Der Server antwortete: 452 Full: {until}."
    )
  })

  it("names each reason of an email", () => {
    for (const { emails, mail } of [en, de])
      expect(
        deliveryReasons.filter((one) => (emails.reasons[one] ?? mail.reasons[one]) === undefined)
      ).toEqual([])
  })
})

it("shows a change in each form in which lists and things were read, and counts those that go", () => {
  const items = [{ id: 1 }, { id: 2 }]
  const gone = ({ id }: { readonly id: number }) => (id === 1 ? null : { id })
  expect(withChange(items, gone)).toEqual([{ id: 2 }])
  const page = { items, totalCount: 7, next: null }
  expect(withChange(page, gone)).toEqual({ items: [{ id: 2 }], totalCount: 6, next: null })
  expect(withChange({ pages: [page, page], pageParams: [null, "x"] }, gone)).toMatchObject({
    pages: [{ totalCount: 6 }, { totalCount: 6 }]
  })
  const pause = (one: { readonly id: number }) => (one.id === 1 ? { ...one, state: "Paused" } : one)
  expect([{ id: 1 }, { id: 2 }].map((one) => withChange(one, pause))).toEqual([
    { id: 1, state: "Paused" },
    { id: 2 }
  ])
  expect([withChange(undefined, gone), withChange({ id: 1 }, gone)]).toEqual([undefined, { id: 1 }])
})
