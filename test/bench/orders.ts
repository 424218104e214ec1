/**
 * Compares orders reported by a store end to end with raw SQL that writes the same rows: new orders and changes of status in
 * batches of 200, one client and four, on Node and on Bun, over one PostgreSQL with durable settings.
 *
 * The raw side writes what the service writes, into tables with the same columns, indexes and room for updates: the event's id,
 * the order, its search text, the contact with its consent, and the timeline events. It makes no decisions: no token, no
 * validation, no look-up of identities, no totals, no counts, no versions.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, startServer } from "../support/serverProcess.ts"
import { benchBatches, type Send } from "./batches.ts"

const batchSize = 200
const batchesPerClient = 5
const accountId = "00000000-0000-7000-8000-000000000001"
const storeId = "00000000-0000-7000-8000-00000000000a"

/** The orders of a batch. They are the same in every round of `shop`, pending at first and paid in the second `version`. */
const rowsOf = (shop: string, batch: number, version: number) =>
  Array.from({ length: batchSize }, (_, index) => {
    const key = `${shop}-${batch}-${index}`
    return {
      id: `${key}-${version}`,
      order: key,
      number: `#${batch * batchSize + index}`,
      status: version === 0 ? "Pending" : "Paid",
      total: `${10 + (index % 90)}.90`,
      email: `${key}@example.org`.toLowerCase(),
      firstName: "Ada",
      lastName: `Lovelace ${index}`,
      placedAt: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
      updatedAt: new Date(Date.UTC(2026, 0, 1) + (index + version * 1000) * 60_000).toISOString()
    }
  })

type Rows = ReturnType<typeof rowsOf>

const rawStatement = `
  with given as materialized (
    select *, gen_random_uuid() as contact_id, gen_random_uuid() as order_id from jsonb_to_recordset($1::jsonb)
      as r(id text, "order" text, number text, status text, total numeric, email text, "firstName" text, "lastName" text,
        "placedAt" timestamptz, "updatedAt" timestamptz, text text)
  ), remembered as (
    insert into raw_store_events (account_id, store_id, event_id, received_at)
    select '${accountId}', '${storeId}', id, $2::timestamptz from given
  ), people as (
    insert into raw_contacts as c (account_id, id, store_id, email, first_name, last_name, consent_status, consent_source,
      consent_updated_at, attributes, topics, added_at, last_synced_at, order_count, total_spent, version)
    select '${accountId}', contact_id, '${storeId}', email, "firstName", "lastName", 'CheckoutStarted', 'Store',
      $2::timestamptz, '{}', '{}', $2::timestamptz, $2::timestamptz, 0, 0, 1 from given
    on conflict (account_id, email) where email is not null do update set last_synced_at = excluded.last_synced_at,
      order_count = 1, total_spent = 10, last_order_at = $2::timestamptz, is_paying_customer = true, version = c.version + 1
    returning id, email, version
  ), consented as (
    insert into raw_consents (account_id, id, contact_id, "to", source, at)
    select '${accountId}', gen_random_uuid(), id, 'CheckoutStarted', 'Store', $2::timestamptz from people where version = 1
  ), written as (
    insert into raw_orders as o (account_id, id, store_id, external_id, number, status, currency, total, email,
      customer_name, contact_id, placed_at, line_count, reached, source_updated_at, version)
    select '${accountId}', order_id, '${storeId}', "order", number, status, 'EUR', total, given.email,
      "firstName" || ' ' || "lastName", people.id, "placedAt", 1, '["Placed"]', "updatedAt", 1
    from given join people on people.email = given.email
    on conflict (account_id, store_id, external_id) where external_id is not null do update set status = excluded.status,
      source_updated_at = excluded.source_updated_at, reached = '["Placed", "Paid"]', version = o.version + 1
    returning id, external_id, contact_id, status, placed_at
  ), searched as (
    insert into raw_order_texts as t (account_id, order_id, store_id, status, placed_at, text)
    select '${accountId}', w.id, '${storeId}', w.status, w.placed_at, g.text
    from written w join given g on g."order" = w.external_id
    on conflict (account_id, order_id) do update set status = excluded.status
  )
  insert into raw_timeline (account_id, id, contact_id, name, occurred_at, properties, source)
  select '${accountId}', gen_random_uuid(), contact_id, 'order.placed', placed_at,
    jsonb_build_object('orderId', id, 'status', status), 'Store' from written`

/** Measures and prints the results. */
export const benchOrders = async (): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const token = "token-of-the-benchmark-0123456789abcdef"
  const env = {
    SVC_STORE: database.url,
    SVC_ADMIN_TOKEN: token,
    SVC_LOG_LEVEL: "error",
    SVC_SECRET_KEY: "secret key of the benchmark, for all of it"
  }
  const node = startServer("node", folder.path, env)
  const { baseUrl: nodeUrl, sandbox } = await node.ready()
  const bun = startServer("bun", folder.path, env)
  const { baseUrl: bunUrl } = await bun.ready()
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(database.url), multiplex: true }))
  try {
    const sql = await runtime.runPromise(PgClient.PgClient)
    for (const [table, room] of [
      ["contacts", 50],
      ["consents", 100],
      ["timeline", 100],
      ["store_events", 100],
      ["orders", 80],
      ["order_texts", 70]
    ] as const) {
      await runtime.runPromise(
        sql.unsafe(`create table raw_${table} (like ${table} including all) with (fillfactor = ${room})`)
      )
    }
    const sendRaw: Send<Rows> = (rows) => {
      const given = rows.map((row) => {
        const text = `${row.number}\n${row.email}\n${row.firstName} ${row.lastName}`.toLowerCase()
        return { ...row, text }
      })
      return runtime.runPromise(Effect.asVoid(sql.unsafe(rawStatement, [JSON.stringify(given), new Date()])))
    }
    await fetch(`${nodeUrl}/manage/v1/accounts/${sandbox!.accountId}/settings`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
    })
    /** Connects a store. */
    const openShop = async (baseUrl: string, name: string): Promise<Send<Rows>> => {
      const response = await fetch(`${nodeUrl}/manage/v1/accounts/${sandbox!.accountId}/stores`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ platform: "Custom", name, domain: `${name}.example`, consentMode: "Explicit" })
      })
      const store = ((await response.json()) as { value: { id: string; token: string } }).value
      return async (rows) => {
        const events = rows.map(({ email, firstName, id, lastName, order, ...values }) => ({
          id,
          name: "order.updated",
          data: {
            ...values,
            id: order,
            currency: "EUR",
            lineCount: 1,
            customer: { email, firstName, lastName }
          }
        }))
        const answer = await fetch(`${baseUrl}/ingest/v1/stores/${store.id}/events`, {
          method: "POST",
          headers: { authorization: `Bearer ${store.token}`, "content-type": "application/json" },
          body: JSON.stringify({ events })
        })
        const { value } = (await answer.json()) as { value: { accepted: number } | null }
        if (value?.accepted !== rows.length) throw new Error(`the status was ${answer.status}`)
      }
    }
    const [onNode, onBun] = [await openShop(nodeUrl, "node"), await openShop(bunUrl, "bun")]
    await benchBatches({
      noun: "orders",
      changes: ["new orders", "paid orders"],
      batchesPerClient,
      rowsOf,
      targets: [
        ["raw SQL", () => Promise.resolve(sendRaw)],
        ["node", () => Promise.resolve(onNode)],
        ["bun", () => Promise.resolve(onBun)]
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
