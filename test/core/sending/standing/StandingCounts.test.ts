/**
 * What is counted of live mail when a batch of results is written.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { judgeJob } from "../../../../core/jobs/definitions/DomainJobs.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
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
    // Judged once, a minute later.
    const { claim } = yield* JobQueue
    const now = (yield* Clock.currentTimeMillis) + 60_000
    const jobs = yield* claim({ queue: "domains", limit: 10, lease: 1_000, now })
    expect(jobs.filter(judgeJob.owns).map(({ accountId }) => accountId)).toEqual([live.id])
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
    const { list } = yield* SubmissionStore
    const atProvider = (provider: string) =>
      Effect.map(
        list(live.id, { provider: [provider] }, { page: 1, pageSize: 10 }),
        ({ totalCount }) => totalCount
      )
    expect([yield* atProvider("google"), yield* atProvider("yahoo")]).toEqual([4, 0])
  })
)
