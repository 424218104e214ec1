/**
 * Adds counters of emails, what sent each email, when its recipient complained or unsubscribed, indexes of lists, and dry runs of imports. Whatever changes a
 * delivery, its visits or conversions adds to `email_count_changes`, a row for each hour and combination of what it
 * counts for, so that no two senders wait for the same counter; the changes are added to `email_counts` in the
 * background, and a count reads both. Nodes of the version before take part, since triggers write the changes.
 *
 * @module
 */

/** The columns of a delivery that facts are made of. */
const ofDelivery =
  "account_id, submission_id, email, created_at, status, reason, complained_at, unsubscribed_at"

/** The columns of visits that facts are made of. */
const ofVisits = `account_id, delivery_id, opens, clicks, reader_opened_at, reader_clicked_at, first_opened_at,
  first_clicked_at`

/** The facts of deliveries `r`, whose `sign` says whether they are added or taken away. */
const deliveryFacts = (rows: string): string => `
  select r.account_id, r.submission_id, substring(r.email from '[^@]*$') as domain, f.counter, f.at, r.sign
  from (${rows}) r cross join lateral (values
    (case r.status when 'HandingOff' then 'Queued' else r.status end, r.created_at),
    (case when r.reason = 'sending.mailbox_full' then 'SoftBounced' end, r.created_at),
    ('Complained', r.complained_at), ('Unsubscribed', r.unsubscribed_at)
  ) f(counter, at) where f.counter is not null and f.at is not null`

/** Facts of rows `r` that name their delivery; nothing of one that is erased. */
const located = (rows: string, facts: string): string => `
  select r.account_id, d.submission_id, substring(d.email from '[^@]*$') as domain, f.counter, f.at, r.sign
  from (${rows}) r cross join lateral (
    select submission_id, email from deliveries where account_id = r.account_id and id = r.delivery_id limit 1
  ) d cross join lateral (values ${facts}) f(counter, at) where f.counter is not null and f.at is not null`

const visitFacts = (rows: string): string =>
  located(
    rows,
    `(case when r.reader_opened_at is null then 'OpenedMachine'
      when r.opens ->> 'Human' = '0' and (r.opens ->> 'Unknown' <> '0' or r.clicks ->> 'Unknown' <> '0') then 'OpenedUnknown'
      else 'OpenedHuman' end, coalesce(r.reader_opened_at, r.first_opened_at)),
    (case when r.reader_clicked_at is null then 'ClickedMachine'
      when r.clicks ->> 'Human' = '0' and r.clicks ->> 'Unknown' <> '0' then 'ClickedUnknown'
      else 'ClickedHuman' end, coalesce(r.reader_clicked_at, r.first_clicked_at))`
  )

const conversionFacts = (rows: string): string => located(rows, "('Converted', r.ordered_at)")

/** Writes the sum of facts; most statements change none. */
const record = (facts: string): string => `
  insert into email_count_changes
    (account_id, at, counter, amount, source, domain, flow_id, template_id, tags)
  select c.account_id, c.at, c.counter, sum(c.amount)::int, s.source, nullif(c.domain, ''), s.flow_id, s.template_id, s.tags
  from (
    select account_id, submission_id, domain, counter, date_trunc('hour', at, 'UTC') as at, sum(sign)::int as amount
    from (${facts}) f group by 1, 2, 3, 4, 5 having sum(sign) <> 0
  ) c cross join lateral (
    select coalesce(source, case when flow_id is null then 'Api' else 'Flow' end) as source, flow_id, template_id, tags
    from submissions where account_id = c.account_id and id = c.submission_id limit 1
  ) s
  group by 1, 2, 3, 5, 6, 7, 8, 9`

const added = (columns: string) => `select ${columns}, 1 as sign from moved`
const removed = (columns: string) => `select ${columns}, -1 as sign from before`
const moved = (columns: string) => `${added(columns)} union all ${removed(columns)}`

/** The facts of each event of the tables that are counted. */
export const factsOf: Readonly<Record<string, Partial<Record<"delete" | "insert" | "update", string>>>> = {
  deliveries: { insert: deliveryFacts(added(ofDelivery)), update: deliveryFacts(moved(ofDelivery)) },
  delivery_visits: {
    insert: visitFacts(added(ofVisits)),
    update: visitFacts(moved(ofVisits)),
    delete: visitFacts(removed(ofVisits))
  },
  conversions: {
    insert: conversionFacts(added("account_id, delivery_id, ordered_at")),
    delete: conversionFacts(removed("account_id, delivery_id, ordered_at"))
  }
}

/** A trigger for each of the events of a table. */
const triggersOf = (table: string): ReadonlyArray<string> =>
  Object.entries(factsOf[table]!).flatMap(([event, of]) => {
    const transitions = [
      ...(event === "insert" ? [] : ["old table as before"]),
      ...(event === "delete" ? [] : ["new table as moved"])
    ].join(" ")
    const name = `${table}_counted_${event}`
    return [
      `create function svc_${name}() returns trigger language plpgsql as $$ begin ${record(of)}; return null; end $$`,
      `create trigger ${name} after ${event} on ${table} referencing ${transitions}
        for each statement execute function svc_${name}()`
    ]
  })

/** The facts of deliveries that are erased. */
export const erasedFacts = `
    ${deliveryFacts(`select ${ofDelivery}, -1 as sign from deliveries where account_id = account and id = any(erased)`)}
    union all
    ${visitFacts(`select ${ofVisits}, -1 as sign from delivery_visits where account_id = account and delivery_id = any(erased)`)}
    union all
    ${conversionFacts(`select account_id, delivery_id, ordered_at, -1 as sign from conversions where account_id = account and delivery_id = any(erased)`)}`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table submissions add column source text, add column key_id uuid`,
  `create index submissions_source on submissions (
    account_id, (coalesce(source, case when flow_id is null then 'Api' else 'Flow' end) collate "C"), created_at desc, id desc
  )`,
  `create index submissions_key on submissions (account_id, key_id, created_at desc, id desc) where key_id is not null`,
  `alter table deliveries add column complained_at timestamptz, add column unsubscribed_at timestamptz`,
  `alter table imports add column dry_run boolean not null default false`,
  `create index companies_named on companies ((svc_folded(name) collate "C"), id)`,
  `create index users_named on users ((svc_folded(coalesce(name, email)) collate "C"), id)`,
  `create index users_found on users ((email collate "C"))`,
  `create index items_newest on items (account_id, created_at desc, id desc)`,
  `create index items_named on items (account_id, (svc_folded(name) collate "C"), id)`,
  `create index items_identified on items (account_id, (svc_folded(external_id) collate "C"))`,
  `create index items_of_store on items (account_id, store_id, created_at desc, id desc) where store_id is not null`,
  `create table email_count_changes (
    account_id uuid not null,
    at timestamptz not null,
    counter text not null,
    amount int not null,
    source text not null,
    domain text collate "C",
    flow_id uuid,
    template_id uuid,
    tags jsonb not null
  )`,
  `create index email_count_changes_account on email_count_changes (account_id, at)`,
  `create table email_counts (
    account_id uuid not null,
    dimension text collate "C" not null,
    unit text collate "C" not null,
    at timestamptz not null,
    key text collate "C" not null,
    counter text collate "C" not null,
    amount bigint not null,
    primary key (account_id, dimension, unit, at, key, counter)
  )`,
  `create index email_counts_oldest on email_counts (unit, at)`,
  // Nothing is left of what erased people got.
  `create index email_counts_empty on email_counts (account_id) where amount = 0`,
  ...triggersOf("deliveries"),
  ...triggersOf("delivery_visits"),
  ...triggersOf("conversions"),
  `create index conversions_delivery on conversions (account_id, delivery_id)`,
  // The deliveries of an address that is erased take their counts with them: before they go, since what tells their keys
  // goes with them.
  `create function svc_uncount(account uuid, erased uuid[]) returns int language plpgsql as $$ declare written int; begin ${record(erasedFacts)};
    get diagnostics written = row_count;
    return written;
  end $$`,
  record(`
    ${deliveryFacts(`select ${ofDelivery}, 1 as sign from deliveries`)}
    union all ${visitFacts(`select ${ofVisits}, 1 as sign from delivery_visits`)}
    union all ${conversionFacts("select account_id, delivery_id, ordered_at, 1 as sign from conversions")}`)
]
