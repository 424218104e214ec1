/**
 * The audit log in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type AuditEntry, AuditLog } from "../../core/ports/AuditLog.ts"
import type { Json } from "../../core/shared/Json.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

interface EntryRow extends PageRow {
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly before: Json
  readonly after: Json
}

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return AuditLog.of({
      append: (entries) =>
        Effect.asVoid(
          orUnavailable(sql`
            insert into audit_log (account_id, id, at, actor, action, target, before, after)
            select "accountId", id, at, actor, action, target, before, after
            from jsonb_to_recordset(${JSON.stringify(
              entries.map((entry) => ({ ...entry, at: new Date(entry.at) }))
            )}::jsonb) as r(
              "accountId" uuid, id uuid, at timestamptz, actor text, action text, target text, before jsonb, after jsonb)`)
        ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<EntryRow>`
            select c.total, p.* from (select count(*)::int as total from audit_log where account_id = ${accountId}) c
            left join lateral (
              select id, at, actor, action, target, before, after from audit_log where account_id = ${accountId}
              order by at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p.at desc, p.id desc`),
          (rows) =>
            pageOf(rows, page, ({ action, actor, after, at, before, id, target }): AuditEntry => ({
              id: id!,
              accountId,
              at: at.getTime(),
              actor,
              action,
              target,
              before,
              after
            }))
        )
    })
  })
)
