/**
 * Formats entries of the audit log.
 *
 * @module
 */
import { csvLine, isFormula } from "../../../core/audience/imports/ImportReport.ts"
import { noAccount } from "../../../core/model/Account.ts"
import type { AuditEntry } from "../../../core/ports/AuditLog.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"

/** An entry as responses and exports have it. */
export const encodeEntry = ({ accountId, actor, at, target, targetName, ...entry }: AuditEntry) => ({
  id: entry.id,
  at: formatDateTime(at),
  actor: { kind: actor.kind, id: actor.id, name: actor.name },
  sessionId: actor.sessionId,
  network: actor.network,
  userAgent: actor.userAgent,
  companyId: entry.companyId,
  accountId: accountId === noAccount ? null : accountId,
  action: entry.action,
  target: { kind: entry.action.replace(/\..*$/s, ""), id: target, name: targetName },
  before: entry.before,
  after: entry.after,
  outcome: entry.outcome
})

/** An encoded entry. */
export type Encoded = ReturnType<typeof encodeEntry>

const columns: ReadonlyArray<readonly [string, (entry: Encoded) => unknown]> = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["actorKind", ({ actor }) => actor.kind],
  ["actorId", ({ actor }) => actor.id],
  ["actorName", ({ actor }) => actor.name],
  ["sessionId", ({ sessionId }) => sessionId],
  ["network", ({ network }) => network],
  ["userAgent", ({ userAgent }) => userAgent],
  ["companyId", ({ companyId }) => companyId],
  ["accountId", ({ accountId }) => accountId],
  ["action", ({ action }) => action],
  ["targetKind", ({ target }) => target.kind],
  ["targetId", ({ target }) => target.id],
  ["targetName", ({ target }) => target.name],
  ["before", ({ before }) => (before === null ? null : JSON.stringify(before))],
  ["after", ({ after }) => (after === null ? null : JSON.stringify(after))],
  ["outcome", ({ outcome }) => outcome]
]

/** A cell of CSV. If a spreadsheet would interpret it as a formula, it begins with an apostrophe. */
const cellOf = (value: unknown): string => {
  const text = value === null ? "" : String(value)
  return isFormula(text) ? `'${text}` : text
}

/** Entries as CSV, with a header row. */
export const csvOf = (entries: ReadonlyArray<Encoded>): string =>
  [columns.map(([name]) => name), ...entries.map((entry) => columns.map(([, value]) => cellOf(value(entry))))]
    .map(csvLine)
    .join("")

/** Entries as JSON lines. */
export const ndjsonOf = (entries: ReadonlyArray<Encoded>): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")
