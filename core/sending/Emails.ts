/**
 * Transactional email: accept, read.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result, type Scope } from "effect"
import type { InstanceKeys } from "../accounts/InstanceKeys.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import type { Crypto } from "../ports/Crypto.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { type SubmissionFilter, SubmissionStore } from "../ports/SubmissionStore.ts"
import type { SuppressionStore } from "../ports/SuppressionStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { retryConflicts } from "../shared/Conflicts.ts"
import { makeGroupCommit } from "../shared/GroupCommit.ts"
import { Ids, isUuid } from "../shared/Ids.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { checkEmailRequest, type EmailCommand, type EmailRequest } from "./EmailRequest.ts"
import { deliveryJob } from "./Release.ts"
import { senderOf } from "./SenderChoice.ts"
import type { Submission, SubmissionSummary } from "./Submission.ts"
import { type Suppression, suppressionReason } from "./Suppression.ts"
import { makeSuppressionLookup } from "./SuppressionLookup.ts"

/** The most emails that are committed together. */
const maxGroup = 200
/** The most characters of their bodies: a statement carries them all. */
const maxGroupText = 8_000_000

/** An email accepted, or found again by its idempotency key. */
export interface Accepted {
  readonly submission: SubmissionSummary
  /** False for a repeat of an idempotency key: nothing more is sent. */
  readonly created: boolean
}

/** Accepts emails and tells what became of them. */
export class Emails extends Context.Service<
  Emails,
  {
    /**
     * Accepts an email for sending: stored with its delivery work when it answers. With an idempotency key the
     * account used before, the earlier submission, whatever the content. Calls that arrive together are committed
     * together. `headerKey` is the Idempotency-Key header.
     */
    readonly submit: (
      accountId: string,
      request: EmailRequest,
      headerKey: string | null
    ) => Effect.Effect<Accepted, Problem | Unavailable>
    /** A submission with its deliveries; common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
    /** An account's submissions, newest first. */
    readonly list: (
      accountId: string,
      filter: SubmissionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<SubmissionSummary>, Unavailable>
  }
>()("svc/sending/Emails") {
  static readonly layer = Layer.effect(
    Emails,
    Effect.suspend(() => make)
  )
}

const make: Effect.Effect<
  Emails["Service"],
  never,
  | AccountStore
  | Crypto
  | DomainStore
  | Ids
  | InstanceKeys
  | JobQueue
  | Scope.Scope
  | SubmissionStore
  | SuppressionStore
  | Transaction
> = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const domains = yield* DomainStore
  const submissions = yield* SubmissionStore
  const findSuppressions = yield* makeSuppressionLookup
  const jobs = yield* JobQueue
  const transaction = yield* Transaction
  const ids = yield* Ids

  const cycle = Effect.fnUntraced(function* (accountId: string, commands: ReadonlyArray<EmailCommand>) {
    const addresses = [...new Set(commands.map((command) => command.to.email))]
    const [[account], verified, suppressed, newIds, now] = yield* Effect.all(
      [
        accounts.find([accountId]),
        domains.verified([accountId]),
        findSuppressions(addresses.map((email) => ({ accountId, email }))),
        ids.many(commands.length * 2),
        Clock.currentTimeMillis
      ],
      { concurrency: "unbounded" }
    )
    const waits = account === undefined || senderOf(account, verified) === null
    const byEmail = new Map(suppressed.map((entry) => [entry.email, entry]))
    const drafts = commands.map((command, index) =>
      draftSubmission(accountId, command, newIds[index]!, byEmail.get(command.to.email), waits, now)
    )
    const stored = yield* submissions.insert(accountId, firstOfEachKey(drafts))
    const storedByKey = new Map(stored.map((submission) => [keyOf(submission), submission]))
    const added = new Set(drafts.map((draft) => draft.id))
    const queued = stored.filter((submission) => added.has(submission.id)).flatMap(queuedDeliveries)
    if (queued.length > 0) {
      yield* jobs.enqueue(
        queued.map((id, index) => deliveryJob(newIds[commands.length + index]!, accountId, id, now))
      )
    }
    return drafts.map((draft) => {
      const submission = storedByKey.get(keyOf(draft))!
      return Result.succeed<Accepted>({ submission, created: submission.id === draft.id })
    })
  })

  const submit = yield* makeGroupCommit<EmailCommand, Accepted, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroupText,
    weightOf: ({ html, text }) => (html?.length ?? 0) + (text?.length ?? 0),
    run: (accountId, commands) => retryConflicts(transaction.run(cycle(accountId, commands)))
  })

  return Emails.of({
    submit: (accountId, request, headerKey) => {
      const command = checkEmailRequest(request, headerKey)
      return command instanceof Problem ? Effect.fail(command) : submit(accountId, command)
    },
    get: Effect.fn("Emails.get")(function* (accountId, id) {
      const [submission] = isUuid(id) ? yield* submissions.find(accountId, [id.toLowerCase()]) : []
      return submission ?? (yield* Problem.of("common.not_found"))
    }),
    list: submissions.list
  })
})

/** What tells submissions of a batch apart: the idempotency key, or the id where there is none. */
const keyOf = (submission: SubmissionSummary): string =>
  submission.idempotencyKey === null ? `id:${submission.id}` : `key:${submission.idempotencyKey}`

/** Calls with one idempotency key may arrive together; the first of them counts. */
const firstOfEachKey = (drafts: ReadonlyArray<Submission>): ReadonlyArray<Submission> => {
  const byKey = new Map<string, Submission>()
  for (const draft of drafts) if (!byKey.has(keyOf(draft))) byKey.set(keyOf(draft), draft)
  return [...byKey.values()]
}

const queuedDeliveries = (submission: SubmissionSummary): ReadonlyArray<string> =>
  submission.deliveries.filter((delivery) => delivery.status === "Queued").map((delivery) => delivery.id)

/** A submission of one recipient; the delivery has the submission's id. */
const draftSubmission = (
  accountId: string,
  command: EmailCommand,
  id: string,
  suppression: Suppression | undefined,
  waits: boolean,
  now: number
): Submission => {
  const { to, ...content } = command
  const status = suppression === undefined ? "Queued" : "Suppressed"
  const reason =
    suppression !== undefined
      ? suppressionReason[suppression.kind]
      : waits
        ? "sending.no_verified_sender"
        : null
  return {
    ...content,
    id,
    accountId,
    from: null,
    acceptedStatus: status,
    acceptedReason: reason,
    createdAt: now,
    deliveries: [
      {
        id,
        submissionId: id,
        accountId,
        email: to.email,
        name: to.name,
        kind: "To",
        status,
        reason,
        attempts: 0,
        updatedAt: now
      }
    ]
  }
}
