/**
 * Reads everything that the acceptance of an email depends on, in one statement.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AcceptanceLookup } from "../../core/ports/AcceptanceLookup.ts"
import { accountColumns } from "./AccountStore.ts"
import { domains } from "./DomainStore.ts"
import { orUnavailable } from "./sql/errors.ts"
import { listed, suppressionColumns } from "./SuppressionStore.ts"

/** The single row of the statement's result, with rows of tables as JSON. */
interface FactsRow {
  readonly account: object | null
  readonly verified: ReadonlyArray<object> | null
  readonly suppressed: ReadonlyArray<object> | null
}

/** The port over a `SqlClient`, for the stores of the same database. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { sources } = yield* AcceptanceLookup.ofPorts
  const accountFields = sql.literal(accountColumns.selected("a"))
  const domainFields = sql.literal(domains.selected("d"))
  const suppressionFields = sql.literal(suppressionColumns.selected("suppressions"))

  return AcceptanceLookup.of({
    sources,
    find: (accountId, emails) =>
      orUnavailable(sql<FactsRow>`
        select (
          select row_to_json(a) from (
            select ${accountFields} from accounts a where account_id = ${accountId}
          ) a
        ) as account, (
          select json_agg(v) from (
            select ${domainFields} from domains d where account_id = ${accountId} and status = 'Verified'
          ) v
        ) as verified, (
          select json_agg(l) from (select ${suppressionFields} ${listed(
            sql,
            sql`select distinct ${accountId}::uuid as account, unnest(${emails}::text[]) as address`
          )}) l
        ) as suppressed`).pipe(
        Effect.map(([row]) => ({
          account: row?.account ? accountColumns.decode(row.account) : null,
          verified: (row?.verified ?? []).map(domains.decode),
          suppressed: (row?.suppressed ?? []).map(suppressionColumns.decode)
        }))
      )
  })
}).pipe(Layer.effect(AcceptanceLookup))
