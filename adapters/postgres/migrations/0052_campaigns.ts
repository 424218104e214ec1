/**
 * Creates campaigns with their versions, progress and recipients, and counts the recipients and their emails.
 *
 * The counts are changes: each transaction adds rows, so that none waits for another, and the job of a campaign adds them
 * up. They are written by triggers, so that they are those of a recount at every commit, whatever changes the rows.
 *
 * @module
 */

/** The names under which an email `d` is counted, as `core/campaigns/CampaignRules.ts: namesOfEmail` has them. */
const namesOfEmail = `array_remove(array[
      'd:' || d.status,
      case when d.attempts = 0 and d.status in ('Queued', 'HandingOff', 'PendingReview') then 'd:untried' end,
      case when d.attempts > 0 and d.status = 'Queued' then 'd:retrying' end,
      case when d.status = 'Failed' and d.reason = 'sending.mailbox_full' then 'd:softBounced' end,
      case when d.opened_at is not null then 'd:opened' end,
      case when d.clicked_at is not null then 'd:clicked' end
    ], null)`

/** The names of a recipient `d`. */
const namesOfRecipient = `array_remove(array[
      'r:' || d.state, case when d.state = 'Skipped' then 's:' || d.reason end
    ], null)`

/** A part of what a trigger adds up: the rows of a transition table, each with its sign. */
const part = (table: string, sign: 1 | -1, names: string): string =>
  `select d.account_id, d.campaign_id, n.name, ${sign} as change
        from ${table} d cross join lateral unnest(${names}) as n(name) where d.campaign_id is not null`

/** The function of a trigger that adds the changes of some rows. */
const counting = (name: string, parts: ReadonlyArray<string>): string =>
  `create function ${name}() returns trigger language plpgsql as $$
    begin
      insert into campaign_counts (account_id, campaign_id, name, count)
      select account_id, campaign_id, name, sum(change) from (${parts.join(" union all ")}) c
      group by account_id, campaign_id, name having sum(change) <> 0;
      return null;
    end $$`

/** The statements that count the rows of a table. */
const counted = (table: string, names: string): ReadonlyArray<string> => {
  const added = part("added", 1, names)
  const removed = part("removed", -1, names)
  return [
    counting(`svc_count_new_${table}`, [added]),
    counting(`svc_count_changed_${table}`, [added, removed]),
    counting(`svc_count_gone_${table}`, [removed]),
    `create trigger svc_count_new after insert on ${table}
      referencing new table as added for each statement execute function svc_count_new_${table}()`,
    `create trigger svc_count_changed after update on ${table}
      referencing old table as removed new table as added
      for each statement execute function svc_count_changed_${table}()`,
    `create trigger svc_count_gone after delete on ${table}
      referencing old table as removed for each statement execute function svc_count_gone_${table}()`
  ]
}

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Only transitions and edits write it: a sender of the campaign locks it for share.
  `create table campaigns (
    account_id uuid not null,
    id uuid not null,
    name text not null,
    status text not null,
    status_reason text,
    status_at timestamptz not null,
    definition jsonb not null,
    version integer not null,
    start_at timestamptz,
    launched_at timestamptz,
    baseline jsonb not null,
    created_by jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by jsonb,
    primary key (account_id, id)
  )`,
  `create index campaigns_newest on campaigns (account_id, created_at desc, id desc)`,
  `create index campaigns_status on campaigns (account_id, status, created_at desc, id desc)`,
  `create table campaign_versions (
    account_id uuid not null,
    campaign_id uuid not null,
    version integer not null,
    name text not null,
    template_id uuid,
    subject text not null,
    preheader text,
    html text,
    text text,
    "from" jsonb not null,
    reply_to jsonb,
    topic_id uuid,
    tracking jsonb not null,
    created_at timestamptz not null,
    created_by jsonb not null,
    primary key (account_id, campaign_id, version)
  )`,
  // The row that the batches of a campaign lock, so that one is decided at a time.
  `create table campaign_progress (
    account_id uuid not null,
    campaign_id uuid not null,
    as_of timestamptz,
    segments jsonb,
    position jsonb,
    is_complete boolean not null,
    updated_at timestamptz not null,
    primary key (account_id, campaign_id)
  )`,
  // address_hash is that of a Submitted one: no address gets two emails of a campaign.
  `create table campaign_recipients (
    account_id uuid not null,
    campaign_id uuid not null,
    contact_id uuid not null,
    due_at timestamptz not null,
    decided_at timestamptz,
    delivery_id uuid,
    version integer,
    state text collate "C" not null,
    reason text collate "C",
    address_hash bytea,
    primary key (account_id, campaign_id, contact_id)
  )`,
  `create unique index campaign_recipients_address on campaign_recipients (account_id, campaign_id, address_hash)
    where address_hash is not null`,
  `create index campaign_recipients_due on campaign_recipients (account_id, campaign_id, due_at, contact_id)
    where state = 'Pending'`,
  `create index campaign_recipients_contact on campaign_recipients (account_id, contact_id)`,
  `create table campaign_counts (
    account_id uuid not null,
    campaign_id uuid not null,
    name text collate "C" not null,
    count bigint not null
  )`,
  `create index campaign_counts_campaign on campaign_counts (account_id, campaign_id)`,
  `alter table deliveries add column campaign_id uuid`,
  `create index deliveries_campaign on deliveries (account_id, campaign_id, id)
    where campaign_id is not null and status in ('Queued', 'PendingReview', 'HandingOff')`,
  ...counted("deliveries", namesOfEmail),
  ...counted("campaign_recipients", namesOfRecipient)
]
