/**
 * Stores the audit log in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { noAccount } from "../../core/model/Account.ts"
import {
  type AuditCount,
  type AuditEntry,
  type AuditFilter,
  AuditLog,
  type AuditScope
} from "../../core/ports/AuditLog.ts"
import { type Among, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const isAmong = <A>(values: Among<A> | undefined, value: A): boolean =>
  values == null || values.includes(value)

const matches =
  ({ actions, actorIds, actorKinds, networks, outcomes, since, targets, until }: AuditFilter) =>
  (entry: AuditEntry): boolean =>
    (since == null || entry.at >= since) &&
    (until == null || entry.at < until) &&
    (actions == null ||
      actions.some((action) => entry.action === action || entry.action.startsWith(`${action}.`))) &&
    isAmong(actorKinds, entry.actor.kind) &&
    (actorIds == null || (entry.actor.id !== null && actorIds.includes(entry.actor.id))) &&
    (networks == null || (entry.actor.network !== null && networks.includes(entry.actor.network))) &&
    isAmong(outcomes, entry.outcome) &&
    isAmong(targets, entry.target)

const isInScope =
  (scope: AuditScope) =>
  ({ accountId, companyId }: AuditEntry): boolean => {
    if (scope._tag === "Installation") return true
    if (scope.accountIds.includes(accountId)) return true
    return scope._tag === "Company" && accountId === noAccount && companyId === scope.companyId
  }

const place = placeBy("at")

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<AuditEntry>((entry) => entry.accountId, byField("at"))
  const entries = new Table<AuditEntry>(database, { key: (entry) => entry.id, indexes: [order] })
  return AuditLog.of({
    count: (counted) =>
      database.write(() => {
        for (const entry of counted) {
          const before = entries.get(entry.id)
          if (before === undefined) entries.insert(frozen(entry))
          else {
            const { count } = before.after as AuditCount
            entries.replace({ ...before, after: { count: count + entry.after.count } })
          }
        }
      }),
    prune: (scope, before, limit) =>
      database.write(() => {
        const isOwn =
          scope._tag === "Installation"
            ? ({ accountId, companyId }: AuditEntry) => accountId === noAccount && companyId === null
            : isInScope(scope)
        const old = [...entries.rows()]
          .filter((entry) => entry.at < before && isOwn(entry))
          .toSorted((a, b) => a.at - b.at)
          .slice(0, limit)
        entries.removeMany(old.map(({ id }) => id))
        return old.length
      }),
    span: (scope, { since, until }, after, limit) =>
      database.read(() =>
        [...entries.rows()]
          .filter((entry) => entry.at >= since && entry.at < until && isInScope(scope)(entry))
          .toSorted(byField("at"))
          .filter(({ at, id }) => after === null || at > after.at || (at === after.at && id > after.id))
          .slice(0, limit)
      ),
    about: (accountId, targets, limit) =>
      database.read(() =>
        order
          .rows(accountId)
          .filter(
            (entry) =>
              targets.includes(entry.target) &&
              (entry.targetName !== null || entry.before !== null || entry.after !== null)
          )
          .slice(0, limit)
      ),
    redact: (accountId, redacted) =>
      database.write(() => {
        for (const { contentDigest, id } of redacted) {
          const entry = entries.get(id)
          if (entry?.accountId !== accountId) continue
          entries.replace({ ...entry, targetName: null, before: null, after: null, contentDigest })
        }
      }),
    append: (added) =>
      database.write(() => {
        for (const entry of added) entries.insert(frozen(entry))
      }),
    list: (scope, filter, page) =>
      database.read(() => {
        const [accountId, ...others] = scope._tag === "Accounts" ? scope.accountIds : []
        const rows =
          accountId !== undefined && others.length === 0
            ? order.rows(accountId)
            : [...entries.rows()].filter(isInScope(scope)).toSorted(byField("at"))
        return pageOfAll(rows.filter(matches(filter)), page, place)
      })
  })
}).pipe(Layer.effect(AuditLog))
