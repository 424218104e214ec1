/**
 * The implementation of `svc audit`. It is loaded on demand because it imports the database engine.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import { csvOf, encodeEntry, ndjsonOf } from "../../../adapters/http/people/auditLines.ts"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { InstallationKeys } from "../../../core/accounts/InstallationKeys.ts"
import { AuditSeals } from "../../../core/companies/AuditSeals.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import type { Company } from "../../../core/model/Account.ts"
import { cliActor } from "../../../core/model/Actor.ts"
import { noAccount } from "../../../core/model/Account.ts"
import type { AuditFilter, AuditScope } from "../../../core/ports/AuditLog.ts"
import { maxPageSize, type Place } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { AuditReader, scopeOfCompany } from "../../../core/users/AuditReader.ts"
import { configuration } from "../../config/config.ts"
import { closeDataDirectory } from "../../server/dataDirectory.ts"
import { secretsLayer } from "../../server/secrets.ts"
import { storageLayer } from "../../server/storage.ts"
import { explainFailures } from "../migrateStore.ts"
import { BadNews, CommandFailed, oneLine, print, printJson, table } from "../output.ts"

/** The entries that a command concerns. */
interface Wanted {
  /** Null for all companies. */
  readonly companyId: string | null
  readonly action: string | null
}

/** The number of entries that a list shows. */
const shown = 50

type Services = Accounts | AuditReader | AuditSeals | AuditTrail

/** Runs an effect on the configured database, whose schema is migrated to this version's. */
const onDatabase = Effect.fnUntraced(function* <A, E>(used: Effect.Effect<A, E | Problem, Services>) {
  const configured = yield* configuration
  if (configured.store._tag === "Memory") {
    return yield* CommandFailed.of("SVC_STORE is memory, so the audit log exists only in the running server")
  }
  yield* closeDataDirectory(configured)
  const services = Layer.mergeAll(Accounts.layer, AuditReader.layer, AuditSeals.layer).pipe(
    Layer.provideMerge(AuditTrail.layer),
    Layer.provide([Ids.layer, InstallationKeys.layer]),
    Layer.provide([Crypto.layer, secretsLayer(configured)]),
    Layer.provide(storageLayer(configured))
  )
  return yield* Effect.catchTag(
    explainFailures(configured)(Effect.scoped(Effect.provide(used, services))),
    "Problem",
    () => CommandFailed.of("No company has this id; see svc accounts list")
  )
})

/** A company, or all companies. */
const companiesOf = Effect.fnUntraced(function* (companyId: string | null) {
  const accounts = yield* Accounts
  if (companyId !== null) return [yield* accounts.company(companyId)]
  const found: Array<Company> = []
  let after: Place | null = null
  do {
    const page: Effect.Success<ReturnType<typeof accounts.companies>> = yield* accounts.companies({
      page: 1,
      pageSize: maxPageSize,
      after
    })
    found.push(...page.items)
    after = page.next
  } while (after !== null)
  return found
})

const scopeOf = Effect.fnUntraced(function* (companyId: string | null) {
  if (companyId === null) return { _tag: "Installation" } satisfies AuditScope
  return scopeOfCompany(yield* (yield* Accounts).company(companyId), true)
})

const filterOf = ({ action }: Wanted): AuditFilter => (action === null ? {} : { actions: [action] })

/** Prints the newest entries. */
export const listEntries = Effect.fnUntraced(function* (wanted: Wanted, json: boolean) {
  const { items } = yield* onDatabase(
    Effect.gen(function* () {
      const scope = yield* scopeOf(wanted.companyId)
      return yield* (yield* AuditReader).list(scope, filterOf(wanted), { page: 1, pageSize: shown })
    })
  )
  const entries = items.map(encodeEntry)
  if (json) return yield* printJson(entries)
  return yield* print(
    table([
      ["AT", "ACTOR", "NETWORK", "ACTION", "TARGET", "OUTCOME"],
      ...entries.map(({ action, actor, at, network, outcome, target }) => [
        at,
        oneLine(actor.name ?? actor.id ?? actor.kind),
        network ?? "",
        oneLine(action),
        oneLine(target.name ?? target.id),
        outcome
      ])
    ])
  )
})

/** Prints all entries. */
export const exportEntries = Effect.fnUntraced(function* (wanted: Wanted, format: "Csv" | "Ndjson") {
  return yield* onDatabase(
    Effect.gen(function* () {
      const reader = yield* AuditReader
      const scope = yield* scopeOf(wanted.companyId)
      let after: Place | null = null
      let count = 0
      do {
        const page: Effect.Success<ReturnType<typeof reader.list>> = yield* reader.list(
          scope,
          filterOf(wanted),
          { page: 1, pageSize: maxPageSize, after, total: "Bounded" }
        )
        const entries = page.items.map(encodeEntry)
        const lines =
          format === "Ndjson"
            ? ndjsonOf(entries)
            : count === 0
              ? csvOf(entries)
              : csvOf(entries).slice(csvOf([]).length)
        if (lines !== "") yield* print(lines.replace(/\r?\n$/, ""))
        count += entries.length
        after = page.next
      } while (after !== null)
      const { companyId } = wanted
      yield* (yield* AuditTrail).record(cliActor, {
        accountId: noAccount,
        ...(companyId === null ? {} : { companyId }),
        action: "audit_log.exported",
        target: companyId ?? noAccount,
        before: null,
        after: { entries: count }
      })
    })
  )
})

/** Prints the days whose entries do not match their seals. */
export const verifySeals = Effect.fnUntraced(function* (companyId: string | null, json: boolean) {
  const found = yield* onDatabase(
    Effect.gen(function* () {
      const { verify } = yield* AuditSeals
      return yield* Effect.forEach(yield* companiesOf(companyId), (company) =>
        Effect.map(verify(company), (verified) => ({ company, ...verified }))
      )
    })
  )
  const failures = found.flatMap((one) => one.failures)
  const days = found.reduce((sum, one) => sum + one.days, 0)
  if (json) {
    const companies = found.map(({ company, last, ...one }) => ({
      companyId: company.id,
      days: one.days,
      last: last === null ? null : { day: last.day, hash: last.hash },
      failures: one.failures.map(({ day, why }) => ({ day, why }))
    }))
    yield* printJson({ days, companies })
  } else {
    yield* print(`${days} days of ${found.length} companies: ${failures.length} do not match`)
    for (const { company, failures: own } of found) {
      for (const { day, why } of own) {
        const text = why === "Missing" ? "the seal is missing" : "the entries or the seal were changed"
        yield* print(`${day}  ${company.id}  ${oneLine(company.name)}: ${text}`)
      }
    }
  }
  return failures.length === 0 ? undefined : yield* new BadNews()
})
