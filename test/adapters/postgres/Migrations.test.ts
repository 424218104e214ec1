import { createHash, randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { describe, expect, it } from "vitest"
import { layer as embedded } from "../../../adapters/postgres/engine/Embedded.ts"
import { migrate } from "../../../adapters/postgres/engine/Migrations.ts"
import { migrations } from "../../../adapters/postgres/migrations/index.ts"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { layer as server } from "../../../adapters/postgres/engine/Server.ts"
import { orderStatuses } from "../../../core/model/Order.ts"
import { ItemStore } from "../../../core/ports/ItemStore.ts"
import { OrderStore } from "../../../core/ports/OrderStore.ts"
import { execute, emptyDatabase } from "../../support/postgres.ts"

/** Deliberately global: tables above accounts, and the hash of a key, which is looked up before its account is known. */
const globalIndexes = [
  "api_keys_hash",
  "audit_seals_pkey",
  "companies_pkey",
  "identities_pkey",
  "identity_providers_pkey",
  "installation_secrets_pkey",
  "installation_tokens_hash",
  "installation_tokens_pkey",
  "instance_pkey",
  "lanes_pkey",
  "mail_report_receipts_pkey",
  "mail_report_rows_pkey",
  "mail_report_rows_values",
  "memberships_pkey",
  "nodes_pkey",
  "operator_access_pkey",
  "passkeys_credential",
  "passkeys_pkey",
  "relay_early_reports_pkey",
  "relay_tokens_pkey",
  "relays_pkey",
  "sessions_hash",
  "sessions_pkey",
  "setup_links_pkey",
  "sign_in_steps_pkey",
  "source_days_pkey",
  "source_pools_pkey",
  "sources_address_key",
  "sources_pkey",
  "sts_policies_pkey",
  "suspensions_id_key",
  "suspensions_pkey",
  "svc_migrations_pkey",
  "users_email",
  "users_pkey"
]

/** The beginning of the SHA-256 of each version's statements, by which existing databases were created. */
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
  "458d54846ef049a2",
  "d8b2d24b2f8f08be",
  "25a3241734cfe747",
  "1d97b1117429b71f",
  "1b608cbf3a87f24e",
  "5406441aacef9be5",
  "df95ca8fb83591ad",
  "78a7d7694df4d3ee",
  "e7c0bf713eabd916",
  "16dfe2974742864a",
  "7185282817adcde0",
  "8337886a8c29108f",
  "ff11439810bf5b15",
  "d9a4e3d6f71095fa",
  "d2efb187810493b8",
  "e1225f810ac4ae6c",
  "8bc76b9c80644dbf",
  "a06ed94516fc61c0",
  "ee00955c26137e3e",
  "c1accc93fcab7e16",
  "55e044c67fb5021c",
  "8326a3439b51f943",
  "305df47778bd6ac6",
  "7a18da9d56417565",
  "7f85296dd83ee5f5",
  "db6b5187d5ddcf47",
  "390b330cbd90023b",
  "8c53ad48184322ec",
  "58274628f8da9044",
  "84023d35bdf7e648",
  "e709911db9ba6143",
  "4cf98b0ed0b663de",
  "971d8f84e38c06d7",
  "ca14b23459677729",
  "67be903eed9d9838",
  "7f0ac6c4f9be41c0",
  "44910671ee18ebc5",
  "0f9e3d026d76164c",
  "9589eee23a722547",
  "91dc1190c11f3b37",
  "0264ada8b5d96fff",
  "3725aeff258455d0",
  "cee6c382ec5c2915",
  "134cf534c446db01",
  "6c9b9d5cd2a0058e",
  "f274ae697968f4ab",
  "5f39a2d3990a7572",
  "98684b304d23014a",
  "7308526faa07c0b0",
  "18184cb0aacd3083",
  "3916cdad9ea08773",
  "df50efb010d7b54e",
  "3e85a66ac36c1ed6",
  "ba017962566b8753",
  "06cfc2df718ae52f",
  "f915885627e2366f",
  "d065f924ef86f7fe",
  "02fc1d932e2d3e84",
  "a3ea7bfb6c01b179"
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
  it("are applied once when many nodes start together", async () => {
    const url = await emptyDatabase()
    const node = Effect.provide(migrate("Online"), PgClient.layer({ url: Redacted.make(url) }), {
      local: true
    })
    await Effect.runPromise(Effect.all([node, node, node, node], { concurrency: "unbounded" }))
    const found = await Effect.runPromise(
      Effect.provide(versions, PgClient.layer({ url: Redacted.make(url) }))
    )
    expect(found).toEqual(allVersions)
  })

  it("are never changed: a later change is a new version", () => {
    const digests = migrations.map((statements) =>
      createHash("sha256").update(statements.join(";")).digest("hex").slice(0, 16)
    )
    expect(digests.slice(0, released.length)).toEqual(released)
  })

  it("reject a database of a newer version, in one line", async () => {
    const url = await emptyDatabase()
    await execute(
      url,
      "create table svc_migrations (version int primary key)",
      "insert into svc_migrations values (999)"
    )
    const start = Effect.flip(Effect.scoped(Effect.provide(Effect.void, server(Redacted.make(url)))))
    expect((await Effect.runPromise(start)).message).toBe(
      `The database has schema 999, which is newer than ${migrations.length}, the schema of this version. Start the newer version of the service again`
    )
  })

  it("begin every unique index with the account, except a few that are global", async () => {
    const url = await emptyDatabase()
    const found = await Effect.runPromise(
      Effect.provide(uniqueIndexesNotByAccount, server(Redacted.make(url)))
    )
    expect(found).toEqual(globalIndexes)
  })

  it("migrate orders and items of an earlier version to where they are found now", async () => {
    const url = await emptyDatabase()
    const [accountId, storeId, orderId] = [randomUUID(), randomUUID(), randomUUID()]
    const versionBefore = 13
    await execute(
      url,
      ...migrations.slice(0, versionBefore).flat(),
      "create table svc_migrations (version int primary key)",
      `insert into svc_migrations select generate_series(1, ${versionBefore})`,
      `insert into stores values ('${accountId}', '${storeId}', 'Custom', 'Shop', 'shop.example', 'None', null, '', '', '',
        '2031-01-01Z', null)`,
      `insert into orders values ('${accountId}', '${orderId}', '${storeId}', '1', '#1001', 'Paid', 'EUR', 7, 'ada@x.example',
        'Ada', null, '2031-01-01Z', null, 1, '[]', '2031-01-01Z', 1)`,
      `insert into order_counts values ('${accountId}', '${storeId}', 'Paid', 22280, 1)`,
      `insert into order_texts values ('${accountId}', '${orderId}', '${storeId}', 'Paid', '2031-01-01Z',
        E'#1001\nada@x.example\nada', '{1,2}')`,
      ...[
        ["found", `["Tea", "Gift"]`, "null"],
        ["sold out", `["Tea"]`, "0"],
        ["of none", `[]`, "3"]
      ].map(
        (
          [name, categories, stock],
          index
        ) => `insert into items (account_id, id, source, external_id, kind, name, in_stock,
          stock_quantity, categories, attributes, active, created_at, version) values ('${accountId}', gen_random_uuid(),
          'Api', '${name}', 'product', '${name}', true, ${stock}, '${categories}', '{}', true,
          timestamptz '2031-01-01Z' + interval '${index} days', 1)`
      )
    )
    const look = Effect.gen(function* () {
      const [items, orders] = [yield* ItemStore, yield* OrderStore]
      const filter = { storeId: null, statuses: orderStatuses, since: null }
      const searched = yield* Effect.forEach(["1001", "a@x", "x.example", "unknown", "a"], (search) =>
        orders.list(accountId, { ...filter, search }, { page: 1, pageSize: 10 })
      )
      const recommended = yield* items.recommend(accountId, ["Tea", "Gift", null])
      return [
        searched.map((page) => page.totalCount),
        recommended.map((list) => list.map((item) => item.name))
      ]
    })
    expect(await Effect.runPromise(Effect.provide(look, layerServer(Redacted.make(url))))).toEqual([
      [1, 1, 1, 0, 1],
      [["found"], ["found"], ["of none", "found"]]
    ])
  })

  it("migrate the orders of version 20, found by their status and written", async () => {
    const url = await emptyDatabase()
    const [accountId, storeId, orderId] = [randomUUID(), randomUUID(), randomUUID()]
    const versionBefore = 20
    await execute(
      url,
      ...migrations.slice(0, versionBefore).flat(),
      "create table svc_migrations (version int primary key)",
      `insert into svc_migrations select generate_series(1, ${versionBefore})`,
      `insert into stores (account_id, id, platform, name, domain, consent_mode, token_hash, token_display, webhook_secret,
        connected_at) values ('${accountId}', '${storeId}', 'Custom', 'Shop', 'shop.example', 'None', '', '', '', '2031-01-01Z')`,
      `insert into orders values ('${accountId}', '${orderId}', '${storeId}', '1', '#1001', 'Paid', 'EUR', 7, 'ada@x.example',
        'Ada', null, '2031-01-01Z', null, 1, '[]', '2031-01-01Z', 1)`,
      `insert into order_counts values ('${accountId}', '${storeId}', 'Paid', 22280, 1)`,
      `insert into order_texts (account_id, order_id, store_id, status, kind, placed_at, text)
        values ('${accountId}', '${orderId}', '${storeId}', 'Paid', 'o', '2031-01-01Z', E'#1001\nada@x.example\nada')`
    )
    const look = Effect.gen(function* () {
      const orders = yield* OrderStore
      const found = Effect.forEach(["Pending", "Paid", "Completed"] as const, (status) =>
        Effect.map(
          orders.list(
            accountId,
            { storeId: null, statuses: [status], since: null, search: "a@x" },
            { page: 1, pageSize: 10 }
          ),
          ({ totalCount }) => totalCount
        )
      )
      const before = yield* found
      const [order] = yield* orders.ofStore(accountId, storeId, 1)
      const after = { ...order!, status: "Completed" as const, version: order!.version + 1 }
      yield* orders.write(accountId, [{ before: order!, after }])
      return [before, yield* found]
    })
    expect(await Effect.runPromise(Effect.provide(look, layerServer(Redacted.make(url))))).toEqual([
      [0, 1, 0],
      [0, 0, 1]
    ])
  })

  it("make the retention of emails of version 21 due at once, and nothing else", async () => {
    const url = await emptyDatabase()
    const [accountId, storeId] = [randomUUID(), randomUUID()]
    const versionBefore = 21
    const later = "2131-01-01T00:00:00.000Z"
    const kept = [
      ["retention", "emails", false],
      ["retention", "runs", false],
      ["retention", `store ${storeId}`, false],
      ["retention", "emails", true],
      ["domains", "emails", false]
    ] as const
    await execute(
      url,
      ...migrations.slice(0, versionBefore).flat(),
      "create table svc_migrations (version int primary key)",
      `insert into svc_migrations select generate_series(1, ${versionBefore})`,
      ...kept.map(
        ([
          queue,
          key,
          leased
        ]) => `insert into jobs (account_id, queue, id, key, run_at, due_at, leased, attempts)
          values ('${accountId}', '${queue}', '${randomUUID()}', '${key}', '${later}', '${later}', ${leased}, 0)`
      )
    )
    const due = Effect.flatMap(
      SqlClient,
      (sql) =>
        sql`select queue, key, leased, run_at <= now() as begun, due_at <= now() as due from jobs where due_at <= now()`
    )
    expect(await Effect.runPromise(Effect.provide(due, server(Redacted.make(url))))).toEqual([
      { queue: "retention", key: "emails", leased: false, begun: true, due: true }
    ])
  })

  it("are the same on PGlite, where indexes are built in the transaction", async () => {
    const both = Effect.all([versions, uniqueIndexesNotByAccount])
    const more = [
      ...migrations,
      ["create unique index concurrently contacts_more on contacts (account_id, version, id)"]
    ]
    const built = SqlClient.use(
      (sql) => sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('contacts_more')`
    )
    const migrated = Effect.andThen(migrate("AtOnce", more), built)
    const found = await Effect.runPromise(Effect.provide(Effect.all([both, migrated]), embedded(null)))
    expect(found).toEqual([[allVersions, globalIndexes], [{ valid: true }]])
  })
})
