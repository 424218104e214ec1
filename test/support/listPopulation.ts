/**
 * An account with many people, emails, events and notifications, and the lists of the management API over them. The benchmark of
 * lists and the test of their plans use it.
 *
 * @module
 */
import type { Effect } from "effect"
import { maxItems } from "../../core/model/Item.ts"
import { type AuditFilter, AuditLog } from "../../core/ports/AuditLog.ts"
import { CampaignStore, type RecipientFilter } from "../../core/ports/CampaignStore.ts"
import { EventStore } from "../../core/ports/EventStore.ts"
import { type ItemFilter, ItemStore } from "../../core/ports/ItemStore.ts"
import { type JobFilter, JobQueue } from "../../core/ports/JobQueue.ts"
import { NotificationStore } from "../../core/ports/NotificationStore.ts"
import { RequestLog } from "../../core/ports/RequestLog.ts"
import { RunStore } from "../../core/ports/RunStore.ts"
import { type ContactFilter, SegmentStore } from "../../core/ports/SegmentStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { SyncStore } from "../../core/ports/SyncStore.ts"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import type { textOperators } from "../../core/model/SegmentDefinition.ts"
import type { Page, PageRequest } from "../../core/shared/Page.ts"
import type { Unavailable } from "../../core/shared/Problem.ts"

export const accountId = "0190a5d0-0000-7000-8000-000000000001"
export const now = Date.UTC(2031, 4, 6, 7, 8, 9)
const minute = 60_000

export const uuid = (millis: string, n: string): string =>
  `(lpad(to_hex(${millis}), 12, '0') || '70008000' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** A fixed id for the nth record of a kind. */
export const fixed = (kind: number, n: string): string =>
  `('0190a5d0-000${kind}-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`

export const idOf = (kind: number, n: number): string =>
  `0190a5d0-000${kind}-7000-8000-${String(n).padStart(12, "0")}`

/** SQL for the nth of `count` records, the last of which is the newest: its time, and the milliseconds in its id. */
export const at = (count: number): string =>
  `(timestamptz '${new Date(now).toISOString()}' - (${count} - n) * interval '1 second')`
export const millisAt = (count: number): string => `(${now}::bigint - (${count} - n) * 1000::bigint)`

/**
 * Statements that fill an empty database: `people` contacts, `each` emails, events, notifications and calls for each contact, and
 * `fewer` jobs, runs, store events and audit entries. Rare records are also old, which is the worst case for lists sorted newest
 * first. The groups of statements are independent of each other.
 */
export const population = (people: number, each = 10, fewer = each): ReadonlyArray<ReadonlyArray<string>> => {
  const [many, less] = [each * people, fewer * people]
  const items = Math.min(people, maxItems)
  const rare = Math.max(20, Math.round(people / 10_000))
  /** The last recipient of a campaign with a rare value. The first ones got no email. */
  const recipient = 2 * rare
  return [
    [
      `insert into contacts (account_id, id, email, external_id, first_name, last_name, phone, country_code, language,
      consent_status, consent_source, tags, attributes, topics, added_at, last_open_at, last_emailed_at, version)
    select '${accountId}', ${fixed(1, "n")}, 'person' || n || '@' || (array['mail', 'post', 'web'])[1 + n % 3] || '.example',
      'C-' || n, 'First' || n % 5000, case when n <= ${rare} then 'Zebra' else 'Last' || n % 20000 end, '+49 170 ' || n,
      case when n <= ${rare} then 'IS' else (array['DE', 'AT', 'FR', 'ES'])[1 + n % 4] end, 'de',
      (array['Subscribed', 'Subscribed', 'Unknown', 'Unsubscribed'])[1 + n % 4], 'Api',
      case when n <= ${rare} then '["rare", "all"]'::jsonb when n % 3 = 0 then '["all"]' end, '{}',
      case when n <= ${rare} then jsonb_build_object('${idOf(9, 1)}', true) else '{}' end,
      ${at(people)}, case when n <= ${rare} then ${at(people)} end, ${at(people)}, 1
    from generate_series(1, ${people}) n`,
      `insert into contact_search select account_id, id,
      svc_search_keys(account_id, svc_contact_text(email, first_name, last_name, external_id, phone), tags, topics)
    from contacts`,
      `insert into contact_activity
    select account_id, id, last_emailed_at, last_open_at, last_click_at, greatest(added_at, last_open_at) from contacts`,
      `insert into contact_counts values ('${accountId}', ${people})`
    ],
    [
      `insert into suppressions (account_id, email, kind, source, created_at)
    select '${accountId}', 'person' || n || '@' || (array['mail', 'post', 'web'])[1 + n % 3] || '.example',
      case when n <= ${rare} then 'Protected' else 'Bounced' end,
      case when n <= ${rare} then 'Import' else 'Report' end, ${at(people)}
    from generate_series(1, ${people}, 5) n`
    ],
    [
      `insert into submissions (account_id, id, "from", subject, tags, metadata, accepted_status, created_at,
      content_digest, headers, template_id, source, key_id, flow_id, marketing)
    select '${accountId}', ${uuid(millisAt(many), "n")}, '{"email": "shop@mail.example", "name": null}', 'Receipt ' || n,
      case when n <= ${rare} then '{"campaign": "rare"}'::jsonb else '{}' end, '{}', 'Queued', ${at(many)}, '', '[]', ${fixed(2, `case when n <= ${rare} then 1 else 2 + n % 20 end`)},
      case when n <= ${rare} then 'Smtp' when n % 4 = 0 then 'Campaign' end, ${fixed(5, `case when n <= ${rare} then 1 else 2 end`)},
      case when n % 4 = 1 then ${fixed(4, `case when n <= ${rare} then 2 else 1 end`)} end,
      case when n % 4 = 0 or n <= ${recipient} then jsonb_build_object('contactId', ${fixed(1, `1 + n % ${people}`)}, 'topicId', null,
        'campaign', jsonb_build_object('id', ${fixed(7, `case when n <= ${rare} then 1 else 2 end`)})) end
    from generate_series(1, ${many}) n`
    ],
    [
      `insert into deliveries (account_id, id, submission_id, position, email, kind, status, reason, provider, attempts,
      created_at, updated_at, claims, campaign_id, unsubscribed_at)
    select '${accountId}', ${uuid(millisAt(many), "n")}, ${uuid(millisAt(many), "n")}, 0,
      'person' || 1 + n % ${people} || '@' || (array['mail', 'post', 'web'])[1 + (1 + n % ${people}) % 3] || '.example', 'To',
      case when n <= ${recipient} then 'Bounced' else (array['Delivered', 'Sent'])[1 + n % 2] end,
      case when n <= ${recipient} then 'sending.refused' end,
      case when n <= ${rare} then 'yahoo' when n % 3 = 0 then 'google' end, 1, ${at(many)}, ${at(many)}, 1,
      case when n between ${rare + 1} and ${people} then ${fixed(7, "2")} end, case when n <= ${recipient} then ${at(many)} end
    from generate_series(1, ${many}) n`
    ],
    [
      `insert into delivery_visits (account_id, delivery_id, visits, opens, clicks, first_opened_at, reader_opened_at,
      first_clicked_at, reader_clicked_at, campaign_id, contact_id)
    select '${accountId}', ${uuid(millisAt(many), "n")}, '[]', jsonb_build_object('Human', (n <= ${recipient})::int, 'Machine', 0,
      'Unknown', 1), jsonb_build_object('Human', (n <= ${recipient})::int, 'Machine', 0, 'Unknown', 0), ${at(many)}, ${at(many)},
      case when n <= ${recipient} then ${at(many)} end, case when n <= ${recipient} then ${at(many)} end,
      case when n between ${rare + 1} and ${people} then ${fixed(7, "2")} end,
      case when n between ${rare + 1} and ${people} then ${fixed(1, "n")} end
    from generate_series(1, ${many}) n where n <= ${recipient} or n % 3 = 0`,
      `insert into conversions (account_id, id, contact_id, order_id, delivery_id, campaign_id, clicked_at, ordered_at)
    select '${accountId}', ${fixed(9, "n")}, ${fixed(1, "n")}, ${fixed(9, "n")}, ${uuid(millisAt(many), "n")}, ${fixed(7, "2")},
      ${at(many)}, ${at(many)}
    from generate_series(${rare + 1}, ${recipient}) n`
    ],
    [
      `insert into events_all (account_id, id, event_id, name, occurred_at, source)
    select '${accountId}', ${uuid(millisAt(many), "n")}, 'event-' || n,
      case when n <= ${rare} then 'rare.event' else 'event.' || n % 50 end, ${at(many)},
      case when n <= ${rare} then 'Ui' end
    from generate_series(1, ${many}) n`
    ],
    [
      `insert into failed_events (account_id, id, name, code)
    select '${accountId}', ${uuid(millisAt(many), "n")}, 'event.' || n % 50,
      case when n <= ${100 * rare} then 'validation.email' else 'common.internal' end
    from generate_series(1, ${many}, 100) n`
    ],
    [
      `insert into timeline (account_id, id, contact_id, name, occurred_at, properties, source)
    select '${accountId}', ${uuid(millisAt(many), "n")}, ${fixed(1, `1 + n % ${people}`)}, 'event.' || n % 50, ${at(many)},
      '{}', 'Api'
    from generate_series(2, ${many}) n where n % 100 <> 1`
    ],
    [
      `insert into notifications (account_id, id, webhook_id, type, delivery_id, body, state, attempts, claims, run_at,
      due_at, created_at)
    select '${accountId}', ${uuid(millisAt(many), "n")}, ${fixed(3, `case when n <= ${rare} then 1 else 2 + n % 3 end`)},
      (array['email.sent', 'email.opened'])[1 + n % 2], ${uuid(millisAt(many), "n")}, '{}',
      case when n <= ${rare} then 'Failed' else 'Succeeded' end, 1, 1, ${at(many)}, ${at(many)}, ${at(many)}
    from generate_series(1, ${many}) n`
    ],
    [
      `insert into webhook_attempts (account_id, notification_id, attempt, webhook_id, at, http_status, duration_ms)
    select '${accountId}', ${uuid(millisAt(many), "n")}, 1, ${fixed(3, `case when n <= ${rare} then 1 else 2 + n % 3 end`)},
      ${at(many)}, 200, 5
    from generate_series(1, ${many}) n`
    ],
    [
      `insert into audit_log (account_id, id, at, actor, action, target, outcome, network)
    select '${accountId}', ${uuid(millisAt(less), "n")}, ${at(less)},
      case when n <= ${rare} then 'user:${idOf(5, 3)}' else 'installation' end,
      case when n <= ${rare} then 'api_key.revoked' else 'suppression.added' end,
      'target-' || n, case when n <= ${rare} then 'Refused' else 'Done' end,
      case when n <= ${rare} then '192.0.2.0/24' else '198.51.100.0/24' end
    from generate_series(1, ${less}) n`
    ],
    [
      `insert into campaign_recipients (account_id, campaign_id, contact_id, due_at, decided_at, delivery_id, version, state,
      reason, variant)
    select '${accountId}', ${fixed(7, "2")}, ${fixed(1, "n")}, ${at(people)}, ${at(people)},
      case when n > ${rare} then ${uuid(millisAt(many), "n")} end,
      case when n <= ${recipient} then 2 else 1 end,
      case when n <= ${rare} then 'Skipped' else 'Submitted' end,
      case when n <= ${rare} then 'sending.gate_topic' end, case when n <= ${recipient} then 'c' when n % 2 = 0 then 'a' else 'b' end
    from generate_series(1, ${people}) n`
    ],
    [
      `insert into jobs (account_id, queue, id, run_at, due_at, leased, attempts, payload)
    select ${fixed(0, `case when n <= ${rare} then 1 else 2 + n % 100 end`)},
      case when n <= ${rare} then 'imports' else 'deliveries' end, ${uuid(millisAt(less), "n")}, ${at(less)}, ${at(less)},
      n <= ${rare}, 0, '{}'
    from generate_series(1, ${less}) n`
    ],
    [
      `insert into items (account_id, id, source, external_id, kind, name, in_stock, categories, attributes, active, created_at,
      version, store_id)
    select '${accountId}', ${fixed(6, "n")}, 'Api', 'SKU-' || n, case when n <= ${rare} then 'plan' else 'product' end,
      case when n <= ${rare} then 'Zebra ' else 'Item ' end || n, true, '[]', '{}', n > ${rare}, ${at(items)}, 1,
      case when n <= ${rare} then ${fixed(8, "1")} end
    from generate_series(1, ${items}) n`
    ],
    [
      `insert into flow_runs (account_id, id, flow_id, version, contact_id, status, step_id, is_waiting, event, pending, log,
      started_at)
    select '${accountId}', ${uuid(millisAt(less), "n")}, ${fixed(4, "1")}, 1 + n / ${less}, ${fixed(1, "n")}, 'Active',
      case when n <= ${rare} then 'rare' else 'wait' end, true, '{}', '[]', '[]', ${at(less)}
    from generate_series(1, ${less}) n`
    ],
    [
      `insert into store_events (account_id, store_id, event_id, received_at, name, status)
    select '${accountId}', ${fixed(8, "1")}, 'event-' || n, ${at(less)}, 'order.placed',
      case when n <= ${rare} then 'Failed' else 'Accepted' end
    from generate_series(1, ${less}) n`
    ],
    [
      `insert into request_log (account_id, id, request_id, key_id, method, route, status, code, duration_millis, warnings, at)
    select '${accountId}', ${uuid(millisAt(many), "n")}, 'request-' || n,
      ${fixed(5, `case when n <= ${rare} then 1 else 2 end`)}, case when n <= ${rare} then 'DELETE' else 'POST' end,
      case when n <= ${rare} then '/api/v1/contacts/:reference' else '/api/v1/sending/emails' end,
      case when n <= ${rare} then 422 else 202 end, case when n <= ${rare} then 'common.not_found' end, 5, '{}', ${at(many)}
    from generate_series(1, ${many}) n`
    ]
  ]
}

/** The tables that grow with the account. */
export const largeTables = [
  "items",
  "contacts",
  "contact_activity",
  "contact_search",
  "suppressions",
  "submissions",
  "deliveries",
  "delivery_visits",
  "conversions",
  "events_after",
  "failed_events",
  "flow_runs",
  "store_events",
  "timeline",
  "notifications",
  "webhook_attempts",
  "audit_log",
  "campaign_recipients",
  "jobs",
  "request_log"
]

/** Statements that vacuum and analyse the tables, as autovacuum does after some time. */
export const settling: ReadonlyArray<string> = largeTables.map((table) => `vacuum (analyze) ${table}`)

/** The ports of the lists. */
export type ListPorts =
  | AuditLog
  | CampaignStore
  | ItemStore
  | JobQueue
  | SegmentStore
  | SubmissionStore
  | EventStore
  | NotificationStore
  | RequestLog
  | RunStore
  | SuppressionStore
  | SyncStore
  | TimelineStore

/** A list request with a filter. */
export type ListCase<Ports = ListPorts> = (
  page: PageRequest
) => Effect.Effect<Page<unknown>, Unavailable, Ports>

const contacts =
  (filter: ContactFilter, by = "added"): ListCase =>
  (page) =>
    SegmentStore.use((store) =>
      store.find(accountId, filter, { ...page, sort: { by, ascending: false } }, now)
    )
const emails =
  (filter: Parameters<SubmissionStore["Service"]["list"]>[1]): ListCase =>
  (page) =>
    SubmissionStore.use((store) => store.list(accountId, filter, page))
const events =
  (filter: Parameters<EventStore["Service"]["list"]>[1]): ListCase =>
  (page) =>
    EventStore.use((store) => store.list(accountId, filter, page))
const notifications =
  (filter: Parameters<NotificationStore["Service"]["list"]>[1]): ListCase =>
  (page) =>
    NotificationStore.use((store) => store.list(accountId, filter, page))
const runs =
  (filter: Parameters<RunStore["Service"]["list"]>[2]): ListCase =>
  (page) =>
    RunStore.use((store) => store.list(accountId, idOf(4, 1), filter, page))
const storeEvents =
  (filter: Parameters<SyncStore["Service"]["events"]>[2]): ListCase =>
  (page) =>
    SyncStore.use((store) => store.events(accountId, idOf(8, 1), filter, page))
const suppressions =
  (filter: Parameters<SuppressionStore["Service"]["list"]>[2]): ListCase =>
  (page) =>
    SuppressionStore.use((store) => store.list(accountId, page, filter))

const audit =
  (filter: AuditFilter): ListCase =>
  (page) =>
    AuditLog.use((log) => log.list({ _tag: "Accounts", accountIds: [accountId] }, filter, page))
const companyAudit =
  (filter: AuditFilter): ListCase =>
  (page) =>
    AuditLog.use((log) =>
      log.list({ _tag: "Company", companyId: idOf(0, 3), accountIds: [accountId, idOf(0, 2)] }, filter, page)
    )
const recipients =
  (filter: RecipientFilter): ListCase =>
  (page) =>
    CampaignStore.use((store) => store.recipients(accountId, idOf(7, 2), filter, page))
const jobs =
  (filter: JobFilter): ListCase =>
  (page) =>
    JobQueue.use((queue) => queue.list(filter, page))
const webhookLog =
  (n: number): ListCase =>
  (page) =>
    NotificationStore.use((store) => store.log({ accountId, webhookId: idOf(3, n) }, page))

const items =
  (filter: Partial<ItemFilter>, by = "time", ascending = false): ListCase =>
  (page) =>
    ItemStore.use((store) =>
      store.list(
        accountId,
        { storeId: null, kind: null, active: null, q: null, ...filter },
        { ...page, sort: { by, ascending } }
      )
    )

const requests =
  (filter: Parameters<RequestLog["Service"]["list"]>[1]): ListCase =>
  (page) =>
    RequestLog.use((store) => store.list(accountId, filter, page))

/** A segment that selects by address. */
const addressed = (operator: (typeof textOperators)[number], text: string): ContactFilter => ({
  segment: [{ join: "All", rules: [{ field: { _tag: "Text", column: "email" }, test: { operator, text } }] }]
})

const newsTopic = { id: idOf(9, 1), defaultOn: false, on: true }

/** Every list with each of its filters, by name, once with a frequent and once with a rare value. */
export const listCases: Readonly<Record<string, ListCase>> = {
  contacts: contacts({}),
  "contacts by activity": contacts({}, "lastActivity"),
  "contacts consentStatus=Subscribed": contacts({ consentStatus: ["Subscribed"] }),
  "contacts consentStatus=Unknown,Unsubscribed": contacts({ consentStatus: ["Unknown", "Unsubscribed"] }),
  "contacts source=Api": contacts({ source: ["Api"] }),
  "contacts source=Import": contacts({ source: ["Import"] }),
  "contacts country=DE": contacts({ country: ["DE"] }),
  "contacts country=IS": contacts({ country: ["IS"] }),
  "contacts language=de": contacts({ language: ["de"] }),
  "contacts storeId": contacts({ storeId: [idOf(8, 1)] }),
  "contacts tag=all": contacts({ tag: ["all"] }),
  "contacts tag=rare": contacts({ tag: ["rare"] }),
  "contacts topic": contacts({ topic: [newsTopic] }),
  "contacts topic off": contacts({ topic: [{ ...newsTopic, on: false }] }),
  "contacts since, until": contacts({ since: now - 90 * minute, until: now - 60 * minute }),
  "contacts lastEmailedSince": contacts({ lastEmailedSince: now - 60 * minute }),
  "contacts lastOpenSince": contacts({ lastOpenSince: 0 }),
  "contacts lastClickSince": contacts({ lastClickSince: 0 }),
  "contacts suppressed": contacts({ suppressed: true }),
  "contacts not suppressed": contacts({ suppressed: false }),
  "contacts segment of all": contacts(addressed("Contains", "example")),
  "contacts segment of few": contacts(addressed("Equals", "person7@post.example")),
  "contacts segment of none": contacts(addressed("EndsWith", "@none.example")),
  "contacts segment of few, by activity": contacts(
    addressed("Equals", "person7@post.example"),
    "lastActivity"
  ),
  "contacts segment of openers": contacts({
    segment: [
      {
        join: "All",
        rules: [
          { field: { _tag: "Date", column: "lastOpenAt" }, test: { operator: "IsSet" } },
          { field: { _tag: "Number", column: "orderCount" }, test: { operator: "Equals", number: "0" } }
        ]
      }
    ]
  }),
  "contacts segment of a country or a topic": contacts({
    segment: [
      {
        join: "Any",
        rules: [
          { field: { _tag: "Text", column: "countryCode" }, test: { operator: "In", texts: ["is", "no"] } },
          { field: { _tag: "Topic", topicId: idOf(9, 1), defaultOn: false }, test: { operator: "IsTrue" } }
        ]
      }
    ]
  }),
  "contacts segment of an event": contacts({
    segment: [
      {
        join: "All",
        rules: [
          {
            field: { _tag: "Events", name: "event.7" },
            test: { operator: "HappenedAtLeast", count: 1, days: 1 }
          }
        ]
      }
    ]
  }),
  "contacts q=example": contacts({ q: "example" }),
  "contacts q=zebra": contacts({ q: "zebra" }),
  "contacts q=z": contacts({ q: "z" }),
  "contacts q=person17@": contacts({ q: "person17@" }),
  "contacts q=none": contacts({ q: "no such person" }),
  "contacts tag=rare by activity": contacts({ tag: ["rare"] }, "lastActivity"),
  "contacts tag=rare country=IS q=zeb": contacts({ tag: ["rare"], country: ["IS"], q: "zeb" }),
  emails: emails({}),
  "emails status=Delivered": emails({ status: ["Delivered"] }),
  "emails status=Bounced,Failed": emails({ status: ["Bounced", "Failed"] }),
  "emails reason": emails({ reason: ["sending.refused"] }),
  "emails provider=google": emails({ provider: ["google"] }),
  "emails provider=yahoo": emails({ provider: ["yahoo"] }),
  "emails to": emails({ to: ["person18@mail.example", "person19@post.example"] }),
  "emails domain=post.example": emails({ domain: ["post.example"] }),
  "emails domain=none.example": emails({ domain: ["none.example"] }),
  "emails from": emails({ from: ["shop@mail.example"] }),
  "emails campaignId": emails({ campaignId: [idOf(7, 1)] }),
  "emails campaignId of many": emails({ campaignId: [idOf(7, 2)] }),
  "emails flowId": emails({ flowId: [idOf(4, 2)] }),
  "emails flowId of many": emails({ flowId: [idOf(4, 1)] }),
  "emails templateId": emails({ templateId: [idOf(2, 1)] }),
  "emails templateId of many": emails({ templateId: [idOf(2, 3), idOf(2, 4)] }),
  "emails keyId": emails({ keyId: [idOf(5, 1)] }),
  "emails keyId of many": emails({ keyId: [idOf(5, 2)] }),
  "emails source=Api": emails({ source: ["Api"] }),
  "emails source=Smtp,System": emails({ source: ["Smtp", "System"] }),
  "emails since, until": emails({ since: now - 90 * minute, until: now - 60 * minute }),
  "emails opened=Human": emails({ opened: ["Human"] }),
  "emails opened=Unknown": emails({ opened: ["Unknown"] }),
  "emails opened=None": emails({ opened: ["None"] }),
  "emails clicked=Human,Machine": emails({ clicked: ["Human", "Machine"] }),
  "emails tag": emails({ tag: [{ name: "campaign", value: "rare" }] }),
  "emails tag of none": emails({ tag: [{ name: "campaign", value: "none" }] }),
  "emails q=receipt": emails({ q: "receipt" }),
  "emails q=receipt 1": emails({ q: "Receipt 17" }),
  "emails q of an address": emails({ q: "person18@" }),
  "emails q of an id": emails({ q: idOf(4, 1) }),
  "emails tag, status, q": emails({
    tag: [{ name: "campaign", value: "rare" }],
    status: ["Bounced"],
    q: "receipt"
  }),
  events: events({}),
  "events name=event.7,event.8": events({ name: ["event.7", "event.8"] }),
  "events name=rare.event": events({ name: ["rare.event"] }),
  "events status=Processed": events({ status: ["Processed"] }),
  "events status=Failed": events({ status: ["Failed"] }),
  "events source=Ui": events({ source: ["Ui"] }),
  "events source=Api": events({ source: ["Api"] }),
  "events contactId": events({ contactId: [idOf(1, 17)] }),
  "events q of an id": events({ q: "event-17" }),
  "events q of a failure": events({ q: "validation.email" }),
  "events since, until": events({ since: now - 90 * minute, until: now - 60 * minute }),
  runs: runs({}),
  "runs step=wait": runs({ step: ["wait"] }),
  "runs step=rare": runs({ step: ["rare"] }),
  "runs status=Active": runs({ status: ["Active"] }),
  "runs status=Failed": runs({ status: ["Failed"] }),
  "runs version=1": runs({ version: [1] }),
  "runs version=2": runs({ version: [2] }),
  "runs contactId": runs({ contactId: [idOf(1, 17)] }),
  "runs since, until": runs({ since: now - 90 * minute, until: now - 60 * minute }),
  "runs step=rare, status, version": runs({ step: ["rare"], status: ["Active"], version: [1] }),
  "store events": storeEvents({}),
  "store events since, until": storeEvents({ since: now - 90 * minute, until: now - 60 * minute }),
  "store events status=Failed": storeEvents({ status: ["Failed"] }),
  notifications: notifications({}),
  "notifications webhookId": notifications({ webhookId: [idOf(3, 2), idOf(3, 3)] }),
  "notifications webhookId of few": notifications({ webhookId: [idOf(3, 1)] }),
  "notifications type": notifications({ type: ["email.sent"] }),
  "notifications state=Failed": notifications({ state: ["Failed", "Cancelled"] }),
  "notifications since, until": notifications({ since: now - 90 * minute, until: now - 60 * minute }),
  "notifications q": notifications({ q: "person18@mail.example" }),
  "deliveries of a webhook": webhookLog(2),
  "deliveries of a webhook with few": webhookLog(1),
  timeline: (page) => TimelineStore.use((store) => store.list(accountId, idOf(1, 17), page)),
  audit: audit({}),
  "audit action=suppression": audit({ actions: ["suppression"] }),
  "audit action=api_key.revoked": audit({ actions: ["api_key.revoked"] }),
  "audit action=api_key": audit({ actions: ["api_key"] }),
  "audit action=api_key, suppression.added": audit({ actions: ["api_key", "suppression.added"] }),
  "audit actorId": audit({ actorIds: [idOf(5, 3)] }),
  "audit actorKind=User": audit({ actorKinds: ["User"] }),
  "audit outcome=Refused": audit({ outcomes: ["Refused"] }),
  "audit target": audit({ targets: ["target-17"] }),
  "audit network": audit({ networks: ["192.0.2.0/24"] }),
  "audit network of many": audit({ networks: ["198.51.100.0/24"] }),
  "audit action, network": audit({ actions: ["api_key"], networks: ["198.51.100.0/24"] }),
  "audit of a company": companyAudit({}),
  "audit of a company, action=api_key.revoked": companyAudit({ actions: ["api_key.revoked"] }),
  "audit of the installation": (page) => AuditLog.use((log) => log.list({ _tag: "Installation" }, {}, page)),
  "audit since, until": audit({ since: now - 90 * minute, until: now - 60 * minute }),
  recipients: recipients({}),
  "recipients state=Submitted": recipients({ state: ["Submitted"] }),
  "recipients state=Skipped": recipients({ state: ["Skipped"] }),
  "recipients reason": recipients({ reason: ["sending.gate_topic"] }),
  "recipients variant=a": recipients({ variant: ["a"] }),
  "recipients variant=c": recipients({ variant: ["c"] }),
  "recipients version=1": recipients({ version: [1] }),
  "recipients version=2": recipients({ version: [2] }),
  "recipients status=Delivered": recipients({ status: ["Delivered"] }),
  "recipients status=Bounced": recipients({ status: ["Bounced"] }),
  "recipients opened=Unknown": recipients({ opened: ["Unknown"] }),
  "recipients opened=Human": recipients({ opened: ["Human"] }),
  "recipients opened=None": recipients({ opened: ["None"] }),
  "recipients clicked=Human": recipients({ clicked: ["Human"] }),
  "recipients converted": recipients({ isConverted: true }),
  "recipients not converted": recipients({ isConverted: false }),
  "recipients unsubscribed": recipients({ isUnsubscribed: true }),
  "recipients q=person": recipients({ q: "person" }),
  "recipients q=person17@": recipients({ q: "person17@" }),
  jobs: jobs({}),
  "jobs queue=imports": jobs({ queue: ["imports"] }),
  "jobs queue=deliveries": jobs({ queue: ["deliveries"] }),
  "jobs accountId": jobs({ accountId: [idOf(0, 1)] }),
  "jobs state=Running": jobs({ state: ["Running"] }),
  "jobs state=Running, queue, accountId": jobs({
    state: ["Running"],
    queue: ["imports"],
    accountId: [idOf(0, 1)]
  }),
  "jobs state=Buried": jobs({ state: ["Buried"] }),
  items: items({}),
  "items by name": items({}, "name", true),
  "items storeId": items({ storeId: [idOf(8, 1)] }),
  "items status=Active": items({ active: true }),
  "items since, until": items({ since: now - 90 * minute, until: now - 60 * minute }),
  "items q=item": items({ q: "item" }),
  "items q=zebra": items({ q: "zebra" }),
  "items q=sku-17": items({ q: "sku-17" }),
  requests: requests({}),
  "requests keyId of many": requests({ keyId: [idOf(5, 2)] }),
  "requests keyId": requests({ keyId: [idOf(5, 1)] }),
  "requests method": requests({ method: ["DELETE"] }),
  "requests route": requests({ route: ["/api/v1/contacts/:reference"] }),
  "requests status": requests({ status: [422] }),
  "requests code": requests({ code: ["common.not_found"] }),
  "requests keyId of many, status": requests({ keyId: [idOf(5, 2)], status: [422] }),
  "requests since, until": requests({ since: now - 90 * minute, until: now - 60 * minute }),
  "requests q": requests({ q: "request-17" }),
  suppressions: suppressions({}),
  "suppressions kind=Bounced": suppressions({ kind: ["Bounced"] }),
  "suppressions kind=Protected": suppressions({ kind: ["Protected"] }),
  "suppressions source=Report": suppressions({ source: ["Report"] }),
  "suppressions source=Import": suppressions({ source: ["Import"] }),
  "suppressions since, until": suppressions({ since: now - 90 * minute, until: now - 60 * minute }),
  "suppressions q=person1": suppressions({ q: "person1" }),
  "suppressions q=person16@": suppressions({ q: "person16@" })
}
