/**
 * Adds pending changes to the counters of emails.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type CountDimension, maxKeptKeys, otherKey } from "../../../core/model/EmailCount.ts"

/** For each dimension, the keys for which a row of changes counts, as a `select` of `key`. */
export const keysOf: Readonly<Record<CountDimension, string>> = {
  Source: "select source as key",
  Domain: "select domain as key where domain is not null",
  Flow: "select flow_id::text as key where flow_id is not null",
  Campaign: "select campaign_id::text as key where campaign_id is not null",
  Template: "select template_id::text as key where template_id is not null",
  Tag: `select name || '=' || value as key from jsonb_each_text(tags) as t(name, value)`
}

const allKeys = Object.entries(keysOf)
  .map(([dimension, keys]) => `select '${dimension}' as dimension, key from (${keys}) k`)
  .join(" union all ")

/**
 * Adds to the counters the changes that `places`, a `select` of `ctid`, finds and locks, and returns their `count`. The counters
 * are locked in one order.
 */
export const foldChanges = (sql: SqlClient, places: Fragment) => sql<{ readonly count: number }>`
  with taken as (
    delete from email_count_changes where ctid = any(array(${places})) returning *
  ), summed as materialized (
    select c.account_id, k.dimension, u.unit, date_trunc(lower(u.unit), c.at, 'UTC') as at, k.key collate "C" as key,
      c.counter, sum(c.amount)::bigint as amount
    from taken c cross join lateral (${sql.literal(allKeys)}) k
    cross join (values ('Hour'), ('Day')) u(unit)
    group by 1, 2, 3, 4, 5, 6
  ), crowded as materialized (
    select g.account_id, g.dimension, g.unit, g.at from (
      select distinct account_id, dimension, unit, at from summed
    ) g where (
      select count(*) from (
        select distinct key from email_counts e
        where e.account_id = g.account_id and e.dimension = g.dimension and e.unit = g.unit and e.at = g.at
        limit ${maxKeptKeys}
      ) keys
    ) >= ${maxKeptKeys}
  ), kept as (
    insert into email_counts as e (account_id, dimension, unit, at, key, counter, amount)
    select account_id, dimension, unit, at, key, counter, sum(amount) from (
      select s.account_id, s.dimension, s.unit, s.at, case when c.account_id is null or exists (
        select from email_counts e where e.account_id = s.account_id and e.dimension = s.dimension
          and e.unit = s.unit and e.at = s.at and e.key = s.key
      ) then s.key else ${otherKey}::text end as key, s.counter, s.amount
      from summed s left join crowded c using (account_id, dimension, unit, at)
    ) r group by 1, 2, 3, 4, 5, 6 having sum(amount) <> 0 order by 1, 2, 3, 4, 5, 6
    on conflict (account_id, dimension, unit, at, key, counter) do update set amount = e.amount + excluded.amount
  )
  select count(*)::int as count from taken`
