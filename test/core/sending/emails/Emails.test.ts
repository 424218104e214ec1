/**
 * Tests of emails submitted with the relay's options: lists of recipients, attachments as bytes, and repeats that must have the
 * same content.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import * as Memory from "../../../../adapters/memory/index.ts"
import { AcceptanceLookup } from "../../../../core/ports/AcceptanceLookup.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import type { EmailRequest } from "../../../../core/sending/emails/EmailRequest.ts"
import { Emails } from "../../../../core/sending/emails/Emails.ts"
import { expectFailure, freshAccount, now, wholeSubmissions } from "../../../contract/fixtures.ts"
import { emailsOver } from "../../../support/emails.ts"

const emails = emailsOver(Memory.layer)

const message: EmailRequest = {
  to: ["Ann <ann@example.com>", "ben@example.com"],
  bcc: ["cleo@example.com"],
  subject: "Hello",
  text: "Hello",
  attachments: [{ filename: "a.bin", contentType: "a/b", content: Uint8Array.of(0, 255, 7) }],
  headers: [
    { name: "X-A", value: "1" },
    { name: "X-A", value: "2" }
  ],
  tags: { a: "1", b: "2" }
}

const strict = { onRepeat: "SameContentOnly" } as const

layer(emails, { excludeTestServices: true })("Emails", (it) => {
  it.effect("accepts several recipients in one role, attachments as bytes, and a repeated header", () =>
    Effect.gen(function* () {
      const { submit } = yield* Emails
      const { id: accountId } = yield* freshAccount()
      const { created, submission } = yield* submit(accountId, message, null)
      expect(created).toBe(true)
      const [stored] = yield* wholeSubmissions(submission.deliveries)
      expect(stored!.deliveries.map(({ email, kind, name }) => [kind, email, name])).toEqual([
        ["To", "ann@example.com", "Ann"],
        ["To", "ben@example.com", null],
        ["Bcc", "cleo@example.com", null]
      ])
      expect(stored!.attachments[0]!.content).toEqual(Uint8Array.of(0, 255, 7))
      expect(stored!.headers).toEqual(message.headers)
    })
  )

  it.effect("returns the first email for a repeat of the same content, and rejects another content", () =>
    Effect.gen(function* () {
      const { submit } = yield* Emails
      const { id: accountId } = yield* freshAccount()
      const first = yield* submit(accountId, message, "key", strict)
      const again = yield* submit(accountId, { ...message, tags: { b: "2", a: "1" } }, "key", strict)
      expect([again.created, again.submission.id]).toEqual([false, first.submission.id])
      const others: ReadonlyArray<EmailRequest> = [
        { ...message, to: ["ann@example.com", "ben@example.com"] },
        { ...message, to: ["Ann <ann@example.com>"], cc: ["ben@example.com"] },
        { ...message, replyTo: "ann@example.com" },
        { ...message, subject: "Hello!" },
        { ...message, html: "<p>" },
        { ...message, attachments: [{ ...message.attachments![0]!, content: Uint8Array.of(0, 255, 8) }] },
        { ...message, attachments: [{ ...message.attachments![0]!, contentId: "x" }] },
        { ...message, headers: { "X-A": "1" } },
        { ...message, tags: { a: "2", b: "1" } },
        { ...message, metadata: { a: "1" } },
        { ...message, tracking: { opens: true } },
        { ...message, sendAt: "2001-01-01T00:00:00Z" }
      ]
      for (const other of others) {
        const problem = yield* expectFailure(submit(accountId, other, "key", strict), "Problem")
        expect(problem.issues[0].code).toBe("sending.idempotency_conflict")
        const lenient = yield* submit(accountId, other, "key")
        expect(lenient.submission.id).toBe(first.submission.id)
      }
    })
  )

  it.effect("creates one email of concurrent repeats, and rejects other contents", () =>
    Effect.gen(function* () {
      const { submit } = yield* Emails
      const { id: accountId } = yield* freshAccount()
      const calls = Array.from({ length: 20 }, (_, index) =>
        Effect.result(submit(accountId, { ...message, subject: `Number ${index % 2}` }, "key", strict))
      )
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      const accepted = results.filter((result) => result._tag === "Success")
      expect(accepted).toHaveLength(10)
      expect(accepted.filter((result) => result.success.created)).toHaveLength(1)
    })
  )

  it.effect(
    "rejects an email without a verified sender where one is required, and otherwise lets it wait",
    () =>
      Effect.gen(function* () {
        const { list, submit } = yield* Emails
        const { id: accountId } = yield* freshAccount()
        const options = { requireVerifiedSender: true }
        for (const request of [message, { ...message, from: "x@unverified.example" }]) {
          const problem = yield* expectFailure(submit(accountId, request, null, options), "Problem")
          expect(problem.issues).toMatchObject([
            { code: "deliverability.sender_domain_not_verified", field: "from" }
          ])
        }
        const page = { page: 1, pageSize: 10 }
        expect((yield* list(accountId, { status: null, to: null }, page)).totalCount).toBe(0)
        const { submission } = yield* submit(accountId, message, null)
        expect(submission).toMatchObject({
          acceptedStatus: "Queued",
          acceptedReason: "sending.no_verified_sender"
        })
      })
  )
})

/** A suppression list with one address, which replaces that of the storage adapter. */
const ownList = Layer.effect(
  SuppressionStore,
  Effect.map(SuppressionStore, (store) =>
    SuppressionStore.of({
      ...store,
      find: (refs) =>
        Effect.succeed(
          refs
            .filter(({ email }) => email === "ann@example.com")
            .map((ref) => ({ ...ref, kind: "Protected" as const, source: "Report" as const, createdAt: now }))
        )
    })
  )
).pipe(Layer.provideMerge(Memory.layer))

layer(emailsOver(ownList), { excludeTestServices: true })("Emails over another suppression list", (it) => {
  it.effect("reads that list, not the one of the storage adapter", () =>
    Effect.gen(function* () {
      const { submit } = yield* Emails
      const { id: accountId } = yield* freshAccount()
      const lookup = yield* AcceptanceLookup
      expect((yield* lookup.find(accountId, ["ann@example.com"])).suppressed).toEqual([])
      const { submission } = yield* submit(accountId, message, null)
      expect(submission.deliveries.map(({ email, reason, status }) => [email, status, reason])).toEqual([
        ["ann@example.com", "Suppressed", "sending.gate_protected"],
        ["ben@example.com", "Queued", "sending.no_verified_sender"],
        ["cleo@example.com", "Queued", "sending.no_verified_sender"]
      ])
    })
  )
})
