/**
 * The lists that `listPopulation.ts` does not cover, of companies, operators, stores and campaigns.
 *
 * @module
 */
import { AccountStore, type CompanyFilter } from "../../core/ports/AccountStore.ts"
import { BulkJobStore } from "../../core/ports/BulkJobStore.ts"
import { type CampaignFilter, CampaignStore } from "../../core/ports/CampaignStore.ts"
import { ConnectedStores, type StoreFilter } from "../../core/ports/ConnectedStores.ts"
import { ImageStore } from "../../core/ports/ImageStore.ts"
import { ImportStore } from "../../core/ports/ImportStore.ts"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { MailReportStore } from "../../core/ports/MailReportStore.ts"
import { NodeStore } from "../../core/ports/NodeStore.ts"
import { type OrderFilter, OrderStore } from "../../core/ports/OrderStore.ts"
import { RelayStore } from "../../core/ports/RelayStore.ts"
import { type LaneFilter, ShapingStore, type SuspensionFilter } from "../../core/ports/ShapingStore.ts"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import { type UserFilter, UserStore } from "../../core/ports/UserStore.ts"
import { orderStatuses } from "../../core/model/Order.ts"
import { accountId, at, fixed, idOf, type ListCase, millisAt, now, uuid } from "./listPopulation.ts"

const [minute, day] = [60_000, 86_400_000]

/** Values for not-null columns without a default, by type. */
const otherwise = (count: number): Readonly<Record<string, string>> => ({
  bigint: "0",
  boolean: "false",
  bytea: "''",
  "double precision": "0",
  integer: "0",
  jsonb: "'{}'",
  numeric: "0",
  text: "'text ' || n",
  "timestamp with time zone": at(count),
  uuid: fixed(0, "n")
})

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const rows = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `(${quoted(name)}, ${quoted(value)})`)
    .join(", ")

/** A statement that fills a table with rows of which only some columns matter. */
const filled = (table: string, count: number, given: Readonly<Record<string, string>>): string =>
  `do $fill$ begin execute (
    select format('insert into ${table} (%s) select %s from generate_series(1, ${count}) n',
      string_agg(quote_ident(a.attname), ', '), string_agg(coalesce(g.value, o.value), ', '))
    from pg_attribute a
    left join (values ${rows({ account_id: quoted(accountId), created_at: at(count), ...given })}) g(name, value)
      on g.name = a.attname
    left join (values ${rows(otherwise(count))}) o(type, value) on o.type = format_type(a.atttypid, null)
    where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped
      and (${Object.keys(given).length > 0 ? `a.attname in (${Object.keys(given).map(quoted).join(", ")}) or` : ""}
        a.attnotnull and not a.atthasdef)
  ); end $fill$`

/**
 * Statements that fill the remaining tables of a database filled by `population`, in groups that are independent of each other:
 * `people` orders and messages of the inbox, and `some` of everything else.
 */
export const otherPopulation = (people: number, some: number): ReadonlyArray<ReadonlyArray<string>> => {
  const rare = Math.max(20, Math.round(some / 10_000))
  const few = (ofFew: string, otherOnes: string): string =>
    `case when n <= ${rare} then ${ofFew} else ${otherOnes} end`
  const id = uuid(millisAt(some), "n")
  return [
    [
      filled("stores", 3, { id: fixed(8, "n"), domain: "'shop' || n || '.example'" }),
      filled("orders", people, {
        id: uuid(millisAt(people), "n"),
        store_id: fixed(8, few("3", "1 + n % 2")),
        status: few("'Draft'", "(array['Paid', 'Completed'])[1 + n % 2]"),
        external_id: "n::text",
        number: "'#' || n",
        placed_at: at(people),
        reached: "'[]'",
        version: "1"
      }),
      `insert into order_counts select account_id, store_id, status, extract(epoch from placed_at)::bigint / 86400, count(*)
        from orders group by 1, 2, 3, 4`
    ],
    [filled("inbox_messages", people, { id: uuid(millisAt(people), "n"), received_at: at(people) })],
    [
      filled("users", some, {
        id: fixed(5, "n"),
        email: "'user' || n || '@mail.example'",
        name: few("'Zebra ' || n", "'Person ' || n"),
        status: few("'Invited'", "'Active'"),
        recovery_codes: "'[]'"
      }),
      filled("memberships", some, {
        company_id: fixed(0, "1"),
        user_id: fixed(5, "n"),
        role: "'Viewer'"
      }),
      filled("companies", some, {
        id: fixed(0, "n"),
        name: few("'Zebra ' || n", "'Company ' || n"),
        live_account_id: fixed(1, "n"),
        deleted_at: few(at(some), "null")
      })
    ],
    [
      filled("campaigns", some, {
        id,
        name: few("'Zebra ' || n", "'Campaign ' || n"),
        status: few("'Paused'", "(array['Sent', 'Draft'])[1 + n % 2]"),
        definition: few(
          `'{"tags": ["rare"], "topic": "rare", "isArchived": true}'::jsonb`,
          `'{"tags": ["all"], "topic": "all"}'::jsonb`
        ),
        start_at: "case when n % 2 = 0 then " + at(some) + " end",
        updated_at: at(some)
      }),
      filled("imports", some, { id, status: few("'Running'", "'Completed'"), version: "1" }),
      filled("bulk_jobs", some, {
        id,
        kind: few("'Export'", "'AddTag'"),
        state: few("'Running'", "'Done'"),
        version: "1"
      }),
      filled("templates", some, { id }),
      filled("images", some, { id })
    ],
    [
      filled("suspensions", some, {
        key: "n::text",
        id,
        lane: few("'rare'", "'lane' || n % 50 || '@192.0.2.1'"),
        account_id: few(quoted(accountId), `case when n % 2 = 0 then ${fixed(0, "2 + n % 1000")} end`),
        since: at(some),
        until: at(some),
        resolved_at: few("null", at(some)),
        changed_at: at(some),
        refused: "'[]'"
      }),
      filled("lanes", some, { lane: few("'rare:' || n", "'lane' || n || '@192.0.2.1'"), leases: "'[]'" }),
      filled("relays", some, { id, company_id: few(fixed(0, "1"), fixed(0, "2")), streams: "'[]'" }),
      filled("nodes", some, { id, started_at: at(some), seen_at: at(some), roles: "'[]'" }),
      filled("mail_report_rows", some, {
        id,
        kind: "'Dmarc'",
        domain: few("'rare.example'", "'mail' || n % 10 || '.example'"),
        day: at(some),
        values: "to_jsonb(n)"
      }),
      filled("buried_jobs", some, { queue: few("'imports'", "'deliveries'"), id, buried_at: at(some) })
    ]
  ]
}

/** The tables that `otherPopulation` fills. */
export const otherTables = [
  "stores",
  "orders",
  "order_counts",
  "inbox_messages",
  "users",
  "memberships",
  "companies",
  "campaigns",
  "imports",
  "bulk_jobs",
  "templates",
  "images",
  "suspensions",
  "lanes",
  "relays",
  "nodes",
  "mail_report_rows",
  "buried_jobs"
]

/** The ports of the lists. */
export type OtherPorts =
  | AccountStore
  | BulkJobStore
  | CampaignStore
  | ConnectedStores
  | ImageStore
  | ImportStore
  | InboxStore
  | MailReportStore
  | NodeStore
  | OrderStore
  | RelayStore
  | ShapingStore
  | TemplateStore
  | UserStore

type Case = ListCase<OtherPorts>

const orders =
  (filter: Partial<OrderFilter>, ascending = false, by = "time"): Case =>
  (page) =>
    OrderStore.use((store) =>
      store.list(
        accountId,
        { storeId: null, statuses: orderStatuses, search: null, ...filter },
        { ...page, sort: { by, ascending } }
      )
    )
const stores =
  (filter: StoreFilter, by = "time"): Case =>
  (page) =>
    ConnectedStores.use((store) =>
      store.list(accountId, { ...page, sort: { by, ascending: by === "name" } }, filter)
    )
const users =
  (filter: Partial<UserFilter>, by = "time"): Case =>
  (page) =>
    UserStore.use((store) =>
      store.list(
        { ...page, sort: { by, ascending: by === "name" } },
        {
          status: null,
          q: null,
          volumeSince: now - 30 * day,
          ...filter
        }
      )
    )
const companies =
  (filter: Partial<CompanyFilter>, by = "time"): Case =>
  (page) =>
    AccountStore.use((store) =>
      store.browse(
        { ...page, sort: { by, ascending: by === "name" } },
        { ids: null, state: null, q: null, volumeSince: now - 30 * day, ...filter }
      )
    )
const campaigns =
  (filter: CampaignFilter, by = "time"): Case =>
  (page) =>
    CampaignStore.use((store) =>
      store.list(accountId, filter, { ...page, sort: { by, ascending: by === "name" } })
    )
const notices =
  (filter: SuspensionFilter): Case =>
  (page) =>
    ShapingStore.use((store) => store.page(page, filter))
const lanes =
  (filter: LaneFilter): Case =>
  (page) =>
    ShapingStore.use((store) => store.lanes(page, filter))
const jobsOf =
  (filter: Parameters<BulkJobStore["Service"]["list"]>[1]): Case =>
  (page) =>
    BulkJobStore.use((store) => store.list(accountId, filter, page))
const imports =
  (statuses: Parameters<ImportStore["Service"]["list"]>[2]): Case =>
  (page) =>
    ImportStore.use((store) => store.list(accountId, page, statuses))
const relays =
  (companyId: string | null): Case =>
  (page) =>
    RelayStore.use((store) => store.list(companyId, page))
const reports =
  (domain: string): Case =>
  (page) =>
    MailReportStore.use((store) => store.list("Dmarc", [domain], {}, page))
const nodes =
  (since: number): Case =>
  (page) =>
    NodeStore.use((store) => store.list({ since }, page))

/** Every other list with each of its filters, by name, once with a frequent and once with a rare value. */
export const otherCases: Readonly<Record<string, Case>> = {
  orders: orders({}),
  "orders oldest first": orders({}, true),
  "orders storeId": orders({ storeId: [idOf(8, 1)] }),
  "orders storeId of few": orders({ storeId: [idOf(8, 3)] }),
  "orders status=Paid": orders({ statuses: ["Paid"] }),
  "orders status=Draft": orders({ statuses: ["Draft"] }),
  "orders since, until": orders({ since: now - 90 * minute, until: now - 60 * minute }),
  "orders by name": orders({}, true, "name"),
  "orders since, by name": orders({ since: 0 }, true, "name"),
  "orders status=Draft, by name": orders({ statuses: ["Draft"] }, false, "name"),
  "orders since, until, by name": orders(
    { since: now - 90 * minute, until: now - 60 * minute },
    true,
    "name"
  ),
  stores: stores({}),
  "stores by name": stores({}, "name"),
  "stores status=Connected": stores({ status: ["Connected"] }),
  inbox: (page) => InboxStore.use((store) => store.list(accountId, page)),
  users: users({}),
  "users by name": users({}, "name"),
  "users by volume": users({}, "volume"),
  "users state=Invited, by volume": users({ status: ["Invited"] }, "volume"),
  "users state=Active": users({ status: ["Active"] }),
  "users state=Invited": users({ status: ["Invited"] }),
  "users state=Invited, by name": users({ status: ["Invited"] }, "name"),
  "users q=person": users({ q: "person" }),
  "users q=zebra": users({ q: "zebra" }),
  "users q=zebra, by name": users({ q: "zebra" }, "name"),
  "users q=user17@": users({ q: "user17@" }),
  "users q=person, state=Invited": users({ q: "person", status: ["Invited"] }),
  members: (page) => UserStore.use((store) => store.members(idOf(0, 1), page)),
  companies: companies({}),
  "companies by name": companies({}, "name"),
  "companies by volume": companies({}, "volume"),
  "companies state=Active": companies({ state: "Active" }),
  "companies state=Deleted": companies({ state: "Deleted" }),
  "companies state=Deleted, by name": companies({ state: "Deleted" }, "name"),
  "companies q=company": companies({ q: "company" }),
  "companies q=zebra": companies({ q: "zebra" }),
  campaigns: campaigns({}),
  "campaigns by name": campaigns({}, "name"),
  "campaigns by update": campaigns({}, "updated"),
  "campaigns by start": campaigns({}, "started"),
  "campaigns status=Sent": campaigns({ status: ["Sent"] }),
  "campaigns status=Paused": campaigns({ status: ["Paused"] }),
  "campaigns status=Paused, by name": campaigns({ status: ["Paused"] }, "name"),
  "campaigns isArchived": campaigns({ isArchived: true }),
  "campaigns tag=rare": campaigns({ tag: ["rare"] }),
  "campaigns topic=rare": campaigns({ topic: ["rare"] }),
  "campaigns q=zebra": campaigns({ q: "zebra" }),
  "campaigns since, until": campaigns({ since: now - 90 * minute, until: now - 60 * minute }),
  imports: imports(null),
  "imports status=Completed": imports(["Completed"]),
  "imports status=Running": imports(["Running"]),
  "jobs of an account": jobsOf({}),
  "jobs of an account, kind=AddTag": jobsOf({ kind: ["AddTag"] }),
  "jobs of an account, kind=Export": jobsOf({ kind: ["Export", "ExportRecipients"] }),
  "jobs of an account, state=Done": jobsOf({ state: ["Done"] }),
  "jobs of an account, state=Running": jobsOf({ state: ["Running"] }),
  "exports, state=Running": jobsOf({ kind: ["Export", "ExportRecipients"], state: ["Running"] }),
  templates: (page) => TemplateStore.use((store) => store.list(accountId, page)),
  images: (page) => ImageStore.use((store) => store.list(accountId, page)),
  notices: notices({}),
  "notices that are open": notices({ open: { is: true, at: now } }),
  "notices that ended": notices({ open: { is: false, at: now } }),
  "notices accountId": notices({ accountId: [accountId] }),
  "notices of an account": notices({ concerns: accountId }),
  "notices of an account that are open": notices({ concerns: accountId, open: { is: true, at: now } }),
  "notices lane": notices({ lane: ["lane7"] }),
  "notices lane=rare": notices({ lane: ["rare"] }),
  lanes: lanes({}),
  "lanes lane": lanes({ lane: ["lane17"] }),
  "lanes lane=rare": lanes({ lane: ["rare"] }),
  "lanes that are paused": lanes({ paused: { is: true, at: now, lanes: ["lane17"] } }),
  "relays of the installation": relays(null),
  "relays of a company": relays(idOf(0, 2)),
  "relays of a company with few": relays(idOf(0, 1)),
  nodes: nodes(0),
  "nodes seen lately": nodes(now - 2 * minute),
  "reports of a domain": reports("mail7.example"),
  "reports of a domain with few": reports("rare.example")
}
