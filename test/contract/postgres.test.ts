/**
 * Tests the Postgres adapter on a PostgreSQL server with the contract of every storage port. Also tests that statements about
 * partitioned tables read few partitions, and that every statement restricts the accounts whose rows it reads.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { layerServer } from "../../adapters/postgres/index.ts"
import { layer as server } from "../../adapters/postgres/engine/Server.ts"
import { tableKeys, unkeyedTables, wholeTables } from "../support/accountKeys.ts"
import { citusAnswers, globalTables, overAllAccounts } from "../support/overAllAccounts.ts"
import { partitionsRead, recording, type Recorded } from "../support/partitionPlans.ts"
import { freshDatabase } from "../support/postgres.ts"
import { storageContract } from "./index.ts"

const recorded: Recorded = new Map()
let url = ""

storageContract(
  "PostgreSQL",
  Layer.unwrap(
    Effect.promise(async () => {
      url = await freshDatabase()
      return layerServer(Redacted.make(url))
    })
  ).pipe(Layer.merge(recording(recorded, /./)))
)

const partitioned = /\b(events|attempts)_all\b/

/** Statements that read every partition of a table to count its rows, with the reason. */
const counts: ReadonlyArray<readonly [statement: RegExp, reason: string]> = [
  [/^\s*select c\.total, p\.\* from .* from events_all /s, "lists of events have a total"]
]

/** Statements about rows of any age: erasing a company deletes everything its accounts have. */
const ofAnyAge = /^\s*with gone as \(delete from \w+ where account_id = any\(\$1::uuid\[\]\) and/

/**
 * The most partitions that a statement may read, out of the four or more that exist after the suites. A day may be in two months.
 */
const most = 2

describe("statements on partitioned tables", () => {
  it("read few partitions, except those that count all rows", () =>
    Effect.gen(function* () {
      const read = yield* Effect.forEach(
        [...recorded].filter(([text]) => partitioned.test(text) && !ofAnyAge.test(text)),
        Effect.fnUntraced(function* ([text, samples]) {
          const counting = counts.some(([statement]) => statement.test(text))
          return { text, partitions: yield* partitionsRead(text, samples, most, !counting) }
        })
      )
      expect(read.length).toBeGreaterThan(9)
      expect(read.filter(({ partitions }) => partitions === null || partitions > most)).toEqual([])
    }).pipe(Effect.provide(server(Redacted.make(url))), Effect.runPromise))
})

describe("the schema and its statements", () => {
  // A database without rows, so that plans do not depend on statistics about the suites' rows.
  let empty = ""
  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient>) =>
    Effect.runPromise(Effect.provide(effect, server(Redacted.make(empty))))

  beforeAll(async () => {
    empty = await freshDatabase()
  })

  it("keep the rows of accounts in tables whose key begins with the account", async () => {
    const tables = await run(tableKeys)
    expect(tables.length).toBeGreaterThan(90)
    expect(tables.filter(({ hasAccount }) => !hasAccount).map(({ name }) => name)).toEqual(
      Object.keys(globalTables).toSorted()
    )
    expect(tables.filter(({ first, hasAccount }) => hasAccount && String(first) !== "account_id")).toEqual([])
  })

  it("say of which account they are, except those that are written down", async () => {
    const found = await run(
      Effect.gen(function* () {
        const tenants = new Set(
          (yield* tableKeys).flatMap(({ hasAccount, name }) => (hasAccount ? [name] : []))
        )
        const wholes = yield* wholeTables
        return yield* Effect.forEach(
          recorded,
          Effect.fnUntraced(function* ([text, [parameters = []]]) {
            return { text, tables: yield* unkeyedTables(text, parameters, tenants, wholes) }
          })
        )
      })
    )
    const planned = found.filter(({ tables }) => tables !== null)
    expect(planned.length).toBeGreaterThan(300)
    const unnamed = planned.flatMap(({ tables, text }) =>
      tables!.length === 0 ? [] : [`${tables!.join(", ")}: ${text.replace(/\s+/g, " ").trim()}`]
    )
    expect(unnamed.filter((one) => !overAllAccounts.some(({ statement }) => statement.test(one)))).toEqual([])
    expect(overAllAccounts.filter(({ statement }) => !unnamed.some((one) => statement.test(one)))).toEqual([])
  })

  it("are described for Citus in the documentation", () => {
    const page = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8")
    for (const table of Object.keys(globalTables)) expect(page).toContain(`\`${table}\``)
    for (const answer of Object.values(citusAnswers)) expect(page).toContain(answer)
    expect(overAllAccounts.filter(({ purpose }) => !page.includes(`| ${purpose} |`))).toEqual([])
  })
})
