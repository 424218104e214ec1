/**
 * The reference for the measurements: a bare handler on `node:http` or `Bun.serve` that upserts a contact, or writes an email's
 * rows in one statement. It has the same driver and a connection pool, but no keys, rate limits or rules.
 *
 * @module
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"

const runtime = ManagedRuntime.make(
  PgClient.layer({
    url: Redacted.make(process.argv[2]!),
    // As many as help: each has its own transaction, and the server commits them together.
    maxConnections: 24,
    startupParameters: { jit: "off", plan_cache_mode: "force_generic_plan" }
  })
)
const sql = await runtime.runPromise(PgClient.PgClient)
await runtime.runPromise(
  sql.unsafe(`create table if not exists raw_contacts (account_id uuid not null, id uuid not null, email text not null,
    first_name text, updated_at timestamptz not null, primary key (account_id, id), unique (account_id, email))`)
)

for (const table of ["submissions", "deliveries", "jobs"])
  await runtime.runPromise(
    sql.unsafe(`create table if not exists raw_${table} (like ${table} including all)`)
  )

const accountId = "00000000-0000-7000-8000-000000000001"

/** Writes the rows that the service writes for an email: its submission, its delivery, and the job that sends it. */
const answerEmail = (body: string): Promise<string> => {
  const { html, subject, to } = JSON.parse(body) as { html: string; subject: string; to: string }
  const [id, now] = [crypto.randomUUID(), new Date()]
  const insertion = sql`
    with submission as (
      insert into raw_submissions (account_id, id, content_digest, subject, html, headers, language, source, tags, metadata,
        is_system, accepted_status, created_at)
      values (${accountId}, ${id}, '', ${subject}, ${html}, '[]', 'en', 'Api', '{}', '{}', false, 'Queued', ${now})
    ), delivery as (
      insert into raw_deliveries (account_id, id, submission_id, position, email, kind, status, attempts, claims, created_at,
        updated_at)
      values (${accountId}, ${id}, ${id}, 0, ${to}, 'To', 'Queued', 0, 0, ${now}, ${now})
    )
    insert into raw_jobs (account_id, queue, id, key, run_at, due_at, leased, attempts, payload)
    values (${accountId}, 'deliveries', ${crypto.randomUUID()}, ${id}, ${now}, ${now}, false, 0,
      ${JSON.stringify({ deliveryId: id })}::jsonb)`
  return runtime.runPromise(
    Effect.as(
      insertion,
      JSON.stringify({ isSuccess: true, value: { id, status: "Queued", createdAt: now.toISOString() } })
    )
  )
}

const answerContact = (body: string): Promise<string> => {
  const { email, firstName } = JSON.parse(body) as { email: string; firstName: string }
  const upsert = sql<{ id: string }>`
    insert into raw_contacts (account_id, id, email, first_name, updated_at)
    values (${accountId}, ${crypto.randomUUID()}, ${email}, ${firstName}, ${new Date()})
    on conflict (account_id, email) do update set first_name = excluded.first_name, updated_at = excluded.updated_at
    returning id`
  return runtime.runPromise(Effect.map(upsert, (rows) => JSON.stringify({ isSuccess: true, value: rows[0] })))
}

const answer = (path: string, body: string): Promise<string> =>
  path.endsWith("/emails") ? answerEmail(body) : answerContact(body)

const listenOnNode = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        void answer(request.url ?? "", Buffer.concat(chunks).toString()).then((text) => {
          response.writeHead(201, {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(text)
          })
          response.end(text)
        })
      })
    })
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

const listenOnBun = (): number =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) =>
      new Response(await answer(request.url, await request.text()), {
        status: 201,
        headers: { "content-type": "application/json" }
      })
  }).port!

const port = "bun" in process.versions ? listenOnBun() : await listenOnNode()
console.log(`http://127.0.0.1:${port}/`)
