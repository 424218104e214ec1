/**
 * Stores steps of sign-ins in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SignInStep } from "../../core/model/SignInStep.ts"
import { SignInStepStore } from "../../core/ports/SignInStepStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { first } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<SignInStep>({
  hash: "text",
  kind: "text",
  userId: "uuid",
  data: "text",
  expiresAt: "timestamptz",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("sign_in_steps", columns)
  const valid = (kind: string, hash: string, now: number) =>
    sql`from sign_in_steps where hash = ${hash} and kind = ${kind} and expires_at > ${new Date(now)}`

  return SignInStepStore.of({
    insert: (steps) => table.insertMany(steps),
    find: (kind, hash, now) => first(table.select(valid(kind, hash, now))),
    take: (kind, hash, now) => first(table.returning(sql`delete ${valid(kind, hash, now)}`)),
    prune: (before, limit) => pruneOldest(sql, "sign_in_steps", "expires_at", before, limit)
  })
}).pipe(Layer.effect(SignInStepStore))
