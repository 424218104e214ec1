/**
 * Flows in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Flow, FlowVersion, VersionRef } from "../../core/model/Flow.ts"
import { type FlowCall, FlowStore } from "../../core/ports/FlowStore.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

const columns = columnsOf({
  accountId: "uuid",
  id: "uuid",
  name: "text",
  status: "text",
  version: "integer",
  definition: "jsonb",
  startsOn: "text",
  tokenHash: "text",
  createdAt: "timestamptz",
  updatedAt: "timestamptz"
} satisfies Record<keyof Flow, string>)

const calls = columnsOf({
  accountId: "uuid",
  flowId: "uuid",
  callId: "text",
  contactId: "uuid",
  at: "timestamptz"
} satisfies Record<keyof FlowCall, string>)

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  FlowStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const names = sql.literal(columns.names)
    const fields = sql.literal(columns.fields)
    const recordset = sql.literal(columns.recordset)
    const selected = sql.literal(columns.selected("f"))
    const callColumns = sql.literal(calls.selected("c"))
    const toFlow = (row: object): Flow => columns.decode<Flow>(row)

    return FlowStore.of({
      insert: (flow) =>
        Effect.asVoid(
          orUnavailable(sql`
            insert into flows (${names})
            select ${fields} from json_to_recordset(${columns.encode([flow])}::json) as r(${recordset})`)
        ),
      lock: (accountId, id) =>
        Effect.map(
          orUnavailable(sql`
            select ${selected} from flows f where account_id = ${accountId} and id = ${id} for update`),
          ([row]) => (row === undefined ? null : toFlow(row))
        ),
      save: (flow) =>
        Effect.asVoid(
          orUnavailable(sql`
            update flows set name = ${flow.name}, status = ${flow.status}, version = ${flow.version},
              definition = ${JSON.stringify(flow.definition)}::jsonb, starts_on = ${flow.startsOn},
              token_hash = ${flow.tokenHash}, updated_at = ${new Date(flow.updatedAt)}
            where account_id = ${flow.accountId} and id = ${flow.id}`)
        ),
      find: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${selected} from flows f where account_id = ${accountId} and id = any(${ids}::uuid[])`),
              (rows) => rows.map(toFlow)
            ),
      list: (accountId, page) =>
        Effect.map(
          orUnavailable(sql<PageRow>`
            select c.total, p.* from (
              select count(*)::int as total from flows where account_id = ${accountId}
            ) c
            left join lateral (
              select ${selected} from flows f where account_id = ${accountId}
              order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toFlow)
        ),
      publish: ({ accountId, definition, flowId, version }) =>
        Effect.asVoid(
          orConflict(sql`
            insert into flow_versions (account_id, flow_id, version, definition)
            values (${accountId}, ${flowId}, ${version}, ${JSON.stringify(definition)}::jsonb)`)
        ),
      versions: (refs) =>
        refs.length === 0
          ? Effect.succeed([])
          : orUnavailable(sql<FlowVersion>`
              select v.* from (
                select * from rows from (
                  unnest(${refs.map((ref) => ref.accountId)}::uuid[]),
                  unnest(${refs.map((ref) => ref.flowId)}::uuid[]),
                  unnest(${refs.map((ref) => ref.version)}::int[])
                ) as r(account, flow, number)
              ) r cross join lateral (
                select account_id as "accountId", flow_id as "flowId", version, definition from flow_versions
                where account_id = account and flow_id = flow and version = number limit 1
              ) v`),
      startedBy: (accountId, events) =>
        events.length === 0
          ? Effect.succeed([])
          : orUnavailable(sql<VersionRef & { readonly event: string }>`
              select ${accountId}::text as "accountId", f.* from (select distinct unnest(${events}::text[]) as name) k
              cross join lateral (
                select id as "flowId", version, starts_on as event from flows
                where account_id = ${accountId} and starts_on = k.name and status = 'Published' offset 0
              ) f order by f."flowId"`),
      ofToken: (hash) =>
        Effect.map(
          orUnavailable(sql`select ${selected} from flows f where token_hash = ${hash} limit 1`),
          ([row]) => (row === undefined ? null : toFlow(row))
        ),
      addCall: Effect.fnUntraced(function* (call) {
        const added = yield* orUnavailable(sql`
          insert into flow_calls (account_id, flow_id, call_id, contact_id, at)
          values (${call.accountId}, ${call.flowId}, ${call.callId}, ${call.contactId}, ${new Date(call.at)})
          on conflict (account_id, flow_id, call_id) do nothing returning call_id`)
        if (added.length > 0) return null
        const [earlier] = yield* orUnavailable(sql`
          select ${callColumns} from flow_calls c
          where account_id = ${call.accountId} and flow_id = ${call.flowId} and call_id = ${call.callId}`)
        return earlier === undefined ? null : calls.decode<FlowCall>(earlier)
      }),
      nameCaller: (call) =>
        Effect.asVoid(
          orUnavailable(sql`
            update flow_calls set contact_id = ${call.contactId}
            where account_id = ${call.accountId} and flow_id = ${call.flowId} and call_id = ${call.callId}`)
        ),
      eraseCalls: (accountId, contactIds) =>
        contactIds.length === 0
          ? Effect.void
          : Effect.asVoid(
              orUnavailable(sql`
                delete from flow_calls
                where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`)
            )
    })
  })
)
