/**
 * Erasing a person whose emails are leaving at that moment.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as csv } from "../../adapters/csv/CsvReader.ts"
import { layer as composer } from "../../adapters/mail/MessageComposer.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { layer as sandbox } from "../../adapters/sandbox/MailTransport.ts"
import { FirstStart } from "../../core/accounts/FirstStart.ts"
import { Contacts } from "../../core/audience/Contacts.ts"
import { Erasure } from "../../core/audience/Erasure.ts"
import * as Core from "../../core/Core.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Emails } from "../../core/sending/Emails.ts"

const firstPage = { page: 1, pageSize: 50 }

/** What is done while messages are handed over: before it, and after it. */
interface Meanwhile {
  before: Effect.Effect<unknown, unknown>
  after: Effect.Effect<unknown, unknown>
}

/** Everything, with a sandbox transport that lets something happen meanwhile. */
const layerWith = (meanwhile: Meanwhile) => {
  const transport = Layer.effect(
    MailTransport,
    Effect.map(MailTransport, (inner) =>
      MailTransport.of({
        send: (messages, now) =>
          Effect.suspend(() => Effect.orDie(meanwhile.before)).pipe(
            Effect.andThen(inner.send(messages, now)),
            Effect.tap(() => Effect.orDie(meanwhile.after))
          )
      })
    )
  ).pipe(Layer.provide(sandbox))
  return Core.layer.pipe(
    Layer.provideMerge(transport),
    Layer.provide(Layer.mergeAll(crypto, csv, composer)),
    Layer.provideMerge(Layer.fresh(memory))
  )
}

const whenErased = (moment: keyof Meanwhile, email: string) => {
  const meanwhile: Meanwhile = { before: Effect.void, after: Effect.void }
  return Effect.gen(function* () {
    const secrets = yield* (yield* FirstStart).prepare(0)
    const accountId = secrets!.sandboxAccountId
    const { contact } = yield* (yield* Contacts).write(accountId, { email })
    const erasure = yield* Erasure
    const others = { to: "other@example.org", subject: "Hello", html: "<p>Hello</p>" }
    yield* (yield* Emails).submit(accountId, { ...others, to: email }, null)
    yield* (yield* Emails).submit(accountId, others, null)
    meanwhile[moment] = erasure.erase(accountId, contact.id, "system")
    yield* (yield* Worker).drain
    const inbox = yield* (yield* InboxStore).list(accountId, firstPage)
    expect(inbox.items.map((message) => message.to)).toEqual(["other@example.org"])
    const sent = yield* (yield* SubmissionStore).list(accountId, { status: null, to: null }, firstPage)
    expect(
      sent.items.map(({ deliveries }) => deliveries.map(({ email: to, status }) => [to, status]))
    ).toEqual([[["other@example.org", "Delivered"]]])
    expect((yield* (yield* SuppressionStore).list(accountId, firstPage)).totalCount).toBe(0)
    const depths = yield* (yield* JobQueue).depth
    expect(depths.map((depth) => depth.pending + depth.buried)).toEqual(depths.map(() => 0))
  }).pipe(Effect.provide(layerWith(meanwhile)))
}

describe("erasing while an email is handed over", () => {
  for (const email of [
    "ada@example.org",
    "bounce@example.org",
    "complaint@example.org",
    "defer@example.org"
  ]) {
    for (const moment of ["before", "after"] as const) {
      it.live(`leaves nothing of ${email}, erased ${moment} the message arrived`, () =>
        whenErased(moment, email)
      )
    }
  }
})
