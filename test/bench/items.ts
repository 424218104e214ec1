/**
 * Compares POST /items/batch end to end with raw SQL that upserts the same rows: new items and updates of price and stock, one
 * client and four, on Node and on Bun, over one PostgreSQL with durable settings.
 *
 * The raw side writes what the service writes, into a table with the same columns, indexes and room for updates. It makes no
 * decisions: no key, no rate limit, no validation, no merging with what is stored, no versions, no limits.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, startServer } from "../support/serverProcess.ts"
import { benchBatches, type Send } from "./batches.ts"

const batchSize = 1000
const batchesPerClient = 4
const accountId = "00000000-0000-7000-8000-000000000001"

const words = ["Shoe", "Boot", "Sandal", "Sneaker", "Slipper"]

/** The items of a batch. They are the same in every round of `shop`, with other prices and stock in each `version`. */
const rowsOf = (shop: string, batch: number, version: number) =>
  Array.from({ length: batchSize }, (_, index) => ({
    id: `${shop}-${batch}-${index}`,
    name: `${words[index % words.length]} ${index}`,
    description: "Light, warm and made to last. Comes with laces in two colours.",
    url: `https://shop.example/items/${index}`,
    imageUrl: `https://shop.example/images/${index}.png`,
    price: (1990 + 100 * (index + version)) / 100,
    currency: "EUR",
    stockQuantity: index + version,
    categories: ["Shoes", words[index % words.length]!],
    attributes: { color: index % 2 === 0 ? "red" : "blue", size: 36 + (index % 10) }
  }))

type Rows = ReturnType<typeof rowsOf>

const rawStatement = `
  with written as (insert into raw_items as i (account_id, id, source, external_id, kind, name, description, url, image_url, price,
    currency, in_stock, stock_quantity, categories, attributes, active, created_at, version)
  select $1::uuid, gen_random_uuid(), 'Api', r.id, 'product', name, description, url, "imageUrl", price, currency, true,
    "stockQuantity", categories, attributes, true, $3::timestamptz, 1
  from jsonb_to_recordset($2::jsonb) as r(id text, name text, description text, url text, "imageUrl" text, price numeric,
    currency text, "stockQuantity" int, categories jsonb, attributes jsonb)
  on conflict (account_id, external_id) where store_id is null do update set price = excluded.price,
    stock_quantity = excluded.stock_quantity, updated_at = excluded.created_at, version = i.version + 1
    returning id, created_at, categories, version)
  insert into raw_item_categories (account_id, category, created_at, item_id)
  select $1::uuid, c.category, created_at, id from written cross join lateral (
    select '' as category union select '=' || name from jsonb_array_elements_text(categories) as e(name)
  ) c where version = 1`

/** Measures and prints the results. */
export const benchItems = async (): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const token = "token-of-the-benchmark-0123456789abcdef"
  const env = { SVC_STORE: database.url, SVC_ADMIN_TOKEN: token, SVC_LOG_LEVEL: "error" }
  const node = startServer("node", folder.path, env)
  const { baseUrl: nodeUrl } = await node.ready()
  const bun = startServer("bun", folder.path, env)
  const { baseUrl: bunUrl } = await bun.ready()
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(database.url), multiplex: true }))
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  try {
    const sql = await runtime.runPromise(PgClient.PgClient)
    await runtime.runPromise(
      sql.unsafe("create table raw_items (like items including all) with (fillfactor = 50)")
    )
    await runtime.runPromise(
      sql.unsafe("create table raw_item_categories (like item_categories including all)")
    )
    const sendRaw: Send<Rows> = (rows) =>
      runtime.runPromise(
        Effect.asVoid(sql.unsafe(rawStatement, [accountId, JSON.stringify(rows), new Date()]))
      )
    /** A new catalogue, so that none reaches its limit. */
    const openCatalogue = async (baseUrl: string): Promise<Send<Rows>> => {
      const manage = async (method: string, path: string, sent: unknown) => {
        const response = await fetch(`${nodeUrl}/manage/v1${path}`, {
          method,
          headers,
          body: JSON.stringify(sent)
        })
        return ((await response.json()) as { value: unknown }).value
      }
      const company = (await manage("POST", "/companies", { name: "Benchmark" })) as {
        readonly sandbox: { readonly accountId: string }
      }
      const account = `/accounts/${company.sandbox.accountId}`
      await manage("PATCH", `${account}/settings`, { rateLimitPerMinute: 1_000_000 })
      const { key } = (await manage("POST", `${account}/api-keys`, {
        name: "Benchmark",
        permissions: ["items:write"],
        expiresInDays: null
      })) as { readonly key: string }
      return async (rows) => {
        const response = await fetch(`${baseUrl}/api/v1/items/batch`, {
          method: "POST",
          headers: { ...headers, authorization: `Bearer ${key}` },
          body: JSON.stringify({ items: rows })
        })
        const { value } = (await response.json()) as { value: { failed: number } | null }
        if (response.status !== 200 || value?.failed !== 0)
          throw new Error(`the status was ${response.status}`)
      }
    }
    await benchBatches({
      noun: "items",
      changes: ["new items", "updates"],
      batchesPerClient,
      rowsOf,
      targets: [
        ["raw SQL", () => Promise.resolve(sendRaw)],
        ["node", () => openCatalogue(nodeUrl)],
        ["bun", () => openCatalogue(bunUrl)]
      ]
    })
  } finally {
    await runtime.dispose()
    for (const server of [node, bun]) server.signal("SIGKILL")
    await Promise.all([node.ended, bun.ended])
    await folder.remove()
    await database.remove()
  }
}
