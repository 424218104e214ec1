/**
 * What is counted of live mail when a batch of results is written.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { StandingStore } from "../../../../core/ports/StandingStore.ts"
import { answering, refusing } from "../../../support/fakeTransport.ts"
import { makeSender, queueMail, sendingAccount } from "../../../support/senders.ts"
import { senderTest, to } from "../../../support/senderTests.ts"

const conversation = (host: string, reply: string) => ({ host, tls: null, replies: [reply], error: null })

senderTest(
  "results are counted by the provider of the server, and those of a sandbox are not",
  Effect.gen(function* () {
    const live = yield* sendingAccount()
    const sandbox = yield* sendingAccount("Sandbox")
    const sender = yield* makeSender
    sender.transport.script = (message, pointOfNoReturn) => {
      const google = "gmail-smtp-in.l.google.com [192.0.2.1]"
      switch (message.recipient.slice(0, message.recipient.indexOf("@"))) {
        case "gone":
          return refusing({ _tag: "Bounced", conversation: conversation(google, "550 5.1.1 No such user") })(
            message,
            pointOfNoReturn
          )
        case "blocked":
          return refusing({ _tag: "Refused", conversation: conversation(google, "550 5.7.1 Blocked") })(
            message,
            pointOfNoReturn
          )
        default:
          return answering({ _tag: "Delivered", conversation: conversation(google, "250 OK") })(
            message,
            pointOfNoReturn
          )
      }
    }
    const names = ["a", "b", "gone", "blocked"]
    yield* queueMail([
      ...names.map((name) => to(live.id, `${name}@one.example`)),
      to(sandbox.id, "bounce@one.example")
    ])
    yield* sender.worker.drain
    const { buckets } = yield* StandingStore
    expect(yield* buckets([sandbox.id], "Day", 0)).toEqual([])
    expect(yield* buckets([live.id], "Day", 0)).toMatchObject([
      {
        stream: "Transactional",
        domain: "mail.example",
        provider: "google",
        handed: 4,
        delivered: 2,
        bounced: 1,
        policy: 1,
        complained: 0
      }
    ])
  })
)
