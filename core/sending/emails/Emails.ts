/**
 * Transactional email: accept, read, cancel.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result, type Scope } from "effect"
import type { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import type { TemplateItems } from "../../catalog/TemplateItems.ts"
import type { AcceptanceLookup } from "../../ports/AcceptanceLookup.ts"
import type { AccountStore } from "../../ports/AccountStore.ts"
import type { AuditTrail } from "../../accounts/AuditTrail.ts"
import type { AddressHash } from "../../audience/contacts/AddressHash.ts"
import type { Crypto } from "../../ports/Crypto.ts"
import type { DomainStore } from "../../ports/DomainStore.ts"
import type { JobQueue } from "../../ports/JobQueue.ts"
import { type SubmissionFilter, type SubmissionJob, SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { SuppressionStore } from "../../ports/SuppressionStore.ts"
import type { TemplateEngine } from "../../ports/TemplateEngine.ts"
import type { TemplateStore } from "../../ports/TemplateStore.ts"
import type { Transaction, WriteConflict } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { Ids } from "../../kernel/Ids.ts"
import { isUuid } from "../../shared/Uuid.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { makeCancellation } from "./EmailCancellation.ts"
import { draftSubmission, idsOf, jobsOf, type ReadyEmail } from "./EmailDraft.ts"
import { makePreparation } from "./EmailPreparation.ts"
import { checkEmailRequest, type EmailCommand, type EmailRequest } from "./EmailRequest.ts"
import { retentionJob } from "../../jobs/definitions/RetentionJobs.ts"
import { senderOf } from "../domains/SenderChoice.ts"
import type { Submission, SubmissionSummary } from "../../model/Submission.ts"
import { makeAcceptanceLookup } from "../suppressions/SuppressionLookup.ts"

/** The most emails that are committed together. */
const maxGroup = 200
/** The most characters and bytes of what they carry: a statement carries it all. */
const maxGroupWeight = 8_000_000
/** About what a recipient adds to that. */
const recipientWeight = 400

/** How an email is accepted; the defaults are those of POST /sending/emails. */
export interface SubmitOptions {
  /**
   * What a repeat of an idempotency key answers: the first email whatever the content, or sending.idempotency_conflict
   * where it says something else.
   */
  readonly onRepeat?: "First" | "SameContentOnly"
  /** Refuse an email that could not leave now for want of a verified sender, instead of letting it wait. */
  readonly requireVerifiedSender?: boolean
}

/** An email accepted, or found again by its idempotency key. */
export interface Accepted {
  readonly submission: SubmissionSummary
  /** False for a repeat of an idempotency key: nothing more is sent. */
  readonly created: boolean
}

/** A call on its way into a commit. */
interface Pending extends Required<SubmitOptions> {
  readonly email: ReadyEmail
}

/** Accepts emails and tells what became of them. */
export class Emails extends Context.Service<
  Emails,
  {
    /**
     * Accepts an email for sending: stored with its delivery work when it answers. With an idempotency key the
     * account used before, the earlier submission, whatever became of what the call names since. Calls that arrive
     * together are committed together. `headerKey` is the Idempotency-Key header.
     *
     * Fails with the codes of `checkEmailRequest`, deliverability.sender_domain_not_verified,
     * sending.template_not_found, sending.template_render_failed, sending.idempotency_conflict.
     */
    readonly submit: (
      accountId: string,
      request: EmailRequest,
      headerKey: string | null,
      options?: SubmitOptions
    ) => Effect.Effect<Accepted, Problem | Unavailable>
    /**
     * Accepts emails of an account that are ready, in the caller's transaction, each refused by itself:
     * deliverability.sender_domain_not_verified. A fixed number of statements.
     */
    readonly acceptMany: (
      accountId: string,
      emails: ReadonlyArray<ReadyEmail>
    ) => Effect.Effect<ReadonlyArray<Result.Result<Accepted, Problem>>, WriteConflict | Unavailable>
    /** A submission with its deliveries; common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
    /** An account's submissions, newest first. */
    readonly list: (
      accountId: string,
      filter: SubmissionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<SubmissionSummary>, Unavailable>
    /**
     * Takes back what is queued of an email: those deliveries are Failed with the reason sending.cancelled. Answers the
     * submission as it is then; common.not_found, sending.email_not_cancellable where nothing is queued.
     */
    readonly cancel: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
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
  | AcceptanceLookup
  | AccountStore
  | AddressHash
  | AuditTrail
  | Crypto
  | DomainStore
  | Ids
  | InstallationKeys
  | JobQueue
  | Scope.Scope
  | SubmissionStore
  | SuppressionStore
  | TemplateEngine
  | TemplateItems
  | TemplateStore
  | Transaction
> = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const lookUp = yield* makeAcceptanceLookup
  const ids = yield* Ids
  const prepare = yield* makePreparation
  const cancel = yield* makeCancellation

  /** What accepting depends on. */
  const look = Effect.fnUntraced(function* (accountId: string, calls: ReadonlyArray<Pending>) {
    const addresses = new Set(calls.flatMap(({ email }) => email.recipients.map((one) => one.email)))
    const count = calls.reduce((sum, { email }) => sum + idsOf(email) + email.recipients.length, 1)
    const [facts, newIds, now] = yield* Effect.all(
      [lookUp(accountId, [...addresses]), ids.many(count), Clock.currentTimeMillis],
      { concurrency: "unbounded" }
    )
    return { ...facts, newIds, now }
  })

  const acceptAll = Effect.fnUntraced(function* (accountId: string, calls: ReadonlyArray<Pending>) {
    const { account, newIds, now, suppressed, verified } = yield* look(accountId, calls)
    const unused = newIds.values()
    const nextId = () => unused.next().value!
    const kinds = new Map(suppressed.map((entry) => [entry.email, entry.kind]))
    const drafts = calls.map(({ email, requireVerifiedSender }) => {
      const hasSender = account !== null && senderOf(account, verified, email.from) !== null
      if (!hasSender && (email.from !== null || requireVerifiedSender)) return { email, draft: null }
      const own = Array.from({ length: idsOf(email) }, nextId)
      return { email, draft: draftSubmission(accountId, email, own, kinds, !hasSender, now) }
    })
    const refusedKeys = drafts.flatMap(({ draft, email }) =>
      draft === null && email.idempotencyKey !== null ? [email.idempotencyKey] : []
    )
    // Before anything is stored: what is stored is answered.
    const earlier = yield* submissions.ofKeys(accountId, refusedKeys)
    const wanted = firstOfEachKey(drafts.flatMap(({ draft }) => (draft === null ? [] : [draft])))
    const work = wanted.flatMap((draft) =>
      jobsOf(draft, nextId).map((job): SubmissionJob => ({ job, submissionId: draft.id }))
    )
    if (account !== null) work.push({ job: retentionJob(nextId(), account, now), submissionId: null })
    const stored = wanted.length === 0 ? [] : yield* submissions.insert(accountId, wanted, work)
    const byKey = new Map([...earlier, ...stored].map((submission) => [keyOf(submission), submission]))
    return drafts.map(({ draft, email }, index): Result.Result<Accepted, Problem> => {
      const submission = byKey.get(draft === null ? `key:${email.idempotencyKey}` : keyOf(draft))
      if (submission === undefined) {
        return Result.fail(Problem.of("deliverability.sender_domain_not_verified", "from"))
      }
      return repeatOf(submission, email, calls[index]!, submission.id === draft?.id)
    })
  })

  const commit = yield* makeGroupCommit<Pending, Accepted, Problem, Unavailable>({
    maxBatch: maxGroup,
    maxWeight: maxGroupWeight,
    weightOf,
    run: (accountId, calls) => retryConflicts(acceptAll(accountId, calls))
  })

  /** Prepares and commits; what cannot be prepared any more can still be a repeat. */
  const accept = (accountId: string, command: EmailCommand, options: Required<SubmitOptions>) =>
    Effect.matchEffect(prepare(accountId, command), {
      onSuccess: (email) => commit(accountId, { ...options, email }),
      onFailure: (problem) =>
        command.idempotencyKey === null || !(problem instanceof Problem)
          ? Effect.fail(problem)
          : Effect.flatMap(submissions.ofKeys(accountId, [command.idempotencyKey]), ([earlier]) =>
              earlier === undefined
                ? Effect.fail(problem)
                : Effect.succeed<Accepted>({ submission: earlier, created: false })
            )
    })

  return Emails.of({
    submit: (accountId, request, headerKey, options = {}) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const command = checkEmailRequest(request, headerKey, now)
        return command instanceof Problem
          ? Effect.fail(command)
          : accept(accountId, command, { onRepeat: "First", requireVerifiedSender: false, ...options })
      }),
    acceptMany: (accountId, emails) => {
      const calls = emails.map((email): Pending => ({
        email,
        onRepeat: "First",
        requireVerifiedSender: false
      }))
      return acceptAll(accountId, calls)
    },
    get: Effect.fn("Emails.get")(function* (accountId, id) {
      const [submission] = isUuid(id) ? yield* submissions.find(accountId, [id.toLowerCase()]) : []
      return submission ?? (yield* Problem.of("common.not_found"))
    }),
    list: submissions.list,
    cancel
  })
})

/** What a call is answered that found a submission, its own or an earlier one. */
const repeatOf = (
  submission: SubmissionSummary,
  email: ReadyEmail,
  { onRepeat }: Pending,
  created: boolean
): Result.Result<Accepted, Problem> =>
  onRepeat === "SameContentOnly" && submission.contentDigest !== email.contentDigest
    ? Result.fail(Problem.of("sending.idempotency_conflict", "idempotencyKey"))
    : Result.succeed({ submission, created })

const weightOf = ({ email: { attachments, content, recipients } }: Pending): number =>
  (content.html?.length ?? 0) +
  (content.text?.length ?? 0) +
  recipients.length * recipientWeight +
  attachments.reduce((sum, file) => sum + file.content.length, 0)

/** What tells submissions of a batch apart: the idempotency key, or the id where there is none. */
const keyOf = (submission: SubmissionSummary): string =>
  submission.idempotencyKey === null ? `id:${submission.id}` : `key:${submission.idempotencyKey}`

/** Calls with one idempotency key may arrive together; the first of them counts. */
const firstOfEachKey = (drafts: ReadonlyArray<Submission>): ReadonlyArray<Submission> => {
  const byKey = new Map<string, Submission>()
  for (const draft of drafts) if (!byKey.has(keyOf(draft))) byKey.set(keyOf(draft), draft)
  return [...byKey.values()]
}
