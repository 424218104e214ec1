/**
 * Contacts and consent history in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ConsentEntry } from "../../core/audience/Consent.ts"
import { type ContactChanges, ContactStore } from "../../core/ports/ContactStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { consents, toContact } from "./contacts/columns.ts"
import { findStatement, releaseStatement, writeStatement } from "./contacts/statements.ts"
import { available, refusable } from "./errors.ts"
import { pageOf, type PageRow } from "./pages.ts"

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
      find: (accountId, keys) =>
        Effect.suspend(() => {
          if (keys.ids.length + keys.externalIds.length + keys.emails.length === 0) return Effect.succeed([])
          const { parameters, text } = findStatement(accountId, keys)
          return Effect.map(available(sql.unsafe(text, parameters).values), (rows) => rows.map(toContact))
        }),
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
