/**
 * The audit log in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { noAccount } from "../../core/model/Account.ts"
import { actorText, parseActorText, textsOfKind } from "../../core/model/Actor.ts"
import { type AuditEntry, type AuditFilter, AuditLog, type AuditScope } from "../../core/ports/AuditLog.ts"
import type { Json } from "../../core/shared/Json.ts"
import { mapPage } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

/** A row. The columns that may be null are those that entries of earlier versions do not have. */
interface Row {
  readonly id: string
  readonly accountId: string
  readonly companyId: string | null
  readonly at: number
  readonly actor: string
  readonly actorName: string | null
  readonly sessionId: string | null
  readonly network: string | null
  readonly userAgent: string | null
  readonly action: string
  readonly target: string
  readonly targetName: string | null
  readonly before: Json
  readonly after: Json
  readonly outcome: AuditEntry["outcome"] | null
  readonly contentDigest: string | null
}

const columns = columnsOf<Row>({
  id: "uuid",
  accountId: "uuid",
  companyId: "uuid",
  at: "timestamptz",
  actor: "text",
  actorName: "text",
  sessionId: "uuid",
  network: "text",
  userAgent: "text",
  action: "text",
  target: "text",
  targetName: "text",
  before: "jsonb",
  after: "jsonb",
  outcome: "text",
  contentDigest: "text"
})

const toRow = ({ actor, ...entry }: AuditEntry): Row => {
  const { name, network, sessionId, userAgent } = actor
  return { ...entry, actor: actorText(actor), actorName: name, sessionId, network, userAgent }
}

const toEntry = ({ actor, actorName, network, outcome, sessionId, userAgent, ...row }: Row): AuditEntry => {
  const { id, kind, name } = parseActorText(actor)
  return {
    ...row,
    actor: { kind, id, name: actorName ?? name, sessionId, network, userAgent },
    outcome: outcome ?? "Done"
  }
}

/** A pattern of `like` for texts that begin so; one without `:` at its end is the whole text. */
const patternOf = (text: string): string => {
  const escaped = text.replaceAll(/[_%\\]/g, "\\$&")
  return escaped.endsWith(":") ? `${escaped}%` : escaped
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const entries = yield* tableOf("audit_log", columns, ["at", "id"])

  const inScope = (scope: AuditScope) => {
    if (scope._tag === "Installation") return sql`true`
    const [accountId, ...others] = scope.accountIds
    const ofAccounts =
      others.length === 0 && accountId !== undefined
        ? sql`account_id = ${accountId}`
        : sql`account_id = any(${scope.accountIds}::uuid[])`
    return scope._tag === "Accounts"
      ? ofAccounts
      : sql`(${ofAccounts} or (account_id = ${noAccount} and company_id = ${scope.companyId}))`
  }

  const matching = (filter: AuditFilter) => {
    const { actions, actorIds, actorKinds, networks, outcomes, since, targets, until } = filter
    return [
      ...(since == null ? [] : [sql`at >= ${new Date(since)}`]),
      ...(until == null ? [] : [sql`at < ${new Date(until)}`]),
      ...(actorKinds == null
        ? []
        : [sql`actor like any(${actorKinds.flatMap(textsOfKind).map(patternOf)}::text[])`]),
      ...(actorIds == null ? [] : [sql`actor like any(${actorIds.map((id) => `%:${id}`)}::text[])`]),
      ...(actions == null
        ? []
        : [
            sql`(action = any(${actions}::text[])
              or action like any(${actions.map((action) => `${patternOf(action)}.%`)}::text[]))`
          ]),
      ...(targets == null ? [] : [sql`target = any(${targets}::text[])`]),
      ...(outcomes == null ? [] : [sql`coalesce(outcome, 'Done') = any(${outcomes}::text[])`]),
      ...(networks == null ? [] : [sql`network = any(${networks}::text[])`])
    ]
  }

  return AuditLog.of({
    count: (counted) =>
      execute(sql`
        ${entries.insertion(counted.map(toRow))} on conflict (account_id, id) do update set after = jsonb_build_object(
          'count', (audit_log.after ->> 'count')::int + (excluded.after ->> 'count')::int)`),
    prune: (scope, before, limit) =>
      pruneOldest(
        sql,
        "audit_log",
        "at",
        before,
        limit,
        scope._tag === "Installation" ? sql`account_id = ${noAccount} and company_id is null` : inScope(scope)
      ),
    span: (scope, { since, until }, after, limit) =>
      Effect.map(
        entries.select(sql`
          from audit_log where ${sql.and([
            inScope(scope),
            sql`at >= ${new Date(since)}`,
            sql`at < ${new Date(until)}`,
            ...(after === null ? [] : [sql`(at, id) > (${new Date(after.at)}, ${after.id})`])
          ])} order by at, id limit ${limit}`),
        (rows) => rows.map(toEntry)
      ),
    about: (accountId, targets, limit) =>
      Effect.map(
        entries.select(sql`
          from audit_log where account_id = ${accountId} and target = any(${targets}::text[])
            and (target_name is not null or before is not null or after is not null) limit ${limit}`),
        (rows) => rows.map(toEntry)
      ),
    redact: (accountId, redacted) =>
      execute(sql`
        update audit_log l set target_name = null, before = null, after = null, content_digest = r.digest
        from rows from (
          unnest(${redacted.map(({ id }) => id)}::uuid[]),
          unnest(${redacted.map(({ contentDigest }) => contentDigest)}::text[])
        ) as r(id, digest) where l.account_id = ${accountId} and l.id = r.id`).pipe(ifAny(redacted)),
    append: (added) => entries.insertMany(added.map(toRow)),
    list: (scope, filter, page) =>
      Effect.map(entries.page(page, sql.and([inScope(scope), ...matching(filter)])), (found) =>
        mapPage(found, toEntry)
      )
  })
}).pipe(Layer.effect(AuditLog))
