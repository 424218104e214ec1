/**
 * Builds the statements that find and write contacts.
 *
 * @module
 */
import type { Contact } from "../../../core/model/Contact.ts"
import { searchKeys } from "../../../core/audience/segments/SearchKeys.ts"
import type { ContactChanges, ContactKeys } from "../../../core/ports/ContactStore.ts"
import { arrayOf, integersOf } from "../sql/columns.ts"
import { WriteStatement } from "../sql/WriteStatement.ts"
import {
  activities,
  activityFields,
  activityOf,
  consents,
  contacts,
  fillers,
  isPlain,
  isWritten,
  restOf,
  searchedFields,
  written
} from "./columns.ts"

/**
 * Each kind of key has its index. A key whose contact was found by an earlier kind is not looked up. The limits make each a
 * look-up by key, whatever the planner's statistics.
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

/** The keys of one kind, without duplicates. */
const keysOf = (keys: ReadonlyArray<string>): string => arrayOf([...new Set(keys)])

/** Locks the contacts with given keys, in the order in which writes lock them. */
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

/** The key of an advisory lock shared by the statements that add contacts to the account $1. */
const insertKey = `hashtextextended('contacts:' || $1::uuid, 0)`

export const holdInsertsText = `select pg_advisory_xact_lock(${insertKey})`

/** Finds contacts by keys. `toContact` decodes the rows. */
export const findStatement = (accountId: string, { emails, externalIds, ids }: ContactKeys) => ({
  text: findText,
  parameters: [accountId, keysOf(ids), keysOf(externalIds), keysOf(emails)]
})

export const lockStatement = (accountId: string, { emails, externalIds, ids }: ContactKeys) => ({
  text: lockText,
  parameters: [accountId, keysOf(ids), keysOf(externalIds), keysOf(emails)]
})

/**
 * The `on conflict` clause for `contact_activity a`. Its rows are locked after those of the contacts, and in the same order.
 */
const activityConflict = `on conflict (account_id, contact_id) do update
  set ${activities.replaced(["lastEmailedAt", "lastOpenAt", "lastClickAt", "activeAt"])}
  where (a.last_emailed_at, a.last_open_at, a.last_click_at, a.active_at) is distinct from
    (excluded.last_emailed_at, excluded.last_open_at, excluded.last_click_at, excluded.active_at)`

/** The activity row of a row of contacts `c`. */
const activityText = `c.account_id, c.id, c.last_emailed_at, c.last_open_at, c.last_click_at,
  greatest(c.added_at, c.last_open_at, c.last_click_at, c.last_order_at, c.last_conversion_at) as active_at`

/** Ends an update of contacts `c` in the common table expression `moved`, and begins the statement that writes their activity. */
export const movedText = {
  returning: `returning ${activityText}`,
  insertion: `insert into contact_activity as a (account_id, ${activities.names}) select * from moved ${activityConflict}`
}

/** Adds the part that writes the keys with which searches find contacts. */
const writeSearch = (
  { parameter, part }: WriteStatement,
  accountId: string,
  name: string,
  searched: ReadonlyArray<Contact>,
  onConflict: string
): void => {
  const ids = parameter(arrayOf(searched.map((contact) => contact.id)))
  // The keys of all contacts one after another, and the positions at which those of each contact begin and end.
  const keys: Array<number> = []
  const begins: Array<number> = []
  const ends: Array<number> = []
  for (const contact of searched) {
    begins.push(keys.length + 1)
    for (const key of searchKeys(accountId, contact)) keys.push(key)
    ends.push(keys.length)
  }
  const [all, from, to] = [keys, begins, ends].map((integers) => parameter(integersOf(integers)))
  part(
    name,
    `insert into contact_search as s (account_id, contact_id, keys)
    select $1::uuid, r.id, (${all}::int[])[r."from" : r."to"]
    from rows from (unnest(${ids}::uuid[]), unnest(${from}::int[]), unnest(${to}::int[])) as r(id, "from", "to")
    order by r.id ${onConflict} returning 1`
  )
}

/**
 * Adds the parts that write the rows by which lists find contacts. Returns the names of the parts that must end before the
 * count. The rows of new contacts are also new, so no existing ones are looked up.
 */
const writeLists = (
  statement: WriteStatement,
  accountId: string,
  { inserts, released, updatedFields, updates }: ContactChanges
): ReadonlyArray<string> => {
  const { parameter, part } = statement
  const names: Array<string> = []
  const isAlive = (contact: Contact) => contact.erasedAt === null
  const changedIn = (fields: ReadonlyArray<keyof Contact>, isReleased = false) =>
    isReleased || updatedFields === "Any" || fields.some((field) => updatedFields.includes(field))
      ? updates.filter(isAlive)
      : []

  const added = inserts.filter(isAlive)
  if (added.length > 0) {
    writeSearch(statement, accountId, "searched", added, "")
    part(
      "active",
      `insert into contact_activity (account_id, ${activities.names})
      select account_id, id, last_emailed_at, last_open_at, last_click_at, active_at from inserted
      where erased_at is null order by id returning 1`
    )
    names.push("searched", "active")
  }
  const searched = changedIn(searchedFields, released.length > 0)
  if (searched.length > 0) {
    writeSearch(
      statement,
      accountId,
      "searched_again",
      searched,
      "on conflict (account_id, contact_id) do update set keys = excluded.keys where s.keys <> excluded.keys"
    )
    names.push("searched_again")
  }
  const active = changedIn(activityFields)
  if (active.length > 0) {
    part(
      "active_again",
      `${statement.insertion("contact_activity as a", activities, active.map(activityOf))} order by r."contactId"
      ${activityConflict} returning 1`
    )
    names.push("active_again")
  }
  const erased = updates.flatMap((contact) => (contact.erasedAt === null ? [] : [contact.id]))
  if (erased.length > 0) {
    const ids = parameter(arrayOf(erased))
    for (const table of ["contact_search", "contact_activity"]) {
      part(
        `un${table}`,
        `delete from ${table} where account_id = $1::uuid and contact_id = any(${ids}::uuid[])`
      )
    }
  }
  return names
}

/** The statement of a write. The count comes last, because all writers of the account share its row. */
export const writeStatement = (accountId: string, changes: ContactChanges) => {
  const { consents: entries, contactLimit, inserts, released, updatedFields, updates } = changes
  const erased = updates.flatMap((contact) => (contact.erasedAt === null ? [] : [contact.id]))
  const statement = new WriteStatement(accountId)
  const { parameter } = statement

  if (updates.length > 0) {
    // The release has set both identities to null, including one that the contact keeps.
    const isIdentity = (field: string) => field === "email" || field === "externalId"
    const isChanged = (field: string) =>
      updatedFields === "Any" ||
      updatedFields.includes(field as keyof Contact) ||
      (released.length > 0 && isIdentity(field))
    const columns = updatedFields === "Any" || !updatedFields.every(isWritten) ? contacts : written
    const unchanged: ReadonlyArray<string> = columns.order.filter(
      (field) => field !== "id" && field !== "version" && !isChanged(field)
    )
    statement.update("contacts", columns, updates, {
      fillers: Object.fromEntries(unchanged.map((field) => [field, fillers[field as keyof Contact] ?? null])),
      flag: (field) => `${parameter(!unchanged.includes(field))}::boolean`
    })
  }
  if (inserts.length > 0) {
    const columns = inserts.every(isPlain) ? written : contacts
    statement.part("gate", `select pg_advisory_xact_lock_shared(${insertKey})`)
    statement.part(
      "inserted",
      `${statement.insertion("contacts as c", columns, inserts)} cross join gate
      order by r.email collate "C", r."externalId" collate "C" returning c.erased_at, ${activityText}`
    )
  }
  const listed = writeLists(statement, accountId, changes)
  if (entries.length > 0) statement.part("recorded", statement.insertion("consents", consents, entries))
  if (inserts.length > 0 || erased.length > 0) {
    const added = inserts.length > 0 ? `(select count(*) from inserted where erased_at is null)` : `0`
    const gone =
      erased.length > 0
        ? `(select count(*) from unnest(${parameter(erased)}::uuid[]) as k(id) cross join lateral (
            select erased_at from contacts where account_id = $1::uuid and id = k.id limit 1
          ) c where c.erased_at is null)`
        : `0`
    const before =
      inserts.length > 0 && listed.length > 0
        ? `from ${listed.map((name) => `(select count(*) from ${name}) ${name}`).join(", ")}`
        : ""
    statement.part(
      "counted",
      `insert into contact_counts as c (account_id, contacts) select $1::uuid, ${added} - ${gone} ${before}
      on conflict (account_id) do update set contacts = c.contacts + excluded.contacts returning contacts`
    )
  }
  if (inserts.length > 0 && contactLimit !== null) {
    statement.check("contacts_limit", `counted where contacts > ${parameter(contactLimit)}::bigint`)
  }
  return statement
}

/**
 * Sets the email and external id of contacts to null, at the version on which the updates are based. The write that follows in
 * the same transaction sets both again to the values that each contact keeps.
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
