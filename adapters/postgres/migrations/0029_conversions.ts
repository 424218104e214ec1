/**
 * Creates conversions. Adds to visits what attributes an order to a click and what statistics count: the flow and the
 * contact of the email, the times of the clicks that people may have made, and when anyone was first there.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table conversions (
    account_id uuid not null,
    id uuid not null,
    contact_id uuid not null,
    order_id uuid not null,
    flow_id uuid not null,
    delivery_id uuid not null,
    clicked_at timestamptz not null,
    ordered_at timestamptz not null,
    primary key (account_id, contact_id, order_id)
  )`,
  `create index conversions_flow on conversions (account_id, flow_id)`,
  `alter table delivery_visits
    add column flow_id uuid,
    add column contact_id uuid,
    add column first_opened_at timestamptz,
    add column first_clicked_at timestamptz,
    add column reader_clicks jsonb not null default '[]'`,
  // Of deliveries whose visits were not kept yet, the first click is known.
  `update delivery_visits v set
      flow_id = s.flow_id,
      contact_id = case when s.flow_id is not null then coalesce((s.marketing ->> 'contactId')::uuid, (
        select r.contact_id from flow_runs r where r.account_id = s.account_id and r.id = s.run_id
      )) end,
      first_opened_at = d.opened_at,
      first_clicked_at = d.clicked_at,
      reader_clicks = coalesce((
        select jsonb_agg(e -> 'at' order by (e ->> 'at')::float8) from jsonb_array_elements(v.visits) e
        where e ->> 'kind' = 'Click' and e ->> 'verdict' <> 'Machine'
      ), case when v.reader_clicked_at is null then '[]' else
        jsonb_build_array(floor(extract(epoch from v.reader_clicked_at) * 1000)::bigint) end)
    from deliveries d join submissions s on s.account_id = d.account_id and s.id = d.submission_id
    where d.account_id = v.account_id and d.id = v.delivery_id`,
  `create index delivery_visits_contact on delivery_visits (account_id, contact_id) where contact_id is not null`,
  `create index delivery_visits_flow on delivery_visits (account_id, flow_id) where flow_id is not null`,
  `create index delivery_visits_opened on delivery_visits (account_id, reader_opened_at)
    where reader_opened_at is not null`,
  `create index delivery_visits_clicked on delivery_visits (account_id, reader_clicked_at)
    where reader_clicked_at is not null`,
  `create index delivery_visits_machine_opened on delivery_visits (account_id, first_opened_at)
    where reader_opened_at is null and first_opened_at is not null`,
  `create index delivery_visits_machine_clicked on delivery_visits (account_id, first_clicked_at)
    where reader_clicked_at is null and first_clicked_at is not null`,
  `alter table webhooks add column fields jsonb not null default '[]'`
]
