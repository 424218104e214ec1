/**
 * Builds the indexes of a migration while the tables are written: one by one, outside transactions.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** A statement that builds an index online, with the names of the index and of its table. */
const form = /^create (?:unique )?index concurrently (\w+) on (\w+) /

/** Whether a migration builds indexes online, which all of its statements do. */
export const isOnline = (statements: ReadonlyArray<string>): boolean =>
  statements.length > 0 && statements.every((statement) => form.test(statement))

/** The statement that builds the same index in a transaction. */
export const atOnce = (statement: string): string =>
  form.test(statement) ? statement.replace(" concurrently ", " ") : statement

/** How often a node asks whether another one has built the indexes. */
const pause = "500 millis"

/** How often a build starts again that deadlocked with other statements, which end meanwhile. */
const maxDeadlocks = 20

const isDeadlock = ({ reason }: SqlError): boolean => reason._tag === "DeadlockError"

/** Statements may take any time, and the server notices within a second that the client was killed. */
const unlimited = [
  "set statement_timeout = 0",
  `do $$ begin
    set client_connection_check_interval = '1s';
  exception when others then null;
  end $$`
]
const limited = ["reset statement_timeout", "reset client_connection_check_interval"]

/** Runs an effect whose statements are sent over one connection of the pool, outside transactions. */
const inSession = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) =>
        Effect.provideService(effect, sql.transactionService, [connection, 0])
      )
    )
  )

/**
 * Builds those indexes of an online migration that are missing. A build that was killed left an invalid index, which is
 * dropped and built again. One node builds; others wait until it has, or go on where it ended.
 *
 * @param lock the advisory lock of the node that builds. Its session holds it: a transaction would keep the build waiting. So would
 *   a statement that waits for the lock, which is why the others ask for it again and again
 * @param isMissing whether no node has recorded the migration
 * @param record runs after the last index
 * @param built is called with the number of indexes that are built
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
