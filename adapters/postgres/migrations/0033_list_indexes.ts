/**
 * Creates the indexes of the filters and orders of lists.
 *
 * @module
 */

/** An index of contacts in the order of their list, those of each value of a column. */
const contactsBy = (column: string): string =>
  `create index contacts_listed_${column} on contacts (account_id, ${column}, added_at desc, id desc)
    where erased_at is null and ${column} is not null`

/** What separates words; with the end of a line, which separates the parts of a contact's text. */
const wordEnds = " .,@-_+/()"

/** The activity of a row of contacts. */
const activity = (row: string): string =>
  `${row}.account_id, ${row}.id, ${row}.last_emailed_at, ${row}.last_open_at, ${row}.last_click_at,
    greatest(${row}.added_at, ${row}.last_open_at, ${row}.last_click_at, ${row}.last_order_at, ${row}.last_conversion_at)`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // A page begins behind a time and an address, which an index finds where both have one direction.
  `drop index suppressions_newest`,
  `create index suppressions_newest on suppressions (account_id, created_at desc, email desc)`,
  `create index suppressions_kind on suppressions (account_id, kind, created_at desc, email desc)`,
  `create index submissions_template on submissions (account_id, template_id, created_at desc, id desc)
    where template_id is not null`,
  `create index submissions_from on submissions
    (account_id, (lower("from"->>'email') collate "C"), created_at desc, id desc) where "from" is not null`,
  `create index deliveries_reason on deliveries (account_id, reason, created_at desc, submission_id desc)
    where reason is not null`,
  `create index deliveries_domain on deliveries
    (account_id, (substring(email from '[^@]*$') collate "C"), created_at desc, submission_id desc)`,
  ...["consent_status", "consent_source", "country_code", "language", "store_id"].map(contactsBy),
  // In the form of which core/shared/Validate.ts: foldCase speaks. Functions with a body of SQL: an index is built without
  // a search path to collations of older servers.
  `create function svc_contact_text(email text, first_name text, last_name text, external_id text, phone text)
    returns text language sql immutable parallel safe
    return replace(lower(replace((
      coalesce(email, '') || chr(10) || coalesce(first_name, '') || ' ' || coalesce(last_name, '') || chr(10) ||
      coalesce(external_id, '') || chr(10) || coalesce(phone, '')
    ) collate "pg_c_utf8", 'İ', 'i')), 'ς', 'σ')`,
  // The account before each key: a tag, a topic turned on or off, every run of three characters of the text, and one and
  // two characters where a word begins.
  `create function svc_contact_keys(account_id uuid, content text, tags jsonb, topics jsonb)
    returns tsvector language sql immutable parallel safe
    return (
      select array_to_tsvector(array_agg(right(account_id::text, 6) || k.key)) from (
        select 't' || substr(content, n, 3) as key from generate_series(1, length(content) - 2) n
        where strpos(substr(content, n, 3), chr(10)) = 0
        union all
        select 'p' || substr(content, n, size) from generate_series(1, length(content)) n
        cross join generate_series(1, 2) size
        where strpos(chr(10) || '${wordEnds}', substr(content, n - 1, 1)) > 0
          and strpos(chr(10) || '${wordEnds}', substr(content, n, 1)) = 0
        union all
        select 'g' || left(tag, 200) from jsonb_array_elements_text(tags) tag
        union all
        select case when c.choice = 'true' then 'y' else 'n' end || c.topic from jsonb_each(topics) as c(topic, choice)
      ) k
    )`,
  `create index contacts_keys on contacts using gin (
    svc_contact_keys(account_id, svc_contact_text(email, first_name, last_name, external_id, phone), tags, topics)
  ) with (gin_pending_list_limit = 1024) where erased_at is null`,
  // In a table of its own: times change with each email, and a change of an indexed column is written to every index of
  // its table.
  `create table contact_activity (
    account_id uuid not null,
    contact_id uuid not null,
    last_emailed_at timestamptz,
    last_open_at timestamptz,
    last_click_at timestamptz,
    active_at timestamptz not null,
    primary key (account_id, contact_id)
  ) with (fillfactor = 80)`,
  `insert into contact_activity select ${activity("c")} from contacts c where erased_at is null`,
  `create index contact_activity_newest on contact_activity (account_id, active_at desc, contact_id desc)`,
  ...["last_emailed_at", "last_open_at", "last_click_at"].map(
    (column) =>
      `create index contact_activity_${column} on contact_activity (account_id, ${column}) where ${column} is not null`
  ),
  `create function svc_contact_added() returns trigger language plpgsql as $$ begin
    insert into contact_activity select ${activity("c")} from added c where c.erased_at is null
    on conflict do nothing;
    return null;
  end $$`,
  `create function svc_contact_moved() returns trigger language plpgsql as $$ begin
    insert into contact_activity as a
    select ${activity("n")} from moved n join before o on o.account_id = n.account_id and o.id = n.id
    where n.erased_at is null and (
      o.last_emailed_at, o.last_open_at, o.last_click_at, o.last_order_at, o.last_conversion_at, o.added_at, o.erased_at
    ) is distinct from (
      n.last_emailed_at, n.last_open_at, n.last_click_at, n.last_order_at, n.last_conversion_at, n.added_at, n.erased_at
    ) order by n.account_id, n.id
    on conflict (account_id, contact_id) do update set last_emailed_at = excluded.last_emailed_at,
      last_open_at = excluded.last_open_at, last_click_at = excluded.last_click_at, active_at = excluded.active_at;
    delete from contact_activity a using moved n
    where n.erased_at is not null and a.account_id = n.account_id and a.contact_id = n.id;
    return null;
  end $$`,
  `create trigger contacts_added after insert on contacts referencing new table as added
    for each statement execute function svc_contact_added()`,
  `create trigger contacts_moved after update on contacts referencing old table as before new table as moved
    for each statement execute function svc_contact_moved()`,
  `create index failed_events_code on failed_events (account_id, code, id desc)`
]
