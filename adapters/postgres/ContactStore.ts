/**
 * Contacts and consent history in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ConsentEntry } from "../../core/audience/Consent.ts"
import type { Contact } from "../../core/audience/Contact.ts"
import { type ContactChanges, ContactStore } from "../../core/ports/ContactStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { columnsOf } from "./columns.ts"
import { available, refusable } from "./errors.ts"
import { pageOf, type PageRow } from "./pages.ts"
import { timelineColumns } from "./TimelineStore.ts"

/** What a contact write can set, and what every contact has. */
const writtenTypes = {
  id: "uuid",
  externalId: "text",
  email: "text",
  formerEmails: "jsonb",
  firstName: "text",
  lastName: "text",
  phone: "text",
  city: "text",
  countryCode: "text",
  language: "text",
  consentStatus: "text",
  consentSource: "text",
  consentUpdatedAt: "timestamptz",
  consentProof: "jsonb",
  attributes: "jsonb",
  topics: "jsonb",
  addedAt: "timestamptz",
  version: "integer"
} as const

/** What else happens to a contact, with what a new one has: the default of the column. */
const otherTypes = {
  storeId: ["uuid", null],
  storeConsentMode: ["text", null],
  marketingDeclared: ["boolean", false],
  isPayingCustomer: ["boolean", false],
  orderCount: ["integer", 0],
  totalSpent: ["numeric", "0"],
  fromOrders: ["boolean", false],
  tags: ["jsonb", null],
  sourceCreatedAt: ["timestamptz", null],
  lastSyncedAt: ["timestamptz", null],
  lastOrderAt: ["timestamptz", null],
  lastOpenAt: ["timestamptz", null],
  lastClickAt: ["timestamptz", null],
  lastEmailedAt: ["timestamptz", null],
  lastConversionAt: ["timestamptz", null],
  erasedAt: ["timestamptz", null],
  addressHash: ["text", null]
} as const

const others = Object.entries(otherTypes) as ReadonlyArray<
  [keyof typeof otherTypes, (typeof otherTypes)[keyof typeof otherTypes]]
>

/** The columns of `contacts`. */
export const contacts = columnsOf({
  ...writtenTypes,
  ...Object.fromEntries(others.map(([field, [type]]) => [field, type]))
} satisfies Record<string, string> as Record<keyof Contact, string>)

/** Most writes touch no more than these columns, and half as many cost half as much. */
const written = columnsOf(writtenTypes)

const isPlain = (contact: Contact): boolean => others.every(([field, [, value]]) => contact[field] === value)

const consents = columnsOf({
  id: "uuid",
  contactId: "uuid",
  from: "text",
  to: "text",
  basis: "text",
  proof: "jsonb",
  source: "text",
  at: "timestamptz"
} satisfies Record<keyof ConsentEntry, string>)

/**
 * One index for each kind of key; who has a key of an earlier kind is left out. The limits keep each a look-up by key,
 * whatever the planner thinks of the table.
 */
const findStatement = `
  select ${contacts.selected("c")} from (select distinct unnest($2::uuid[]) as id) k cross join lateral (
    select * from contacts where account_id = $1::uuid and id = k.id limit 1
  ) c
  union all
  select ${contacts.selected("c")} from (select distinct unnest($3::text[]) as external_id) k cross join lateral (
    select * from contacts where account_id = $1::uuid and external_id = k.external_id limit 1
  ) c
  where c.id not in (select unnest($2::uuid[]))
  union all
  select ${contacts.selected("c")} from (select distinct unnest($4::text[]) as email) k cross join lateral (
    select * from contacts where account_id = $1::uuid and email = k.email limit 1
  ) c
  where c.id not in (select unnest($2::uuid[]))
    and (c.external_id is null or c.external_id not in (select unnest($3::text[])))`

/**
 * The one statement of a write, with the parts its changes need: few texts, each prepared once. Rows are taken in one
 * order, so that two batches that overlap wait for each other only one way. Updates are upserts, which take rows by
 * their key and in the order given, as a join need not; one that finds no row refuses the write. The count is last,
 * being a row all writers of the account share.
 */
const writeStatement = (accountId: string, changes: ContactChanges) => {
  const { consents: entries, contactLimit, inserts, timeline, updatedFields, updates } = changes
  const erased = updates.flatMap((contact) => (contact.erasedAt === null ? [] : [contact.id]))
  const parameters: Array<unknown> = [accountId]
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const parts: Array<string> = []
  const refusals: Array<string> = []

  if (updates.length > 0) {
    const columns = updatedFields === "Written" ? written : contacts
    parts.push(`updated as (
      insert into contacts as c (account_id, ${columns.names})
      select $1::uuid, ${columns.fields}
      from json_to_recordset(${parameter(columns.encode(updates))}::json) as r(${columns.recordset}) order by id
      on conflict (account_id, id) do update set ${columns.assigned}
      where c.version = excluded.version - 1 returning xmax <> 0 as found
    )`)
    refusals.push(`
      select svc_conflict('contacts_version') from (select count(*) as rows from updated where found) u
      where u.rows <> ${parameter(updates.length)}::int`)
  }
  if (inserts.length > 0) {
    const columns = inserts.every(isPlain) ? written : contacts
    parts.push(`inserted as (
      insert into contacts (account_id, ${columns.names})
      select $1::uuid, ${columns.fields}
      from json_to_recordset(${parameter(columns.encode(inserts))}::json) as r(${columns.recordset})
      order by email collate "C", "externalId" collate "C" returning erased_at
    )`)
  }
  if (entries.length > 0) {
    parts.push(`recorded as (
      insert into consents (account_id, ${consents.names})
      select $1::uuid, ${consents.fields}
      from json_to_recordset(${parameter(consents.encode(entries))}::json) as r(${consents.recordset})
    )`)
  }
  if (timeline.length > 0) {
    parts.push(`happened as (
      insert into timeline (account_id, ${timelineColumns.names})
      select $1::uuid, ${timelineColumns.fields}
      from json_to_recordset(${parameter(timelineColumns.encode(timeline))}::json) as r(${timelineColumns.recordset})
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

/** Lets contacts go of their email and external id, at the version the updates were decided on. */
const releaseStatement = (accountId: string, released: ReadonlyArray<Contact>) => ({
  text: `
    with released as (
      insert into contacts as c (account_id, ${written.names})
      select $1::uuid, ${written.fields} from json_to_recordset($2::json) as r(${written.recordset}) order by id
      on conflict (account_id, id) do update set email = null, external_id = null
      where c.version = excluded.version - 1 returning xmax <> 0 as found
    )
    select svc_conflict('contacts_version') from (select count(*) as rows from released where found) u
    where u.rows <> $3::int`,
  parameters: [
    accountId,
    written.encode(released.map((contact) => ({ ...contact, email: null, externalId: null }))),
    released.length
  ]
})

const isEmpty = ({ consents: entries, inserts, timeline, updates }: ContactChanges): boolean =>
  inserts.length === 0 && updates.length === 0 && entries.length === 0 && timeline.length === 0

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { run } = yield* Transaction
    const entryColumns = sql.literal(consents.selected("consents"))

    return ContactStore.of({
      find: (accountId, { emails, externalIds, ids }) =>
        ids.length === 0 && externalIds.length === 0 && emails.length === 0
          ? Effect.succeed([])
          : Effect.map(available(sql.unsafe(findStatement, [accountId, ids, externalIds, emails])), (rows) =>
              rows.map((row) => contacts.revive<Contact>(row))
            ),
      count: (accountId) =>
        Effect.map(
          available(
            sql<{ count: number }>`
              select contacts::float8 as count from contact_counts where account_id = ${accountId}`
          ),
          (rows) => rows[0]?.count ?? 0
        ),
      write: (accountId, changes) =>
        Effect.suspend(() => {
          if (isEmpty(changes)) return Effect.void
          const { parameters, text } = writeStatement(accountId, changes)
          const write = refusable(sql.unsafe(text, parameters))
          if (changes.released.length === 0) return Effect.asVoid(write)
          const ids = new Set(changes.released)
          const release = releaseStatement(
            accountId,
            changes.updates.filter((contact) => ids.has(contact.id))
          )
          return Effect.asVoid(
            run(Effect.andThen(refusable(sql.unsafe(release.text, release.parameters)), write))
          )
        }),
      eraseConsents: (accountId, contactId) =>
        Effect.asVoid(
          available(sql`delete from consents where account_id = ${accountId} and contact_id = ${contactId}`)
        ),
      erasedHashes: (accountId, hashes) =>
        hashes.length === 0
          ? Effect.succeed([])
          : Effect.map(
              available(sql<{ readonly hash: string }>`
                select k.hash from (select distinct unnest(${hashes}::text[]) as hash) k
                where exists (select from contacts where account_id = ${accountId} and address_hash = k.hash)
                  or exists (select from erased_addresses where account_id = ${accountId} and hash = k.hash)`),
              (rows) => rows.map((row) => row.hash)
            ),
      rememberErased: (accountId, hashes) =>
        Effect.asVoid(
          available(sql`
            insert into erased_addresses (account_id, hash)
            select ${accountId}::uuid, hash from unnest(${hashes}::text[]) as k(hash) on conflict do nothing`)
        ),
      consentHistory: (accountId, contactId, page) =>
        Effect.map(
          available(sql<PageRow>`
            select c.total, p.* from (
              select count(*)::int as total from consents
              where account_id = ${accountId} and contact_id = ${contactId}
            ) c
            left join lateral (
              select ${entryColumns} from consents where account_id = ${accountId} and contact_id = ${contactId}
              order by at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p.at desc, p.id desc`),
          (rows) => pageOf(rows, page, (row) => consents.decode<ConsentEntry>(row))
        )
    })
  })
)
