/**
 * Counts the orders of those who got a campaign and of those whom it left out, and what they are worth, as orders and recipients
 * change: reports read neither. They are counted by how many whole days after the decision on a person an order was placed, so that
 * the days within which orders count can be changed. As in `0082_campaign_earnings.ts`, they are changes that triggers add, and that are
 * added up now and then.
 *
 * Batches lock pending recipients before they decide on them. Who writes an order of one waits for that decision, or has the batch
 * leave the recipient out until the order is committed: neither trigger misses what the other's transaction writes.
 *
 * @module
 */

/** The most hours within which orders count: 90 days of the setting `conversionWindowDays`. */
const mostHours = 90 * 24

/** What an order adds for a recipient; `sign` takes it away. */
const columns = "account_id, campaign_id, is_held_out, day, currency, count, amount"
const isDecided = "state in ('Submitted', 'HeldOut')"
const isEarning = "status in ('Pending', 'Paid', 'Completed')"
const dayOf = (order: string, recipient: string): string =>
  `floor(extract(epoch from ${order}.placed_at - ${recipient}.decided_at) / 86400)::int`

const sums = (rows: string): string => `
      insert into campaign_comparison (${columns})
      select * from (
        select account_id, campaign_id, is_held_out, day, currency, sum(sign) as count, sum(sign * total) as amount
        from (${rows}) r group by 1, 2, 3, 4, 5
      ) t where count <> 0 or amount <> 0`

/** Orders of a table with the recipients that they count for; of a transition table those that `other` has as they were are left out. */
const ofOrders = (table: string, sign: 1 | -1, other: string | null = null): string => {
  const compared = (of: string) =>
    `(${["contact_id", "placed_at", "currency", "status", "total"].map((name) => `${of}.${name}`).join(", ")})`
  const changed =
    other === null
      ? ""
      : `and not exists (
          select from ${other} where ${other}.account_id = ${table}.account_id and ${other}.id = ${table}.id
            and ${compared(other)} = ${compared(table)}
        )`
  return `
        select o.account_id, r.campaign_id, r.state = 'HeldOut' as is_held_out, ${dayOf("o", "r")} as day, o.currency, o.total,
          ${sign} as sign
        from (
          select account_id, contact_id, placed_at, currency, total from ${table}
          where contact_id is not null and ${isEarning} ${changed} offset 0
        ) o cross join lateral (
          select campaign_id, state, decided_at from campaign_recipients
          where account_id = o.account_id and contact_id = o.contact_id and ${isDecided}
            and decided_at <= o.placed_at and decided_at > o.placed_at - interval '${mostHours} hours' offset 0
        ) r`
}

/** Recipients of a transition table with the orders that count for them. */
const ofRecipients = (table: string, sign: 1 | -1): string => `
        select r.account_id, r.campaign_id, r.state = 'HeldOut' as is_held_out, ${dayOf("o", "r")} as day, o.currency, o.total,
          ${sign} as sign
        from (
          select account_id, campaign_id, contact_id, state, decided_at from ${table} where ${isDecided} offset 0
        ) r cross join lateral (
          select placed_at, currency, total from orders
          where account_id = r.account_id and contact_id = r.contact_id and contact_id is not null and ${isEarning}
            and placed_at >= r.decided_at and placed_at < r.decided_at + interval '${mostHours} hours' offset 0
        ) o`

const transitions = {
  insert: "new table as added",
  update: "old table as removed new table as added",
  delete: "old table as removed"
}

/** The function of a trigger, and the trigger. Of the campaigns that it changes, one in fifty is added up. */
const counting = (
  table: "campaign_recipients" | "orders",
  event: keyof typeof transitions,
  before: string,
  rows: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const name = `svc_compare_${event}_${table}`
  return [
    `create function ${name}() returns trigger language plpgsql as $$
    declare
      added_up boolean;
    begin
      ${before}
      with changed as (${sums(rows.join(" union all "))} returning account_id, campaign_id)
      select bool_and(svc_add_up_comparison(account_id, campaign_id)) into added_up from (
        select distinct account_id, campaign_id from changed
      ) c where random() < 0.02;
      return null;
    end $$`,
    `create trigger svc_compare_${event} after ${event} on ${table}
      referencing ${transitions[event]} for each statement execute function ${name}()`
  ]
}

/** Waits for those who decide on the contacts of orders, and has others leave them out. */
const waiting = (...tables: ReadonlyArray<string>): string => `
      perform 1 from (
        ${tables.map((table) => `select account_id, contact_id from ${table} where contact_id is not null`).join(" union ")}
      ) k cross join lateral (
        select from campaign_recipients
        where account_id = k.account_id and contact_id = k.contact_id and state = 'Pending' for share
      ) r;`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table campaign_comparison (
    account_id uuid not null,
    campaign_id uuid not null,
    is_held_out boolean not null,
    day smallint not null,
    currency text not null,
    count bigint not null,
    amount numeric not null
  )`,
  `create index campaign_comparison_campaign on campaign_comparison (account_id, campaign_id)`,
  sums(ofOrders("orders", 1)),
  `create function svc_add_up_comparison(account uuid, campaign uuid) returns boolean language plpgsql as $$
    begin
      with gone as (
        delete from campaign_comparison where ctid = any(array(
          select ctid from campaign_comparison where account_id = account and campaign_id = campaign for update skip locked
        )) returning *
      ) insert into campaign_comparison (${columns})
      select * from (
        select account, campaign, gone.is_held_out, gone.day, gone.currency, sum(gone.count) as count, sum(gone.amount) as amount
        from gone group by gone.is_held_out, gone.day, gone.currency
      ) t where t.count <> 0 or t.amount <> 0;
      return true;
    end $$`,
  ...counting("orders", "insert", waiting("added"), [ofOrders("added", 1)]),
  ...counting("orders", "update", waiting("added", "removed"), [
    ofOrders("added", 1, "removed"),
    ofOrders("removed", -1, "added")
  ]),
  ...counting("orders", "delete", waiting("removed"), [ofOrders("removed", -1)]),
  // A recipient is added before it is decided on.
  ...counting("campaign_recipients", "update", "", [ofRecipients("added", 1), ofRecipients("removed", -1)]),
  ...counting("campaign_recipients", "delete", "", [ofRecipients("removed", -1)])
]
