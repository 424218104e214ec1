/**
 * Stores the entries that streams show in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { LiveEntry, NewLiveEntry } from "../../core/model/LiveEntry.ts"
import {
  LiveEntries,
  type ListenedAccount,
  type LiveLease,
  type LiveStreamRef
} from "../../core/ports/LiveEntries.ts"
import { channel, JobNotifier, listenersName, streamsOf } from "./engine/JobNotifier.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, ifAny } from "./sql/results.ts"
import { pruneOldest } from "./sql/tables.ts"

const added = columnsOf<NewLiveEntry>({
  topic: "text",
  change: "text",
  itemId: "uuid",
  body: "text",
  onceKey: "text"
})

interface ListenedRow {
  readonly accountId: string
  readonly since: Date
  readonly until: Date
}

interface Place {
  readonly last: number | null
  readonly floor: number | null
}

type ReadRow = Place & (LiveEntry | { readonly number: null })

const toListened = ({ accountId, since, until }: ListenedRow): ListenedAccount => ({
  accountId,
  since: since.getTime(),
  until: until.getTime()
})

/** The port over a `SqlClient` and `JobNotifier`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const notifier = yield* JobNotifier
  const notify = (name: string) => sql`pg_notify(${sql.literal(`'${channel}'`)}, ${name})`

  /** Starts storing the account's changes. The account's row is locked until the transaction ends. */
  const listen = Effect.fnUntraced(function* (accountId: string, { accountUntil, now }: LiveLease) {
    const [row] = yield* orUnavailable(sql<{ readonly isNew: boolean }>`
      insert into live_accounts as a (account_id, last, floor, since, until)
      values (${accountId}, 1, 1, ${new Date(now)}, ${new Date(accountUntil)})
      on conflict (account_id) do update set
        until = greatest(a.until, excluded.until),
        last = case when a.until > excluded.since then a.last else a.last + 1 end,
        floor = case when a.until > excluded.since then a.floor else a.last + 1 end,
        since = case when a.until > excluded.since then a.since else excluded.since end
      returning last = floor and since = ${new Date(now)} as "isNew"`)
    if (row?.isNew !== true) return
    yield* execute(sql`
      with gone as (delete from live_entries where account_id = ${accountId}) select ${notify(listenersName)}`)
    yield* notifier.added([listenersName])
  })

  const putStream = ({ accountId, id }: LiveStreamRef, until: number) =>
    execute(sql`
      insert into live_streams (account_id, id, until) values (${accountId}, ${id}, ${new Date(until)})
      on conflict (account_id, id) do update set until = excluded.until`)

  return LiveEntries.of({
    open: Effect.fnUntraced(function* (stream, lease, limit) {
      const { accountId } = stream
      yield* listen(accountId, lease)
      // The account's row is locked, so that no other stream of the account is added at the same time.
      const [row] = yield* orUnavailable(sql<{ readonly count: number }>`
        select count(*)::int as count from live_streams
        where account_id = ${accountId} and until > ${new Date(lease.now)}`)
      if ((row?.count ?? 0) >= limit) return false
      yield* putStream(stream, lease.streamUntil)
      return true
    }),
    renew: (stream, lease) =>
      Effect.andThen(listen(stream.accountId, lease), putStream(stream, lease.streamUntil)),
    close: ({ accountId, id }) =>
      execute(sql`delete from live_streams where account_id = ${accountId} and id = ${id}`),
    listened: (now) =>
      Effect.map(
        orUnavailable(sql<ListenedRow>`
          select account_id as "accountId", since, until from live_accounts where until > ${new Date(now)}`),
        (rows) => rows.map(toListened)
      ),
    append: (accountId, entries, now, kept) =>
      Effect.flatMap(
        orUnavailable(sql<{ readonly added: boolean }>`
          with given as materialized (
            select * from rows from (
              json_to_recordset(${added.encode(entries)}::json) as (${sql.literal(added.recordset)})
            ) with ordinality as g(${sql.literal(added.fields)}, n)
          ), fresh as materialized (
            select g.*, row_number() over (order by n) as place from given g
            where g."onceKey" is null or (
              not exists (
                select from live_entries e where e.account_id = ${accountId} and e.once_key = g."onceKey"
              ) and not exists (select from given o where o."onceKey" = g."onceKey" and o.n < g.n)
            )
          ), held as (
            update live_accounts set last = last + (select count(*) from fresh)
            where account_id = ${accountId} and until > ${new Date(now)} and exists (select from fresh)
            returning last, last - (select count(*) from fresh) as before
          ), gone as (
            delete from live_entries e using held h
            where e.account_id = ${accountId} and e.number <= h.last - ${kept}::bigint
          ), stored as (
            insert into live_entries (account_id, number, topic, change, item_id, body, once_key, at)
            select ${accountId}::uuid, h.before + f.place, f.topic, f.change, f."itemId", f.body, f."onceKey",
              ${new Date(now)}::timestamptz
            from fresh f cross join held h where h.before + f.place > h.last - ${kept}::bigint
          )
          select ${notify(streamsOf(accountId))} is not null as added from held`),
        (rows) => (rows.length === 0 ? Effect.void : notifier.added([streamsOf(accountId)]))
      ).pipe(ifAny(entries)),
    read: (accountId, after, since, limit) =>
      Effect.map(
        orUnavailable(sql<ReadRow>`
          select a.last::float8 as last, a.floor::float8 as floor, e.*
          from (select 1) o left join live_accounts a on a.account_id = ${accountId}
          left join lateral (
            select number::float8 as number, topic, change, item_id as "itemId", body from live_entries
            where account_id = ${accountId} and number > ${after}::bigint and at >= ${new Date(since)}
            order by live_entries.number limit ${limit}
          ) e on true order by e.number`),
        (rows) => ({
          entries: rows.flatMap(({ floor: _floor, last: _last, ...entry }) =>
            entry.number === null ? [] : [entry as LiveEntry]
          ),
          last: rows[0]?.last ?? 0,
          floor: rows[0]?.floor ?? 0
        })
      ),
    clear: (accountId) =>
      Effect.flatMap(
        orUnavailable(sql<{ readonly cleared: boolean }>`
          with held as (
            update live_accounts set last = last + 1, floor = last + 1 where account_id = ${accountId} returning 1
          ), gone as (
            delete from live_entries where account_id = ${accountId} and exists (select from held)
          )
          select ${notify(streamsOf(accountId))} is not null as cleared from held`),
        (rows) => (rows.length === 0 ? Effect.void : notifier.added([streamsOf(accountId)]))
      ),
    wakeups: (accountId) => notifier.wakeups(streamsOf(accountId)),
    listeners: notifier.wakeups(listenersName),
    prune: (before, limit) =>
      Effect.andThen(
        execute(sql`delete from live_streams where until <= ${new Date(before)}`),
        pruneOldest(sql, "live_entries", "at", before, limit)
      )
  })
}).pipe(Layer.effect(LiveEntries))
