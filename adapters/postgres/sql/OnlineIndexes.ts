/**
 * Builds the indexes of a migration one by one, outside transactions, while other nodes write to the tables.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Matches a statement that builds an index online, and captures the names of the index and its table. */
const form = /^create (?:unique )?index concurrently (\w+) on (\w+) /

/** Whether a migration builds indexes online. If so, all of its statements do. */
export const isOnline = (statements: ReadonlyArray<string>): boolean =>
  statements.length > 0 && statements.every((statement) => form.test(statement))

/** Returns the statement that builds the same index in a transaction. */
export const atOnce = (statement: string): string =>
  form.test(statement) ? statement.replace(" concurrently ", " ") : statement

/** How often a node checks whether another node has built the indexes. */
const pause = "500 millis"

/** How often a build is restarted after deadlocks with other statements, which end in the meantime. */
const maxDeadlocks = 20

const isDeadlock = ({ reason }: SqlError): boolean => reason._tag === "DeadlockError"

/** Statements have no time limit, and the server notices within a second that the client was killed. */
const unlimited = [
  "set statement_timeout = 0",
  `do $$ begin
    set client_connection_check_interval = '1s';
  exception when others then null;
  end $$`
]
const limited = ["reset statement_timeout", "reset client_connection_check_interval"]

/** Runs an effect whose statements use one connection of the pool, outside transactions. */
const inSession = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) =>
        Effect.provideService(effect, sql.transactionService, [connection, 0])
      )
    )
  )

/**
 * Builds the missing indexes of an online migration. A build that was killed left an invalid index, which is dropped and built
 * again. One node builds. The others wait until it has finished, or continue where it stopped.
 *
 * @param lock the key of the advisory lock held by the session of the node that builds. A transaction cannot hold it, because
 *   the build would wait for that transaction. The build would also wait for a statement that waits for the lock, so the
 *   other nodes poll
 * @param isMissing whether no node has recorded the migration
 * @param record runs after the last index
 * @param built is called with the number of indexes that were built
 */
export const buildOnline = <E, R>(
  statements: ReadonlyArray<string>,
  lock: number,
  isMissing: Effect.Effect<boolean, E, R>,
  record: Effect.Effect<unknown, SqlError>,
  built: (count: number) => void
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const run = (text: string) => sql.unsafe(text).unprepared
    const build = Effect.fnUntraced(function* (statement: string) {
      const [, name, table] = form.exec(statement)!
      const [found] = yield* sql<{ readonly valid: boolean }>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`
      if (found?.valid === true) return
      if (found !== undefined) yield* run(`drop index concurrently ${name}`)
      yield* run(statement)
      yield* run(`analyze ${table}`)
    })
    const buildAll = Effect.gen(function* () {
      for (const [count, statement] of statements.entries()) {
        built(count)
        yield* Effect.retry(build(statement), { times: maxDeadlocks, while: isDeadlock })
      }
      yield* record
      built(statements.length)
    })
    yield* Effect.acquireRelease(Effect.forEach(unlimited, run, { discard: true }), () =>
      Effect.ignore(Effect.forEach(limited, run, { discard: true }))
    )
    while (yield* isMissing) {
      const [tried] = yield* sql<{ readonly locked: boolean }>`select pg_try_advisory_lock(${lock}) as locked`
      if (tried?.locked === true) {
        yield* Effect.ensuring(
          Effect.when(buildAll, isMissing),
          Effect.ignore(sql`select pg_advisory_unlock(${lock})`)
        )
      } else yield* Effect.sleep(pause)
    }
  }).pipe(Effect.scoped, inSession)
