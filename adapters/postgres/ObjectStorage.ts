/**
 * Stores objects in the database itself, as rows of the stored content.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { maxUnnamedMillis } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { timeOfId } from "../../core/shared/Uuid.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, ifAny } from "./sql/results.ts"
import { bytesOfHash } from "./submissions/rows.ts"

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  return ObjectStorage.of({
    place: "Database",
    put: (objects) =>
      execute(sql`
        insert into contents (account_id, hash, id, content, remove_after)
        select distinct on (account, hash) account, hash, id, content, until from rows from (
          unnest(${objects.map(({ name }) => name.accountId)}::uuid[]),
          unnest(${objects.map(({ name }) => bytesOfHash(name.hash))}::bytea[]),
          unnest(${objects.map(({ name }) => name.id)}::uuid[]),
          unnest(${objects.map(({ bytes }) => bytes)}::bytea[]),
          unnest(${objects.map(({ name }) => new Date(timeOfId(name.id) + maxUnnamedMillis))}::timestamptz[])
        ) as r(account, hash, id, content, until)
        order by account, hash on conflict (account_id, hash) do nothing`).pipe(ifAny(objects)),
    get: (names) =>
      orUnavailable(sql<{ readonly n: number; readonly content: Uint8Array | null }>`
        select k.n::int as n, c.content from rows from (
          unnest(${names.map(({ accountId }) => accountId)}::uuid[]),
          unnest(${names.map(({ hash }) => bytesOfHash(hash))}::bytea[])
        ) with ordinality as k(account, hash, n) cross join lateral (
          select content from contents where account_id = k.account and hash = k.hash limit 1
        ) c`).pipe(
        ifAny(names),
        Effect.map((rows) => {
          const found = new Map(rows.map(({ content, n }) => [n, content]))
          return names.map((_, index) => found.get(index + 1) ?? null)
        })
      ),
    remove: (names) =>
      execute(sql`
        delete from contents where ctid = any(array(
          select c.place from rows from (
            unnest(${names.map(({ accountId }) => accountId)}::uuid[]),
            unnest(${names.map(({ hash }) => bytesOfHash(hash))}::bytea[]),
            unnest(${names.map(({ id }) => id)}::uuid[])
          ) as k(account, hash, id) cross join lateral (
            select ctid as place, account_id, hash, id from contents
            where account_id = k.account and hash = k.hash limit 1 for update
          ) c where c.id = k.id and not exists (
            select from contents_uses u where u.account_id = c.account_id and u.hash = c.hash
          )
        ))`).pipe(ifAny(names)),
    list: (accountId, after, limit) =>
      orUnavailable(sql<{ readonly hash: string; readonly id: string }>`
        select encode(hash, 'hex') as hash, id from contents
        where account_id = ${accountId} and content is not null
          and hash > ${bytesOfHash(after?.hash ?? "")}::bytea
        order by hash limit ${limit}`).pipe(
        Effect.map((rows) => rows.map(({ hash, id }) => ({ accountId, hash, id })))
      )
  })
}).pipe(Layer.effect(ObjectStorage))
