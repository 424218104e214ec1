/**
 * Tests migrating a database that is in use. `bench -- migration` measures it with large tables.
 *
 * @module
 */
import { expect, it } from "vitest"
import { migrations } from "../../../adapters/postgres/migrations/index.ts"
import { emptyDatabase, execute, isWaiting, query } from "../../support/postgres.ts"
import {
  countText,
  filledTables,
  holdTable,
  installBefore,
  makeCalls,
  schemaVersionText,
  startMigration,
  startMigrationBy,
  versionBefore
} from "../../support/upgrade.ts"

const rows = 5_000

/**
 * Finds expression indexes over the filled tables without planner statistics. Partial indexes are exempt, because they may have
 * none.
 */
const withoutStatisticsText = `
  select i.indexrelid::regclass::text as name from pg_index i join pg_class t on t.oid = i.indrelid
  where t.relname in ('events', 'submissions', 'deliveries', 'timeline', 'notifications') and i.indexprs is not null
    and i.indpred is null and not exists (select from pg_stats s where s.tablename = i.indexrelid::regclass::text)
  order by 1`

const until = async (condition: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

it(
  "a migration under load that was killed changes nothing, frees its locks, and starts again",
  { timeout: 60_000 },
  async () => {
    const url = await emptyDatabase()
    await installBefore(url, rows)
    const version = async () =>
      (await query<{ readonly version: number }>(url, schemaVersionText))[0]!.version
    const calls = makeCalls(url, 2)
    await until(() => calls.taken.length > 20)

    const release = await holdTable(url, "notifications")
    const killed = startMigration(url)
    await until(() => isWaiting(url))
    killed.kill()
    expect((await killed.ended).code).toBeNull()
    // Its locks are released although what it waited for is not.
    const made = calls.taken.length
    await until(() => calls.taken.length > made + 20)
    expect(await version()).toBe(versionBefore)
    await release()

    const again = await startMigration(url).ended
    expect(again).toMatchObject({ code: 0 })
    expect(await version()).toBe(migrations.length)
    // Nodes of the previous version, which are still running, continue.
    const migrated = calls.taken.length
    await until(() => calls.taken.length > migrated + 20)
    expect(await calls.stop()).toBe(0)
    // The expression indexes it created have statistics, without which the planner cannot estimate the number of rows.
    const unknown = await query<{ readonly name: string }>(url, withoutStatisticsText)
    expect(unknown.map(({ name }) => name)).toEqual([])
    const [counts] = await query<Record<string, number>>(url, countText)
    const written = { events: 1, submissions: 1, deliveries: 1 } as Readonly<Record<string, number>>
    for (const table of filledTables) {
      expect([table, counts![table]]).toEqual([table, rows + calls.taken.length * (written[table] ?? 0)])
    }
  }
)

/** The schema of a version, including a table with rows. */
const grown = [
  ["create table grown (id int primary key, place int)"],
  ["insert into grown select n, -n from generate_series(1, 1000) n"]
]

/** The migrations of a later version: two indexes built online, and then another change. */
const later = [
  ...grown,
  [
    "create index concurrently grown_place on grown (place)",
    "create unique index concurrently grown_pair on grown (place, (id + 1))"
  ],
  ["alter table grown add column kind text"]
]

const indexesText = `select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = 'grown'::regclass and not i.indisprimary order by 1`

const buildsText = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and state = 'active' and query ~ '^(create|drop) (unique )?index concurrently'`

it(
  "indexes are built while their table is written, by one node, again after a kill",
  { timeout: 60_000 },
  async () => {
    const url = await emptyDatabase()
    expect(await startMigrationBy(url, grown).ended).toMatchObject({ code: 0 })
    const builds = async () => (await query<{ readonly count: number }>(url, buildsText))[0]!.count
    const versions = () =>
      query<{ readonly version: number }>(url, "select version from svc_migrations order by 1")

    // A build waits for transactions that write to the table, which leaves time to look.
    const release = await holdTable(url, "grown", "row exclusive")
    const killed = startMigrationBy(url, later)
    await until(async () => (await builds()) === 1)
    await execute(url, "insert into grown (id, place) values (2000, 2000)")
    killed.kill()
    expect((await killed.ended).code).toBeNull()
    await until(async () => (await builds()) === 0)
    expect(await query(url, indexesText)).toEqual([{ name: "grown_place", valid: false }])

    const nodes = [startMigrationBy(url, later), startMigrationBy(url, later)]
    await until(async () => (await builds()) === 1)
    await release()
    for (const node of nodes) expect(await node.ended).toMatchObject({ code: 0 })
    expect(await query(url, indexesText)).toEqual([
      { name: "grown_pair", valid: true },
      { name: "grown_place", valid: true }
    ])
    expect(await versions()).toEqual(later.map((_, index) => ({ version: index + 1 })))
  }
)
