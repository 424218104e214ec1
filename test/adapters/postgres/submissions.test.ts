/**
 * Tests that accepting, claiming and recording email takes a fixed number of statements, whatever the size of a batch, counted as
 * spans of the SQL client.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { layerEmbedded } from "../../../adapters/postgres/index.ts"
import { AttemptStore } from "../../../core/ports/AttemptStore.ts"
import { SendQuota } from "../../../core/ports/SendQuota.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import {
  draftAttachment,
  draftClaim,
  draftMove,
  draftSubmission,
  draftToMany
} from "../../contract/drafts.ts"
import { freshAccountId, now, times } from "../../contract/fixtures.ts"
import { statementsOf } from "../../support/statements.ts"

layer(Layer.fresh(layerEmbedded(null)), { excludeTestServices: true })("submissions", (it) => {
  it.effect("are added, claimed and moved in as many statements for one as for two hundred", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const attempts = yield* AttemptStore
      const quota = yield* SendQuota
      const countsOf = Effect.fnUntraced(function* (size: number) {
        const accountId = yield* freshAccountId
        const plain = times(size, () => draftSubmission(accountId))
        const rich = times(size, () =>
          draftToMany(accountId, [{}, { kind: "Cc" }], {
            attachments: [draftAttachment(), draftAttachment()]
          })
        )
        const deliveries = plain.flatMap((submission) => submission.deliveries)
        const claims = deliveries.map((delivery) => draftClaim(delivery, 1))
        const over = deliveries.map((delivery) =>
          draftMove({ ...delivery, status: "HandingOff" }, "Delivered", { claim: 1 })
        )
        const made = claims.map(({ claim, id }) => ({
          accountId,
          deliveryId: id,
          claim,
          startedAt: now,
          finishedAt: now,
          outcome: "Delivered" as const,
          host: null,
          tls: null,
          source: null,
          replies: [],
          error: null
        }))
        return {
          insert: yield* statementsOf(store.insert(accountId, plain, [])),
          insertRich: yield* statementsOf(store.insert(accountId, rich, [])),
          claim: yield* statementsOf(
            store.move(deliveries.map((delivery) => draftMove(delivery, "HandingOff")))
          ),
          read: yield* statementsOf(store.unloaded(deliveries)),
          readRich: yield* statementsOf(store.contents(rich)),
          commit: yield* statementsOf(store.commit(claims, now)),
          move: yield* statementsOf(store.move(over)),
          engage: yield* statementsOf(store.engage("opened", deliveries, now)),
          attempts: yield* statementsOf(attempts.put(made)),
          take: yield* statementsOf(quota.take([{ accountId, day: "2031-05-06", wanted: size, limit: 1 }])),
          eraseContent: yield* statementsOf(store.eraseContent(accountId, now + 1, size, now)),
          eraseRecipients: yield* statementsOf(store.eraseRecipients(accountId, now + 1, size)),
          eraseAttempts: yield* statementsOf(attempts.erase(deliveries))
        }
      })
      const one = {
        insert: 1,
        insertRich: 1,
        claim: 1,
        read: 1,
        readRich: 2,
        commit: 1,
        move: 1,
        engage: 1,
        attempts: 1,
        take: 1,
        eraseContent: 1,
        eraseRecipients: 1,
        eraseAttempts: 1
      }
      expect(yield* countsOf(1)).toEqual(one)
      expect(yield* countsOf(200)).toEqual(one)
    })
  )
})
