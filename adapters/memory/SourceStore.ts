/**
 * Stores sources and pools in memory, and what each source sent by day.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  blankDay,
  type MailSource,
  type SourceDay,
  type SourceDayKey,
  type SourcePool
} from "../../core/model/Source.ts"
import { SourceStore } from "../../core/ports/SourceStore.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, compareText, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const dayKey = ({ bucket, day, sourceId }: SourceDayKey): string => `${day} ${sourceId} ${bucket}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<MailSource>(() => all, byField("createdAt"))
  const sources = new Table<MailSource>(database, { key: ({ id }) => id, indexes: [order] })
  const byKey = new SortedIndex<SourcePool>(
    () => all,
    (one, other) => compareText(one.key, other.key)
  )
  const pools = new Table<SourcePool>(database, { key: ({ key }) => key, indexes: [byKey] })

  const days = new Table<SourceDay>(database, { key: dayKey })
  const daysOf = (isFound: (row: SourceDay) => boolean) => [...days.rows()].filter(isFound)

  const change = (id: string, changed: (source: MailSource) => Partial<MailSource>): void => {
    const found = sources.get(id)
    if (found !== undefined) sources.replace(frozen({ ...found, ...changed(found) }))
  }

  return SourceStore.of({
    all: database.read(() => ({ sources: [...order.rows(all)], pools: [...byKey.rows(all)] })),
    insert: (source) => database.write(() => void sources.insert(frozen(source))),
    save: (source) =>
      database.write(() =>
        change(source.id, ({ address, createdAt, reverse }) => ({ ...source, address, createdAt, reverse }))
      ),
    saveReverse: (found) =>
      database.write(() => {
        for (const [id, reverse] of found) change(id, () => ({ reverse }))
      }),
    remove: (id) =>
      database.write(() => {
        if (sources.get(id) !== undefined) sources.remove(id)
      }),
    putPool: (pool) =>
      database.write(() => {
        if (pools.get(pool.key) === undefined) pools.insert(frozen(pool))
        else pools.replace(frozen(pool))
      }),
    removePool: (key) =>
      database.write(() => {
        if (pools.get(key) !== undefined) pools.remove(key)
      }),
    lockDays: (keys) =>
      database.read(() =>
        keys
          .toSorted((one, other) => compareText(dayKey(one), dayKey(other)))
          .map((key) => days.get(dayKey(key)) ?? blankDay(key))
      ),
    putDays: (rows) =>
      database.write(() => {
        for (const row of rows) {
          if (days.get(dayKey(row)) === undefined) days.insert(frozen(row))
          else days.replace(frozen(row))
        }
      }),
    daysSince: (day, buckets) =>
      database.read(() => daysOf((row) => row.day >= day && buckets.includes(row.bucket))),
    pruneDays: (before, except, limit) =>
      database.write(() => {
        const gone = daysOf((row) => row.day < before && !except.includes(row.bucket)).slice(0, limit)
        for (const row of gone) days.remove(dayKey(row))
        return gone.length
      })
  })
}).pipe(Layer.effect(SourceStore))
