/**
 * Tests that email is accepted in two statements without a transaction, counted as spans of the SQL client.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "vitest"
import { layer as database } from "../../../adapters/postgres/engine/Embedded.ts"
import { layerEmbedded } from "../../../adapters/postgres/index.ts"
import * as NotifierOfPostgres from "../../../adapters/postgres/engine/JobNotifier.ts"
import * as SubmissionsOfPostgres from "../../../adapters/postgres/SubmissionStore.ts"
import type { Settings } from "../../../core/model/Account.ts"
import { AcceptanceLookup } from "../../../core/ports/AcceptanceLookup.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import type { EmailRequest } from "../../../core/sending/emails/EmailRequest.ts"
import { Emails } from "../../../core/sending/emails/Emails.ts"
import { draftSubmission } from "../../contract/drafts.ts"
import {
  edited,
  freshAccount,
  freshAccountId,
  minute,
  newEmail,
  newId,
  times
} from "../../contract/fixtures.ts"
import { eventually } from "../../support/client.ts"
import { emailsOver } from "../../support/emails.ts"
import { makeStatementCounter } from "../../support/statements.ts"

const withoutTransactions = Layer.succeed(Transaction, {
  areSerial: true,
  run: () => Effect.die(new Error("There is to be no transaction"))
})

const emails = emailsOver(Layer.merge(Layer.fresh(layerEmbedded(null)), withoutTransactions))

const request = (): EmailRequest => ({
  to: [newEmail()],
  cc: [newEmail()],
  subject: "Hello",
  text: "Hello",
  attachments: [{ filename: "a.txt", contentType: "text/plain", content: Uint8Array.of(1) }]
})

layer(emails, { excludeTestServices: true })("accepting email", (it) => {
  it.effect("takes two statements for a group, whatever its size, and one more for repeats", () => {
    const counter = makeStatementCounter()
    // The groups of an account may run one after another in one fiber, so a single tracer counts them all.
    return Effect.withTracer(
      Effect.gen(function* () {
        const { submit } = yield* Emails
        const accountId = yield* freshAccountId
        const statementsFor = Effect.fnUntraced(function* (keys: ReadonlyArray<string | null>) {
          counter.take()
          yield* Effect.all(
            keys.map((key) => submit(accountId, request(), key)),
            { concurrency: "unbounded" }
          )
          return counter.take()
        })
        expect(yield* statementsFor([null])).toBe(2)
        expect(yield* statementsFor(["key"])).toBe(2)
        // The first email may be stored alone; meanwhile the others form a group.
        expect(yield* statementsFor(times(100, () => newId()))).toBeLessThanOrEqual(4)
        expect(yield* statementsFor(["key"])).toBe(3)
        const claimed = yield* (yield* JobQueue).claim({
          queue: "deliveries",
          limit: 1000,
          lease: minute,
          now: Date.now() + minute
        })
        expect(claimed.filter((job) => job.accountId === accountId)).toHaveLength(2 * 102)
      }),
      counter.tracer
    )
  })

  it.effect("reads the default of a setting that the account was stored without", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const { id, settings } = yield* freshAccount()
      const { keepErased: _later, ...earlier } = settings
      yield* accounts.saveSettings(id, earlier as Settings, edited)
      const [found] = yield* accounts.find([id])
      expect(found?.settings).toEqual(settings)
      expect((yield* (yield* AcceptanceLookup).find(id, [])).account?.settings).toEqual(settings)
    })
  )
})

const store = SubmissionsOfPostgres.layer.pipe(
  Layer.provide(NotifierOfPostgres.layerEmbedded),
  Layer.provideMerge(Layer.fresh(database(null)))
)

layer(store, { excludeTestServices: true })("the statistics", (it) => {
  it.effect("follow submissions that are added outside transactions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const accountId = newId()
      const counted = sql.unsafe<{ readonly rows: number }>(
        "select reltuples::int as rows from pg_class where relname = 'submissions'"
      )
      expect(yield* counted).toEqual([{ rows: -1 }])
      yield* (yield* SubmissionStore).insert(
        accountId,
        times(2000, () => draftSubmission(accountId)),
        []
      )
      const known = yield* Effect.promise(() =>
        eventually(
          () => Effect.runPromise(counted),
          ([found]) => (found?.rows ?? 0) > 1000
        )
      )
      expect(known).toEqual([{ rows: 2000 }])
    })
  )
})
