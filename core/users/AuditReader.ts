/**
 * Reads the audit log of an account, a company or the installation.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { type Account, type Company, noAccount } from "../model/Account.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { type AuditEntry, type AuditFilter, AuditLog, type AuditScope } from "../ports/AuditLog.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Reads the audit log. */
export class AuditReader extends Context.Service<AuditReader>()("svc/users/AuditReader", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const keys = yield* ApiKeyStore
    const log = yield* AuditLog

    /** Adds to entries the company of their account, and the names of API keys, which entries do not store. */
    const complete = Effect.fnUntraced(function* (entries: ReadonlyArray<AuditEntry>) {
      const ids = [...new Set(entries.map(({ accountId }) => accountId))].filter((id) => id !== noAccount)
      const companies = new Map((yield* accounts.find(ids)).map(({ companyId, id }) => [id, companyId]))
      const byKey = new Set(
        entries.filter(({ actor }) => actor.kind === "ApiKey").map(({ accountId }) => accountId)
      )
      const listed = yield* Effect.forEach(byKey, (accountId) => keys.list(accountId))
      const names = new Map(listed.flat().map(({ id, name }) => [id, name]))
      return entries.map((entry): AuditEntry => {
        const { accountId, actor, companyId } = entry
        const name = actor.name ?? (actor.kind === "ApiKey" ? (names.get(actor.id ?? "") ?? null) : null)
        return {
          ...entry,
          companyId: companyId ?? companies.get(accountId) ?? null,
          actor: { ...actor, name }
        }
      })
    })

    /** Entries of a scope, newest first. */
    const list = Effect.fn("AuditReader.list")(function* (
      scope: AuditScope,
      filter: AuditFilter,
      page: PageRequest
    ): Effect.fn.Return<Page<AuditEntry>, Unavailable> {
      const found = yield* log.list(scope, filter, page)
      return { ...found, items: yield* complete(found.items) }
    })

    return {
      list,
      /** The next entries of an export after a place, up to `max`, with the place of the last one; null after the last entry. */
      export: Effect.fn("AuditReader.export")(function* (
        scope: AuditScope,
        filter: AuditFilter,
        page: PageRequest,
        max: number
      ): Effect.fn.Return<Page<AuditEntry>, Unavailable> {
        const items: Array<AuditEntry> = []
        let found = yield* list(scope, filter, page)
        items.push(...found.items)
        while (found.next !== null && items.length < max) {
          found = yield* list(scope, filter, { ...page, after: found.next })
          items.push(...found.items)
        }
        return { ...found, items }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(AuditReader, AuditReader.make)
}

/** The entries of one account. */
export const scopeOfAccount = ({ id }: Account): AuditScope => ({ _tag: "Accounts", accountIds: [id] })

/** The entries of a company and of its accounts, without the live account for callers who may not read it. */
export const scopeOfCompany = (
  { id, liveAccountId, sandboxAccountId }: Company,
  mayReadLive: boolean
): AuditScope => ({
  _tag: "Company",
  companyId: id,
  accountIds: mayReadLive ? [liveAccountId, sandboxAccountId] : [sandboxAccountId]
})
