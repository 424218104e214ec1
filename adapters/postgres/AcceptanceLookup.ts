/**
 * What accepting an email depends on, in one statement.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AcceptanceLookup } from "../../core/ports/AcceptanceLookup.ts"
import type { SendingDomain } from "../../core/model/Domain.ts"
import { accountColumns, type AccountRow, toAccount } from "./AccountStore.ts"
import { domains } from "./DomainStore.ts"
import { orUnavailable } from "./sql/errors.ts"
import { listed, type SuppressionRow, toSuppression } from "./SuppressionStore.ts"

/** The one row of the statement: rows of tables as JSON. */
interface FactsRow {
  readonly account: AccountRow | null
  readonly verified: ReadonlyArray<object> | null
  readonly suppressed: ReadonlyArray<SuppressionRow> | null
}

/** The port over a `SqlClient`, for the stores of the same database. */
export const layer = Layer.effect(
  AcceptanceLookup,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { sources } = yield* AcceptanceLookup.ofPorts
    const accountFields = sql.literal(accountColumns)
    const domainFields = sql.literal(domains.selected("d"))

    return AcceptanceLookup.of({
      sources,
      find: (accountId, emails) =>
        Effect.map(
          orUnavailable(sql<FactsRow>`
            select (
              select row_to_json(a) from (
                select ${accountFields} from accounts where account_id = ${accountId}
              ) a
            ) as account, (
              select json_agg(v) from (
                select ${domainFields} from domains d where account_id = ${accountId} and status = 'Verified'
              ) v
            ) as verified, (
              select json_agg(l) from (${listed(
                sql,
                sql`select distinct ${accountId}::uuid as account, unnest(${emails}::text[]) as address`
              )}) l
            ) as suppressed`),
          ([row]) => ({
            account: row?.account ? toAccount(row.account) : null,
            verified: (row?.verified ?? []).map((domain) => domains.parse<SendingDomain>(domain)),
            suppressed: (row?.suppressed ?? []).map(toSuppression)
          })
        )
    })
  })
)
