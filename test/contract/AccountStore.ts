/**
 * The contract of `core/ports/AccountStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Company, Settings } from "../../core/model/Account.ts"
import { AccountStore, type CompanyFilter } from "../../core/ports/AccountStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import type { Place } from "../../core/shared/Page.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { draftSubmission } from "./drafts.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  byId,
  draftCompany,
  edited,
  freshAccount,
  newId,
  now,
  oddText,
  type StorageTest,
  times,
  unique
} from "./fixtures.ts"

/** Later than the companies of all other tests, so that these come first in the list. */
let latest = Date.UTC(2200, 0, 1) + Date.now()

/** Tests of the port `AccountStore`. */
export const accountStoreContract = (it: StorageTest): void => {
  describe("AccountStore", () => {
    it.effect("returns accounts as they were added", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const settings: Settings = {
          autoCreateAttributes: true,
          tracking: { opens: true, clicks: false },
          flowTracking: { opens: false, clicks: true },
          contactLimit: 0,
          dailySendLimit: 2_147_483_647,
          retentionDays: 1,
          recipientRetentionDays: 3650,
          defaultSender: { email: "zoë@example.com", name: oddText },
          conversionWindowDays: 90,
          rateLimitPerMinute: 1_000_000,
          reviewFirst: 10_000,
          preserveSigned: true,
          trapLink: true,
          standingHolds: false,
          pools: { transactional: "one", marketing: "other" },
          language: "de",
          requireTls: true,
          keepErased: true,
          requestLogDays: 3,
          delivery: { transactional: ["relay:acme", "Direct"], marketing: null },
          timeZone: "Europe/Vienna",
          timeZoneAttribute: "zone",
          quietHours: { from: "22:00", to: "07:30" },
          marketingCaps: [{ emails: 2, days: 7 }],
          holdoutPercent: 20,
          transactionalReservePercent: 0,
          campaignTracking: { opens: false, clicks: true },
          campaignLimits: { complaintPercent: 0.1, bouncePercent: null, renderFailurePercent: 100 },
          campaignApproval: { required: true, above: 500 },
          testAddresses: ["zoë@example.com"],
          archive: { enabled: true, title: oddText, description: null }
        }
        const { company, live, sandbox } = draftCompany(settings)
        const odd = { ...live, name: oddText }
        yield* store.insert([{ ...company, name: oddText }], [odd, sandbox])
        expect(byId(yield* store.find([live.id, sandbox.id]))).toEqual(byId([odd, sandbox]))
      })
    )

    it.effect("finds only the accounts that exist, each once", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const account = yield* freshAccount()
        expect(yield* store.find([account.id, newId(), account.id])).toEqual([account])
        expect(yield* store.find([newId()])).toEqual([])
        expect(yield* store.find([])).toEqual([])
      })
    )

    it.effect("adds and finds 1,000 companies at once", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const drafts = times(1000, () => draftCompany())
        const accounts = drafts.flatMap(({ live, sandbox }) => [live, sandbox])
        yield* store.insert(
          drafts.map(({ company }) => company),
          accounts
        )
        expect(byId(yield* store.find(accounts.map(({ id }) => id)))).toEqual(byId(accounts))
      })
    )

    it.effect("finds companies by their ids", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const { company, live, sandbox } = draftCompany()
        yield* store.insert([company], [live, sandbox])
        expect(yield* store.findCompanies([company.id, newId(), company.id])).toEqual([company])
        expect(yield* store.findCompanies([])).toEqual([])
      })
    )

    it.effect("lists companies newest first, page by page", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const before = (yield* store.companies({ page: 1, pageSize: 1 })).totalCount
        const drafts = times(5, () => draftCompany({}, latest++))
        yield* store.insert(
          drafts.map(({ company }) => company),
          drafts.flatMap(({ live, sandbox }) => [live, sandbox])
        )
        const newest = drafts.map(({ company }) => company).toReversed()
        const first = yield* store.companies({ page: 1, pageSize: 3 })
        expect(first).toMatchObject({
          items: newest.slice(0, 3),
          page: 1,
          pageSize: 3,
          totalCount: before + 5
        })
        const second = yield* store.companies({ page: 2, pageSize: 3 })
        const some = [first.items[2]!, first.items[0]!].map(({ id }) => id)
        expect(yield* store.companies({ page: 1, pageSize: 3 }, some)).toMatchObject({
          items: [first.items[0], first.items[2]],
          totalCount: 2
        })
        expect((yield* store.companies({ page: 1, pageSize: 3 }, [])).items).toEqual([])
        expect(yield* store.findCompanies([some[0]!, newId()])).toEqual([first.items[2]])
        expect(second.items.slice(0, 2)).toEqual(newest.slice(3))
        const beyond = yield* store.companies({ page: 1_000_000, pageSize: 200 })
        expect(beyond.items).toEqual([])
        expect(beyond.totalCount).toBe(before + 5)
      })
    )

    it.effect("lists companies by state and the beginning of the name, sorted by time, name and volume", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const submissions = yield* SubmissionStore
        const mark = unique("Über")
        const drafts = ["c", "A", "b"].map((name, index) => {
          const draft = draftCompany({}, now + index)
          return { ...draft, company: { ...draft.company, name: `${mark} ${name}` } }
        })
        yield* store.insert(
          drafts.map(({ company }) => company),
          drafts.flatMap(({ live, sandbox }) => [live, sandbox])
        )
        const [c, a, b] = drafts.map(({ company }) => company) as [Company, Company, Company]
        yield* store.saveCompany({ ...b, deletedAt: now })
        const day = 86_400_000
        const volumeSince = Math.floor(now / day) * day
        const sent = (account: string, createdAt: number) =>
          submissions.insert(account, [draftSubmission(account, { createdAt })], [])
        yield* sent(c.liveAccountId, volumeSince)
        yield* sent(c.liveAccountId, now)
        yield* sent(a.liveAccountId, volumeSince - 1)
        yield* sent(a.sandboxAccountId, now)
        yield* sent(b.liveAccountId, now)
        const found = (filter: Partial<CompanyFilter>, by = "time", ascending = false) =>
          Effect.map(
            store.browse(
              { page: 1, pageSize: 5, sort: { by, ascending } },
              { ids: null, state: null, q: foldCase(mark), volumeSince, ...filter }
            ),
            ({ items }) => items.map(({ name, volume }) => [name.slice(-1), volume])
          )
        expect(yield* found({})).toEqual([
          ["b", 1],
          ["A", 0],
          ["c", 2]
        ])
        expect((yield* found({}, "name", true)).map(([name]) => name)).toEqual(["A", "b", "c"])
        expect((yield* found({}, "volume")).map(([name]) => name)).toEqual(["c", "b", "A"])
        expect((yield* found({ state: "Deleted" })).map(([name]) => name)).toEqual(["b"])
        expect((yield* found({ state: "Active" })).map(([name]) => name)).toEqual(["A", "c"])
        expect((yield* found({ ids: [a.id, newId()] })).map(([name]) => name)).toEqual(["A"])
        expect(yield* found({ q: `${foldCase(mark)} c%` })).toEqual([])
        const pageOf = (after: Place | null) =>
          store.browse(
            { page: 1, pageSize: 1, after, sort: { by: "volume", ascending: false } },
            { ids: null, state: null, q: foldCase(mark), volumeSince }
          )
        const { next } = yield* pageOf(null)
        expect((yield* pageOf(next)).items.map(({ id }) => id)).toEqual([b.id])
      })
    )

    it.effect("replaces the settings of one account", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const account = yield* freshAccount({ contactLimit: 5 })
        const other = yield* freshAccount({ contactLimit: 5 })
        const settings: Settings = {
          ...account.settings,
          contactLimit: null,
          defaultSender: { email: "a@example.com", name: null }
        }
        yield* store.saveSettings(account.id, settings, edited)
        expect(yield* store.find([account.id])).toEqual([{ ...account, settings, ...edited }])
        expect(yield* store.find([other.id])).toEqual([other])
      })
    )

    it.effect("replaces a company, and the name and deletion of its accounts", () =>
      Effect.gen(function* () {
        const [store, { run }] = [yield* AccountStore, yield* Transaction]
        const [one, other] = [draftCompany(), draftCompany()]
        yield* store.insert([one.company, other.company], [one.live, one.sandbox, other.live, other.sandbox])
        const changed: Company = {
          ...one.company,
          name: oddText,
          requireTwoFactors: true,
          auditRetentionDays: 90,
          brand: {
            name: oddText,
            logo: newId(),
            colors: { accent: "#012345", background: null, text: "#abcdef" },
            postalAddress: "Street 1\nTown",
            footer: null
          },
          pageTexts: { ar: { "confirm.title": oddText, "confirm.text": "{name}" }, en: {} },
          deletedAt: now
        }
        yield* store.saveCompany(changed)
        expect(yield* run(store.lockCompanies([one.company.id, newId()]))).toEqual([changed])
        expect(byId(yield* store.find([one.live.id, one.sandbox.id]))).toEqual(
          byId([one.live, one.sandbox].map((account) => ({ ...account, name: oddText, deletedAt: now })))
        )
        expect(yield* store.find([other.live.id])).toEqual([other.live])
        yield* store.saveCompany(one.company)
        expect(yield* store.findCompanies([one.company.id])).toEqual([one.company])
        expect(yield* store.find([one.live.id])).toEqual([one.live])
      })
    )

    it.effect("copies what it is given", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const { company, live, sandbox } = draftCompany({ tracking: { opens: true, clicks: true } })
        yield* store.insert([company], [live, sandbox])
        Object.assign(live.settings.tracking, { opens: false })
        const [stored] = yield* store.find([live.id])
        expect(stored!.settings.tracking).toEqual({ opens: true, clicks: true })
      })
    )

    it.effect("locks the accounts that exist and returns them, in a transaction", () =>
      Effect.gen(function* () {
        const store = yield* AccountStore
        const { run } = yield* Transaction
        const account = yield* freshAccount()
        expect(yield* run(store.lock([newId(), account.id]))).toEqual([account])
        expect(yield* run(store.lock([]))).toEqual([])
        expect(account.createdAt).toBe(now)
      })
    )
  })
}
