import { createHash } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect, it } from "vitest"
import { layer as embedded } from "../../../adapters/postgres/Embedded.ts"
import { migrate } from "../../../adapters/postgres/Migrations.ts"
import { migrations } from "../../../adapters/postgres/migrations/index.ts"
import { layer as server } from "../../../adapters/postgres/Server.ts"
import { execute, freshDatabase } from "../../support/postgres.ts"

/** Global on purpose: what stands above accounts, and the hash of a key, which arrives before its account is known. */
const globalIndexes = ["api_keys_hash", "companies_pkey", "instance_pkey", "svc_migrations_pkey"]

/** What each version's statements are, by the beginning of their SHA-256: databases have been made of them. */
const released = [
  "b296b0959e4697fa",
  "5eaf5572df415d68",
  "22c41ca14fd88691",
  "eb6ff97bffbcb6b8",
  "8a8ff53b401c0ab6",
  "8a899a603a6000ef",
  "1f297538dacf013a",
  "ee1fc0583bc11843",
  "f4f07ad3d193ff9f",
  "21934ea18d5cf7fe",
  "e30659ffe0466cdd",
  "4daa4d894d2e6664",
  "458d54846ef049a2"
]

const versions = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(sql<{ version: number }>`select version from svc_migrations order by version`, (rows) =>
    rows.map((row) => row.version)
  )
)

const uniqueIndexesNotByAccount = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql<{ name: string }>`
      select c.relname as name
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where n.nspname = 'public' and i.indisunique and a.attname is distinct from 'account_id'
      order by c.relname`,
    (rows) => rows.map((row) => row.name)
  )
)

const allVersions = migrations.map((_, index) => index + 1)

describe("migrations", () => {
  it("are applied once when many nodes start at the same moment", async () => {
    const url = await freshDatabase()
    const node = Effect.provide(migrate, PgClient.layer({ url: Redacted.make(url) }), { local: true })
    await Effect.runPromise(Effect.all([node, node, node, node], { concurrency: "unbounded" }))
    const found = await Effect.runPromise(
      Effect.provide(versions, PgClient.layer({ url: Redacted.make(url) }))
    )
    expect(found).toEqual(allVersions)
  })

  it("are never changed once they are there: what comes later is a version of its own", () => {
    const digests = migrations.map((statements) =>
      createHash("sha256").update(statements.join(";")).digest("hex").slice(0, 16)
    )
    expect(digests.slice(0, released.length)).toEqual(released)
  })

  it("refuse a database of a newer version, in one line", async () => {
    const url = await freshDatabase()
    await execute(
      url,
      "create table svc_migrations (version int primary key)",
      "insert into svc_migrations values (999)"
    )
    const start = Effect.flip(Effect.scoped(Effect.provide(Effect.void, server(Redacted.make(url)))))
    expect((await Effect.runPromise(start)).message).toBe(
      `The database is at schema 999, newer than the ${migrations.length} this version knows`
    )
  })

  it("give every unique index the account first, but for a few that are global", async () => {
    const url = await freshDatabase()
    const found = await Effect.runPromise(
      Effect.provide(uniqueIndexesNotByAccount, server(Redacted.make(url)))
    )
    expect(found).toEqual(globalIndexes)
  })

  it("are the same on PGlite", async () => {
    const both = Effect.all([versions, uniqueIndexesNotByAccount])
    expect(await Effect.runPromise(Effect.provide(both, embedded(null)))).toEqual([
      allVersions,
      globalIndexes
    ])
  })
})
