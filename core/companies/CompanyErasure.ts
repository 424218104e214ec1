/**
 * Erases deleted companies that can no longer be restored, including the bytes of their emails outside the database and of their
 * images.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { companyErasureJob } from "../jobs/definitions/CompanyJobs.ts"
import { type Company, noAccount } from "../model/Account.ts"
import { systemActor } from "../model/Actor.ts"
import { imageSpace } from "../model/Image.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { CompanyEraser } from "../ports/CompanyEraser.ts"
import { Crypto } from "../ports/Crypto.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { ObjectStorage } from "../ports/ObjectStorage.ts"
import type { DecodedJob } from "../jobs/defineJob.ts"
import { restorableMillis } from "./CompanyRules.ts"

/** The most rows of a kind that are deleted together. */
const perRound = 2_000
/** The number of objects that are removed together. */
const pageSize = 500
/** How long a company is processed at a time, milliseconds. */
const timeSlice = 5_000
/** The pause after the object storage was unavailable, milliseconds. */
const pause = 600_000

/** Erases deleted companies. */
export class CompanyErasure extends Context.Service<CompanyErasure>()("svc/companies/CompanyErasure", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const crypto = yield* Crypto
    const eraser = yield* CompanyEraser
    const jobs = yield* JobQueue
    const storage = yield* ObjectStorage
    const { record } = yield* AuditTrail

    /** Removes a page of objects; returns whether there may be more. */
    const removePage = Effect.fnUntraced(function* (accountId: string) {
      const page = yield* storage.list(accountId, null, pageSize)
      if (page.length > 0) yield* storage.remove(page)
      return page.length === pageSize
    })

    /** Removes some of an account's objects; returns whether there may be more. */
    const removeObjects = Effect.fnUntraced(function* (accountId: string) {
      // In the database, the content of emails is deleted with the account's rows.
      const contents = storage.place !== "Database" && (yield* removePage(accountId))
      const images = yield* removePage(imageSpace(accountId, crypto.sha256Hex))
      return contents || images
    })

    /** Erases data until a time; returns whether everything is erased. */
    const eraseSome = Effect.fnUntraced(function* (company: Company, until: number) {
      const hasTime = Effect.map(Clock.currentTimeMillis, (now) => now < until)
      while (yield* hasTime) {
        const live = yield* removeObjects(company.liveAccountId)
        const sandbox = yield* removeObjects(company.sandboxAccountId)
        if (live || sandbox) continue
        if ((yield* eraser.erase(company, perRound)) === 0) return true
      }
      return false
    })

    const run = Effect.fnUntraced(function* ({
      job,
      payload: { companyId }
    }: DecodedJob<{ readonly companyId: string }>) {
      const now = yield* Clock.currentTimeMillis
      const [company] = yield* accounts.findCompanies([companyId])
      const isDue =
        company !== undefined && company.deletedAt !== null && company.deletedAt + restorableMillis <= now
      if (!isDue) return yield* jobs.complete([job])
      if (!(yield* eraseSome(company, now + timeSlice))) return yield* jobs.release([job], now)
      yield* record(systemActor, {
        accountId: noAccount,
        action: "company.erased",
        target: companyId,
        before: null,
        after: null
      })
      return yield* jobs.complete([job])
    })

    return {
      /** Handles jobs of the queue `retention`. They wait while a storage is unavailable. Repeating it is harmless. */
      run: Effect.fn("CompanyErasure.run")(function* (given: ReadonlyArray<Job>) {
        for (const decoded of yield* companyErasureJob.decode(jobs, given)) {
          yield* Effect.catchTag(run(decoded), "Unavailable", () =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => jobs.release([decoded.job], now + pause))
          )
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(CompanyErasure, CompanyErasure.make)
}
