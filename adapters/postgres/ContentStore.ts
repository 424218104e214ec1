/**
 * Stores the records of stored content in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ObjectName } from "../../core/model/Content.ts"
import { ContentStore } from "../../core/ports/ContentStore.ts"
import { orUnavailable } from "./sql/errors.ts"
import { ifAny } from "./sql/results.ts"
import { bytesOfHash } from "./submissions/rows.ts"

interface NameRow {
  readonly hash: string
  readonly id: string
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const name =
    (accountId: string) =>
    ({ hash, id }: NameRow): ObjectName => ({ accountId, hash, id })

  return ContentStore.of({
    hasOutside: Effect.map(
      orUnavailable(sql<{ readonly found: boolean }>`
        select exists (select from contents where content is null) as found`),
      ([row]) => row!.found
    ),
    find: (accountId, hashes) =>
      orUnavailable(sql<{ readonly hash: string }>`
        select encode(c.hash, 'hex') as hash
        from (select distinct unnest(${hashes.map(bytesOfHash)}::bytea[]) as hash) k cross join lateral (
          select hash from contents where account_id = ${accountId} and hash = k.hash limit 1
        ) c`).pipe(
        ifAny(hashes),
        Effect.map((rows) => rows.map(({ hash }) => hash))
      ),
    recorded: (accountId, names) =>
      orUnavailable(sql<NameRow>`
        select encode(c.hash, 'hex') as hash, c.id from rows from (
          unnest(${names.map(({ hash }) => bytesOfHash(hash))}::bytea[]), unnest(${names.map(({ id }) => id)}::uuid[])
        ) as k(hash, id) cross join lateral (
          select hash, id from contents where account_id = ${accountId} and hash = k.hash limit 1
        ) c where c.id = k.id`).pipe(
        ifAny(names),
        Effect.map((rows) => rows.map(name(accountId)))
      ),
    // The candidates are locked first. A later statement sees every use that was added before, and no use can be added
    // after. Rows that another transaction has locked are left for the next round.
    removeUnused: Effect.fnUntraced(function* (accountId, limit, now) {
      const candidates = yield* orUnavailable(sql<{ readonly hash: string }>`
        select encode(hash, 'hex') as hash from contents
        where account_id = ${accountId} and remove_after <= ${new Date(now)}
        order by remove_after, hash limit ${limit} for update skip locked`)
      if (candidates.length === 0) return { seen: 0, outside: [] }
      const gone = yield* orUnavailable(sql<NameRow & { readonly outside: boolean }>`
        with candidate as materialized (
          select c.hash, c.place, exists (
            select from contents_uses u where u.account_id = ${accountId} and u.hash = c.hash
          ) as used
          from unnest(${candidates.map(({ hash }) => bytesOfHash(hash))}::bytea[]) as k(name) cross join lateral (
            select hash, ctid as place from contents where account_id = ${accountId} and hash = k.name limit 1
          ) c
        ), kept as (
          update contents set remove_after = null
          where ctid = any(array(select place from candidate where used))
        )
        delete from contents where ctid = any(array(select place from candidate where not used))
        returning encode(hash, 'hex') as hash, id, content is null as outside`)
      return {
        seen: candidates.length,
        outside: gone.filter(({ outside }) => outside).map(name(accountId))
      }
    })
  })
}).pipe(Layer.effect(ContentStore))
