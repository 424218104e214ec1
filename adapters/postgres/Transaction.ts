/**
 * Runs transactions of the database, and hooks after a commit.
 *
 * @module
 */
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Transaction, WriteConflict } from "../../core/ports/Transaction.ts"
import type { Unavailable } from "../../core/shared/Problem.ts"
import { conflictInside, orConflict } from "./sql/errors.ts"
import { beginText } from "./connection/HeldBegin.ts"
import { withReplyTimeout } from "./engine/ReplyTimeout.ts"
import { Statistics } from "./engine/Statistics.ts"

/** A running transaction, as the fibers in it see it. */
interface Open {
  readonly hooks: Set<() => void>
}

const CurrentTransaction = Context.Reference<Open | null>("svc/adapters/postgres/CurrentTransaction", {
  defaultValue: () => null
})

/**
 * Runs `hook` after the running transaction has committed, and never if it is rolled back. Outside a transaction, where each
 * statement commits on its own, it runs immediately. The same function runs once per transaction.
 */
export const afterCommit = (hook: () => void): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const transaction = fiber.getRef(CurrentTransaction)
    if (transaction === null) hook()
    else transaction.hooks.add(hook)
    return Effect.void
  })

/** PostgreSQL answers COMMIT with ROLLBACK if an earlier statement failed, even if the error was caught. */
const committed = (reply: unknown): boolean =>
  typeof reply === "object" && reply !== null && "command" in reply && reply.command === "COMMIT"

/** The port over a `SqlClient`. A transaction inside another joins it, without savepoints. */
export const layer = (areSerial: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { transactionService } = sql
    const { noteCommit } = yield* Statistics

    const run = <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | WriteConflict | Unavailable, R> =>
      Effect.withFiber((fiber) => {
        if (Option.isSome(Context.getOption(fiber.context, transactionService))) return effect
        const transaction: Open = { hooks: new Set() }
        return Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Scope.make(), (scope) =>
            Effect.flatMap(restore(orConflict(Scope.provide(sql.reserve, scope))), (connection) => {
              const inside = effect.pipe(
                Effect.provideService(transactionService, [connection, 0]),
                Effect.provideService(CurrentTransaction, transaction),
                Effect.mapError(conflictInside)
              )
              return Effect.flatMap(orConflict(connection.executeUnprepared(beginText, [], undefined)), () =>
                Effect.flatMap(
                  Effect.exit(restore(inside)),
                  (exit): Effect.Effect<A, E | WriteConflict | Unavailable> => {
                    // A broken connection has rolled back already, and the pool removes it.
                    if (Exit.isFailure(exit)) {
                      return Effect.andThen(
                        Effect.ignore(withReplyTimeout(connection.execute("ROLLBACK", [], undefined))),
                        exit
                      )
                    }
                    return Effect.flatMap(orConflict(connection.executeRaw("COMMIT", [])), (reply) => {
                      if (!committed(reply))
                        return Effect.fail(new WriteConflict({ constraint: "transaction" }))
                      noteCommit()
                      for (const hook of transaction.hooks) hook()
                      return exit
                    })
                  }
                )
              )
            }).pipe(Effect.onExit((exit) => Scope.close(scope, exit)))
          )
        )
      })

    return Transaction.of({ areSerial, run })
  }).pipe(Layer.effect(Transaction), Layer.provide(Statistics.layer))
