/**
 * The statements that find and write contacts.
 *
 * @module
 */
import type { Contact } from "../../../core/model/Contact.ts"
import type { ContactChanges, ContactKeys } from "../../../core/ports/ContactStore.ts"
import { arrayOf } from "../sql/columns.ts"
import { consents, contacts, fillers, isPlain, isWritten, restOf, written } from "./columns.ts"

/**
 * One index for each kind of key; a key is not looked up whose contact an earlier kind has found. The limits keep each
 * a look-up by key, whatever the planner thinks of the table.
 */
const findText = (() => {
  const columns = `${written.selected("c")}, ${restOf("c")} as rest`
  const by = (column: string, keys: string, condition: string) => `
    select ${columns} from unnest(${keys}) as k(key) cross join lateral (
      select * from contacts where account_id = $1::uuid and ${column} = k.key limit 1
    ) c where ${condition}`
  const missed = (field: string, found: string) =>
    `k.key not in (select "${field}" from ${found} where "${field}" is not null)`
  return `
    with identified as materialized (${by("id", "$2::uuid[]", "true")}),
    known as materialized (${by("external_id", "$3::text[]", `${missed("externalId", "identified")} and c.id not in (select id from identified)`)}),
    addressed as (${by("email", "$4::text[]", `${missed("email", "identified")} and ${missed("email", "known")}`)})
    select * from identified union all select * from known union all select * from addressed`
})()

/** The keys of one kind, each once. */
const keysOf = (keys: ReadonlyArray<string>): string => arrayOf([...new Set(keys)])

/** Takes the contacts of some keys, in the order in which writes take them. */
const lockText = `
  with found as materialized (
    select unnest($2::uuid[]) as id
    union
    select c.id from unnest($3::text[]) as k(external_id) cross join lateral (
      select id from contacts where account_id = $1::uuid and external_id = k.external_id limit 1
    ) c
    union
    select c.id from unnest($4::text[]) as k(email) cross join lateral (
      select id from contacts where account_id = $1::uuid and email = k.email limit 1
    ) c
  )
  select from (select id from found order by id) k cross join lateral (
    select from contacts where account_id = $1::uuid and id = k.id limit 1 for no key update
  ) c`

/** What those who add contacts to the account $1 share a lock of. */
const insertKey = `hashtextextended('contacts:' || $1::uuid, 0)`

export const holdInsertsText = `select pg_advisory_xact_lock(${insertKey})`

/** Rows of `toContact`. */
export const findStatement = (accountId: string, { emails, externalIds, ids }: ContactKeys) => ({
  text: findText,
  parameters: [accountId, keysOf(ids), keysOf(externalIds), keysOf(emails)]
})

export const lockStatement = (accountId: string, { emails, externalIds, ids }: ContactKeys) => ({
  text: lockText,
  parameters: [accountId, keysOf(ids), keysOf(externalIds), keysOf(emails)]
})

/**
 * The one statement of a write, with the parts its changes need: few texts, each prepared once. Rows are taken in one
 * order, so that two batches that overlap wait for each other only one way. Updates are upserts, which take rows by
 * their key and in the order given, as a join need not; one that finds no row refuses the write. The count is last,
 * being a row all writers of the account share.
 */
export const writeStatement = (accountId: string, changes: ContactChanges) => {
  const { consents: entries, contactLimit, inserts, released, updatedFields, updates } = changes
  const erased = updates.flatMap((contact) => (contact.erasedAt === null ? [] : [contact.id]))
  const parameters: Array<unknown> = [accountId]
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const parts: Array<string> = []
  const refusals: Array<string> = []

  if (updates.length > 0) {
    // The release has set both identities to null, also the one that its contact keeps.
    const isIdentity = (field: string) => field === "email" || field === "externalId"
    const isChanged = (field: string) =>
      updatedFields === "Any" ||
      updatedFields.includes(field as keyof Contact) ||
      (released.length > 0 && isIdentity(field))
    const columns = updatedFields === "Any" || !updatedFields.every(isWritten) ? contacts : written
    const unchanged = columns.order.filter(
      (field) => field !== "id" && field !== "version" && !isChanged(field)
    )
    const { from, values } = columns.unnest(
      updates,
      parameter,
      Object.fromEntries(unchanged.map((field) => [field, fillers[field as keyof Contact] ?? null]))
    )
    const assigned = columns.assigned("c", (field) => `${parameter(!unchanged.includes(field))}::boolean`)
    parts.push(`updated as (
      insert into contacts as c (account_id, ${columns.names}) select $1::uuid, ${values} from ${from} order by id
      on conflict (account_id, id) do update set ${assigned}
      where c.version = excluded.version - 1 returning xmax <> 0 as found
    )`)
    refusals.push(`
      select svc_conflict('contacts_version') from (select count(*) as rows from updated where found) u
      where u.rows <> ${parameter(updates.length)}::int`)
  }
  if (inserts.length > 0) {
    const columns = inserts.every(isPlain) ? written : contacts
    const { from, values } = columns.unnest(inserts, parameter)
    parts.push(`gate as materialized (select pg_advisory_xact_lock_shared(${insertKey})), inserted as (
      insert into contacts (account_id, ${columns.names}) select $1::uuid, ${values} from gate cross join ${from}
      order by r.email collate "C", r."externalId" collate "C" returning erased_at
    )`)
  }
  if (entries.length > 0) {
    const { from, values } = consents.unnest(entries, parameter)
    parts.push(`recorded as (
      insert into consents (account_id, ${consents.names}) select $1::uuid, ${values} from ${from}
    )`)
  }
  if (inserts.length > 0 || erased.length > 0) {
    const added = inserts.length > 0 ? `(select count(*) from inserted where erased_at is null)` : `0`
    const gone =
      erased.length > 0
        ? `(select count(*) from unnest(${parameter(erased)}::uuid[]) as k(id) cross join lateral (
            select erased_at from contacts where account_id = $1::uuid and id = k.id limit 1
          ) c where c.erased_at is null)`
        : `0`
    parts.push(`counted as (
      insert into contact_counts as c (account_id, contacts) select $1::uuid, ${added} - ${gone}
      on conflict (account_id) do update set contacts = c.contacts + excluded.contacts returning contacts
    )`)
  }
  if (inserts.length > 0 && contactLimit !== null) {
    refusals.push(
      `select svc_conflict('contacts_limit') from counted where contacts > ${parameter(contactLimit)}::bigint`
    )
  }
  const rest = refusals.length > 0 ? refusals.join(" union all ") : `select`
  return { text: `with ${parts.join(", ")} ${rest}`, parameters }
}

/**
 * Sets the email and external id of contacts to null, at the version the updates were decided on. The write that follows
 * in the same transaction sets both again, to what each contact keeps.
 */
export const releaseStatement = (accountId: string, released: ReadonlyArray<Contact>) => ({
  text: `
    with released as (
      insert into contacts as c (account_id, id, version, consent_status, attributes, added_at)
      select $1::uuid, id, version, '', '{}', '-infinity'
      from rows from (unnest($2::uuid[]), unnest($3::int[])) as r(id, version) order by id
      on conflict (account_id, id) do update set email = null, external_id = null
      where c.version = excluded.version - 1 returning xmax <> 0 as found
    )
    select svc_conflict('contacts_version') from (select count(*) as rows from released where found) u
    where u.rows <> $4::int`,
  parameters: [
    accountId,
    released.map((contact) => contact.id),
    released.map((contact) => contact.version),
    released.length
  ]
})
