/**
 * Counts emails by campaign too: those that are written from now on.
 *
 * @module
 */
import { erasedFacts, factsOf } from "./0046_email_counts.ts"

/** Writes the sum of facts; most statements change none. */
const record = (facts: string): string => `
  insert into email_count_changes
    (account_id, at, counter, amount, source, domain, flow_id, template_id, tags, campaign_id)
  select c.account_id, c.at, c.counter, sum(c.amount)::int, s.source, nullif(c.domain, ''), s.flow_id, s.template_id, s.tags, s.campaign_id
  from (
    select account_id, submission_id, domain, counter, date_trunc('hour', at, 'UTC') as at, sum(sign)::int as amount
    from (${facts}) f group by 1, 2, 3, 4, 5 having sum(sign) <> 0
  ) c cross join lateral (
    select coalesce(source, case when flow_id is null then 'Api' else 'Flow' end) as source, flow_id, template_id, tags,
      coalesce(campaign_id, (marketing -> 'campaign' ->> 'id')::uuid) as campaign_id
    from submissions where account_id = c.account_id and id = c.submission_id limit 1
  ) s
  group by 1, 2, 3, 5, 6, 7, 8, 9, 10`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table email_count_changes add column campaign_id uuid`,
  ...Object.entries(factsOf).flatMap(([table, events]) =>
    Object.entries(events).map(
      ([event, facts]) =>
        `create or replace function svc_${table}_counted_${event}() returns trigger language plpgsql as $$
    begin ${record(facts)}; return null; end $$`
    )
  ),
  `create or replace function svc_uncount(account uuid, erased uuid[]) returns int language plpgsql as $$ declare written int; begin ${record(erasedFacts)};
    get diagnostics written = row_count;
    return written;
  end $$`
]
