/**
 * The settings that companies control: name, second factors, retention of the audit log, brand, and their deletion. When a
 * company is deleted, its keys are rejected and nothing of it is sent; links in emails that it sent continue to work until it is
 * erased.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { companyErasureJob } from "../jobs/definitions/CompanyJobs.ts"
import { releaseJob } from "../jobs/definitions/DomainJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { type Brand, type Company, noAccount } from "../model/Account.ts"
import type { Actor } from "../model/Actor.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { deepEqual, type Json } from "../shared/Json.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import {
  type CompanyChanges,
  type GivenBrand,
  parseBrand,
  parseCompanyChanges,
  restorableMillis
} from "./CompanyRules.ts"

/** The settings that companies control. */
export class Companies extends Context.Service<
  Companies,
  {
    /** Changes a company; validation.*, common.not_found. */
    readonly change: (
      companyId: string,
      changes: CompanyChanges,
      actor: Actor
    ) => Effect.Effect<Company, Problem | Unavailable>
    /** Replaces the brand of a company; validation.*, common.not_found. */
    readonly setBrand: (
      companyId: string,
      brand: GivenBrand,
      actor: Actor
    ) => Effect.Effect<Brand, Problem | Unavailable>
    /** Deletes a company. It can be restored for 30 days, then it is erased. common.not_found. */
    readonly remove: (companyId: string, actor: Actor) => Effect.Effect<Company, Problem | Unavailable>
    /** Restores a deleted company; common.not_found once 30 days have passed. */
    readonly restore: (companyId: string, actor: Actor) => Effect.Effect<Company, Problem | Unavailable>
  }
>()("svc/companies/Companies") {
  static readonly layer = Layer.effect(
    Companies,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const ids = yield* Ids
      const jobs = yield* JobQueue
      const store = yield* AccountStore
      const { record } = yield* AuditTrail

      /** Changes a company, which is locked. A change without effect is not recorded. */
      const update = (
        companyId: string,
        actor: Actor,
        action: string,
        change: (company: Company, now: number) => Effect.Effect<Company, Problem | Unavailable>
      ) =>
        atomically(
          Effect.gen(function* () {
            const [company] = yield* store.lockCompanies([companyId])
            if (company === undefined) return yield* Problem.of("common.not_found")
            const changed = yield* change(company, yield* Clock.currentTimeMillis)
            const fields = (Object.keys(changed) as ReadonlyArray<keyof Company>).filter(
              (field) => !deepEqual(changed[field] as Json, company[field] as Json)
            )
            if (fields.length === 0) return company
            yield* store.saveCompany(changed)
            const pick = (of: Company) =>
              Object.fromEntries(fields.map((field) => [field, of[field] as Json])) satisfies Json
            yield* record(actor, {
              accountId: noAccount,
              companyId,
              action,
              target: companyId,
              before: pick(company),
              after: pick(changed)
            })
            return changed
          })
        )

      return Companies.of({
        change: Effect.fn("Companies.change")(function* (companyId, given, actor) {
          const changes = yield* Effect.fromResult(parseCompanyChanges(given))
          return yield* update(companyId, actor, "company.changed", (company) =>
            Effect.succeed({ ...company, ...changes })
          )
        }),
        setBrand: Effect.fn("Companies.setBrand")(function* (companyId, given, actor) {
          const brand = yield* Effect.fromResult(parseBrand(given))
          const { brand: stored } = yield* update(companyId, actor, "brand.changed", (company) =>
            Effect.succeed({ ...company, brand })
          )
          return stored
        }),
        remove: Effect.fn("Companies.remove")(function* (companyId, actor) {
          return yield* update(companyId, actor, "company.deleted", (company, now) =>
            Effect.gen(function* () {
              if (company.deletedAt !== null) return company
              const id = yield* ids.next
              const runAt = now + restorableMillis
              const payload = { kind: "company", companyId } as const
              yield* jobs.enqueue([companyErasureJob.job({ id, accountId: noAccount, payload, runAt })])
              return { ...company, deletedAt: now }
            })
          )
        }),
        restore: Effect.fn("Companies.restore")(function* (companyId, actor) {
          return yield* update(companyId, actor, "company.restored", (company, now) =>
            Effect.gen(function* () {
              const { deletedAt, liveAccountId, sandboxAccountId } = company
              if (deletedAt === null) return company
              if (deletedAt + restorableMillis <= now) return yield* Problem.of("common.not_found")
              yield* companyErasureJob.cancel(jobs, noAccount, [{ companyId }])
              const accounts = [liveAccountId, sandboxAccountId]
              const newIds = yield* ids.many(accounts.length)
              // Emails that were accepted before the deletion are sent.
              yield* jobs.enqueue(
                accounts.map((accountId, index) =>
                  releaseJob.job({
                    id: newIds[index]!,
                    accountId,
                    payload: { kind: "release" },
                    runAt: now
                  })
                )
              )
              return { ...company, deletedAt: null }
            })
          )
        })
      })
    })
  )
}
