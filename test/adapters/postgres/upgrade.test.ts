/**
 * The migration of a database that is in use: `bench -- migration` measures it at size.
 *
 * @module
 */
import { expect, it } from "vitest"
import { migrations } from "../../../adapters/postgres/migrations/index.ts"
import { emptyDatabase, isWaiting, query } from "../../support/postgres.ts"
import {
  countText,
  filledTables,
  holdTable,
  installBefore,
  makeCalls,
  schemaVersionText,
  startMigration,
  versionBefore
} from "../../support/upgrade.ts"

const rows = 5_000

/** Indexes of expressions over the tables that were filled, of which the planner knows nothing; those of some rows have none to know. */
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
    // Its locks are free although what it waited for is not.
    const made = calls.taken.length
    await until(() => calls.taken.length > made + 20)
    expect(await version()).toBe(versionBefore)
    await release()

    const again = await startMigration(url).ended
    expect(again).toMatchObject({ code: 0 })
    expect(await version()).toBe(migrations.length)
    // Nodes of the version before, which are still there, go on.
    const migrated = calls.taken.length
    await until(() => calls.taken.length > migrated + 20)
    expect(await calls.stop()).toBe(0)
    // Indexes of expressions that it made have statistics, without which a number of rows is not estimated.
    const unknown = await query<{ readonly name: string }>(url, withoutStatisticsText)
    expect(unknown.map(({ name }) => name)).toEqual([])
    const [counts] = await query<Record<string, number>>(url, countText)
    const written = { events: 1, submissions: 1, deliveries: 1 } as Readonly<Record<string, number>>
    for (const table of filledTables) {
      expect([table, counts![table]]).toEqual([table, rows + calls.taken.length * (written[table] ?? 0)])
    }
  }
)
