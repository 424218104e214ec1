/**
 * Attempts to hand deliveries over, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import type { DeliveryRef } from "../../core/ports/SubmissionStore.ts"
import type { Attempt } from "../../core/model/Message.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"

const attempts = columnsOf({
  accountId: "uuid",
  deliveryId: "uuid",
  claim: "integer",
  startedAt: "timestamptz",
  finishedAt: "timestamptz",
  outcome: "text",
  host: "text",
  tls: "text",
  replies: "jsonb",
  error: "text"
} satisfies Record<keyof Attempt, string>)

/** The port over a `SqlClient`. `offset 0` keeps each look-up one by key, whatever the planner thinks of a table. */
export const layer = Layer.effect(
  AttemptStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const names = sql.literal(attempts.names)
    const fields = sql.literal(attempts.fields)
    const record = sql.literal(attempts.recordset)
    const selected = sql.literal(attempts.selected("a"))
    const given = (refs: ReadonlyArray<DeliveryRef>) => sql`rows from (
      unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.id)}::uuid[])
    ) as r(account, delivery)`

    return AttemptStore.of({
      put: (added) =>
        added.length === 0
          ? Effect.void
          : Effect.asVoid(
              // In one order, so that two batches that overlap never wait for each other.
              orUnavailable(sql`
                insert into attempts (${names})
                select ${fields} from json_to_recordset(${attempts.encode(added)}::json) as r(${record})
                order by "accountId", "deliveryId", claim
                on conflict (account_id, delivery_id, claim) do nothing`)
            ),
      of: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from ${given(refs)} cross join lateral (
                  select * from attempts where account_id = account and delivery_id = delivery offset 0
                ) a order by a.delivery_id, a.claim`),
              (rows) => rows.map((row) => attempts.decode<Attempt>(row))
            ),
      erase: (refs) =>
        refs.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                delete from attempts where ctid = any(array(
                  select a.place from ${given(refs)} cross join lateral (
                    select ctid as place from attempts
                    where account_id = account and delivery_id = delivery offset 0
                  ) a
                ))`)
            )
    })
  })
)
