/**
 * Handles the management endpoints of the audit log.
 *
 * @module
 */
import { Effect } from "effect"
import { noAccount } from "../../../core/model/Account.ts"
import type { Actor } from "../../../core/model/Actor.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import type { AuditFilter, AuditScope } from "../../../core/ports/AuditLog.ts"
import { maxPageSize } from "../../../core/shared/Page.ts"
import { AuditReader, scopeOfAccount, scopeOfCompany } from "../../../core/users/AuditReader.ts"
import { rightsAt } from "../../../core/users/Caller.ts"
import { type ListCall, listed } from "../edge/lists.ts"
import { managerOf } from "../edge/permit.ts"
import { ok } from "../edge/reply.ts"
import { csvOf, encodeEntry, ndjsonOf } from "../people/auditLines.ts"
import { bind, type Call } from "../edge/Route.ts"
import { maxExported } from "../schema/people/Audit.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

type Query = Call<(typeof ManagementApi.groups.audit.endpoints)["installation"]>["query"]

const filterOf = ({
  action,
  actor,
  actorKind,
  network,
  outcome,
  since,
  target,
  until
}: Query): AuditFilter => ({
  actions: action,
  actorIds: actor,
  actorKinds: actorKind,
  networks: network,
  outcomes: outcome,
  since,
  targets: target,
  until
})

/** The audit log. */
export const auditRoutes = Effect.gen(function* () {
  const reader = yield* AuditReader
  const { record } = yield* AuditTrail
  const installation: AuditScope = { _tag: "Installation" }

  const list = Effect.fnUntraced(function* (scope: AuditScope, query: Query, page: ListCall) {
    return ok(listed(page, yield* reader.list(scope, filterOf(query), page), encodeEntry))
  })

  const download = Effect.fnUntraced(function* (
    scope: AuditScope,
    query: Query & { readonly format: "Csv" | "Ndjson" },
    page: ListCall,
    { accountId = noAccount, actor, companyId }: Exporter
  ) {
    const request = { ...page, pageSize: maxPageSize }
    const found = yield* reader.export(scope, filterOf(query), request, maxExported)
    const { items, next } = listed(page, found, encodeEntry)
    yield* record(actor, {
      accountId,
      ...(companyId === undefined ? {} : { companyId }),
      action: "audit_log.exported",
      target: companyId ?? accountId,
      before: null,
      after: { entries: items.length }
    })
    const isCsv = query.format === "Csv"
    return {
      _tag: "Reply" as const,
      status: 200,
      headers: {
        "content-type": `${isCsv ? "text/csv" : "application/x-ndjson"}; charset=utf-8`,
        ...(next === null ? {} : { link: `<?after=${encodeURIComponent(next)}>; rel="next"` })
      },
      body: isCsv ? csvOf(items) : ndjsonOf(items)
    }
  })

  return bind(ManagementApi.groups.audit, {
    account: ({ account, page, query }) => list(scopeOfAccount(account), query, page),
    company: Effect.fnUntraced(function* ({ caller, company, page, query }) {
      return yield* list(
        scopeOfCompany(company, mayReadLive(yield* managerOf(caller), company.id)),
        query,
        page
      )
    }),
    installation: ({ page, query }) => list(installation, query, page),
    exportAccount: ({ account, actor, page, query }) =>
      download(scopeOfAccount(account), query, page, { actor, accountId: account.id }),
    exportCompany: Effect.fnUntraced(function* ({ actor, caller, company, page, query }) {
      const scope = scopeOfCompany(company, mayReadLive(yield* managerOf(caller), company.id))
      return yield* download(scope, query, page, { actor, companyId: company.id })
    }),
    exportInstallation: ({ actor, page, query }) => download(installation, query, page, { actor })
  })
})

/** The owner of the entries to export, and the caller. */
interface Exporter {
  readonly actor: Actor
  readonly accountId?: string
  readonly companyId?: string
}

/** Whether a caller may read the entries of a company's live accounts. */
const mayReadLive = (manager: Parameters<typeof rightsAt>[0], companyId: string): boolean =>
  rightsAt(manager, { companyId, accountKind: "Live" }).has("audit:read")
