/**
 * Compares POST /contacts/batch end to end with raw SQL that upserts the same rows: new rows and updates, one client and four, on
 * Node and on Bun, over one PostgreSQL with durable settings. Once only with profiles, once with consent, its proof and a topic
 * too.
 *
 * The raw side writes what the service writes, into tables with the same columns and indexes: the contact and, for a new one with
 * consent, an entry of its consent history and an event on its timeline. It makes no decisions: no key, no rate limit, no
 * validation, no look-up of identities, no conflicts, no counts, no search columns. It is measured with two kinds of tables: with
 * PostgreSQL's default fill factor, and with the service's room for updates, which is harder to match.
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
  readonly consent?: { readonly basis: "Subscribed"; readonly proof: Proof }
  readonly topics?: { readonly news: boolean }
}

interface Proof {
  readonly text: string
  readonly locale: string
  readonly ipAddress: string
  readonly givenAt: string
}

/** The content of a row. */
type Kind = "profiles" | "profiles, consent and topics"

const names = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Radia", "Tim"]
const cities = ["London", "New York", "Wilmslow", "Rotterdam", "Los Angeles"]

/** The proof of a person's consent, with its own time and address. */
const proofOf = (index: number): Proof => ({
  text: "Yes, send me the newsletter.",
  locale: index % 3 === 0 ? "de" : "en",
  ipAddress: `10.1.${index >> 8}.${index & 255}`,
  givenAt: new Date(Date.UTC(2026, 0, 1) + index * 61_000).toISOString()
})

/** The rows of a batch. They are the same people in every round of `people`, with other values in each `version`. */
const rowsOf = (kind: Kind, people: string, batch: number, version: number): ReadonlyArray<Row> =>
  Array.from({ length: batchSize }, (_, index) => ({
    email: `${people}-${batch}-${index}@example.org`,
    externalId: `${people}-${batch}-${index}`,
    firstName: `${names[index % names.length]} ${version}`,
    city: cities[index % cities.length]!,
    ...(kind === "profiles"
      ? {}
      : {
          consent: { basis: "Subscribed", proof: proofOf(index) } as const,
          topics: { news: index % 4 > 0 }
        })
  }))

/** The contacts per second with `clients`, each sending batches one after another. */
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

const rawNames = ["raw SQL", "raw SQL with room"] as const

const accountId = "00000000-0000-7000-8000-000000000001"

/** Measures and prints the results. */
export const benchContactsBatch = async (): Promise<void> => {
  const database = await startPostgresServer()
  const folder = await freshFolder()
  const token = "token-of-the-benchmark-0123456789abcdef"
  const env = { SVC_STORE: database.url, SVC_ADMIN_TOKEN: token, SVC_LOG_LEVEL: "error" }
  const node = startServer("node", folder.path, env)
  const { baseUrl: nodeUrl, sandbox } = await node.ready()
  const bun = startServer("bun", folder.path, env)
  const { baseUrl: bunUrl } = await bun.ready()
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(database.url), multiplex: true }))
  try {
    const sql = await runtime.runPromise(PgClient.PgClient)
    for (const prefix of ["raw", "roomy"]) {
      for (const table of ["contacts", "consents", "timeline"]) {
        const storage = prefix === "roomy" && table === "contacts" ? "with (fillfactor = 50)" : ""
        await runtime.runPromise(
          sql.unsafe(`create table ${prefix}_${table} (like ${table} including all) ${storage}`)
        )
      }
    }
    const sendRawTo =
      (prefix: string) =>
      (rows: ReadonlyArray<Row>): Promise<void> => {
        const withConsent = rows[0]?.consent !== undefined
        const statement = `
        with given as materialized (
          select * from jsonb_to_recordset($2::jsonb)
            as r(email text, "externalId" text, "firstName" text, city text, consent jsonb, topics jsonb)
        ), written as (
          insert into ${prefix}_contacts as c (account_id, id, email, external_id, first_name, city, consent_status,
            consent_source, consent_updated_at, consent_proof, attributes, topics, added_at, version)
          select $1::uuid, gen_random_uuid(), email, "externalId", "firstName", city,
            ${withConsent ? `'Subscribed', 'Api', $3::timestamptz, consent->'proof', '{}', topics` : `'Unknown', null, null, null, '{}', '{}'`},
            $3::timestamptz, 1
          from given
          on conflict (account_id, email) where email is not null do update set first_name = excluded.first_name,
            city = excluded.city, topics = excluded.topics, consent_proof = excluded.consent_proof, version = c.version + 1
          returning id, consent_proof, version
        )`
        const history = `, recorded as (
          insert into ${prefix}_consents (account_id, id, contact_id, "to", basis, proof, source, at)
          select $1::uuid, gen_random_uuid(), id, 'Subscribed', 'Subscribed', consent_proof, 'Api', $3::timestamptz
          from written where version = 1
        )
        insert into ${prefix}_timeline (account_id, id, contact_id, name, occurred_at, properties, source)
        select $1::uuid, gen_random_uuid(), id, 'contact.subscribed', $3::timestamptz, '{}', 'Service'
        from written where version = 1`
        return runtime.runPromise(
          Effect.asVoid(
            sql.unsafe(statement + (withConsent ? history : "select"), [
              accountId,
              JSON.stringify(rows),
              new Date()
            ])
          )
        )
      }
    const sendTo =
      (baseUrl: string) =>
      async (rows: ReadonlyArray<Row>): Promise<void> => {
        const response = await fetch(`${baseUrl}/api/v1/contacts/batch`, {
          method: "POST",
          headers: { authorization: `Bearer ${sandbox!.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ contacts: rows })
        })
        const { value } = (await response.json()) as { value: { failed: number } | null }
        if (response.status !== 200 || value?.failed !== 0)
          throw new Error(`the status was ${response.status}`)
      }
    const targets: ReadonlyArray<
      readonly [name: Runtime | (typeof rawNames)[number], send: (rows: ReadonlyArray<Row>) => Promise<void>]
    > = [
      ["raw SQL", sendRawTo("raw")],
      ["raw SQL with room", sendRawTo("roomy")],
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
          const people = `${name.replaceAll(" ", "")}-${kind.length}-${clients}-${round}`
          created.get(name)!.push(await measure(kind, clients, people, 0, send))
          updated.get(name)!.push(await measure(kind, clients, people, 1, send))
        }
      }
      for (const [change, rates] of [
        ["new rows", created],
        ["updates", updated]
      ] as const) {
        const perSecond = (of: ReadonlyArray<Rate>) => median(of.map((one) => one.perSecond)).toFixed(0)
        const [raw, roomy] = rawNames.map((name) => rates.get(name)!) as [Array<Rate>, Array<Rate>]
        console.log(
          `${kind}; ${clients} clients, ${change}: raw SQL ${perSecond(raw)} contacts/s, with room ${perSecond(roomy)}`
        )
        for (const name of ["node", "bun"]) {
          const of = rates.get(name)!
          ratio(`  ${name}, ${perSecond(of)} contacts/s, of raw SQL`, of, raw)
          ratio(`  ${name}, of raw SQL with room`, of, roomy)
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
