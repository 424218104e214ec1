/**
 * Measures lists and segments over a million contacts on a PostgreSQL server: the time in the database and the plan of each
 * statement. BENCH_CONTACTS sets the number of contacts.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Result } from "effect"
import { layerServer } from "../../adapters/postgres/index.ts"
import { countStatement, listStatement, pageStatement } from "../../adapters/postgres/segments/statements.ts"
import { sessionSettings } from "../../adapters/postgres/engine/session.ts"
import { builtInSegments } from "../../core/audience/segments/BuiltInSegments.ts"
import type { SegmentDefinition } from "../../core/model/SegmentDefinition.ts"
import { parseDefinition, type DefinitionWrite } from "../../core/audience/segments/SegmentRules.ts"
import { startPostgresServer } from "../support/postgresServer.ts"

const accountId = "0190a5d0-0000-7000-8000-000000000001"
const now = Date.UTC(2031, 4, 6, 7, 8, 9)
const plan = { key: "plan", label: "Plan", type: "Text", description: null } as const
const vocabulary = {
  fields: [{ ...plan, accountId, createdFrom: "Api", createdAt: now, archivedAt: null } as const],
  topics: []
}

/** A million customers of a typical shop: a fifth have bought something, most are subscribed, one in a hundred is suppressed. */
const population = (count: number): ReadonlyArray<string> => [
  `insert into contacts (account_id, id, email, first_name, last_name, city, country_code, language, consent_status,
    marketing_declared, is_paying_customer, order_count, total_spent, from_orders, tags, attributes, topics, added_at,
    last_order_at, last_open_at, last_click_at, last_emailed_at, version)
  select '${accountId}',
    (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
    'person' || n || '@example.com', 'First' || n % 5000, 'Last' || n % 20000, 'City ' || n % 300,
    (array['DE', 'AT', 'CH', 'FR', 'NL', 'PL', 'SE', 'IT'])[1 + n % 8], 'de',
    (array['Subscribed', 'Subscribed', 'Subscribed', 'SoftOptIn', 'Unsubscribed', 'Unknown'])[1 + n % 6],
    false, n % 5 = 0, case when n % 5 = 0 then n % 7 else 0 end, case when n % 5 = 0 then (n % 900) / 7.0 else 0 end, n % 5 = 0,
    jsonb_build_array('tag' || n % 20, 'vip'), jsonb_build_object('plan', (array['free', 'pro', 'team'])[1 + n % 3]), '{}',
    timestamptz '2031-05-06 06:00Z' - (${count} - n) * interval '90 seconds',
    case when n % 5 = 0 then timestamptz '2031-05-06 06:00Z' - (n % 700) * interval '1 day' end,
    case when n % 3 > 0 then timestamptz '2031-05-06 06:00Z' - (n % 500) * interval '1 day' end,
    case when n % 9 = 0 then timestamptz '2031-05-06 06:00Z' - (n % 400) * interval '1 day' end,
    timestamptz '2031-05-06 06:00Z' - (n % 40) * interval '1 day', 1
  from generate_series(1, ${count}) n`,
  `insert into contact_counts (account_id, contacts) values ('${accountId}', ${count})`,
  `insert into suppressions (account_id, email, kind, created_at)
  select '${accountId}', 'person' || n * 100 || '@example.com', 'Protected', '2031-01-01Z' from generate_series(1, ${count} / 100) n`,
  `insert into timeline (account_id, id, contact_id, name, occurred_at, properties, source)
  select account_id, id, id, (array['bought', 'visited', 'visited'])[1 + order_count % 3],
    added_at + interval '1 minute', '{}', 'Api' from contacts where order_count > 0`,
  `vacuum (analyze) contacts`,
  `vacuum (analyze) timeline`,
  `vacuum (analyze) suppressions`
]

const rule = (fieldKey: string, operator: string, value: unknown = null) => ({ fieldKey, operator, value })

const typical: Readonly<Record<string, DefinitionWrite>> = {
  "engaged customers of three countries": {
    join: "All",
    rules: [
      rule("lastOpenAt", "InLastDays", 90),
      rule("countryCode", "In", ["de", "at", "ch"]),
      rule("orderCount", "GreaterOrEqual", 1)
    ]
  },
  "one email domain": { join: "All", rules: [rule("email", "EndsWith", "99@example.com")] },
  "plan and tag": {
    join: "All",
    rules: [rule("attributes.plan", "Equals", "PRO"), rule("tags", "HasAny", ["tag1", "tag2"])]
  },
  "bought twice or visited": {
    join: "Any",
    rules: [
      rule("orderCount", "GreaterOrEqual", 2),
      rule("events.visited", "HappenedAtLeast", { count: 1, days: 365 })
    ]
  }
}

const definitionOf = (write: DefinitionWrite): SegmentDefinition =>
  Result.getOrThrow(parseDefinition(write, vocabulary)).definition

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const bench = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const started = performance.now()
    for (const statement of population(count)) yield* sql.unsafe(statement)
    print(`${count} contacts made in ${Math.round(performance.now() - started)} ms`)

    const measure = Effect.fnUntraced(function* (
      name: string,
      text: string,
      parameters: ReadonlyArray<unknown>
    ) {
      yield* sql.unsafe(text, parameters).unprepared
      const rows = yield* sql.unsafe<Readonly<Record<string, string>>>(
        `explain (analyze, buffers, costs off) ${text}`,
        parameters
      ).unprepared
      const lines = rows.map((row) => row["QUERY PLAN"] ?? "")
      const time = lines.find((line) => line.startsWith("Execution Time"))
      print(`\n== ${name}: ${time ?? ""}`)
      for (const line of lines) print(`   ${line}`)
    })

    for (const page of [1, 1000, 20_000]) {
      const { parameters, text } = listStatement(accountId, { page, pageSize: 50 })
      yield* measure(`contacts, page ${page}`, text, parameters)
    }
    // The statements of the adapter.
    yield* sql`set enable_seqscan = on`
    const builtIns = builtInSegments(accountId, (text) => text.padEnd(32, "0"))
    const named = [
      ...builtIns.map(({ builtInKey, definition }) => [builtInKey ?? "", definitionOf(definition)] as const),
      ...Object.entries(typical).map(([name, write]) => [name, definitionOf(write)] as const)
    ]
    for (const [name, definition] of named) {
      const { parameters, text } = countStatement(accountId, [definition], now)
      yield* measure(`count: ${name}`, text, parameters)
    }
    const all = countStatement(
      accountId,
      builtIns.map(({ definition }) => definitionOf(definition)),
      now
    )
    yield* measure("count: all built-in segments", all.text, all.parameters)
    for (const [name, definition] of named.slice(-4)) {
      const { parameters, text } = pageStatement(accountId, definition, { page: 1, pageSize: 50 }, now)
      yield* measure(`page: ${name}`, text, parameters)
    }
  })

/** Creates the contacts, measures, and prints the results. */
export const benchSegments = async (): Promise<void> => {
  const server = await startPostgresServer()
  try {
    const url = Redacted.make(server.url)
    await Effect.runPromise(Effect.provide(Effect.void, layerServer(url)))
    await Effect.runPromise(
      bench(Number(process.env["BENCH_CONTACTS"] ?? 1_000_000)).pipe(
        Effect.provide(PgClient.layer({ url, maxConnections: 1, startupParameters: { ...sessionSettings } }))
      )
    )
  } finally {
    await server.remove()
  }
}
