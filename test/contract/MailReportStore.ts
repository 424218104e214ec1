/**
 * The contract of `core/ports/MailReportStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { maxRowsOfDay, type NewMailReportRow } from "../../core/model/MailReport.ts"
import { MailReportStore } from "../../core/ports/MailReportStore.ts"
import { newId, type StorageTest, unique } from "./fixtures.ts"

const dayMillis = 86_400_000
const day = Date.UTC(2031, 4, 6)

const draft = (domain: string, changes: Partial<NewMailReportRow> = {}): NewMailReportRow => ({
  id: newId(),
  kind: "Dmarc",
  domain,
  day,
  values: ["192.0.2.0/24", "None"],
  folded: ["", "None"],
  count: 3,
  ...changes
})

const countsOf = (rows: ReadonlyArray<{ readonly values: ReadonlyArray<string>; readonly count: number }>) =>
  Object.fromEntries(rows.map(({ count, values }) => [values.join(" "), count]))

const page = { page: 1, pageSize: 2 }

/** Tests of the port `MailReportStore`. */
export const mailReportStoreContract = (it: StorageTest): void => {
  describe("MailReportStore", () => {
    it.effect("adds counts to the row of their kind, domain, day and values", () =>
      Effect.gen(function* () {
        const store = yield* MailReportStore
        const domain = `${unique("d")}.test`
        const first = draft(domain)
        yield* store.add([first, draft(domain, { values: ['"\\ü,{}', "None"], count: 1 })])
        yield* store.add([
          draft(domain, { count: 4 }),
          draft(domain, { count: Number.MAX_SAFE_INTEGER, values: ["x"] }),
          draft(domain, { count: 5, values: ["x"] }),
          draft(domain, { kind: "Tls" }),
          draft(domain, { day: day + dayMillis }),
          draft(`other.${domain}`)
        ])
        yield* store.add([])
        const rows = yield* store.ofDay("Dmarc", domain, day)
        expect(countsOf(rows)).toEqual({
          "192.0.2.0/24 None": 7,
          '"\\ü,{} None': 1,
          x: Number.MAX_SAFE_INTEGER
        })
        const { folded: _folded, ...row } = first
        expect(rows.find(({ id }) => id === first.id)).toEqual({ ...row, count: 7 })
        yield* store.add([draft(domain, { values: ["x"] })])
        expect(countsOf(yield* store.ofDay("Dmarc", domain, day))["x"]).toBe(Number.MAX_SAFE_INTEGER)
        expect(countsOf(yield* store.ofDay("Tls", domain, day))).toEqual({ "192.0.2.0/24 None": 3 })
      })
    )

    it.effect("folds what comes once the day of a domain has as many rows as it may", () =>
      Effect.gen(function* () {
        const store = yield* MailReportStore
        const domain = `${unique("d")}.test`
        const rows = Array.from({ length: maxRowsOfDay }, (_, at) => draft(domain, { values: [String(at)] }))
        yield* store.add(rows)
        const next = { day: day + dayMillis }
        yield* store.add([
          draft(domain, { values: ["a"] }),
          draft(domain, { values: ["b"] }),
          draft(domain, { values: ["a"], ...next })
        ])
        const found = yield* store.ofDay("Dmarc", domain, day)
        expect(found).toHaveLength(maxRowsOfDay + 1)
        expect(countsOf(found)).toMatchObject({ "0": 3, " None": 6 })
        expect(countsOf(yield* store.ofDay("Dmarc", domain, next.day))).toEqual({ a: 3 })
      })
    )

    it.effect("lists the rows of domains by day, the latest first, and deletes old ones", () =>
      Effect.gen(function* () {
        const store = yield* MailReportStore
        const [one, other] = [`${unique("d")}.test`, `${unique("d")}.test`]
        const long = -1000 * 365 * dayMillis
        yield* store.add([
          draft(one, { values: ["1"] }),
          draft(other, { values: ["2"], day: day + dayMillis }),
          draft(one, { values: ["3"], day: day + 2 * dayMillis }),
          draft(one, { values: ["4"], day: day + long }),
          draft(one, { values: ["5"], kind: "TlsSent" }),
          draft(unique("d"), { values: ["6"] })
        ])
        const first = yield* store.list("Dmarc", [one, other, one], {}, page)
        expect(first.items.map(({ values }) => values[0])).toEqual(["3", "2"])
        expect(first.totalCount).toBe(4)
        const second = yield* store.list("Dmarc", [one, other], {}, { ...page, after: first.next })
        expect(second.items.map(({ values }) => values[0])).toEqual(["1", "4"])
        const range = { since: day, until: day + 2 * dayMillis }
        const some = yield* store.list("Dmarc", [one, other], range, page)
        expect(some.items.map(({ values }) => values[0])).toEqual(["2", "1"])
        expect((yield* store.list("Dmarc", [], {}, page)).items).toEqual([])
        expect(yield* store.prune("Dmarc", day + long, 10)).toBe(0)
        expect(yield* store.prune("Tls", day + long + 1, 10)).toBe(0)
        expect(yield* store.prune("Dmarc", day + long + 1, 10)).toBe(1)
        expect((yield* store.list("Dmarc", [one], {}, page)).totalCount).toBe(2)
      })
    )

    it.effect("notes each report once, and counts those of a reporter and of all", () =>
      Effect.gen(function* () {
        const store = yield* MailReportStore
        // Later than the reports of all other tests.
        const since = day + 1000 * dayMillis
        const reporter = unique("reporter")
        const receipt = { key: unique("key"), reporter, receivedAt: since }
        const old = { ...receipt, key: unique("key"), receivedAt: since - 1 - 2000 * 365 * dayMillis }
        yield* store.receive(old, since)
        expect(yield* store.receive(receipt, since)).toEqual({ isNew: true, ofReporter: 1, all: 1 })
        expect(yield* store.receive(receipt, since)).toEqual({ isNew: false, ofReporter: 1, all: 1 })
        const next = { ...receipt, key: unique("key"), receivedAt: since + 1 }
        expect(yield* store.receive(next, since)).toEqual({ isNew: true, ofReporter: 2, all: 2 })
        const other = { ...next, key: unique("key"), reporter: unique("reporter") }
        expect(yield* store.receive(other, since)).toEqual({ isNew: true, ofReporter: 1, all: 3 })
        expect(yield* store.pruneReceipts(old.receivedAt + 1, 10)).toBe(1)
        expect(yield* store.receive(old, since)).toMatchObject({ isNew: true })
      })
    )
  })
}
