/**
 * Stores relays in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MailRelay } from "../../core/model/MailRelay.ts"
import {
  type EarlyReport,
  type KnownReport,
  type RelayMessage,
  RelayStore,
  type ReportToken,
  type TokenClaim,
  type UnreportedMessages
} from "../../core/ports/RelayStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, first } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<MailRelay>({
  id: "uuid",
  companyId: "uuid",
  name: "text",
  kind: "text",
  shownUrl: "text",
  secrets: "text",
  streams: "jsonb",
  maxPerSecond: "int",
  dailyLimit: "int",
  shared: "boolean",
  feedback: "jsonb",
  feedbackSecrets: "jsonb",
  state: "text",
  stateReason: "text",
  words: "text",
  lastRefusal: "jsonb",
  lastReportAt: "timestamptz",
  createdAt: "timestamptz"
})

const tokenColumns = columnsOf<ReportToken>({
  relayId: "uuid",
  companyId: "uuid",
  token: "text",
  digest: "text",
  expiresAt: "timestamptz"
})

const earlyColumns = columnsOf<EarlyReport>({
  id: "uuid",
  relayId: "uuid",
  kind: "text",
  delivery: "jsonb",
  providerId: "text",
  report: "jsonb",
  keptAt: "timestamptz"
})

const messageColumns = columnsOf<RelayMessage>({
  accountId: "uuid",
  deliveryId: "uuid",
  relayId: "uuid",
  providerId: "text",
  sentAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const relays = yield* tableOf("relays", columns)
  const messages = yield* tableOf("relay_messages", messageColumns, ["sentAt"])
  const tokens = yield* tableOf("relay_tokens", tokenColumns, ["expiresAt"])
  const early = yield* tableOf("relay_early_reports", earlyColumns, ["keptAt"])
  const isOf = (companyId: string | null) =>
    companyId === null ? sql`company_id is null` : sql`company_id = ${companyId}`

  return RelayStore.of({
    insert: (relay) => relays.insertMany([relay]),
    find: (ids) => relays.select(sql`from relays where id = any(${ids}::uuid[])`),
    list: (companyId, page) => relays.page(page, isOf(companyId)),
    count: (companyId) => countOf(sql`select count(*)::int as count from relays where ${isOf(companyId)}`),
    all: relays.select(sql`from relays order by created_at, id`),
    save: (relay) =>
      execute(sql`
        update relays set name = ${relay.name}, shown_url = ${relay.shownUrl}, secrets = ${relay.secrets},
          streams = ${JSON.stringify(relay.streams)}::jsonb, max_per_second = ${relay.maxPerSecond}::int,
          daily_limit = ${relay.dailyLimit}::int, shared = ${relay.shared},
          feedback = ${JSON.stringify(relay.feedback)}::jsonb,
          feedback_secrets = ${JSON.stringify(relay.feedbackSecrets)}::jsonb
        where id = ${relay.id}`),
    resealSecrets: (id, from, to) =>
      execute(sql`update relays set secrets = ${to} where id = ${id} and secrets = ${from}`),
    saveCondition: (id, { state, stateReason, words }, refusal) =>
      execute(sql`
        update relays set state = ${state}, state_reason = ${stateReason}::text, words = ${words}::text,
          last_refusal = coalesce(${refusal === undefined ? null : JSON.stringify(refusal)}::jsonb, last_refusal)
        where id = ${id}`),
    reported: (id, at) =>
      execute(sql`
        update relays set last_report_at = greatest(last_report_at, ${new Date(at)}) where id = ${id}`),
    remove: (companyId, id) =>
      first(relays.returning(sql`delete from relays where id = ${id} and ${isOf(companyId)}`)),
    // Sorted, so that two overlapping batches cannot deadlock.
    noteMessages: (added) =>
      messages.insertMany(
        added,
        `order by "accountId", "deliveryId" on conflict (account_id, delivery_id) do update
         set relay_id = excluded.relay_id, provider_id = excluded.provider_id, sent_at = excluded.sent_at`
      ),
    findMessages: (relayId, providerIds) =>
      messages.select(sql`
        from relay_messages where relay_id = ${relayId} and provider_id = any(${providerIds}::text[])`),
    unreported: (relayIds, since, until, limit) =>
      orUnavailable(sql<UnreportedMessages>`
        select r.id as "relayId", count(*)::int as messages,
          count(*) filter (where d.status = 'Accepted')::int as unreported
        from (select distinct id from unnest(${relayIds}::uuid[]) as given(id)) as r
          cross join lateral (
            select m.account_id, m.delivery_id from relay_messages m
            where m.relay_id = r.id and m.sent_at >= ${new Date(since)} and m.sent_at < ${new Date(until)}
            order by m.sent_at desc limit ${limit}
          ) as latest
          join deliveries d on d.account_id = latest.account_id and d.id = latest.delivery_id
        group by r.id`),
    pruneMessages: (before, limit) => pruneOldest(sql, "relay_messages", "sent_at", before, limit),
    claimToken: (token) =>
      Effect.map(
        orUnavailable(sql<{ readonly claim: TokenClaim }>`
          with added as (${tokens.insertion([token])} on conflict do nothing returning 1)
          select case
            when exists (select 1 from added) then 'Claimed'
            when exists (
              select 1 from relay_tokens
              where relay_id = ${token.relayId} and token = ${token.token} and digest = ${token.digest}
            ) then 'Repeated'
            else 'Used'
          end as claim`),
        ([row]) => row!.claim
      ),
    keepReports: (relayId, reports, most) =>
      reports.length === 0
        ? Effect.void
        : Effect.andThen(
            early.insertMany(reports),
            execute(sql`
              delete from relay_early_reports where id in (
                select id from relay_early_reports where relay_id = ${relayId}
                order by kept_at desc, id desc offset ${most}
              )`)
          ),
    claimReports: (limit) =>
      Effect.map(
        orUnavailable(sql<object>`
          with found as materialized (
            select e.id, d.account_id, d.id as delivery_id from relay_early_reports e
              left join relay_messages m
                on e.delivery is null and m.relay_id = e.relay_id and m.provider_id = e.provider_id
              join deliveries d on d.account_id = coalesce(m.account_id, (e.delivery->>'accountId')::uuid)
                and d.id = coalesce(m.delivery_id, (e.delivery->>'id')::uuid)
            where d.status <> 'HandingOff'
            order by e.kept_at, e.id limit ${limit} for update of e skip locked
          )
          delete from relay_early_reports e using found where e.id = found.id
          returning e.id, e.relay_id as "relayId", e.kind, e.provider_id as "providerId", e.report,
            e.kept_at as "keptAt",
            jsonb_build_object('accountId', found.account_id, 'id', found.delivery_id) as delivery`),
        (rows) => rows.map((row) => earlyColumns.decode(row) as KnownReport)
      ),
    pruneReports: (before, limit) => pruneOldest(sql, "relay_early_reports", "kept_at", before, limit),
    pruneTokens: (before, limit) => pruneOldest(sql, "relay_tokens", "expires_at", before, limit)
  })
}).pipe(Layer.effect(RelayStore))
