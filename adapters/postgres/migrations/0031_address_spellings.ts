/**
 * Gives each mailbox one spelling: addresses lose the quotes and quoted pairs of their local part that it does not need,
 * everywhere an address is looked up.
 *
 * Where contacts have the same mailbox in several spellings, the one added first keeps it, with the strictest consent and
 * choice of topics of all. Each other one is left as it is, with a spelling that no look-up finds and that gets no email,
 * and is listed in `address_twins` for the operator. Hashes of erased people's addresses cannot be changed; look-ups use
 * those of both spellings.
 *
 * @module
 */

/** Statuses of consent by strictness; those that get no marketing email are stricter than those that do. */
const statuses = [
  "Subscribed",
  "SoftOptIn",
  "PendingConfirmation",
  "CheckoutStarted",
  "Unknown",
  "Unsubscribed",
  "Bounced",
  "Complained"
]

const strictness = (status: string): string =>
  `array_position(array[${statuses.map((one) => `'${one}'`).join(", ")}], ${status})`

/** Suppression kinds by what they override. */
const severity = (kind: string): string =>
  `array_position(array['Protected', 'Bounced', 'Complained'], ${kind})`

/** Whether a column has an address that changes. */
const changes = (column: string): string =>
  `${column} like '"%' and svc_normal_address(${column}) <> ${column}`

/** Sets the consent of contacts `c` to that of `source`, and adds it to their history. */
const setConsent = (values: string, source: string): string => `
  with stricter as (${source}), written as (
    update contacts c set ${values}, version = c.version + 1
    from stricter s where c.account_id = s.account_id and c.id = s.id
  )
  insert into consents (account_id, id, contact_id, "from", "to", basis, proof, source, at)
  select account_id, gen_random_uuid(), id, was, status, null, null, source, date_trunc('milliseconds', now())
  from stricter`

/** The contacts `c` whose bounced or complained address, with its entry `p`, this migration has changed. */
const suppressedContacts = `
  from (select account_id, email from respelled_suppressions union select account_id, normal from respelled) m
  join suppressions p on p.account_id = m.account_id and p.email = m.email
  join contacts c on c.account_id = m.account_id and c.email = m.email
  where p.kind in ('Bounced', 'Complained')`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  String.raw`create function svc_normal_address(address text) returns text language sql immutable as $$
    select case
      when content is null then address
      when content ~ '^[^][ "(),:;<>@\\.]+([.][^][ "(),:;<>@\\.]+)*$' then content || domain
      else '"' || regexp_replace(content, '(["\\])', '\\\1', 'g') || '"' || domain
    end
    from (
      select regexp_replace(substring(address from '^"(.*)"@[^@"]+$'), '\\(.)', '\1', 'g') as content,
        substring(address from '@[^@"]+$') as domain
    ) parts
  $$`,
  // The contacts of each mailbox that has a spelling to change, in the order in which they were added.
  `create table respelled as
    with changing as (
      select account_id, id, email, svc_normal_address(email) as normal, added_at from contacts
      where ${changes("email")}
    ), everyone as (
      select * from changing
      union all
      select c.account_id, c.id, c.email, c.email, c.added_at
      from (select distinct account_id, normal from changing) m
      join contacts c on c.account_id = m.account_id and c.email = m.normal
    )
    select *, row_number() over same as place, first_value(id) over same as kept_by,
      first_value(email) over same as kept_spelling
    from everyone window same as (partition by account_id, normal order by added_at, id)`,
  `create table address_twins (
    account_id uuid not null,
    contact_id uuid not null,
    kept_by uuid not null,
    primary key (account_id, contact_id)
  )`,
  `insert into address_twins select account_id, id, kept_by from respelled where place > 1`,
  setConsent(
    `consent_status = s.status, consent_source = s.source, consent_updated_at = s.updated_at, consent_proof = s.proof`,
    `select distinct on (k.account_id, k.id) k.account_id, k.id, k.consent_status as was, o.consent_status as status,
      coalesce(o.consent_source, 'Import') as source, o.consent_updated_at as updated_at, o.consent_proof as proof
    from address_twins t
    join contacts k on k.account_id = t.account_id and k.id = t.kept_by
    join contacts o on o.account_id = t.account_id and o.id = t.contact_id
    where ${strictness("o.consent_status")} > ${strictness("k.consent_status")}
    order by k.account_id, k.id, ${strictness("o.consent_status")} desc, o.added_at, o.id`
  ),
  `update contacts c set topics = c.topics || off.topics, version = c.version + 1
    from (
      select t.account_id, t.kept_by, jsonb_object_agg(choice.key, choice.value) as topics
      from address_twins t
      join contacts o on o.account_id = t.account_id and o.id = t.contact_id
      cross join lateral jsonb_each(o.topics) as choice
      where choice.value = 'false' group by 1, 2
    ) off
    where c.account_id = off.account_id and c.id = off.kept_by`,
  // First the addresses are given up, since each belongs to one contact at a time.
  `update contacts c set email = null, version = c.version + 1
    from respelled r where c.account_id = r.account_id and c.id = r.id and (r.place = 1 or r.email = r.normal)`,
  // A later contact with the normal spelling takes that of the first.
  `update contacts c set email = case when r.place = 1 then r.normal else r.kept_spelling end, version = c.version + 1
    from respelled r where c.account_id = r.account_id and c.id = r.id and (r.place = 1 or r.email = r.normal)`,
  `update contacts c set former_emails = (
      select jsonb_agg(address order by first)
      from (
        select svc_normal_address(given) as address, min(place) as first
        from jsonb_array_elements_text(c.former_emails) with ordinality as f(given, place) group by 1
      ) each_once
    ), version = c.version + 1
    where strpos(c.former_emails::text, '\\"') > 0`,
  `create table respelled_suppressions as
    select account_id, svc_normal_address(email) as email, min(created_at) as created_at,
      (array_agg(kind order by ${severity("kind")} desc))[1] as kind
    from suppressions where ${changes("email")} group by 1, 2`,
  `delete from suppressions where ${changes("email")}`,
  `insert into suppressions as s (account_id, email, kind, created_at)
    select account_id, email, kind, created_at from respelled_suppressions
    on conflict (account_id, email) do update set
      kind = case when ${severity("excluded.kind")} > ${severity("s.kind")} then excluded.kind else s.kind end,
      created_at = least(s.created_at, excluded.created_at)`,
  // Contact and list agree on a bounce or complaint, as after each write.
  setConsent(
    `consent_status = s.status, consent_source = s.source, consent_updated_at = date_trunc('milliseconds', now()),
      consent_proof = null`,
    `select c.account_id, c.id, c.consent_status as was, p.kind as status,
      case p.kind when 'Bounced' then 'Bounce' else 'Complaint' end as source
    ${suppressedContacts} and c.consent_status not in ('Bounced', 'Complained')`
  ),
  `update suppressions l set kind = s.status
    from (select c.account_id, c.email, c.consent_status as status ${suppressedContacts}) s
    where l.account_id = s.account_id and l.email = s.email and s.status in ('Bounced', 'Complained')
      and l.kind <> s.status`,
  // The other contacts get no email.
  `insert into suppressions (account_id, email, kind, created_at)
    select c.account_id, c.email, 'Protected', date_trunc('milliseconds', now())
    from address_twins t join contacts c on c.account_id = t.account_id and c.id = t.contact_id
    on conflict (account_id, email) do nothing`,
  ...["deliveries", "import_errors", "pending_events", "failed_events"].map(
    (table) => `update ${table} set email = svc_normal_address(email) where ${changes("email")}`
  ),
  `drop table respelled`,
  `drop table respelled_suppressions`,
  `drop function svc_normal_address(text)`
]
