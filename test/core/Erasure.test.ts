/**
 * Erasing a person whose emails are leaving at that moment.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FirstStart } from "../../core/accounts/FirstStart.ts"
import { Contacts } from "../../core/audience/Contacts.ts"
import { Erasure } from "../../core/audience/Erasure.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Emails } from "../../core/sending/Emails.ts"
import { makeFakeTransport } from "../support/fakeTransport.ts"
import { type Meanwhile, wholeCore } from "../support/wholeCore.ts"

const firstPage = { page: 1, pageSize: 50 }

const whenErased = (email: string) => {
  const meanwhile: Meanwhile = { act: Effect.void }
  return Effect.gen(function* () {
    const secrets = yield* (yield* FirstStart).prepare(0)
    const accountId = secrets!.sandboxAccountId
    const { contact } = yield* (yield* Contacts).write(accountId, { email })
    const erasure = yield* Erasure
    const others = { to: "other@example.org", subject: "Hello", html: "<p>Hello</p>" }
    yield* (yield* Emails).submit(accountId, { ...others, to: email }, null)
    yield* (yield* Emails).submit(accountId, others, null)
    meanwhile.act = erasure.erase(accountId, contact.id, "system")
    yield* (yield* Worker).drain
    const inbox = yield* (yield* InboxStore).list(accountId, firstPage)
    expect(inbox.items.map((message) => message.to)).toEqual(["other@example.org"])
    const sent = yield* (yield* SubmissionStore).list(accountId, { status: null, to: null }, firstPage)
    expect(
      sent.items.map(({ deliveries }) => deliveries.map(({ email: to, status }) => [to, status]))
    ).toEqual([[["other@example.org", "Delivered"]]])
    expect((yield* (yield* SuppressionStore).list(accountId, firstPage)).totalCount).toBe(0)
    const depths = yield* (yield* JobQueue).depth
    const left = depths.filter(({ queue }) => queue === "deliveries")
    expect(left.map((depth) => depth.pending + depth.buried)).toEqual([0])
  }).pipe(Effect.provide(wholeCore(meanwhile, makeFakeTransport())))
}

describe("erasing while an email is handed over", () => {
  for (const email of [
    "ada@example.org",
    "bounce@example.org",
    "complaint@example.org",
    "defer@example.org"
  ]) {
    it.live(`leaves nothing of ${email}`, () => whenErased(email))
  }
})
