/**
 * Stores the standing of accounts, and the counts on which it is based, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  type Bucket,
  bucketCounts,
  type BucketKey,
  type BucketSpan,
  type Observation,
  type Standing
} from "../../core/model/Standing.ts"
import { StandingStore } from "../../core/ports/StandingStore.ts"
import { Database } from "./engine/Database.ts"
import { frozen, Table } from "./engine/Table.ts"

interface BucketRow extends Bucket {
  readonly span: BucketSpan
}

interface RampRow {
  readonly accountId: string
  readonly day: number
  readonly sent: number
}

const lengths: Readonly<Record<BucketSpan, number>> = { Hour: 3_600_000, Day: 86_400_000 }

const keyOf = ({
  accountId,
  domain,
  provider,
  source,
  span,
  start,
  stream
}: BucketKey & Pick<BucketRow, "span" | "start">) =>
  [accountId, span, start, stream, domain, provider, source ?? ""].join(" ")

const observationKey = ({ accountId, day, domain, provider }: Observation): string =>
  [accountId, day, domain, provider].join(" ")

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const buckets = new Table<BucketRow>(database, { key: keyOf })
  const observations = new Table<Observation>(database, { key: observationKey })
  const standings = new Table<Standing>(database, { key: ({ accountId }) => accountId })
  const ramps = new Table<RampRow>(database, { key: ({ accountId }) => accountId })

  const put = <Row extends object>(table: Table<Row>, key: string, row: Row): void => {
    if (table.get(key) === undefined) table.insert(frozen(row))
    else table.replace(frozen(row))
  }

  return StandingStore.of({
    add: (changes) =>
      database.write(() => {
        for (const { at, ...change } of changes) {
          for (const span of ["Hour", "Day"] as const) {
            const start = Math.floor(at / lengths[span]) * lengths[span]
            const key = keyOf({ ...change, span, start })
            const before = buckets.get(key)
            const counts = bucketCounts.map((name) => [name, (before?.[name] ?? 0) + change[name]])
            put(buckets, key, { ...change, span, start, ...Object.fromEntries(counts) })
          }
        }
      }),
    buckets: (accountIds, span, since) =>
      database.read(() =>
        [...buckets.rows()]
          .filter((row) => accountIds.includes(row.accountId) && row.span === span && row.start >= since)
          .map(({ span: _span, ...bucket }) => bucket)
      ),
    reporters: (since) =>
      database.read(() => [
        ...new Set(
          [...buckets.rows()].flatMap(({ complained, provider, span, start }) =>
            span === "Day" && complained > 0 && start >= since ? [provider] : []
          )
        )
      ]),
    observe: (given) =>
      database.write(() => given.forEach((one) => put(observations, observationKey(one), one))),
    observations: (accountIds, since) =>
      database.read(() =>
        [...observations.rows()]
          .filter(({ accountId, day }) => accountIds.includes(accountId) && day >= since)
          .toSorted((one, other) => (one.day === other.day ? 0 : one.day < other.day ? 1 : -1))
      ),
    find: (accountIds) => database.read(() => standings.getMany(accountIds)),
    save: (standing) =>
      database.write(() => {
        const { accountId, liftedAt } = standing
        if (standings.get(accountId)?.liftedAt !== liftedAt) ramps.removeMany([accountId])
        put(standings, accountId, standing)
      }),
    active: (since) =>
      database.read(() => [
        ...new Set([
          ...[...buckets.rows()]
            .filter(({ span, start }) => span === "Hour" && start >= since)
            .map(({ accountId }) => accountId),
          ...[...standings.rows()].filter(({ state }) => state !== "Good").map(({ accountId }) => accountId)
        ])
      ]),
    take: ({ accountId, day, limit, wanted }) =>
      database.write(() => {
        if (standings.get(accountId) === undefined) return 0
        const before = ramps.get(accountId)
        const isCounted = before !== undefined && before.day >= day
        const sent = isCounted ? before.sent : 0
        const granted = Math.max(0, Math.min(wanted, limit - sent))
        put(ramps, accountId, { accountId, day: isCounted ? before.day : day, sent: sent + granted })
        return granted
      }),
    count: database.read(() => {
      const counts = { Notice: 0, Held: 0 }
      for (const { state } of standings.rows()) if (state !== "Good") counts[state]++
      return counts
    }),
    prune: (hours, days, limit) =>
      database.write(() =>
        buckets.removeWhere(({ span, start }) => start < (span === "Hour" ? hours : days), limit)
      )
  })
}).pipe(Layer.effect(StandingStore))
