/**
 * Counts who opened and clicked the emails of a campaign, by whether a person did, who turned a topic off by one, and why
 * recipients and emails wait. Keeps how fast a campaign was submitted of late.
 *
 * @module
 */

/** The names under which an email `d` is counted, as `core/campaigns/CampaignRules.ts: namesOfEmail` has them. */
const namesOfEmail = `array_remove(array[
      'd:' || d.status,
      case when d.attempts = 0 and d.status in ('Queued', 'HandingOff', 'PendingReview') then 'd:untried' end,
      case when d.attempts > 0 and d.status = 'Queued' then 'd:retrying' end,
      case when d.status = 'Queued' and d.reason is not null then 'q:' || d.reason end,
      case when d.status = 'Failed' and d.reason = 'sending.mailbox_full' then 'd:softBounced' end,
      case when d.complained_at is not null then 'd:complained' end,
      case when d.unsubscribed_at is not null then 'd:unsubscribed' end,
      case when d.topic_off_at is not null then 'd:topicOff' end
    ], null)`

/** The names of a recipient `d`, as `namesOfRecipient` has them. */
const namesOfRecipient = `array_remove(array[
      'r:' || d.state, case d.state when 'Skipped' then 's:' || d.reason when 'Pending' then 'p:' || d.reason end
    ], null)`

/** The names of visits `d`, as `namesOfVisits` has them. */
const namesOfVisits = `array_remove(array[
      case
        when d.reader_opened_at is null then case when d.first_opened_at is not null then 'opened:Machine' end
        when d.opens ->> 'Human' = '0' and (d.opens ->> 'Unknown' <> '0' or d.clicks ->> 'Unknown' <> '0')
          then 'opened:Unknown'
        else 'opened:Human' end,
      case
        when d.reader_clicked_at is null then case when d.first_clicked_at is not null then 'clicked:Machine' end
        when d.clicks ->> 'Human' = '0' and d.clicks ->> 'Unknown' <> '0' then 'clicked:Unknown'
        else 'clicked:Human' end
    ], null)`

/** A part of what a trigger adds up: the rows of a transition table, each with its sign. */
const part = (table: string, sign: 1 | -1, names: string): string =>
  `select d.account_id, d.campaign_id, n.name, ${sign} as change
        from ${table} d cross join lateral unnest(${names}) as n(name) where d.campaign_id is not null`

/** The function of a trigger that adds the changes of some rows. */
const counting = (name: string, parts: ReadonlyArray<string>): string =>
  `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      insert into campaign_counts (account_id, campaign_id, name, count)
      select account_id, campaign_id, name, sum(change) from (${parts.join(" union all ")}) c
      group by account_id, campaign_id, name having sum(change) <> 0;
      return null;
    end $$`

/** The functions that count the rows of a table. */
const counted = (table: string, names: string): ReadonlyArray<string> => {
  const [added, removed] = [part("added", 1, names), part("removed", -1, names)]
  return [
    counting(`svc_count_new_${table}`, [added]),
    counting(`svc_count_changed_${table}`, [added, removed]),
    counting(`svc_count_gone_${table}`, [removed])
  ]
}

/** Counts the rows of a table as they are. */
const recount = (table: string, names: string, condition: string): string =>
  `insert into campaign_counts (account_id, campaign_id, name, count)
    select d.account_id, d.campaign_id, n.name, count(*) from ${table} d cross join lateral unnest(${names}) as n(name)
    where d.campaign_id is not null and ${condition} group by d.account_id, d.campaign_id, n.name`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table deliveries add column topic_off_at timestamptz`,
  // What is about the rate at which recipients were submitted: see core/campaigns/ProgressRules.ts.
  `alter table campaign_progress add column recent jsonb`,
  `delete from campaign_counts where name in ('d:opened', 'd:clicked')`,
  recount("deliveries", namesOfEmail, "n.name like 'q:%'"),
  recount("campaign_recipients", namesOfRecipient, "n.name like 'p:%'"),
  recount("delivery_visits", namesOfVisits, "true"),
  ...counted("deliveries", namesOfEmail),
  ...counted("campaign_recipients", namesOfRecipient),
  ...counted("delivery_visits", namesOfVisits),
  `create trigger svc_count_new after insert on delivery_visits
    referencing new table as added for each statement execute function svc_count_new_delivery_visits()`,
  `create trigger svc_count_changed after update on delivery_visits
    referencing old table as removed new table as added
    for each statement execute function svc_count_changed_delivery_visits()`,
  `create trigger svc_count_gone after delete on delivery_visits
    referencing old table as removed for each statement execute function svc_count_gone_delivery_visits()`
]
