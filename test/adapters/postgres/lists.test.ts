/**
 * Tests that the lists of the management API are read from indexes, with few statements, and find rare old entries.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "vitest"
import { layer as database } from "../../../adapters/postgres/engine/Embedded.ts"
import * as JobNotifier from "../../../adapters/postgres/engine/JobNotifier.ts"
import {
  AuditLog,
  CampaignStore,
  EventStore,
  ItemStore,
  JobQueue,
  NotificationStore,
  RequestLog,
  RunStore,
  SegmentStore as SegmentLayer,
  SubmissionStore,
  SuppressionStore,
  SyncStore,
  TimelineStore
} from "../../../adapters/postgres/layers.ts"
import { arrayOf, integersOf } from "../../../adapters/postgres/sql/columns.ts"
import * as TransactionLayer from "../../../adapters/postgres/Transaction.ts"
import { searchKeys } from "../../../core/audience/segments/SearchKeys.ts"
import { newContact } from "../../../core/model/Contact.ts"
import { CampaignStore as CampaignPort, type RecipientFilter } from "../../../core/ports/CampaignStore.ts"
import { SegmentStore } from "../../../core/ports/SegmentStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import type { Page, PageRequest } from "../../../core/shared/Page.ts"
import { fixed, idOf, largeTables, listCases, population, settling } from "../../support/listPopulation.ts"
import { statementsOf } from "../../support/statements.ts"

const stores = Layer.mergeAll(
  AuditLog,
  CampaignStore,
  EventStore,
  ItemStore,
  JobQueue,
  NotificationStore,
  RequestLog,
  RunStore,
  SegmentLayer,
  SubmissionStore,
  SuppressionStore,
  SyncStore,
  TimelineStore
).pipe(
  Layer.provideMerge(TransactionLayer.layer(true)),
  Layer.provide(JobNotifier.layerEmbedded),
  Layer.provideMerge(database(null))
)

const first: PageRequest = { page: 1, pageSize: 50, total: "Bounded" }

const accountId = "0190a5d0-0000-7000-8000-0000deadbeef"

layer(stores, { excludeTestServices: true })("a list", (it) => {
  it.effect("searches contacts of before by the keys that writes give to new ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const unit = fc.constantFrom(
        "a",
        "B",
        "é",
        "ö",
        "7",
        "😀",
        "語",
        " ",
        ".",
        ",",
        "-",
        "@",
        "_",
        "+",
        "/",
        "("
      )
      const text = fc.option(fc.string({ unit }))
      const contacts = fc.sample(
        fc
          .record({
            email: text,
            firstName: text,
            lastName: text,
            externalId: text,
            phone: text,
            tags: fc.option(fc.array(fc.string({ unit, maxLength: 300 }), { maxLength: 3 })),
            topics: fc.dictionary(fc.uuid(), fc.boolean(), { maxKeys: 3 })
          })
          .map((values) => ({ ...newContact(accountId, "", 0), ...values })),
        200
      )
      const rows = yield* sql<{ keys: ReadonlyArray<number> }>`
        select array(select distinct unnest(svc_search_keys(${accountId}::uuid,
          svc_contact_text(email, "firstName", "lastName", "externalId", phone), tags, topics)) order by 1) as keys
        from json_to_recordset(${JSON.stringify(contacts)}::json) as r(email text, "firstName" text, "lastName" text,
          "externalId" text, phone text, tags jsonb, topics jsonb)`
      expect(rows.map(({ keys }) => keys)).toEqual(
        contacts.map((contact) => searchKeys(accountId, contact).toSorted((a, b) => a - b))
      )
    })
  )

  it.effect("gets its parameters as they are: strings of any characters, and integers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const unit = fc.constantFrom(
        '"',
        "\\",
        "{",
        "}",
        ",",
        " ",
        "\n",
        "\u0001",
        "\u007f",
        "é",
        "😀",
        "NULL",
        "a"
      )
      const strings = fc.sample(fc.option(fc.string({ unit, maxLength: 8 })), 300)
      const integers = fc.sample(fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }), 100)
      for (const sent of [
        { strings, integers },
        { strings: [], integers: [] }
      ]) {
        const rows = yield* sql.unsafe("select $1::text[] as strings, $2::int[] as integers", [
          arrayOf(sent.strings),
          integersOf(sent.integers)
        ])
        expect(rows).toEqual([sent])
      }
    })
  )

  it.effect("reads its first pages from indexes, in at most two statements", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { run } = yield* Transaction
      // More people than a list walks before it uses an index.
      for (const statement of [population(5300, 1), settling].flat(2)) yield* sql.unsafe(statement).unprepared
      const scanned = sql<{ readonly name: string }>`
        select relname as name from pg_stat_xact_user_tables
        where seq_scan > 0 and relname = any(${largeTables}::text[])`
      const totals: Record<string, number> = {}
      for (const [name, list] of Object.entries(listCases)) {
        const [page, scans] = yield* run(Effect.all([list(first), scanned]))
        expect([name, scans]).toEqual([name, []])
        expect([name, (yield* statementsOf(list(first))) <= 2]).toEqual([name, true])
        totals[name] = page.totalCount
        const found = [...page.items] as Array<{
          readonly id?: string
          readonly email?: string
          readonly eventId?: string
          readonly contactId?: string
          readonly notificationId?: string
        }>
        let after = page.next
        if (after !== null) {
          const [behind, more] = yield* run(Effect.all([list({ ...first, after }), scanned]))
          expect([name, more]).toEqual([name, []])
          found.push(...(behind.items as typeof found))
          after = behind.next
        }
        const keys = found.map(
          ({ contactId, email, eventId, id, notificationId }) =>
            id ?? notificationId ?? email ?? eventId ?? contactId
        )
        expect([name, new Set(keys).size]).toEqual([name, keys.length])
        const paged: Page<unknown> = yield* list({ page: 2, pageSize: 50 })
        expect([name, paged.items]).toEqual([name, found.slice(50)])
        if (page.totalIsExact) expect([name, paged.totalCount]).toEqual([name, page.totalCount])
      }
      // Rare entries come after more entries than a list walks.
      for (const name of [
        "contacts country=IS",
        "contacts tag=rare",
        "contacts topic",
        "contacts lastOpenSince",
        "contacts q=zebra",
        "contacts q=z",
        "contacts tag=rare by activity",
        "contacts tag=rare country=IS q=zeb",
        "emails templateId",
        "emails keyId",
        "emails source=Smtp,System",
        "emails tag",
        "emails tag, status, q",
        "items storeId",
        "items q=zebra",
        "events name=rare.event",
        "runs step=rare",
        "runs step=rare, status, version",
        "store events status=Failed",
        "notifications webhookId of few",
        "notifications state=Failed"
      ]) {
        expect([name, totals[name]]).toEqual([name, 20])
      }
      // Rare among a campaign's first recipients too.
      for (const name of ["emails status=Bounced,Failed", "emails reason", "emails opened=Human"]) {
        expect([name, totals[name]]).toEqual([name, 40])
      }
      expect(totals["contacts q=person17@"]).toBe(1)
    })
  )

  it.effect("counts the recipients of a larger campaign exactly that one filter finds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { recipients } = yield* CampaignPort
      const campaignId = idOf(7, 9)
      const none = '{"Human": 0, "Machine": 0, "Unknown": 0}'
      // The people who got the email are in the middle of the list.
      for (const statement of [
        `insert into campaign_recipients (account_id, campaign_id, contact_id, due_at, delivery_id, state)
        select '${accountId}', '${campaignId}', ${fixed(1, "n")}, now(),
          case when n between 5001 and 5030 then ${fixed(3, "n")} end,
          case when n between 5001 and 5030 then 'Submitted' else 'Pending' end
        from generate_series(1, 10100) n`,
        `insert into deliveries (account_id, id, submission_id, position, email, kind, status, attempts, created_at, updated_at,
          claims, campaign_id)
        select '${accountId}', ${fixed(3, "n")}, ${fixed(4, "n")}, 0, 'p' || n || '@x.example', 'To',
          case when n <= 5020 then 'Delivered' else 'Sent' end, 1, now(), now(), 1, '${campaignId}'
        from generate_series(5001, 5030) n`,
        `insert into delivery_visits (account_id, delivery_id, visits, opens, clicks, first_opened_at, reader_opened_at,
          campaign_id, contact_id)
        select '${accountId}', ${fixed(3, "n")}, '[]', '{"Human": 1, "Machine": 0, "Unknown": 0}', '${none}', now(), now(),
          '${campaignId}', ${fixed(1, "n")}
        from generate_series(5001, 5005) n`
      ]) {
        yield* sql.unsafe(statement).unprepared
      }
      const totalOf = (filter: RecipientFilter) =>
        Effect.map(
          recipients(accountId, campaignId, filter, first),
          ({ items, totalCount, totalIsExact }) => [items.length, totalCount, totalIsExact]
        )
      expect(yield* totalOf({ state: ["Submitted"] })).toEqual([30, 30, true])
      expect(yield* totalOf({ status: ["Delivered"], opened: null })).toEqual([20, 20, true])
      expect(yield* totalOf({ status: ["Sent", "Delivered", "Sent"] })).toEqual([30, 30, true])
      expect(yield* totalOf({ opened: ["None"] })).toEqual([25, 25, true])
      expect(yield* totalOf({ clicked: ["None", "Human"] })).toEqual([30, 30, true])
      // With any filter, a list that ends on its first page has no further people.
      expect(yield* totalOf({ status: ["Delivered"], opened: ["None"] })).toEqual([15, 15, true])
      const some = { ...first, pageSize: 10 }
      const { items, totalIsExact } = yield* recipients(
        accountId,
        campaignId,
        { status: ["Delivered"], opened: ["None"] },
        some
      )
      expect([items.length, totalIsExact]).toEqual([10, false])
      yield* sql`
        delete from campaign_recipients where account_id = ${accountId} and contact_id = ${idOf(1, 5001)}`
        .unprepared
      expect(yield* totalOf({ state: ["Submitted"] })).toEqual([29, 29, true])
      expect(yield* totalOf({ status: ["Delivered"] })).toEqual([19, 19, true])
    })
  )

  it.effect("counts 10,000 exactly where all of the newest contacts pass, and estimates more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const people = 14_000
      yield* sql`
        insert into contacts (account_id, id, email, consent_status, tags, attributes, topics, added_at, version)
        select ${accountId}::uuid, gen_random_uuid(),
          'person' || n || case when n > ${people - 9_900} then '@newest' else '@oldest' end || '.example',
          'Subscribed', null, '{}', '{}', timestamptz '2031-01-01' + n * interval '1 second', 1
        from generate_series(1, ${people}::int) n`.unprepared
      yield* sql`
        insert into contact_search select account_id, id,
          svc_search_keys(account_id, svc_contact_text(email, first_name, last_name, external_id, phone), tags, topics)
        from contacts c where account_id = ${accountId}::uuid
          and not exists (select from contact_search s where s.account_id = c.account_id and s.contact_id = c.id)`
        .unprepared
      yield* sql`
        insert into contact_counts values (${accountId}::uuid, ${people}::int)
        on conflict (account_id) do update set contacts = excluded.contacts`.unprepared
      yield* sql`analyze contacts, contact_search`.unprepared
      const store = yield* SegmentStore
      const totals = yield* Effect.forEach(["example", "@newest", "@oldest", "person1"], (q) =>
        Effect.map(
          store.find(accountId, { q }, first, Date.UTC(2031, 4, 6)),
          ({ items, totalCount, totalIsExact }) =>
            [q, items.length, totalIsExact || totalCount > people * 0.8, totalIsExact && totalCount] as const
        )
      )
      expect(totals).toEqual([
        ["example", 50, true, false],
        ["@newest", 50, true, 9_900],
        ["@oldest", 50, true, 4_100],
        ["person1", 50, true, 1_111 + 4_001]
      ])
    })
  )
})
