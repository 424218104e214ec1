/**
 * Counts the emails of a campaign by what tells them apart, and the clicks of its links, as they change: reports count no rows.
 *
 * As the counts of `0052_campaigns.ts`, they are changes that each transaction adds, written by triggers. What an email adds
 * depends on its own row and on that of its visits: the trigger of either reads the other, which nothing changes in the same
 * statement, and that of visits locks the emails against changes of what they are counted by. The changes of a campaign are added up
 * now and then by a transaction that adds some: rows that another one adds up at the time are left to it.
 *
 * @module
 */

/**
 * What is counted of an email `d` and its visits `v`, as `core/ports/CampaignStore.ts: breakdownCounts` has them, and whether it was
 * never attempted.
 */
const counts: ReadonlyArray<readonly [column: string, condition: string]> = [
  ["submitted", "true"],
  ["delivered", "d.status in ('Delivered', 'Sent', 'Accepted')"],
  ["retrying", "d.status = 'Queued' and d.attempts > 0"],
  ["bounced", "d.status = 'Bounced'"],
  ["failed", "d.status = 'Failed'"],
  ["complained", "d.complained_at is not null"],
  ["unsubscribed", "d.unsubscribed_at is not null"],
  ["untried", "d.attempts = 0 and d.status in ('Queued', 'HandingOff', 'PendingReview')"]
]

const visitor = (kind: "clicked" | "opened", human: string): ReadonlyArray<readonly [string, string]> => [
  [`${kind}_human`, `v.reader_${kind}_at is not null and not ${human}`],
  [`${kind}_unknown`, `v.reader_${kind}_at is not null and ${human}`],
  [`${kind}_machine`, `v.reader_${kind}_at is null and v.first_${kind}_at is not null`]
]

const visitCounts = [
  ...visitor(
    "opened",
    "(v.opens ->> 'Human' = '0' and (v.opens ->> 'Unknown' <> '0' or v.clicks ->> 'Unknown' <> '0'))"
  ),
  ...visitor("clicked", "(v.clicks ->> 'Human' = '0' and v.clicks ->> 'Unknown' <> '0')")
]

const names = [...counts, ...visitCounts].map(([name]) => name)

/** What tells emails `d` apart. `campaign_part` has the variant, the version, the language and the country. */
const keys = `cross join lateral (values
      ('Variant', nullif(split_part(d.campaign_part, '|', 1), '')),
      ('Version', nullif(split_part(d.campaign_part, '|', 2), '')),
      ('Language', nullif(split_part(d.campaign_part, '|', 3), '')),
      ('Country', nullif(split_part(d.campaign_part, '|', 4), '')),
      ('Provider', d.provider),
      ('Domain', nullif(substring(d.email from '[^@]*$'), '')),
      ('Hour', to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"')),
      ('Day', to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD'))
    ) k(by, key)`

/** The columns of `deliveries` that these read. */
const read =
  "account_id, id, campaign_id, campaign_part, status, attempts, complained_at, unsubscribed_at, provider, email, created_at"
const readOf = (table: string): string => read.replaceAll(/\w+/g, (column) => `${table}.${column}`)

const sumsOf = (given: ReadonlyArray<readonly [column: string, condition: string]>): string =>
  names
    .map((name) => {
      const [, condition] = given.find(([column]) => column === name) ?? []
      return condition === undefined ? "0" : `coalesce(sum(d.sign) filter (where ${condition}), 0)`
    })
    .join(", ")

/** Adds what rows `d` with a `sign`, and visits `v`, change. */
const tally = (rows: string, given: ReadonlyArray<readonly [column: string, condition: string]>): string => `
      insert into campaign_tallies (account_id, campaign_id, by, key, ${names.join(", ")})
      select * from (
        select d.account_id, d.campaign_id, k.by, k.key, ${sumsOf(given)} from ${rows} ${keys} group by 1, 2, 3, 4
      ) t (account_id, campaign_id, by, key, ${names.join(", ")})
      where (${names.join(", ")}) <> (${names.map(() => "0").join(", ")})`

/** The links of visits `v`, each with who clicked it. */
const links = `cross join lateral (
        select key as link, (value -> 'clicks' ->> 'Human')::int as human, (value -> 'clicks' ->> 'Unknown')::int as unknown,
          (value -> 'clicks' ->> 'Machine')::int as machine, (value ->> 'firstAt')::float8 as first,
          (value ->> 'lastAt')::float8 as last
        from jsonb_each(v.links)
      ) l`

/** Adds what rows `d` with a `sign` and the links of visits `v` change. Times are those of clicks that were ever counted. */
const tallyLinks = (rows: string): string => `
      insert into campaign_links (account_id, campaign_id, version, variant, link, human, unknown, machine, clicks, first_at, last_at)
      select d.account_id, d.campaign_id, nullif(split_part(d.campaign_part, '|', 2), '')::int,
        nullif(split_part(d.campaign_part, '|', 1), ''), l.link,
        coalesce(sum(d.sign) filter (where l.human > 0), 0),
        coalesce(sum(d.sign) filter (where l.human = 0 and l.unknown > 0), 0),
        coalesce(sum(d.sign) filter (where l.human = 0 and l.unknown = 0), 0),
        sum(d.sign * (l.human + l.unknown + l.machine)), min(l.first) filter (where d.sign > 0), max(l.last) filter (where d.sign > 0)
      from ${rows} ${links} group by 1, 2, 3, 4, 5`

/** Emails `d` with their visits `v`; `isEach` says that emails without visits count. */
const withVisits = (rows: string, isEach: boolean): string =>
  `(${rows}) d ${isEach ? "left join" : "join"} delivery_visits v on v.account_id = d.account_id and v.delivery_id = d.id`

/** The function of a trigger. Each campaign it changes is added up one time in fifty. */
const tallying = (name: string, body: ReadonlyArray<string>, tables: ReadonlyArray<string>): string => {
  const ids = tables
    .map((table) => `select account_id, campaign_id from ${table} where campaign_id is not null`)
    .join(" union ")
  return `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${body.join(";")};
      if random() < 0.02 then
        perform svc_add_up_campaign(account_id, campaign_id) from (${ids}) c;
      end if;
      return null;
    end $$`
}

const signed = (table: string, sign: 1 | -1): string =>
  `select ${readOf(table)}, ${sign} as sign from ${table} where ${table}.campaign_id is not null`

/** Emails as they were and as they are, of which something changed that is counted. */
const different = (): string => {
  const what = (table: string) =>
    `(${readOf(table)
      .split(", ")
      .filter((column) => !/\.(attempts|email)$/.test(column))
      .join(", ")}, ${table}.attempts > 0, ${table}.email)`
  const both = `from added join removed on removed.account_id = added.account_id and removed.id = added.id
        where coalesce(added.campaign_id, removed.campaign_id) is not null and ${what("added")} is distinct from ${what("removed")}`
  return `select * from (
        select ${readOf("added")}, 1 as sign ${both} union all select ${readOf("removed")}, -1 ${both}
      ) c where campaign_id is not null`
}

const ofEmails = (rows: string): ReadonlyArray<string> => [
  tally(withVisits(rows, true), [...counts, ...visitCounts]),
  tallyLinks(withVisits(rows, false))
]

/** The columns of visits that are counted. */
const visited = [
  "account_id",
  "delivery_id",
  "opens",
  "clicks",
  "links",
  "first_opened_at",
  "first_clicked_at",
  "reader_opened_at",
  "reader_clicked_at"
]
const visitedOf = (table: string): string => visited.map((column) => `${table}.${column}`).join(", ")

/** Visits of a transition table with their sign, without those that an update leaves as they were. */
const visitsOf = (table: "added" | "removed", isUpdate: boolean): string => {
  const other = table === "added" ? "removed" : "added"
  const unchanged = `where not exists (
          select from ${other} where ${other}.account_id = ${table}.account_id and ${other}.delivery_id = ${table}.delivery_id
            and (${visitedOf(other)}) is not distinct from (${visitedOf(table)})
        )`
  return `select ${visitedOf(table)}, ${table === "added" ? 1 : -1} as sign from ${table} ${isUpdate ? unchanged : ""}`
}

/** The statements of one table of visits' trigger: its emails are locked in their order, then counted by. */
const ofVisits = (tables: ReadonlyArray<"added" | "removed">): ReadonlyArray<string> => {
  const visits = tables.map((table) => visitsOf(table, tables.length === 2)).join(" union all ")
  const rows = `(
        with v as materialized (${visits}), d as materialized (
          select d.* from (select distinct account_id, delivery_id from v order by account_id, delivery_id) k
          cross join lateral (
            select ${read} from deliveries where account_id = k.account_id and id = k.delivery_id limit 1 for share
          ) d where d.campaign_id is not null
        )
        select d.*, v.sign, ${visited
          .slice(2)
          .map((column) => `v.${column}`)
          .join(", ")} from d join v on v.account_id = d.account_id and v.delivery_id = d.id
      )`
  return [
    tally(`${rows} d cross join lateral (select d.*) v`, visitCounts),
    tallyLinks(`${rows} d cross join lateral (select d.*) v`)
  ]
}

/** The name of each trigger, and the rows it reads. */
const occasions = {
  insert: { name: "new", tables: "new table as added" },
  update: { name: "changed", tables: "old table as removed new table as added" },
  delete: { name: "gone", tables: "old table as removed" }
} as const

/** A trigger after a statement. */
const trigger = (table: string, event: keyof typeof occasions): string => {
  const { name, tables } = occasions[event]
  return `create trigger svc_tally_${name} after ${event} on ${table}
    referencing ${tables} for each statement execute function svc_tally_${name}_${table}()`
}

const events = ["insert", "update", "delete"] as const

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table campaign_tallies (
    account_id uuid not null,
    campaign_id uuid not null,
    by text collate "C" not null,
    key text collate "C",
    ${names.map((name) => `${name} bigint not null`).join(", ")}
  )`,
  `create index campaign_tallies_campaign on campaign_tallies (account_id, campaign_id, by)`,
  `create index campaign_tallies_untried on campaign_tallies (account_id, campaign_id)
    where by = 'Domain' and untried <> 0`,
  `create table campaign_links (
    account_id uuid not null,
    campaign_id uuid not null,
    version integer,
    variant text collate "C",
    link text collate "C" not null,
    human bigint not null,
    unknown bigint not null,
    machine bigint not null,
    clicks bigint not null,
    first_at float8,
    last_at float8
  )`,
  `create index campaign_links_campaign on campaign_links (account_id, campaign_id)`,
  `alter table deliveries add column campaign_part text collate "C"`,
  `update deliveries d set campaign_part = concat_ws('|', coalesce(s.marketing -> 'campaign' ->> 'variant', ''),
      s.marketing -> 'campaign' ->> 'version', coalesce(s.language, ''), coalesce(c.country_code, ''))
    from submissions s left join contacts c
      on c.account_id = s.account_id and c.id = (s.marketing ->> 'contactId')::uuid
    where d.campaign_id is not null and s.account_id = d.account_id and s.id = d.submission_id`,
  ...ofEmails(`select ${read}, 1 as sign from deliveries where campaign_id is not null`),
  `create function svc_add_up_campaign(account uuid, campaign uuid) returns void language plpgsql as $$
    begin
      with gone as (
        delete from campaign_counts where ctid = any(array(
          select ctid from campaign_counts where account_id = account and campaign_id = campaign for update skip locked
        )) returning name, count
      ) insert into campaign_counts (account_id, campaign_id, name, count)
      select account, campaign, name, sum(count) from gone group by name having sum(count) <> 0;
      with gone as (
        delete from campaign_tallies where ctid = any(array(
          select ctid from campaign_tallies where account_id = account and campaign_id = campaign for update skip locked
        )) returning *
      ) insert into campaign_tallies (account_id, campaign_id, by, key, ${names.join(", ")})
      select * from (
        select account, campaign, gone.by, gone.key, ${names.map((name) => `sum(gone.${name}) as ${name}`).join(", ")}
        from gone group by gone.by, gone.key
      ) t where (${names.map((name) => `t.${name}`).join(", ")}) <> (${names.map(() => "0").join(", ")});
      with gone as (
        delete from campaign_links where ctid = any(array(
          select ctid from campaign_links where account_id = account and campaign_id = campaign for update skip locked
        )) returning *
      ) insert into campaign_links (account_id, campaign_id, version, variant, link, human, unknown, machine, clicks, first_at, last_at)
      select account, campaign, gone.version, gone.variant, gone.link, sum(gone.human), sum(gone.unknown), sum(gone.machine),
        sum(gone.clicks), min(gone.first_at), max(gone.last_at)
      from gone group by gone.version, gone.variant, gone.link having sum(gone.clicks) <> 0;
    end $$`,
  tallying("svc_tally_new_deliveries", ofEmails(signed("added", 1)), ["added"]),
  tallying("svc_tally_changed_deliveries", ofEmails(different()), ["added", "removed"]),
  tallying("svc_tally_gone_deliveries", ofEmails(signed("removed", -1)), ["removed"]),
  tallying("svc_tally_new_delivery_visits", ofVisits(["added"]), ["added"]),
  tallying("svc_tally_changed_delivery_visits", ofVisits(["added", "removed"]), ["added"]),
  tallying("svc_tally_gone_delivery_visits", ofVisits(["removed"]), ["removed"]),
  ...events.map((event) => trigger("deliveries", event)),
  ...events.map((event) => trigger("delivery_visits", event))
]
