/**
 * Stores flows in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Flow, FlowVersion, VersionRef } from "../../core/model/Flow.ts"
import { type FlowCall, FlowStore, type FlowUse, type VersionSummary } from "../../core/ports/FlowStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Flow>({
  accountId: "uuid",
  id: "uuid",
  name: "text",
  status: "text",
  version: "integer",
  definition: "jsonb",
  startsOn: "text",
  segmentId: "uuid",
  tokenHash: "text",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  updatedBy: "jsonb"
})

const calls = columnsOf<FlowCall>({
  accountId: "uuid",
  flowId: "uuid",
  callId: "text",
  contactId: "uuid",
  at: "timestamptz"
})

const versions = columnsOf<FlowVersion>({
  accountId: "uuid",
  flowId: "uuid",
  version: "integer",
  definition: "jsonb",
  publishedAt: "timestamptz"
})

const versionSummaries = columnsOf<VersionSummary>({ version: "integer", publishedAt: "timestamptz" })

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const flows = yield* tableOf("flows", columns)
  const flowVersions = yield* tableOf("flow_versions", versions)
  const versionList = yield* tableOf("flow_versions", versionSummaries, ["version"])
  const flowCalls = yield* tableOf("flow_calls", calls)

  return FlowStore.of({
    insert: (flow) => flows.insertMany([flow]),
    lock: (accountId, id) =>
      first(flows.select(sql`from flows where account_id = ${accountId} and id = ${id} for update`)),
    save: (flow) =>
      Effect.asVoid(
        flows.update(
          flow,
          [
            "name",
            "status",
            "version",
            "definition",
            "startsOn",
            "segmentId",
            "tokenHash",
            "updatedAt",
            "updatedBy"
          ],
          ["accountId", "id"]
        )
      ),
    find: (accountId, ids) =>
      flows
        .select(sql`from flows where account_id = ${accountId} and id = any(${ids}::uuid[])`)
        .pipe(ifAny(ids)),
    // An account has few flows, which an index finds.
    search: (accountId, id, text, limit) =>
      flows.select(sql`
        from flows where account_id = ${accountId} and (id = ${id}::uuid or strpos(lower(name), lower(${text}::text)) > 0)
        order by created_at desc, id desc limit ${limit}`),
    list: (accountId, page) => flows.page(page, sql`account_id = ${accountId}`),
    publish: (version) => flowVersions.insertOrConflict([version]),
    versions: (refs) =>
      flowVersions
        .select(sql`
          from (
            select * from rows from (
              unnest(${refs.map((ref) => ref.accountId)}::uuid[]),
              unnest(${refs.map((ref) => ref.flowId)}::uuid[]),
              unnest(${refs.map((ref) => ref.version)}::int[])
            ) as r(account, flow, number)
          ) r cross join lateral (
            select * from flow_versions where account_id = account and flow_id = flow and version = number limit 1
          ) flow_versions`)
        .pipe(ifAny(refs)),
    listVersions: (accountId, flowId, page) =>
      versionList.page(page, sql`account_id = ${accountId} and flow_id = ${flowId}`),
    startedBy: (accountId, events) =>
      orUnavailable(sql<VersionRef & { readonly event: string }>`
        select ${accountId}::text as "accountId", f.* from (select distinct unnest(${events}::text[]) as name) k
        cross join lateral (
          select id as "flowId", version, starts_on as event from flows
          where account_id = ${accountId} and starts_on = k.name and status = 'Published' offset 0
        ) f order by f."flowId"`).pipe(ifAny(events)),
    onSegments: (accountId) =>
      orUnavailable(sql<VersionRef & { readonly segmentId: string }>`
        select account_id as "accountId", id as "flowId", version, segment_id as "segmentId" from flows
        where account_id = ${accountId} and segment_id is not null and status = 'Published' order by id`),
    using: (accountId, what, id) => {
      const path = { segmentId: "$.trigger.segmentId", templateId: "$.**.templateId" }[what]
      const uses = (definition: string) =>
        sql`jsonb_path_exists(
          ${sql.literal(definition)}, ${sql.literal(`'${path} ? (@ == $id)'`)},
          jsonb_build_object('id', ${id}::text)
        )`
      return orUnavailable(sql<FlowUse>`
        select id, name, status, "isPublished" from (
          select f.id, f.name, f.status, ${uses("f.definition")} as edited, exists (
            select from flow_versions v where v.account_id = ${accountId} and v.flow_id = f.id
              and v.version = f.version and ${uses("v.definition")}
          ) as "isPublished"
          from flows f where f.account_id = ${accountId} and f.status <> 'Archived'
        ) f where edited or "isPublished" order by name collate "C", id`)
    },
    ofToken: (hash) => first(flows.select(sql`from flows where token_hash = ${hash} limit 1`)),
    addCall: Effect.fnUntraced(function* (call) {
      const added = yield* orUnavailable(
        flowCalls.insertion(
          [call],
          "on conflict (account_id, flow_id, call_id) do nothing returning call_id as id"
        )
      )
      if (added.length > 0) return null
      return yield* flowCalls
        .select(sql`
          from flow_calls
          where account_id = ${call.accountId} and flow_id = ${call.flowId} and call_id = ${call.callId}`)
        .pipe(first)
    }),
    nameCaller: (call) =>
      Effect.asVoid(flowCalls.update(call, ["contactId"], ["accountId", "flowId", "callId"])),
    eraseCalls: (accountId, contactIds) =>
      execute(sql`
        delete from flow_calls
        where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(ifAny(contactIds))
  })
}).pipe(Layer.effect(FlowStore))
