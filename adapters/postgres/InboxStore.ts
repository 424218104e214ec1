/**
 * The sandbox inbox in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type InboxMessage, InboxStore } from "../../core/ports/InboxStore.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

type MessageRow = Omit<InboxMessage, "receivedAt"> & { readonly receivedAt: Date }

type ListedRow = PageRow & MessageRow

const toMessage = (row: MessageRow): InboxMessage => ({
  id: row.id,
  accountId: row.accountId,
  submissionId: row.submissionId,
  to: row.to,
  fromEmail: row.fromEmail,
  fromName: row.fromName,
  subject: row.subject,
  html: row.html,
  text: row.text,
  receivedAt: row.receivedAt.getTime()
})

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  InboxStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(
      `id, account_id as "accountId", submission_id as "submissionId", recipient as "to",
        from_email as "fromEmail", from_name as "fromName", subject, html, text, received_at as "receivedAt"`
    )

    // In one order, so that two batches that overlap never wait for each other.
    const put = (messages: ReadonlyArray<InboxMessage>, raws: ReadonlyArray<Uint8Array>) =>
      orUnavailable(sql`
        insert into inbox_messages (account_id, id, submission_id, recipient, from_email, from_name, subject, html,
          text, received_at, raw)
        select "accountId", id, "submissionId", "to", "fromEmail", "fromName", subject, html, text, "receivedAt", raw
        from rows from (
          json_to_recordset(${JSON.stringify(
            messages.map((message) => ({ ...message, receivedAt: new Date(message.receivedAt) }))
          )}::json) as (
            "accountId" uuid, id uuid, "submissionId" uuid, "to" text, "fromEmail" text, "fromName" text,
            subject text, html text, text text, "receivedAt" timestamptz),
          unnest(${raws}::bytea[])
        ) as r("accountId", id, "submissionId", "to", "fromEmail", "fromName", subject, html, text, "receivedAt", raw)
        order by "accountId", id
        on conflict (account_id, id) do nothing`)

    return InboxStore.of({
      put: (entries) =>
        entries.length === 0
          ? Effect.void
          : Effect.asVoid(
              put(
                entries.map((entry) => entry.message),
                entries.map((entry) => entry.raw)
              )
            ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<ListedRow>`
            select c.total, p.* from (
              select count(*)::int as total from inbox_messages where account_id = ${accountId}
            ) c
            left join lateral (
              select ${columns} from inbox_messages where account_id = ${accountId}
              order by received_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."receivedAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toMessage)
        ),
      get: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql<MessageRow>`select ${columns} from inbox_messages where account_id = ${accountId} and id = ${id}`
          ),
          (rows) => (rows[0] === undefined ? null : toMessage(rows[0]))
        ),
      erase: (refs) =>
        refs.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                delete from inbox_messages where ctid = any(array(
                  select m.place from rows from (
                    unnest(${refs.map((ref) => ref.accountId)}::uuid[]), unnest(${refs.map((ref) => ref.id)}::uuid[])
                  ) as r(account, message) cross join lateral (
                    select ctid as place from inbox_messages where account_id = account and id = message limit 1
                  ) m
                ))`)
            ),
      raw: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql<{
              raw: Uint8Array
            }>`select raw from inbox_messages where account_id = ${accountId} and id = ${id}`
          ),
          (rows) => rows[0]?.raw ?? null
        )
    })
  })
)
