/**
 * The contract of `core/ports/ContentStore`, and of how `SubmissionStore` stores content.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { createHash } from "node:crypto"
import { maxUnnamedMillis } from "../../core/model/Content.ts"
import type { Submission } from "../../core/model/Submission.ts"
import { ContentStore } from "../../core/ports/ContentStore.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { retryConflicts } from "../../core/kernel/Conflicts.ts"
import { timeOfId } from "../../core/shared/Uuid.ts"
import { draftAttachment, draftSubmission } from "./drafts.ts"
import {
  atOnce,
  expectFailure,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  type StorageTest,
  times,
  unique
} from "./fixtures.ts"
import { draftObject } from "./ObjectStorage.ts"

const hashOf = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** A submission whose content is large enough to be stored separately. */
const draftLarge = (accountId: string, html: string, values: Partial<Submission> = {}): Submission =>
  draftSubmission(accountId, { html, ...values }, { email: newEmail(), status: "Delivered" })

const largeHtml = (): string => unique("html").padEnd(10_000, "x")

/** Tests of the port `ContentStore`. */
export const contentStoreContract = (it: StorageTest): void => {
  describe("ContentStore", () => {
    it.effect("stores equal content of an account once, and removes it after its last use", () =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const submissions = yield* SubmissionStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const html = largeHtml()
        const file = draftAttachment({ content: new TextEncoder().encode(unique("file")) })
        const drafts = times(3, () => draftLarge(accountId, html, { attachments: [file, file] }))
        const hashes = [hashOf(html), hashOf(file.content)]
        yield* submissions.insert(accountId, drafts.slice(0, 2), [])
        yield* submissions.insert(accountId, drafts.slice(2), [])
        yield* submissions.insert(other, [draftLarge(other, html)], [])
        expect((yield* contents.find(accountId, [...hashes, ...hashes, hashOf("none")])).toSorted()).toEqual(
          hashes.toSorted()
        )
        expect(yield* contents.find(other, hashes)).toEqual([hashOf(html)])
        expect(yield* contents.find(accountId, [])).toEqual([])
        const emailOf = ({ deliveries }: Submission) => deliveries[0]!.email
        yield* submissions.erase(accountId, [emailOf(drafts[0]!)])
        expect((yield* contents.removeUnused(accountId, 10, now)).seen).toBe(2)
        expect(yield* contents.find(accountId, hashes)).toHaveLength(2)
        expect((yield* contents.removeUnused(accountId, 10, now)).seen).toBe(0)
        yield* submissions.erase(accountId, [emailOf(drafts[1]!)])
        yield* submissions.eraseContent(accountId, now + 1, 10, now)
        expect(yield* contents.removeUnused(accountId, 10, now)).toEqual({ seen: 2, outside: [] })
        expect(yield* contents.find(accountId, hashes)).toEqual([])
        expect(yield* submissions.bodies([drafts[2]!])).toEqual([
          { accountId, id: drafts[2]!.id, html: null, text: null }
        ])
        expect(yield* contents.find(other, hashes)).toEqual([hashOf(html)])
      })
    )

    it.effect("keeps small bodies with their submission, and what no added submission uses nowhere", () =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const submissions = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const small = draftSubmission(accountId, { html: oddText, text: oddText, idempotencyKey: "key" })
        yield* submissions.insert(accountId, [small], [])
        const html = largeHtml()
        yield* submissions.insert(accountId, [draftLarge(accountId, html, { idempotencyKey: "key" })], [])
        expect(
          yield* contents.find(accountId, [hashOf(oddText), hashOf(oddText + oddText), hashOf(html)])
        ).toEqual([])
      })
    )

    it.effect("reads the text and the html that are stored apart as they were", () =>
      Effect.gen(function* () {
        const submissions = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const long = oddText.repeat(100)
        const bodies = [
          { html: long, text: `\ufeff${long}` },
          { html: long, text: null },
          { html: null, text: long },
          { html: "", text: long }
        ]
        const drafts = bodies.map((body) => draftSubmission(accountId, body))
        yield* submissions.insert(accountId, drafts, [])
        for (const [index, draft] of drafts.entries()) {
          expect(yield* submissions.bodies([draft])).toEqual([{ accountId, id: draft.id, ...bodies[index] }])
        }
      })
    )

    it.effect("names content that is outside, and rejects a name of content that is gone", () =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const submissions = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const file = draftAttachment()
        const first = draftSubmission(accountId, { html: "a", text: "b", attachments: [file] })
        const [bodies, content] = [hashOf("ab"), hashOf(file.content)]
        const [one, two] = [newId(), newId()]
        const objects = new Map([
          [bodies, one],
          [content, two]
        ])
        yield* submissions.insert(accountId, [first], [], objects)
        const outside = { object: { accountId, hash: bodies, id: one }, htmlBytes: 1, textBytes: 1 }
        const named = { html: null, text: null, outside }
        const delivery = { accountId, id: first.deliveries[0]!.id }
        expect(yield* submissions.unloaded([delivery])).toMatchObject([
          { bodies: null, bodyBytes: 2, attachedBytes: file.content.length }
        ])
        expect(yield* submissions.bodies([first])).toEqual([{ accountId, id: first.id, ...named }])
        expect(yield* submissions.contents([first])).toEqual([
          {
            accountId,
            id: first.id,
            ...named,
            attachments: [{ ...file, content: { accountId, hash: content, id: two } }]
          }
        ])
        // Of a later write, only the first name is stored.
        const again = draftSubmission(accountId, { html: "ab" })
        yield* submissions.insert(accountId, [again], [], new Map([[bodies, newId()]]))
        expect(yield* submissions.bodies([again])).toMatchObject([{ outside: { object: { id: one } } }])
        yield* submissions.insert(
          accountId,
          [draftSubmission(accountId, { text: "ab", html: null })],
          [],
          new Map()
        )
        const lost = draftSubmission(accountId, { html: "lost" })
        yield* expectFailure(submissions.insert(accountId, [lost], [], new Map()), "WriteConflict")
        expect(yield* submissions.find(accountId, [lost.id])).toEqual([])
        const records = [outside.object, { accountId, hash: bodies, id: newId() }]
        expect(yield* contents.recorded(accountId, records)).toEqual([outside.object])
        expect(yield* contents.recorded(accountId, [])).toEqual([])
        yield* submissions.erase(accountId, [first.deliveries[0]!.email])
        expect((yield* contents.removeUnused(accountId, 10, now)).outside).toEqual([
          { accountId, hash: content, id: two }
        ])
      })
    )

    it.effect("removes what was stored without a use after half a day", () =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const storage = yield* ObjectStorage
        const accountId = yield* freshAccountId
        const object = draftObject(accountId)
        yield* storage.put([object])
        const due = timeOfId(object.name.id) + maxUnnamedMillis
        expect((yield* contents.removeUnused(accountId, 10, due - 1)).seen).toBe(0)
        expect((yield* contents.removeUnused(accountId, 10, due)).seen).toBe(1)
        expect(yield* storage.get([object.name])).toEqual([null])
      })
    )

    it.effect("never loses content to a removal at the same time", () =>
      Effect.gen(function* () {
        const contents = yield* ContentStore
        const submissions = yield* SubmissionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const html = largeHtml()
        for (const _ of times(10, () => null)) {
          const [before, after] = [draftLarge(accountId, html), draftLarge(accountId, html)]
          yield* submissions.insert(accountId, [before], [])
          const exits = yield* atOnce([
            run(
              Effect.andThen(
                submissions.erase(accountId, [before.deliveries[0]!.email]),
                Effect.asVoid(contents.removeUnused(accountId, 10, now))
              )
            ),
            retryConflicts(Effect.asVoid(submissions.insert(accountId, [after], []))),
            run(Effect.asVoid(contents.removeUnused(accountId, 10, now)))
          ])
          expect(exits.every(Exit.isSuccess)).toBe(true)
          expect(yield* submissions.bodies([after])).toEqual([{ accountId, id: after.id, html, text: null }])
          yield* submissions.erase(accountId, [after.deliveries[0]!.email])
          yield* run(contents.removeUnused(accountId, 10, now))
          expect(yield* contents.find(accountId, [hashOf(html)])).toEqual([])
        }
      })
    )
  })
}
