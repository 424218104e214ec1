/**
 * Stores the suspensions of lanes, and the state of lanes that processes share, in memory.
 *
 * @module
 */
import { Effect, Equal, Layer } from "effect"
import { isAddressLane, type SharedLane } from "../../core/model/Lane.ts"
import { laneWithoutSource, sourceOfLane } from "../../core/model/Source.ts"
import { isOpen, longestSuspension, type Suspension, suspensionKey } from "../../core/model/Suspension.ts"
import { ShapingStore } from "../../core/ports/ShapingStore.ts"
import { isAmong, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** Whether a lane has one of these names. A name without a source matches lanes from any source. */
const isNamed = (names: ReadonlyArray<string>, lane: string): boolean =>
  names.includes(lane) || names.includes(laneWithoutSource(lane))

/** The name of a lane without its source and its site. For a lane to a provider, this is the provider's key. */
const beforeSite = (lane: string): string => laneWithoutSource(lane).split(":", 1)[0]!

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const newest = new SortedIndex<Suspension>(() => all, byField("since"))
  const latest = new SortedIndex<Suspension>(() => all, byField("changedAt"))
  const suspensions = new Table<Suspension>(database, { key: suspensionKey, indexes: [newest, latest] })
  const byName = new SortedIndex<SharedLane>(
    () => all,
    (a, b) => (a.lane < b.lane ? -1 : 1)
  )
  const lanes = new Table<SharedLane>(database, { key: ({ lane }) => lane, indexes: [byName] })
  const change = (row: Suspension, changes: Partial<Suspension>) =>
    suspensions.replace(frozen({ ...row, ...changes }))
  const among = (limit: number, isFound: (row: Suspension) => boolean) =>
    [...suspensions.rows()].filter(isFound).slice(0, limit)

  return ShapingStore.of({
    changed: (since, limit) =>
      database.read(() =>
        latest
          .rows(all)
          .filter(({ changedAt }) => changedAt >= since)
          .slice(0, limit)
      ),
    lock: (keys) =>
      database.read(() => [...new Set(keys)].toSorted().flatMap((key) => suspensions.get(key) ?? [])),
    put: (rows) =>
      database.write(() => {
        for (const row of rows) {
          if (suspensions.get(suspensionKey(row)) === undefined) suspensions.insert(frozen(row))
          else suspensions.replace(frozen(row))
        }
      }),
    claimProbes: (ids, now, until) =>
      database.write(() => {
        const wanted = new Set(ids)
        const free = among(
          ids.length,
          ({ id, probeUntil, resolvedAt }) =>
            wanted.has(id) && resolvedAt === null && (probeUntil ?? 0) <= now
        )
        for (const row of free) change(row, { probeUntil: until, changedAt: now })
        return free.map(({ id }) => id)
      }),
    find: (id) => database.read(() => [...suspensions.rows()].find((row) => row.id === id) ?? null),
    page: (
      request,
      {
        accountId = null,
        before = Infinity,
        concerns = null,
        lane = null,
        ofAll = false,
        open = null,
        provider = null
      }
    ) =>
      database.read(() => {
        const found = newest
          .rows(all)
          .filter(
            (row) =>
              (lane === null || isNamed(lane, row.lane)) &&
              isAmong(provider, beforeSite(row.lane)) &&
              (accountId === null || (row.accountId !== null && accountId.includes(row.accountId))) &&
              row.since < before &&
              (!ofAll || (row.accountId === null && row.sender === null)) &&
              (concerns === null || (row.accountId ?? concerns) === concerns) &&
              (open === null || open.is === isOpen(row, open.at))
          )
        return pageOfAll(found, request, placeBy("since"))
      }),
    settle: (before, now, limit) =>
      database.write(() => {
        const over = among(limit, ({ resolvedAt, until }) => resolvedAt === null && until < before)
        for (const row of over)
          change(row, { resolvedAt: now, probeUntil: null, refused: [], changedAt: now })
        return over.length
      }),
    prune: (before, limit) =>
      database.write(() => {
        const gone = among(limit, ({ resolvedAt }) => resolvedAt !== null && resolvedAt < before)
        suspensions.removeMany(gone.map(suspensionKey))
        return gone.length
      }),
    lockLanes: (given) =>
      database.write(() =>
        given.map((one) => {
          const found = lanes.get(one.lane)
          if (found === undefined) lanes.insert(frozen(one))
          return found ?? one
        })
      ),
    exchangeLanes: (given) =>
      database.write(() =>
        given.flatMap(({ known, next }) => {
          if (!Equal.equals(lanes.get(known.lane), known)) return []
          lanes.replace(frozen(next))
          return [known.lane]
        })
      ),
    putLanes: (given) =>
      database.write(() => {
        for (const one of given) lanes.replace(frozen(one))
      }),
    notedLanes: (limit) =>
      database.read(() =>
        byName
          .rows(all)
          .filter(
            ({ marks, override, pace, stated }) =>
              pace !== null ||
              override !== null ||
              Object.keys(marks).length > 0 ||
              Object.keys(stated).length > 0
          )
          .slice(0, limit)
      ),
    siteLanes: (limit) =>
      database.read(() =>
        byName
          .rows(all)
          .filter(({ lane }) => lane.includes(":") && !isAddressLane(lane))
          .toSorted((one, other) => other.changedAt - one.changedAt)
          .slice(0, limit)
          .map(({ changedAt, lane }) => ({ changedAt, lane }))
      ),
    lanes: (request, { lane = null, paused = null, source = null }) =>
      database.read(() => {
        const found = byName
          .rows(all)
          .filter(
            (one) =>
              !isAddressLane(one.lane) &&
              (lane === null || isNamed(lane, one.lane) || lane.includes(beforeSite(one.lane))) &&
              (source === null || source.includes(sourceOfLane(one.lane) ?? "")) &&
              (paused === null ||
                paused.is === (one.suspendedUntil > paused.at || isNamed(paused.lanes, one.lane)))
          )
        return pageOfAll(found, request, ({ lane: name }) => [name])
      }),
    pruneLanes: (before, limit) =>
      database.write(() => {
        const gone = [...lanes.rows()]
          .filter(
            ({ changedAt, override, slowStart, stated }) =>
              override === null &&
              changedAt < before - (slowStart === null ? 0 : longestSuspension) &&
              (stated.encryptedUntil ?? -Infinity) < before
          )
          .slice(0, limit)
        lanes.removeMany(gone.map(({ lane }) => lane))
        return gone.length
      })
  })
}).pipe(Layer.effect(ShapingStore))
