import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import { Database } from "../../../adapters/memory/engine/Database.ts"
import { layerOver } from "../../../adapters/memory/index.ts"
import { contentDigest, digestsWith } from "../../../core/accounts/AuditDigests.ts"
import { AuditSeals } from "../../../core/companies/AuditSeals.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { type AuditEntry, AuditLog } from "../../../core/ports/AuditLog.ts"
import { Crypto as CryptoPort } from "../../../core/ports/Crypto.ts"
import { type AuditSeal, SealStore } from "../../../core/ports/SealStore.ts"
import { auditOf, draftCompany, draftEntry, firstPage } from "../../contract/fixtures.ts"
import { installationKeys } from "../../support/keys.ts"

const key = new Uint8Array(32)
const dayMillis = 86_400_000
const start = Date.UTC(2031, 0, 10)

const services = AuditSeals.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(layerOver, Crypto.layer, installationKeys(key))),
  Layer.provideMerge(Database.layer)
)

/** A company with two entries a day for three days, all sealed, and the clock on the fourth day. */
const sealed = Effect.gen(function* () {
  const { company, live, sandbox } = draftCompany()
  yield* (yield* AccountStore).insert([company], [live, sandbox])
  const entries = [0, 1, 2].flatMap((day) =>
    [live.id, sandbox.id].map((accountId, index) =>
      draftEntry(accountId, {
        at: start + day * dayMillis + index,
        targetName: "Ada",
        after: { day, list: [{ b: 1, a: 2 }] }
      })
    )
  )
  yield* (yield* AuditLog).append(entries)
  yield* TestClock.setTime(start + 3 * dayMillis + 2 * 3_600_000)
  yield* (yield* AuditSeals).maintain
  return { company, entries, live }
})

const failuresOf = (company: Parameters<AuditSeals["Service"]["verify"]>[0]) =>
  Effect.flatMap(AuditSeals, ({ verify }) =>
    Effect.map(verify(company), ({ failures }) => failures.map(({ day, why }) => `${day} ${why}`))
  )

/** Changes rows of the memory storage directly, bypassing the ports. */
const tamper = Effect.fnUntraced(function* <Row extends object>(
  isOne: (row: Row) => boolean,
  change: (row: Row) => Row | null
) {
  const database = yield* Database
  yield* database.write(() => {
    for (const table of database.tables) {
      for (const row of Array.from(table.rows() as Iterable<Row>)) {
        if (!isOne(row)) continue
        const changed = change(row)
        table.removeWhere((one) => one === row, 1)
        if (changed !== null) (table as unknown as { insert: (row: Row) => void }).insert(changed)
      }
    }
  })
})

const isEntry = (entry: AuditEntry) => (row: object) => (row as AuditEntry).id === entry.id

describe("the seals of an audit log", () => {
  it.effect("match until an entry or a seal is changed, removed or added, and name the day", () =>
    Effect.gen(function* () {
      const { company, entries } = yield* sealed
      const verified = yield* (yield* AuditSeals).verify(company)
      expect(verified).toMatchObject({ days: 3, failures: [], last: { day: "2031-01-12", entries: 2 } })
      yield* (yield* AuditSeals).maintain
      expect(yield* failuresOf(company)).toEqual([])
      const [, , third, fourth] = entries as [AuditEntry, AuditEntry, AuditEntry, AuditEntry]
      const changes: ReadonlyArray<Partial<AuditEntry>> = [
        { action: "other" },
        { target: "other" },
        { at: third.at + 1 },
        { after: { day: 9 } },
        { targetName: null },
        { outcome: "Refused" },
        { actor: { ...third.actor, name: "Eve" } },
        // The change that an erasure makes, but without the key.
        { after: null, targetName: null, contentDigest: "forged" }
      ]
      for (const change of changes) {
        yield* tamper<AuditEntry>(isEntry(third), (row) => ({ ...row, ...change }))
        expect([change, yield* failuresOf(company)]).toEqual([change, ["2031-01-11 Changed"]])
        yield* tamper<AuditEntry>(isEntry(third), () => third)
      }
      expect(yield* failuresOf(company)).toEqual([])
      yield* tamper<AuditEntry>(isEntry(fourth), () => null)
      expect(yield* failuresOf(company)).toEqual(["2031-01-11 Changed"])
      yield* (yield* AuditLog).append([fourth, { ...draftEntry(fourth.accountId), at: start + 5 }])
      expect(yield* failuresOf(company)).toEqual(["2031-01-10 Changed"])
    }).pipe(Effect.provide(services))
  )

  it.effect("are chained: a day cannot be taken out, sealed again or marked as deleted", () =>
    Effect.gen(function* () {
      const { company } = yield* sealed
      const isDay = (day: string) => (row: object) => (row as AuditSeal).day === day
      const [, second] = yield* (yield* SealStore).list(company.id, null, 3)
      yield* tamper<AuditSeal>(isDay("2031-01-11"), (row) => ({ ...row, pruned: "forged" }))
      expect(yield* failuresOf(company)).toEqual(["2031-01-11 Changed"])
      yield* tamper<AuditSeal>(isDay("2031-01-11"), () => null)
      expect(yield* failuresOf(company)).toEqual(["2031-01-11 Missing"])
      yield* (yield* SealStore).insert({ ...second!, hash: "forged" })
      expect(yield* failuresOf(company)).toEqual(["2031-01-11 Changed", "2031-01-12 Changed"])
    }).pipe(Effect.provide(services))
  )

  it.effect("match after a person was erased from entries", () =>
    Effect.gen(function* () {
      const { company, entries, live } = yield* sealed
      const log = yield* AuditLog
      const hash = digestsWith(yield* CryptoPort, key)
      const found = yield* log.about(live.id, [entries[0]!.target], 10)
      yield* log.redact(
        live.id,
        found.map((entry) => ({ id: entry.id, contentDigest: contentDigest(hash, entry) }))
      )
      const left = (yield* log.list(auditOf(live.id), { targets: [entries[0]!.target] }, firstPage)).items
      expect(left).toMatchObject([{ id: entries[0]!.id, targetName: null, after: null }])
      expect(yield* failuresOf(company)).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("outlast the entries, which are kept for as many days as the company says", () =>
    Effect.gen(function* () {
      const { company, live } = yield* sealed
      const [seals, log, accounts] = [yield* AuditSeals, yield* AuditLog, yield* AccountStore]
      const count = Effect.map(log.list(auditOf(live.id), {}, firstPage), ({ totalCount }) => totalCount)
      yield* TestClock.setTime(start + 92 * dayMillis)
      yield* seals.maintain
      expect(yield* count).toBe(3)
      yield* accounts.saveCompany({ ...company, auditRetentionDays: 90 })
      yield* seals.maintain
      expect(yield* count).toBe(1)
      expect(yield* seals.verify(company)).toMatchObject({ days: 91, failures: [] })
      yield* TestClock.setTime(start + 402 * dayMillis)
      yield* accounts.saveCompany(company)
      yield* seals.maintain
      expect([yield* count, yield* failuresOf(company)]).toEqual([1, []])
      yield* TestClock.setTime(start + 403 * dayMillis)
      yield* seals.maintain
      expect([yield* count, yield* failuresOf(company)]).toEqual([0, []])
    }).pipe(Effect.provide(services))
  )
})
