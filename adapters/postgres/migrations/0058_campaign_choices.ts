/**
 * What a campaign chooses for each person, and indexes that find the marketing emails of a person and of a campaign.
 *
 * @module
 */

/** The names that are new among those of an email `d`. */
const added = `array_remove(array[
      case when d.complained_at is not null then 'd:complained' end,
      case when d.unsubscribed_at is not null then 'd:unsubscribed' end
    ], null)`

/** The names under which an email `d` is counted, as `core/campaigns/CampaignRules.ts: namesOfEmail` has them. */
const names = `array_remove(array[
      'd:' || d.status,
      case when d.attempts = 0 and d.status in ('Queued', 'HandingOff', 'PendingReview') then 'd:untried' end,
      case when d.attempts > 0 and d.status = 'Queued' then 'd:retrying' end,
      case when d.status = 'Failed' and d.reason = 'sending.mailbox_full' then 'd:softBounced' end,
      case when d.opened_at is not null then 'd:opened' end,
      case when d.clicked_at is not null then 'd:clicked' end,
      case when d.complained_at is not null then 'd:complained' end,
      case when d.unsubscribed_at is not null then 'd:unsubscribed' end
    ], null)`

/** A part of what a trigger adds up: the rows of a transition table, each with its sign. */
const part = (table: string, sign: 1 | -1): string =>
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

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table campaigns add column test jsonb`,
  // Variants and languages of the content; null for one content for all. utm: what is added to links.
  `alter table campaign_versions add column parts jsonb, add column utm jsonb`,
  `alter table campaign_progress add column paced_at timestamptz`,
  `alter table campaign_recipients add column variant text collate "C"`,
  `create index submissions_marketing on submissions
    (account_id, ((marketing ->> 'contactId')::uuid), created_at desc) where marketing is not null`,
  `create index submissions_campaign on submissions
    (account_id, ((marketing -> 'campaign' ->> 'id')::uuid), created_at desc, id desc)
    where marketing -> 'campaign' is not null`,
  // Complaints and unsubscribes are counted as well.
  `insert into campaign_counts (account_id, campaign_id, name, count)
    select d.account_id, d.campaign_id, n.name, count(*) from deliveries d cross join lateral unnest(${added}) as n(name)
    where d.campaign_id is not null group by d.account_id, d.campaign_id, n.name`,
  counting("svc_count_new_deliveries", [part("added", 1)]),
  counting("svc_count_changed_deliveries", [part("added", 1), part("removed", -1)]),
  counting("svc_count_gone_deliveries", [part("removed", -1)])
]
