/**
 * Counts the orders that followed a click in the emails of a campaign, and what they are worth, as they change: reports read no
 * orders. As in `0081_campaign_tallies.ts`, they are changes that triggers add, and that are added up now and then. Conversions and
 * orders of a person are written under a lock of the contact, so that neither trigger misses what the other's transaction writes.
 *
 * @module
 */

/** What a conversion adds: one, and the total of its order by currency and by whether the order earns; `sign` takes it away. */
const columns = "account_id, campaign_id, currency, earns, count, amount"
const sums = (rows: string): string => `
      insert into campaign_earnings (${columns})
      select * from (
        select account_id, campaign_id, currency, status in ('Pending', 'Paid', 'Completed') as earns, sum(sign) as count,
          sum(sign * total) as amount
        from (${rows}) r group by 1, 2, 3, 4
      ) t where count <> 0 or amount <> 0`

/** Conversions of a transition table, each with its order. */
const ofConversions = (table: string, sign: 1 | -1): string => `
        select c.account_id, c.campaign_id, o.currency, o.status, o.total, ${sign} as sign from ${table} c left join lateral (
          select currency, status, total from orders where account_id = c.account_id and id = c.order_id limit 1
        ) o on true where c.campaign_id is not null`

/** Orders of a transition table, as far as conversions of campaigns name them; `other` is null where all changed. */
const ofOrders = (table: string, sign: 1 | -1, other: string | null): string => {
  const [changed, own] = ["currency, status, total", `${table}.currency, ${table}.status, ${table}.total`]
  const same =
    other === null
      ? ""
      : `where not exists (
          select from ${other} where ${other}.account_id = ${table}.account_id and ${other}.id = ${table}.id
            and (${other}.currency, ${other}.status, ${other}.total) = (${own})
        )`
  return `
        select c.account_id, c.campaign_id, o.currency, o.status, o.total, ${sign} as sign from (
          select account_id, id, ${changed} from ${table} ${same} offset 0
        ) o cross join lateral (
          select account_id, campaign_id from conversions
          where account_id = o.account_id and order_id = o.id and campaign_id is not null
        ) c`
}

/** As {@link ofOrders} of orders that come or go: until then, and from then on, their conversions count without them. */
const withoutOrder = (table: string, sign: 1 | -1): string => `
        select c.account_id, c.campaign_id, null, null, null, ${sign} from ${table} o cross join lateral (
          select account_id, campaign_id from conversions
          where account_id = o.account_id and order_id = o.id and campaign_id is not null
        ) c`

/** The function of a trigger, and the trigger. Each campaign is added up one time in fifty. */
const counting = (
  table: "conversions" | "orders",
  event: "delete" | "insert" | "update",
  rows: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const name = `svc_earn_${event}_${table}`
  const tables = {
    insert: "new table as added",
    update: "old table as removed new table as added",
    delete: "old table as removed"
  }[event]
  const some = event === "delete" ? "removed" : "added"
  const addUp =
    table === "orders"
      ? ""
      : `if random() < 0.02 then
        perform svc_add_up_earnings(account_id, campaign_id) from (
          select distinct account_id, campaign_id from ${some} where campaign_id is not null
        ) c;
      end if;`
  return [
    `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${sums(rows.join(" union all "))};
      ${addUp}
      return null;
    end $$`,
    `create trigger svc_earn_${event} after ${event} on ${table}
      referencing ${tables} for each statement execute function ${name}()`
  ]
}

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table campaign_earnings (
    account_id uuid not null,
    campaign_id uuid not null,
    currency text,
    earns boolean,
    count bigint not null,
    amount numeric
  )`,
  `create index campaign_earnings_campaign on campaign_earnings (account_id, campaign_id)`,
  `create index conversions_order on conversions (account_id, order_id) where campaign_id is not null`,
  sums(ofConversions("conversions", 1)),
  `create function svc_add_up_earnings(account uuid, campaign uuid) returns void language plpgsql as $$
    begin
      with gone as (
        delete from campaign_earnings where ctid = any(array(
          select ctid from campaign_earnings where account_id = account and campaign_id = campaign for update skip locked
        )) returning *
      ) insert into campaign_earnings (${columns})
      select * from (
        select account, campaign, gone.currency, gone.earns, sum(gone.count) as count, sum(gone.amount) as amount
        from gone group by gone.currency, gone.earns
      ) t where t.count <> 0 or t.amount <> 0;
    end $$`,
  ...counting("conversions", "insert", [ofConversions("added", 1)]),
  ...counting("conversions", "update", [ofConversions("added", 1), ofConversions("removed", -1)]),
  ...counting("conversions", "delete", [ofConversions("removed", -1)]),
  ...counting("orders", "insert", [ofOrders("added", 1, null), withoutOrder("added", -1)]),
  ...counting("orders", "update", [ofOrders("added", 1, "removed"), ofOrders("removed", -1, "added")]),
  ...counting("orders", "delete", [ofOrders("removed", -1, null), withoutOrder("removed", 1)])
]
