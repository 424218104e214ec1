/**
 * POST /contacts/batch end to end against the same rows upserted by raw SQL: new rows and updates, one client and four,
 * on Node and on Bun, over one PostgreSQL with durable settings. Once with profiles alone, once with consent, its proof
 * and a topic as well, for which the raw side writes a row of history for each new contact.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { median, type Rate, ratio, rounds } from "./measure.ts"

const batchSize = 1000
const batchesPerClient = 4

interface Row {
  readonly email: string
  readonly externalId: string
  readonly firstName: string
  readonly city: string
  readonly consent?: { readonly basis: "Subscribed"; readonly proof: { readonly text: string } }
  readonly topics?: { readonly news: true }
}

/** What a row carries. */
type Kind = "profiles" | "profiles, consent and topics"

const consent = { basis: "Subscribed", proof: { text: "Yes, send me the newsletter." } } as const

/** The rows of a batch; the same people in every round of `people`, with other values in each `version`. */
const rowsOf = (kind: Kind, people: string, batch: number, version: number): ReadonlyArray<Row> =>
  Array.from({ length: batchSize }, (_, index) => ({
    email: `${people}-${batch}-${index}@example.org`,
    externalId: `${people}-${batch}-${index}`,
    firstName: `Ada ${version}`,
    city: "London",
    ...(kind === "profiles" ? {} : { consent, topics: { news: true } as const })
  }))

/** How many contacts a second `clients` write that each send batches one after the other. */
const measure = async (
  kind: Kind,
  clients: number,
  people: string,
  version: number,
  send: (rows: ReadonlyArray<Row>) => Promise<void>
): Promise<Rate> => {
  const from = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let batch = 0; batch < batchesPerClient; batch++) {
        await send(rowsOf(kind, people, client * batchesPerClient + batch, version))
      }
    })
  )
  return { perSecond: (clients * batchesPerClient * batchSize * 1000) / (performance.now() - from) }
}

const accountId = "00000000-0000-7000-8000-000000000001"

/** Measures, and prints. */
export const benchContactsBatch = async (): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const token = "token-of-the-benchmark"
  const env = { SVC_STORE: database.url, SVC_ADMIN_TOKEN: token, SVC_LOG_LEVEL: "error" }
  const node = startServer("node", folder.path, env)
  const { baseUrl: nodeUrl, sandbox } = await node.ready()
  const bun = startServer("bun", folder.path, env)
  const { baseUrl: bunUrl } = await bun.ready()
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(database.url), multiplex: true }))
  try {
    const sql = await runtime.runPromise(PgClient.PgClient)
    await runtime.runPromise(
      sql.unsafe(`create table raw_batch (account_id uuid not null, id uuid not null default gen_random_uuid(),
        email text not null, external_id text not null, first_name text, city text, version int not null default 1,
        primary key (account_id, id), unique (account_id, email), unique (account_id, external_id))`)
    )
    await runtime.runPromise(
      sql.unsafe(`create table raw_consents (account_id uuid not null, id uuid not null, contact_id uuid not null,
        proof jsonb, primary key (account_id, id))`)
    )
    const sendRaw = (rows: ReadonlyArray<Row>): Promise<void> =>
      runtime.runPromise(
        Effect.asVoid(sql`
          with written as (insert into raw_batch (account_id, email, external_id, first_name, city)
          select ${accountId}::uuid, r.email, r."externalId", r."firstName", r.city
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as r(email text, "externalId" text, "firstName" text, city text)
          on conflict (account_id, email) do update set first_name = excluded.first_name, city = excluded.city,
            version = raw_batch.version + 1 returning id, version)
          insert into raw_consents select ${accountId}::uuid, gen_random_uuid(), id, ${JSON.stringify(consent)}::jsonb
          from written where version = 1 and ${rows[0]?.consent !== undefined}`)
      )
    const sendTo =
      (baseUrl: string) =>
      async (rows: ReadonlyArray<Row>): Promise<void> => {
        const response = await fetch(`${baseUrl}/api/v1/contacts/batch`, {
          method: "POST",
          headers: { authorization: `Bearer ${sandbox!.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ contacts: rows })
        })
        const { value } = (await response.json()) as { value: { failed: number } | null }
        if (response.status !== 200 || value?.failed !== 0) throw new Error(`answered ${response.status}`)
      }
    const targets: ReadonlyArray<
      readonly [name: Runtime | "raw SQL", send: (rows: ReadonlyArray<Row>) => Promise<void>]
    > = [
      ["raw SQL", sendRaw],
      ["node", sendTo(nodeUrl)],
      ["bun", sendTo(bunUrl)]
    ]
    await fetch(`${nodeUrl}/manage/v1/accounts/${sandbox!.accountId}/settings`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
    })
    await fetch(`${nodeUrl}/manage/v1/accounts/${sandbox!.accountId}/topics`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ key: "news", name: "News" })
    })
    const kinds: ReadonlyArray<Kind> = ["profiles", "profiles, consent and topics"]
    for (const kind of kinds) {
      for (const [name, send] of targets) await measure(kind, 1, `warm-${name}-${kind.length}`, 0, send)
    }
    for (const [kind, clients] of kinds.flatMap((one) => [[one, 1] as const, [one, 4] as const])) {
      const created = new Map<string, Array<Rate>>(targets.map(([name]) => [name, []]))
      const updated = new Map<string, Array<Rate>>(targets.map(([name]) => [name, []]))
      for (let round = 0; round < rounds; round++) {
        for (const [name, send] of targets) {
          const people = `${name.replace(" ", "")}-${kind.length}-${clients}-${round}`
          created.get(name)!.push(await measure(kind, clients, people, 0, send))
          updated.get(name)!.push(await measure(kind, clients, people, 1, send))
        }
      }
      for (const [change, rates] of [
        ["new rows", created],
        ["updates", updated]
      ] as const) {
        const raw = rates.get("raw SQL")!
        const perSecond = (of: ReadonlyArray<Rate>) => median(of.map((one) => one.perSecond)).toFixed(0)
        console.log(`${kind}; ${clients} clients, ${change}: raw SQL ${perSecond(raw)} contacts/s`)
        for (const name of ["node", "bun"]) {
          const of = rates.get(name)!
          ratio(`  ${name}, ${perSecond(of)} contacts/s, of raw SQL`, of, raw)
        }
      }
    }
  } finally {
    await runtime.dispose()
    for (const server of [node, bun]) server.signal("SIGKILL")
    await Promise.all([node.ended, bun.ended])
    await folder.remove()
    await database.remove()
  }
}
