/**
 * Tests tables partitioned by time: the migration to them, and the conditions that cause trouble.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { inspect } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { rightFaults } from "../../../adapters/postgres/engine/DatabaseUnusable.ts"
import { migrateTo } from "../../../adapters/postgres/engine/Migrations.ts"
import { layer as server } from "../../../adapters/postgres/engine/Server.ts"
import { layerEmbedded, layerServer } from "../../../adapters/postgres/index.ts"
import { migrations } from "../../../adapters/postgres/migrations/index.ts"
import { statements as partitions } from "../../../adapters/postgres/migrations/0036_partitions.ts"
import { backup, restore } from "../../../adapters/postgres/transfer/index.ts"
import { defaultSettings } from "../../../core/model/Account.ts"
import type { StoragePorts } from "../../../core/ports/index.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { AttemptStore } from "../../../core/ports/AttemptStore.ts"
import { type EventFilter, EventStore } from "../../../core/ports/EventStore.ts"
import { Partitions } from "../../../core/ports/Partitions.ts"
import { maxPageSize } from "../../../core/shared/Page.ts"
import { draftAttempt } from "../../contract/AttemptStore.ts"
import { draftEvent } from "../../contract/drafts.ts"
import { edited, freshAccount, freshAccountId, idAt, unique } from "../../contract/fixtures.ts"
import { emptyDatabase, execute, freshDatabase, query } from "../../support/postgres.ts"
import { type Recorded, recording, tablesRead } from "../../support/partitionPlans.ts"
import { smallDisk } from "../../support/smallDisk.ts"
import { freshFolder } from "../../support/serverProcess.ts"

const day = 86_400_000
const any = { name: null, status: null, contactId: null }
const firstPage = { page: 1, pageSize: 100 }

const using = <A, E>(url: string, effect: Effect.Effect<A, E, StoragePorts>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, layerServer(Redacted.make(url))) as Effect.Effect<A, E>)

const usingEmbedded = <A, E>(directory: string, effect: Effect.Effect<A, E, StoragePorts>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Layer.fresh(layerEmbedded(directory))) as Effect.Effect<A, E>)

/** The ids of an account's events, newest first. */
const listed = (accountId: string) =>
  Effect.flatMap(EventStore, ({ list }) =>
    Effect.map(list(accountId, any, firstPage), ({ items }) => items.map(({ id }) => id))
  )

/** The names of a table's partitions in chronological order. */
const partitionsOf = async (url: string, table: string): Promise<ReadonlyArray<string>> => {
  const rows = await query<{ readonly name: string }>(
    url,
    `select name::text from svc_partitions('${table}') order by since nulls first`
  )
  return rows.map(({ name }) => name)
}

const attemptsAt = (accountId: string, times: ReadonlyArray<number>) => {
  const refs = times.map((time) => ({ accountId, id: idAt(time) }))
  return Effect.gen(function* () {
    yield* (yield* AttemptStore).put(refs.map(({ id }) => draftAttempt(accountId, id, 1)))
    return {
      /** Which of them are left. */
      left: Effect.flatMap(AttemptStore, ({ of }) =>
        Effect.map(of(refs), (found) =>
          refs.map(({ id }) => found.some(({ deliveryId }) => deliveryId === id))
        )
      )
    }
  })
}

/** The statement with which nodes of the previous version add an event. */
const addedBefore = (accountId: string, id: string, eventId: string): string =>
  `insert into events (account_id, id, event_id, name, occurred_at)
    values ('${accountId}', '${id}', '${eventId}', 'a', now()) on conflict (account_id, event_id) do nothing`

it("a migration makes present tables the first partitions, without copying them, and old nodes go on", async () => {
  const url = await emptyDatabase()
  const versionBefore = migrations.indexOf(partitions)
  const accountId = randomUUID()
  const now = Date.now()
  const times = [0, now - 700 * day, now - 1, now + 365 * day, Date.UTC(9999, 0, 1)]
  const ids = times.map(idAt)
  await Effect.runPromise(
    Effect.provide(migrateTo(versionBefore), PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  )
  await execute(
    url,
    "create table svc_migrations (version int primary key)",
    `insert into svc_migrations select generate_series(1, ${versionBefore})`,
    ...ids.map((id) => addedBefore(accountId, id, id)),
    ...ids.map(
      (id) =>
        `insert into attempts values ('${accountId}', '${id}', 1, now(), now(), 'Sent', null, null, '[]', null)`
    )
  )
  const file = () =>
    query(
      url,
      "select pg_relation_filenode('events') as events, pg_relation_filenode('attempts') as attempts"
    )
  const files = await file()
  await using(
    url,
    Effect.gen(function* () {
      const [{ insert }, attempts] = [yield* EventStore, yield* AttemptStore]
      expect(yield* listed(accountId)).toEqual(ids.toReversed())
      const refs = ids.map((id) => ({ accountId, id }))
      expect((yield* attempts.of(refs)).map(({ deliveryId }) => deliveryId)).toEqual(ids)
      // Each event id is taken, in whichever partition the event is.
      for (const eventId of ids) expect(yield* insert(accountId, [draftEvent({ eventId })])).toEqual([])

      const [early, late] = [unique("event"), unique("event")]
      const [ofOld, ofNew] = [idAt(Date.now()), draftEvent({ eventId: late })]
      yield* Effect.promise(() => execute(url, addedBefore(accountId, ofOld, early)))
      expect(yield* insert(accountId, [draftEvent({ eventId: early })])).toEqual([])
      expect(yield* insert(accountId, [ofNew])).toEqual([ofNew.id])
      yield* Effect.promise(() => execute(url, addedBefore(accountId, idAt(Date.now()), late)))
      expect(new Set(yield* listed(accountId))).toEqual(new Set([...ids, ofOld, ofNew.id]))
    })
  )
  expect(await file()).toEqual(files)
  expect(await partitionsOf(url, "events_all")).toEqual(["events", "events_after"])
})

it("erasures delete the rows meant and no others, where partitions store rows at the same place", async () => {
  const url = await freshDatabase()
  await using(
    url,
    Effect.gen(function* () {
      const [{ extend }, events] = [yield* Partitions, yield* EventStore]
      const now = Date.now()
      yield* extend(now)
      const accountId = yield* freshAccountId
      const times = [now, now + 40 * day, now + 400 * day]
      const kept = yield* freshAccountId
      // The first row of each partition.
      const added = times.map((time, index) =>
        draftEvent({
          id: idAt(time),
          person: { contactId: null, externalId: null, email: `p${index}@x.example` }
        })
      )
      const others = times.map((time) => draftEvent({ id: idAt(time + 1) }))
      for (const [index, event] of added.entries()) {
        yield* events.insert(accountId, [event])
        yield* events.insert(kept, [others[index]!])
      }
      yield* events.erase(accountId, { contactIds: [], externalIds: [], emails: ["p1@x.example"] })
      expect(yield* listed(accountId)).toEqual([added[2]!.id, added[0]!.id])
      expect(yield* listed(kept)).toEqual(others.map(({ id }) => id).toReversed())
      // Its event id can be used again; those of other events cannot.
      const again = added.map(({ eventId }) => draftEvent({ eventId }))
      expect(yield* events.insert(accountId, again)).toEqual([again[1]!.id])

      const attempts = yield* attemptsAt(kept, times)
      const mine = times.map((time) => ({ accountId, id: idAt(time) }))
      const store = yield* AttemptStore
      yield* store.put(mine.map(({ id }) => draftAttempt(accountId, id, 1)))
      yield* store.erase([mine[0]!, mine[2]!])
      expect((yield* store.of(mine)).map(({ deliveryId }) => deliveryId)).toEqual([mine[1]!.id])
      expect(yield* attempts.left).toEqual([true, true, true])
    })
  )
})

/** Partitions of attempts while the longest retention is shortened and lengthened. */
const retentionChanged = Effect.gen(function* () {
  const [{ drop, extend }, { companies, saveSettings }] = [yield* Partitions, yield* AccountStore]
  const now = Date.now()
  yield* extend(now)
  const { id: accountId } = yield* freshAccount({ recipientRetentionDays: 30 })
  const { id: other } = yield* freshAccount({ recipientRetentionDays: 10 })
  const setRetention = (days: number, id = accountId) =>
    saveSettings(id, { ...defaultSettings, recipientRetentionDays: days }, edited)
  const times = [0, now - 800 * day, now, now + 38 * day, now + 500 * day]
  const { left } = yield* attemptsAt(other, times)
  const later = now + 165 * day

  yield* setRetention(3650)
  expect(yield* drop(later)).toBe(0)
  expect(yield* left).toEqual([true, true, true, true, true])
  // The other accounts of the companies must not have as long a retention.
  for (const { liveAccountId, sandboxAccountId } of (yield* companies(firstPage)).items) {
    yield* setRetention(30, liveAccountId)
    yield* setRetention(30, sandboxAccountId)
  }
  expect(yield* drop(later)).toBeGreaterThan(1)
  expect(yield* left).toEqual([false, false, false, false, true])
  expect(yield* drop(later)).toBe(0)

  yield* setRetention(3650)
  const after = yield* attemptsAt(accountId, times)
  expect(yield* drop(now + 600 * day)).toBe(0)
  expect(yield* after.left).toEqual([true, true, true, true, true])
  expect(yield* left).toEqual([false, false, false, false, true])
})

it("partitions are dropped after the longest retention in force, whether it was shortened or lengthened", async () => {
  const url = await freshDatabase()
  const before = await partitionsOf(url, "attempts_all")
  await using(url, retentionChanged)
  const after = await partitionsOf(url, "attempts_all")
  expect([after[0], after.at(-1)]).toEqual([before[0], before.at(-1)])
})

it("a partition that cannot be made is made later, and calls go on meanwhile", async () => {
  const url = await freshDatabase()
  await using(
    url,
    Effect.gen(function* () {
      const { extend, tables } = yield* Partitions
      const { insert } = yield* EventStore
      const now = Date.now()
      const accountId = yield* freshAccountId
      const month = new Date((yield* tables).find(({ name }) => name === "events_all")!.until)
      const name = `events_${month.toISOString().slice(0, 7).replace("-", "_")}`
      yield* Effect.promise(() => execute(url, `create table ${name} ()`))
      expect(Exit.isFailure(yield* Effect.exit(extend(now)))).toBe(true)
      // The other table was extended, and nothing of the first has changed.
      const until = Object.fromEntries((yield* tables).map((table) => [table.name, table.until]))
      expect(until["events_all"]).toBe(month.getTime())
      expect(until["attempts_all"]).toBeGreaterThan(now + 59 * day)
      for (const time of [now - day, now, now + 70 * day]) {
        const event = draftEvent({ id: idAt(time) })
        expect(yield* insert(accountId, [event])).toEqual([event.id])
      }
      expect(yield* tables).toMatchObject([{ later: 0 }, { later: 1 }])
      yield* Effect.promise(() => execute(url, `drop table ${name}`))
      expect(yield* extend(now)).toBeGreaterThan(0)
      expect(yield* tables).toMatchObject([{ later: 0 }, { later: expect.any(Number) }])
      expect(yield* listed(accountId)).toHaveLength(3)
    })
  )
})

it("a clock that is far ahead makes few partitions, and what it leaves is divided later", async () => {
  const url = await freshDatabase()
  await using(
    url,
    Effect.gen(function* () {
      const { extend, tables } = yield* Partitions
      const now = Date.now()
      for (let round = 0; round < 3; round++) yield* extend(Date.UTC(9999, 5, 1))
      expect(yield* Effect.promise(() => partitionsOf(url, "events_all"))).toHaveLength(13)
      const accountId = yield* freshAccountId
      const { insert } = yield* EventStore
      const added = [now, now + 420 * day, Date.UTC(9999, 5, 1)].map((time) => draftEvent({ id: idAt(time) }))
      yield* insert(accountId, added)
      const before = (yield* tables)[1]!
      expect(before).toMatchObject({ name: "events_all", later: 2 })
      expect(yield* extend(now + 430 * day)).toBeGreaterThan(1)
      expect((yield* tables)[1]).toMatchObject({ name: "events_all", later: 1 })
      expect(yield* listed(accountId)).toEqual(added.map(({ id }) => id).toReversed())
      const again = added.map(({ eventId }) => draftEvent({ eventId }))
      expect(yield* insert(accountId, again)).toEqual([])

      // What exceeds the number of rows moved at once stays, and is counted.
      const until = (yield* tables)[0]!.until
      yield* Effect.promise(() =>
        execute(
          url,
          `insert into attempts_all select gen_random_uuid(), '${idAt(until)}', n, now(), now(), 'Sent', null, null, '[]', null
            from generate_series(1, 50001) n`
        )
      )
      yield* extend(until)
      expect((yield* tables)[0]).toMatchObject({ name: "attempts_all", until, later: 1000 })
    })
  )
})

/** A clock that goes back by a day across the end of a month. */
const clockSetBack = Effect.gen(function* () {
  const [{ drop, extend, tables }, { insert }] = [yield* Partitions, yield* EventStore]
  const now = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 3, 1, 0, 5)
  expect(yield* extend(now)).toBeGreaterThan(0)
  const accountId = yield* freshAccountId
  const times = [now, now - day, now - day + 1]
  const events = times.map((time) => draftEvent({ id: idAt(time) }))
  const { left } = yield* attemptsAt(accountId, times)
  const before = yield* tables
  for (const event of events) expect(yield* insert(accountId, [event])).toEqual([event.id])
  expect([yield* extend(now - day), yield* drop(now - day)]).toEqual([0, 0])
  expect(yield* tables).toEqual(before)
  expect(yield* listed(accountId)).toEqual([0, 2, 1].map((place) => events[place]!.id))
  expect(yield* left).toEqual([true, true, true])
  // Sent again by a caller that received no response.
  const again = draftEvent({ eventId: events[0]!.eventId, id: idAt(now - day) })
  expect(yield* insert(accountId, [again])).toEqual([])
})

it("a clock that was set back by a day makes, drops and loses nothing", async () => {
  await using(await freshDatabase(), clockSetBack)
})

it("the embedded database drops, keeps and restores the same, whatever retention and clock do", async () => {
  const folder = await freshFolder()
  const [path, from, to] = ["backup", "from", "to"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string
  ]
  const now = Date.now()
  const before = await usingEmbedded(
    from,
    Effect.gen(function* () {
      yield* retentionChanged
      yield* clockSetBack
      return yield* attemptsAt(yield* freshAccountId, [now, now + 70 * day])
    })
  )
  await Effect.runPromise(Effect.scoped(backup({ _tag: "Directory", directory: from }, path)))
  await usingEmbedded(
    from,
    Effect.gen(function* () {
      expect(yield* (yield* Partitions).drop(now + 4000 * day)).toBeGreaterThan(1)
      expect(yield* before.left).toEqual([false, false])
    })
  )
  await Effect.runPromise(Effect.scoped(restore(path, { _tag: "Directory", directory: to })))
  await usingEmbedded(
    to,
    Effect.gen(function* () {
      expect(yield* before.left).toEqual([true, true])
      const { drop, extend } = yield* Partitions
      expect(yield* extend(now)).toBeGreaterThan(0)
      expect(yield* drop(now + 4000 * day)).toBeGreaterThan(0)
      expect((yield* before.left)[0]).toBe(false)
    })
  )
  await folder.remove()
})

it("a list of the events of a name or a source reads no month behind its page", async () => {
  const url = await freshDatabase()
  const tables = await using(
    url,
    Effect.gen(function* () {
      const [{ extend }, events] = [yield* Partitions, yield* EventStore]
      const month = (n: number) => Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + n, 15)
      for (const n of [0, 2, 4, 6, 8]) yield* extend(month(n))
      const accountId = yield* freshAccountId
      const of = (n: number, count: number) =>
        Array.from({ length: count }, (_, index) =>
          draftEvent({ id: idAt(month(n) + index), name: "a", source: "Ui" })
        )
      // The last of these months has as many rows as a page may have, the others a few each.
      const added = [...[1, 3, 5, 7, 9].flatMap((n) => of(n, 10)), ...of(10, maxPageSize + 1)]
      yield* events.insert(accountId, added)
      const newest = added.toReversed()
      const read = Effect.fnUntraced(function* (
        filter: EventFilter,
        place: number | null,
        ascending = false
      ) {
        const recorded: Recorded = new Map()
        const page = yield* events
          .list(accountId, filter, {
            page: 1,
            pageSize: 10,
            total: "Bounded",
            after: place === null ? null : [newest[place]!.id],
            sort: { by: "time", ascending }
          })
          .pipe(Effect.provide(recording(recorded, /events_all/)))
        const [[text, [parameters]]] = [...recorded] as [[string, [ReadonlyArray<unknown>]]]
        const found = yield* Effect.promise(() =>
          Effect.runPromise(Effect.provide(tablesRead(text, parameters), server(Redacted.make(url))))
        )
        return {
          ids: page.items.map(({ id }) => id),
          months: found.filter((table) => /^events(?:_\d|_after$|$)/.test(table)).length
        }
      })
      const ids = (from: number, to: number) => newest.slice(from, to).map(({ id }) => id)
      for (const filter of [{ name: ["a"] }, { source: ["Ui"] }] as const) {
        // Includes the partition after all months, which has no rows.
        expect(yield* read(filter, null)).toEqual({ ids: ids(0, 10), months: 2 })
        expect(yield* read(filter, 19)).toMatchObject({ ids: ids(20, 30) })
        // From a position in an old month on, newer rows are not read.
        const old = newest.length - 25
        const behind = yield* read(filter, old)
        expect(behind.ids).toEqual(ids(old + 1, old + 11))
        expect(behind.months).toBeLessThan(6)
        expect((yield* read(filter, null, true)).ids).toEqual(ids(-10, newest.length).toReversed())
      }
      return yield* Effect.promise(() => partitionsOf(url, "events_all"))
    })
  )
  expect(tables.length).toBeGreaterThan(10)
})

it("a disk that is full while a partition is made costs nothing but the partition", async ({ skip }) => {
  const disk = smallDisk()
  if (typeof disk === "string") return skip(disk)
  try {
    const url = await freshDatabase()
    const space = `small_${randomUUID().slice(0, 8)}`
    await using(url, freshAccountId)
    await execute(
      url,
      `create tablespace ${space} location '${disk.folder}'`,
      `alter table events_all set tablespace ${space}`,
      `alter index events_all_pkey set tablespace ${space}`,
      `alter index events_all_name set tablespace ${space}`
    )
    await using(
      url,
      Effect.gen(function* () {
        const [{ extend, tables }, { insert }] = [yield* Partitions, yield* EventStore]
        const now = Date.now()
        const accountId = yield* freshAccountId
        const added = [now, now + 30 * day, now + 60 * day].map((time) => draftEvent({ id: idAt(time) }))
        const ofEvents = Effect.map(tables, (all) => all.find(({ name }) => name === "events_all")!)
        const { until } = yield* ofEvents
        disk.fill()
        for (let round = 0; round < 2; round++) {
          expect(inspect(yield* Effect.exit(extend(now)), { depth: 20 })).toContain("No space left on device")
          expect((yield* ofEvents).until).toBe(until)
        }
        for (const event of added) expect(yield* insert(accountId, [event])).toEqual([event.id])
        disk.free()
        expect(yield* extend(now)).toBeGreaterThan(0)
        expect((yield* ofEvents).until).toBeGreaterThan(now + 59 * day)
        expect(yield* listed(accountId)).toEqual(added.map(({ id }) => id).toReversed())
      })
    )
    await execute(url, "drop table events_all cascade", `drop tablespace ${space}`)
  } finally {
    disk.remove()
  }
})

it("a full disk of the embedded database loses nothing that was accepted, and it goes on when there is room", async ({
  skip
}) => {
  const disk = smallDisk(160)
  if (typeof disk === "string") return skip(disk)
  const opened = <A, E>(effect: Effect.Effect<A, E, StoragePorts>): Promise<A> =>
    usingEmbedded(join(disk.folder, "data"), effect)
  const accepted: Array<string> = []
  const large = "x".repeat(100_000)
  const addOne = (accountId: string) =>
    Effect.gen(function* () {
      const event = draftEvent({ id: idAt(Date.now() + accepted.length), properties: { large } })
      const exit = yield* Effect.exit((yield* EventStore).insert(accountId, [event]))
      if (Exit.isSuccess(exit)) accepted.push(event.id)
      return Exit.isSuccess(exit)
    })
  try {
    const accountId = await opened(
      Effect.gen(function* () {
        const { extend } = yield* Partitions
        const id = yield* freshAccountId
        yield* addOne(id)
        disk.fill()
        let isFull = false
        for (let n = 0; n < 400 && !isFull; n++) isFull = !(yield* addOne(id))
        expect(isFull).toBe(true)
        expect(Exit.isFailure(yield* Effect.exit(extend(Date.now())))).toBe(true)
        disk.free()
        expect(yield* addOne(id)).toBe(true)
        expect(yield* extend(Date.now())).toBeGreaterThan(0)
        return id
      })
    )
    await opened(
      Effect.gen(function* () {
        expect(new Set(yield* listed(accountId))).toEqual(new Set(accepted))
      })
    )
  } finally {
    disk.remove()
  }
})

it("partitions are made and dropped for a user who owns nothing, who must be able to delete the rows", async () => {
  const url = await freshDatabase()
  await using(url, freshAccountId)
  const [role, reader] = [`svc_${randomUUID().slice(0, 8)}`, `svc_${randomUUID().slice(0, 8)}`]
  await execute(
    url,
    ...[role, reader].map((name) => `create role ${name} login password 'secret'`),
    `grant select, insert, update, delete on all tables in schema public to ${role}`,
    `grant select on all tables in schema public to ${reader}`
  )
  const asUser = (name: string): string => {
    const other = new URL(url)
    other.username = name
    other.password = "secret"
    return other.href
  }
  await using(
    asUser(role),
    Effect.gen(function* () {
      const { drop, extend } = yield* Partitions
      const now = Date.now()
      expect(yield* extend(now)).toBeGreaterThan(1)
      const { left } = yield* attemptsAt(yield* freshAccountId, [now - 900 * day])
      expect(yield* drop(now + 500 * day)).toBeGreaterThan(1)
      expect(yield* left).toEqual([false])
    })
  )
  const { toRun } = await Effect.runPromise(Effect.provide(rightFaults, server(Redacted.make(asUser(role)))))
  expect(toRun).toBeNull()
  await expect(
    query(asUser(reader), "select svc_drop_partitions('attempts_all', now() + interval '9 years')")
  ).rejects.toThrow()
  await execute(url, `drop owned by ${role}, ${reader}`, `drop role ${role}, ${reader}`)
})

it("a backup is restored whole over other partitions, from before one was dropped too", async () => {
  const [from, to] = [await freshDatabase(), await emptyDatabase()]
  const folder = await freshFolder()
  const path = join(folder.path, "backup")
  const now = Date.now()
  const place = (url: string) => ({ _tag: "Server", url: Redacted.make(url), setting: "SVC_STORE" }) as const
  const times = [0, now, now + 35 * day, now + 70 * day, Date.UTC(9999, 0, 1)]
  const { accountId, events, left } = await using(
    from,
    Effect.gen(function* () {
      const { drop, extend } = yield* Partitions
      yield* extend(now)
      const id = yield* freshAccountId
      const added = times.map((time) => draftEvent({ id: idAt(time) }))
      yield* (yield* EventStore).insert(id, added)
      const attempts = yield* attemptsAt(id, times)
      yield* Effect.promise(() => Effect.runPromise(Effect.scoped(backup(place(from), path))))
      yield* drop(now + 530 * day)
      expect(yield* attempts.left).toEqual([false, false, false, true, true])
      return { accountId: id, events: added, left: attempts.left }
    })
  )
  await Effect.runPromise(Effect.scoped(restore(path, place(to))))
  await using(
    to,
    Effect.gen(function* () {
      expect(yield* left).toEqual([true, true, true, true, true])
      expect(yield* listed(accountId)).toEqual(events.map(({ id }) => id).toReversed())
      const again = events.map(({ eventId }) => draftEvent({ eventId }))
      expect(yield* (yield* EventStore).insert(accountId, again)).toEqual([])
      const { drop, extend } = yield* Partitions
      expect(yield* extend(now)).toBeGreaterThan(1)
      expect(yield* drop(now + 530 * day)).toBeGreaterThan(1)
      expect((yield* left).slice(0, 2)).toEqual([false, false])
    })
  )
  const indexes = (url: string) =>
    query(
      url,
      "select regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+', '') as sql from pg_index where indrelid in ('events_all'::regclass, 'events'::regclass) order by 1"
    )
  expect(await indexes(to)).toEqual(await indexes(from))
  await folder.remove()
})
