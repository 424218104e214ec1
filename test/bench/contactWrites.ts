/**
 * Measures the storage's part of writing contacts, on a PostgreSQL server and on PGlite: microseconds of CPU time per contact,
 * and the ratio to an upsert of the same people into a table with the columns of contacts but only the key indexes. On PGlite,
 * the CPU time is that of the process, which also creates the statements.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Embedded from "../../adapters/postgres/engine/Embedded.ts"
import * as Server from "../../adapters/postgres/engine/Server.ts"
import { ContactStore as contactStore } from "../../adapters/postgres/layers.ts"
import * as Transaction from "../../adapters/postgres/Transaction.ts"
import { type Contact, newContact } from "../../core/model/Contact.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { median, rounds } from "./measure.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"
const batch = 500
const batches = 10
const bare = { inserted: "bare upsert, new", updated: "bare upsert, changed" }
const now = Date.UTC(2031, 4, 6, 7, 8, 9)

const idOf = (n: number): string => `0190a5d1-0000-7000-8000-${String(n).padStart(12, "0")}`

const person = (n: number): Contact => ({
  ...newContact(idOf(n), `person-${n}-${(n * 7919) % 1000}@mail${n % 7}.example`, now + n),
  externalId: `customer-${n}`,
  firstName: `First${n % 500}`,
  lastName: `Last${(n * 31) % 2000}`,
  city: "London",
  countryCode: "DE",
  consentStatus: "Subscribed",
  consentSource: "Api",
  consentUpdatedAt: now
})

const write = {
  inserts: [],
  updates: [],
  released: [],
  updatedFields: [],
  consents: [],
  contactLimit: null
} as const

/** The kinds of writes. Each writes the people from a number on; `round` makes values differ. */
const kinds: Readonly<
  Record<
    string,
    (people: ReadonlyArray<Contact>, version: number) => Effect.Effect<void, unknown, ContactStore>
  >
> = {
  "new contacts": (people) =>
    ContactStore.use((store) => store.write(accountId, { ...write, inserts: people })),
  "changed attributes": (people, version) =>
    ContactStore.use((store) =>
      store.write(accountId, {
        ...write,
        updates: people.map((one) => ({ ...one, version, attributes: { plan: `p${version}` } })),
        updatedFields: ["attributes"]
      })
    ),
  "changed names": (people, version) =>
    ContactStore.use((store) =>
      store.write(accountId, {
        ...write,
        updates: people.map((one) => ({ ...one, version, firstName: `Ada ${version}` })),
        updatedFields: ["firstName"]
      })
    ),
  "changed consent": (people, version) =>
    ContactStore.use((store) =>
      store.write(accountId, {
        ...write,
        updates: people.map((one) => ({ ...one, version, consentStatus: "Unsubscribed" })),
        updatedFields: ["consentStatus"]
      })
    ),
  "opened emails": (people, version) =>
    ContactStore.use((store) =>
      store.touch(
        accountId,
        people.map((one) => ({ email: one.email!, field: "lastOpenAt" as const, at: now + version * 60_000 }))
      )
    )
}

const upsert = (people: ReadonlyArray<Contact>, version: number) =>
  SqlClient.use((sql) =>
    sql.unsafe(
      `insert into bare_contacts as c (account_id, id, email, external_id, first_name, last_name, city, country_code,
          consent_status, consent_source, consent_updated_at, attributes, topics, added_at, version)
        select '${accountId}', id, email, external_id, first_name || $2::int, last_name, 'London', 'DE', 'Subscribed', 'Api',
          '2031-05-06', '{}', '{}', added_at, $2::int
        from json_to_recordset($1::json) as r (id uuid, email text, external_id text, first_name text, last_name text,
          added_at timestamptz)
        on conflict (account_id, id) do update set first_name = excluded.first_name, version = excluded.version`,
      [
        JSON.stringify(
          people.map((one) => ({
            id: one.id,
            email: one.email,
            external_id: one.externalId,
            first_name: one.firstName,
            last_name: one.lastName,
            added_at: new Date(one.addedAt).toISOString()
          }))
        ),
        version
      ]
    )
  )

/**
 * The CPU time that the server's sessions have used so far, in milliseconds. A busy machine makes them wait, but does not
 * increase it.
 */
const usedByServer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const sessions = yield* sql<{ pid: number }>`
    select pid from pg_stat_activity where backend_type = 'client backend' order by pid`
  const used = yield* Effect.promise(() =>
    Promise.all(
      sessions.map(async ({ pid }) => {
        const [nanos] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ")
        return Number(nanos) / 1_000_000
      })
    )
  )
  return used.reduce((sum, one) => sum + one, 0)
})

/** The CPU time of this process, in which PGlite runs. */
const usedByProcess = Effect.sync(() => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1000
})

const bench = Effect.fnUntraced(function* (store: string, used: Effect.Effect<number, unknown, SqlClient>) {
  const sql = yield* SqlClient
  yield* sql.unsafe(`create table bare_contacts (like contacts including defaults) with (fillfactor = 50)`)
  for (const columns of ["account_id, id", "account_id, email", "account_id, external_id"]) {
    yield* sql.unsafe(`create unique index on bare_contacts (${columns})`)
  }
  yield* sql.unsafe(`create index on bare_contacts (account_id, added_at, id)`)
  const results = new Map<string, Array<number>>()
  for (let round = -1; round < rounds; round++) {
    /** The microseconds per contact. */
    const measure = Effect.fnUntraced(function* <E, R>(
      name: string,
      send: (people: ReadonlyArray<Contact>) => Effect.Effect<unknown, E, R>
    ) {
      const from = yield* used
      for (let index = 0; index < batches; index++) {
        const first = ((round + 1) * batches + index) * batch
        yield* send(Array.from({ length: batch }, (_, place) => person(first + place)))
      }
      const micros = (((yield* used) - from) * 1000) / (batch * batches)
      if (round >= 0) results.set(name, [...(results.get(name) ?? []), micros])
    })
    yield* measure(bare.inserted, (people) => upsert(people, 1))
    yield* measure(bare.updated, (people) => upsert(people, 2))
    for (const [index, [name, send]] of Object.entries(kinds).entries()) {
      yield* measure(name, (people) => send(people, index + 1))
    }
  }
  for (const [name, micros] of results) {
    const base = results.get(/new/.test(name) ? bare.inserted : bare.updated)!
    console.log(
      `${store.padEnd(10)} ${name.padEnd(22)} ${median(micros).toFixed(1).padStart(7)} µs a contact, ` +
        `${median(micros.map((one, index) => one / base[index]!)).toFixed(2)} times the bare upsert`
    )
  }
})

/** Measures and prints the results. */
export const benchContactWrites = async (): Promise<void> => {
  const server = await startPostgresServer()
  const ports = contactStore.pipe(Layer.provideMerge(Transaction.layer(false)))
  try {
    await Effect.runPromise(
      Effect.provide(
        bench("PostgreSQL", usedByServer),
        Layer.provideMerge(ports, Server.layer(Redacted.make(server.url)))
      )
    )
  } finally {
    await server.remove()
  }
  await Effect.runPromise(
    Effect.provide(bench("PGlite", usedByProcess), Layer.provideMerge(ports, Embedded.layer(null)))
  )
}
