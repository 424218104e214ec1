/**
 * Stores the audit log in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { noAccount } from "../../core/model/Account.ts"
import { actorText, parseActorText, textsOfKind } from "../../core/model/Actor.ts"
import {
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  auditOutcomes,
  type AuditScope
} from "../../core/ports/AuditLog.ts"
import type { Json } from "../../core/shared/Json.ts"
import { mapPage } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, ifAny } from "./sql/results.ts"
import { pruneOldest, tableOf, type ValuesFilter } from "./sql/tables.ts"

/** A row. Nullable columns are those that entries of earlier versions do not have. */
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

/** The first part of an action or of an actor's text. */
const firstPart = (text: string): string => text.split(/[.:]/, 1)[0]!

/** The filters for which there is an index, each index with the time and the id. */
const filtersOf = ({
  actions = null,
  actorIds,
  actorKinds,
  networks,
  targets
}: AuditFilter): ReadonlyArray<ValuesFilter> => {
  const isExact = actions?.every((action) => action.includes(".")) ?? false
  return [
    isExact
      ? { column: "action", type: "text", values: actions }
      : { column: "split_part(action, '.', 1)", type: "text", values: actions && unique(actions) },
    { column: "split_part(actor, ':', 2)", type: "text", values: actorIds },
    {
      column: "split_part(actor, ':', 1)",
      type: "text",
      values: actorKinds && unique(actorKinds.flatMap(textsOfKind))
    },
    { column: "target", type: "text", values: targets },
    { column: "network", type: "text", values: networks }
  ]
}

const unique = (texts: ReadonlyArray<string>) => [...new Set(texts.map(firstPart))]

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const entries = yield* tableOf("audit_log", columns, ["at", "id"])

  /**
   * The conditions of a scope, one for each of its accounts. An account is compared three times, so that the planner prefers
   * its indexes to those of all accounts, even if most entries belong to one account.
   */
  const scoped = (scope: AuditScope): ReadonlyArray<Fragment> => {
    if (scope._tag === "Installation") return [sql`true`]
    const ofAccounts = scope.accountIds.map(
      (id) => sql`account_id = ${id} and account_id >= ${id} and account_id <= ${id}`
    )
    return scope._tag === "Accounts"
      ? ofAccounts.length === 0
        ? [sql`false`]
        : ofAccounts
      : [...ofAccounts, sql`(account_id = ${noAccount} and company_id = ${scope.companyId})`]
  }

  const inScope = (scope: AuditScope) => sql.or(scoped(scope))

  /** Conditions without an index: first parts of actions mixed with whole actions, and outcomes. */
  const conditionsOf = ({ actions = null, outcomes = null }: AuditFilter) => {
    const whole = actions?.filter((action) => action.includes(".")) ?? []
    return [
      ...(actions === null || whole.length === 0 || whole.length === actions.length
        ? []
        : [sql`(action = any(${actions}::text[]) or split_part(action, '.', 1) = any(${actions}::text[]))`]),
      ...(outcomes === null || new Set(outcomes).size === auditOutcomes.length
        ? []
        : [outcomes[0] === "Done" ? sql`coalesce(outcome, 'Done') = 'Done'` : sql`outcome = 'Refused'`])
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
      Effect.map(
        entries.page(
          page,
          scoped(scope).map((entriesOf) => sql.and([entriesOf, ...conditionsOf(filter)])),
          filtersOf(filter),
          filter
        ),
        (found) => mapPage(found, toEntry)
      )
  })
}).pipe(Layer.effect(AuditLog))
