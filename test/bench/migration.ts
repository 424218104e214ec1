/**
 * Measures the migration of a database from the version before partitioning while nodes of that version are running: the duration
 * of their calls before, during and after it, and after a migration that was killed.
 *
 * `npm run bench -- migration 5000000` creates that many rows in each table; without a number, 100,000.
 *
 * @module
 */
import { startPostgresServer } from "../support/postgresServer.ts"
import { installBefore, makeCalls, startMigration } from "../support/upgrade.ts"

const concurrency = 4
const span = 10_000

/** After this time without a response, in milliseconds, calls are considered blocked. */
const blocked = 1_000

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const share = (sorted: ReadonlyArray<number>, part: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1).padStart(10)} ms`

/** Measures and prints the results. */
export const benchMigration = async (rows: number): Promise<void> => {
  const server = await startPostgresServer(["-c", "max_wal_size=4GB"])
  try {
    const filled = performance.now()
    await installBefore(server.url, rows)
    console.log(
      `${rows.toLocaleString("en")} rows of each table in ${((performance.now() - filled) / 1000).toFixed(0)} s\n`
    )
    const calls = makeCalls(server.url, concurrency)
    const during = async (name: string, act: () => Promise<unknown>) => {
      const from = performance.now()
      await act()
      const until = performance.now()
      // Includes the calls that waited for its end.
      await pause(span / 10)
      const taken = calls.taken
        .filter(({ at, millis }) => at > from && at - millis < until)
        .map(({ millis }) => millis)
        .toSorted((a, b) => a - b)
      console.log(
        `${name.padEnd(28)} ${((until - from) / 1000).toFixed(1).padStart(6)} s ${String(taken.length).padStart(7)} calls   ` +
          `p50 ${share(taken, 0.5)}   p99 ${share(taken, 0.99)}   longest ${share(taken, 1)}`
      )
    }
    const migrated = async () => {
      const { code, output } = await startMigration(server.url).ended
      if (code !== 0) throw new Error(`svc migrate ended with ${code}: ${output}`)
    }
    await during("before", () => pause(span))
    await during("a migration that is killed", async () => {
      const migration = startMigration(server.url)
      // Waits until calls are blocked by it.
      while (performance.now() - calls.taken.at(-1)!.at < blocked) await pause(20)
      migration.kill()
      const { code } = await migration.ended
      if (code !== null) throw new Error("the migration ended before it was killed: take more rows")
    })
    await during("between", () => pause(span))
    await during("the migration", migrated)
    await during("after, nodes not replaced", () => pause(span))
    console.log(`\n${await calls.stop()} calls failed`)
  } finally {
    await server.remove()
  }
}
