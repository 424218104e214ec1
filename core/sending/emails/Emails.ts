/**
 * The use cases of transactional email: submit, read, cancel.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { type SubmissionFilter, type SubmissionJob, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Transaction, WriteConflict } from "../../ports/Transaction.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { concealLinks, withLinks } from "../../audience/pages/StoredLinks.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import { Ids } from "../../kernel/Ids.ts"
import { isUuid } from "../../shared/Uuid.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { type Account, defaultSettings } from "../../model/Account.ts"
import { EmailContents, type PlacedObjects } from "../contents/EmailContents.ts"
import { EmailQueue } from "./EmailQueue.ts"
import { EmailReview } from "./EmailReview.ts"
import { checkRendered } from "./EmailContent.ts"
import { canonicalText, draftSubmission, idsOf, jobsOf, type ReadyEmail } from "./EmailDraft.ts"
import {
  type EmailBody,
  type EmailCommand,
  type EmailRequest,
  parseEmailRequest,
  parseIdempotencyKey
} from "./EmailRequest.ts"
import { wakeCampaigns } from "../../jobs/definitions/CampaignJobs.ts"
import { retentionJob } from "../../jobs/definitions/RetentionJobs.ts"
import { moveUnclaimed } from "../delivery/DeliveryRules.ts"
import { deliveryJob } from "../../jobs/definitions/DeliveryJobs.ts"
import { senderOf, unverifiedSender } from "../domains/SenderChoice.ts"
import {
  emailSource,
  type EmailSource,
  type NewSubmission,
  type SubmissionSummary
} from "../../model/Submission.ts"
import { partFor } from "../templates/CampaignContents.ts"
import { TemplateRenderer } from "../templates/TemplateRenderer.ts"
import { SuppressionLookup } from "../suppressions/SuppressionLookup.ts"

/** The maximum number of emails committed together. */
const maxGroup = 200
/** The maximum number of characters and bytes of their content, all of which is in one statement. */
const maxGroupWeight = 1_000_000
/** About how much a recipient adds to that weight. */
const recipientWeight = 400

/** Options for accepting an email. The defaults are those of POST /sending/emails. */
export interface SubmitOptions {
  /**
   * The result for a repeated idempotency key: the first email whatever the content, or sending.idempotency_conflict if the
   * content differs.
   */
  readonly onRepeat?: "First" | "SameContentOnly"
  /** Whether an email without a verified sender is rejected, instead of waiting for one. */
  readonly requireVerifiedSender?: boolean
  /** The source that sends it. */
  readonly source?: EmailSource
  /** The API key that sends it; null for none. */
  readonly keyId?: string | null
}

/** How a prepared email is accepted. */
type Acceptance = Required<Pick<SubmitOptions, "onRepeat" | "requireVerifiedSender">>

const defaultOptions: Acceptance = { onRepeat: "First", requireVerifiedSender: false }

/** An email that was accepted, or found by its idempotency key. */
export interface Accepted {
  readonly submission: SubmissionSummary
  /** False for a repeated idempotency key, for which nothing more is sent. */
  readonly created: boolean
}

/** A call that waits to be committed. */
interface Pending extends Acceptance {
  readonly email: ReadyEmail
}

/** The use cases of transactional email. */
export class Emails extends Context.Service<
  Emails,
  {
    /**
     * Accepts an email for sending. When this returns, the email is stored with its delivery jobs. If the account has used the
     * idempotency key before, returns the earlier submission, even if the call is otherwise invalid. Calls that arrive
     * together are committed together. `headerKey` is the Idempotency-Key header.
     *
     * Fails with the codes of `parseEmailRequest`, deliverability.sender_domain_not_verified, sending.template_not_found,
     * sending.template_render_failed, sending.idempotency_conflict, sending.queue_full.
     */
    readonly submit: (
      accountId: string,
      request: EmailRequest,
      headerKey: string | null,
      options?: SubmitOptions
    ) => Effect.Effect<Accepted, Problem | Unavailable>
    /**
     * For a call whose body has no valid shape: returns the submission that the account stored with the call's idempotency
     * key; null if there is none. Fails with sending.idempotency_key_invalid and sending.idempotency_key_mismatch.
     */
    readonly findRepeated: (
      accountId: string,
      bodyKey: string | null,
      headerKey: string | null
    ) => Effect.Effect<SubmissionSummary | null, Problem | Unavailable>
    /**
     * Accepts prepared emails of an account, in the caller's transaction and with a fixed number of statements. Each email
     * fails alone, with deliverability.sender_domain_not_verified. The caller has taken room for `room` of them by
     * `EmailQueue.take`; what is not needed is given back. Fails with `WriteConflict` if the room is insufficient because
     * fewer emails are held for review than the caller found.
     */
    readonly acceptMany: (
      accountId: string,
      emails: ReadonlyArray<ReadyEmail>,
      room: number
    ) => Effect.Effect<ReadonlyArray<Result.Result<Accepted, Problem>>, WriteConflict | Unavailable>
    /**
     * Sends an email again to all of its recipients, as a new submission with the same content, sender and tags. It is subject
     * to the current rules. Fails with common.not_found, sending.content_erased, sending.queue_full, and
     * deliverability.sender_domain_not_verified.
     */
    readonly resend: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
    /**
     * Returns a submission with its deliveries. An email of a campaign has the unrendered subject of the campaign's version.
     * Fails with common.not_found.
     */
    readonly get: (accountId: string, id: string) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
    /** Lists an account's submissions, newest first, with the same subjects as `get`. */
    readonly list: (
      accountId: string,
      filter: SubmissionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<SubmissionSummary>, Unavailable>
    /**
     * Cancels the queued deliveries of an email (docs/contributing/management-api.md): they become Failed with the reason
     * sending.cancelled, in one transaction with the audit entry. Returns the resulting submission. Fails with
     * common.not_found, and with sending.email_not_cancellable if nothing is queued.
     */
    readonly cancel: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<SubmissionSummary, Problem | Unavailable>
  }
>()("svc/sending/Emails", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const suppressions = yield* SuppressionLookup
    const ids = yield* Ids
    const crypto = yield* Crypto
    const keys = yield* InstallationKeys
    const renderer = yield* TemplateRenderer
    const templates = yield* TemplateStore
    const atomically = yield* Atomically
    const jobs = yield* JobQueue
    const { record } = yield* AuditTrail
    const transaction = yield* Transaction
    const emailQueue = yield* EmailQueue
    const review = yield* EmailReview
    const contents = yield* EmailContents
    const campaigns = yield* CampaignStore

    /**
     * Adds the unrendered subjects of campaigns' versions, which are stored once, to the submissions of campaigns. Needs one
     * read; none if there are no such submissions.
     */
    const withSubjects = Effect.fnUntraced(function* (
      accountId: string,
      found: ReadonlyArray<SubmissionSummary>
    ) {
      const versions = yield* campaigns.subjects(
        found.flatMap(({ marketing }) => {
          const origin = marketing?.campaign
          return origin === undefined ? [] : [{ accountId, campaignId: origin.id, version: origin.version }]
        })
      )
      const byKey = new Map(versions.map((one) => [`${one.campaignId}/${one.version}`, one]))
      return found.map((submission) => {
        const { contentErasedAt, language, marketing } = submission
        const origin = marketing?.campaign
        const version = origin === undefined ? undefined : byKey.get(`${origin.id}/${origin.version}`)
        if (version === undefined || contentErasedAt !== null) return submission
        const part = partFor(version.parts, origin?.variant ?? null, language)
        return { ...submission, subject: (part ?? version).subject }
      })
    })

    /**
     * The drafts that do not fit into the account's queue, in order. A draft whose recipients are all suppressed leaves
     * nothing waiting but is stored: it needs room for one email, and takes none.
     */
    const findCrowded = Effect.fnUntraced(function* (account: Account, drafts: ReadonlyArray<NewSubmission>) {
      const needed = drafts.map((draft) => (draft.isSystem ? 0 : Math.max(1, queuedOf(draft))))
      const fits = yield* emailQueue.take(account, needed)
      const unused = drafts.map((draft, index) => (fits[index]! ? needed[index]! - queuedOf(draft) : 0))
      yield* emailQueue.giveBack(
        account,
        unused.reduce((sum, one) => sum + one, 0)
      )
      return drafts.filter((_, index) => !fits[index]!)
    })

    /**
     * Stores drafts with their jobs, except those without room in the account's queue. `room` was taken for all of them
     * before; null if none was. Returns the drafts without room, and the submissions.
     */
    const storeDrafts = Effect.fnUntraced(function* (
      accountId: string,
      account: Account | null,
      drafts: ReadonlyArray<NewSubmission>,
      objects: PlacedObjects,
      room: number | null,
      nextId: () => string,
      now: number
    ) {
      const crowded = new Set(account === null || room !== null ? [] : yield* findCrowded(account, drafts))
      const fitting = drafts.filter((draft) => !crowded.has(draft))
      const wanted = account === null ? fitting : yield* review.hold(account, fitting)
      const left = room === null ? 0 : room - sizeOf(wanted)
      if (left < 0) return yield* new WriteConflict({ constraint: "review_holds" })
      const work = wanted.flatMap((draft) =>
        jobsOf(draft, nextId).map((job): SubmissionJob => ({ job, submissionId: draft.id }))
      )
      if (account !== null) work.push({ job: retentionJob(nextId(), account, now), submissionId: null })
      const stored = wanted.length === 0 ? [] : yield* submissions.insert(accountId, wanted, work, objects)
      if (account !== null) {
        const kept = new Set(stored.map(({ id }) => id))
        const repeated = wanted.filter(({ id }) => !kept.has(id))
        yield* emailQueue.giveBack(account, sizeOf(repeated) + left)
      }
      return { crowded, stored }
    })

    const acceptAll = Effect.fnUntraced(function* (
      accountId: string,
      calls: ReadonlyArray<Pending>,
      room: number | null
    ) {
      const addresses = new Set(calls.flatMap(({ email }) => email.recipients.map((one) => one.email)))
      const count = calls.reduce((sum, { email }) => sum + idsOf(email) + email.recipients.length, 1)
      const [{ account, suppressed, verified }, newIds, now] = yield* Effect.all(
        [suppressions.findForAcceptance(accountId, [...addresses]), ids.many(count), Clock.currentTimeMillis],
        { concurrency: "unbounded" }
      )
      const { links } = yield* keys.get
      const conceal = concealLinks(crypto, links, accountId)
      const unused = newIds.values()
      const nextId = () => unused.next().value!
      const accountLanguage = account?.settings.language ?? defaultSettings.language
      const kinds = new Map(suppressed.map((entry) => [entry.email, entry.kind]))
      const drafts = calls.map(({ email, requireVerifiedSender }) => {
        const hasSender = account !== null && senderOf(account, verified, email.from) !== null
        if (!hasSender && (email.from !== null || requireVerifiedSender)) return { email, draft: null }
        const own = Array.from({ length: idsOf(email) }, nextId)
        return {
          email,
          draft: withLinks(
            conceal,
            draftSubmission(accountId, email, own, kinds, !hasSender, accountLanguage, now)
          )
        }
      })
      const wanted = drafts.flatMap(({ draft }) => (draft === null ? [] : [draft]))
      const storable = firstOfEachKey(wanted)
      const objects = yield* contents.place(accountId, storable)
      const storing = storeDrafts(accountId, account, storable, objects, room, nextId, now)
      // Room is exact only if taking it and storing the emails become visible together, so one transaction does both.
      const isBounded = room === null && account !== null && account.settings.dailySendLimit !== null
      const { crowded, stored } = yield* isBounded ? transaction.run(storing) : storing
      const rejectedKeys = drafts.flatMap(({ draft, email }) =>
        (draft === null || crowded.has(draft)) && email.idempotencyKey !== null ? [email.idempotencyKey] : []
      )
      // A rejected email may be a repeat of an email stored before, or of one stored just now.
      const earlier = yield* submissions.ofKeys(accountId, rejectedKeys)
      const byKey = new Map([...earlier, ...stored].map((submission) => [keyOf(submission), submission]))
      return drafts.map(({ draft, email }, index): Result.Result<Accepted, Problem> => {
        const submission = byKey.get(draft === null ? `key:${email.idempotencyKey}` : keyOf(draft))
        if (submission === undefined) {
          return Result.fail(
            draft === null
              ? unverifiedSender(accountId, account, email.from)
              : Problem.of("sending.queue_full")
          )
        }
        return repeatOf(submission, email, calls[index]!, submission.id === draft?.id)
      })
    })

    const commit = yield* makeGroupCommit<Pending, Accepted, Problem, Unavailable>({
      maxBatch: maxGroup,
      maxWeight: maxGroupWeight,
      weightOf,
      // Not `atomically`: without a bound on the queue, the insert is a transaction by itself.
      run: (accountId, calls) => retryConflicts(acceptAll(accountId, calls, null))
    })

    const contentOf = Effect.fnUntraced(function* (accountId: string, body: EmailBody) {
      if (body._tag === "Content") {
        const content = { subject: body.subject, html: body.html, text: body.text }
        return { content, templateId: null, templateVersion: null }
      }
      const [template] = yield* templates.find(accountId, [body.id])
      if (template === undefined) return yield* Problem.of("sending.template_not_found", "templateId")
      const [rendered] = yield* renderer.render(accountId, [{ template, variables: body.variables }])
      const content = yield* Effect.fromResult(checkRendered(yield* Effect.fromResult(rendered!)))
      return { content, templateId: body.id, templateVersion: template.version }
    })

    /** Renders the template of an email and computes its digest. */
    const prepare = Effect.fnUntraced(function* (
      accountId: string,
      { body, ...command }: EmailCommand,
      { keyId = null, source = "Api" }: SubmitOptions
    ) {
      const email = { ...command, ...(yield* contentOf(accountId, body)) }
      const contentDigest =
        command.idempotencyKey === null ? "" : crypto.sha256Hex(canonicalText(email, crypto.sha256Hex))
      return { ...email, contentDigest, language: null, origin: null, source, keyId }
    })

    /** The submission of an idempotency key; null if the key is null. */
    const findOfKey = (accountId: string, key: string | null) =>
      key === null
        ? Effect.succeed(null)
        : Effect.map(submissions.ofKeys(accountId, [key]), ([earlier]) => earlier ?? null)

    const findRepeated = (accountId: string, bodyKey: string | null, headerKey: string | null) =>
      Effect.flatMap(Effect.fromResult(parseIdempotencyKey(bodyKey, headerKey)), (key) =>
        findOfKey(accountId, key)
      )

    /** Validates and renders a call. */
    const read = Effect.fnUntraced(function* (
      accountId: string,
      request: EmailRequest,
      headerKey: string | null,
      options: SubmitOptions
    ) {
      const now = yield* Clock.currentTimeMillis
      const command = yield* Effect.fromResult(parseEmailRequest(request, headerKey, now))
      return yield* prepare(accountId, command, options)
    })

    /** Prepares and commits. An email that cannot be prepared can still be a repeat. */
    const accept = (
      accountId: string,
      request: EmailRequest,
      headerKey: string | null,
      options: Acceptance & SubmitOptions
    ) =>
      Effect.matchEffect(read(accountId, request, headerKey, options), {
        onSuccess: (email) => {
          const { onRepeat, requireVerifiedSender } = options
          return commit(accountId, { onRepeat, requireVerifiedSender, email })
        },
        onFailure: (problem) =>
          options.onRepeat === "SameContentOnly" || !(problem instanceof Problem)
            ? Effect.fail(problem)
            : Effect.flatMap(
                // Problems of the key itself are among the problems already.
                Effect.catchTag(
                  findRepeated(accountId, request.idempotencyKey ?? null, headerKey),
                  "Problem",
                  () => Effect.succeed(null)
                ),
                (earlier) =>
                  earlier === null
                    ? Effect.fail(problem)
                    : Effect.succeed<Accepted>({ submission: earlier, created: false })
              )
      })

    const get = Effect.fn("Emails.get")(function* (accountId: string, id: string) {
      const found = isUuid(id) ? yield* submissions.find(accountId, [id.toLowerCase()]) : []
      const [submission] = yield* withSubjects(accountId, found)
      return submission ?? (yield* Problem.of("common.not_found"))
    })

    return {
      submit: (accountId, request, headerKey, options = {}) =>
        accept(accountId, request, headerKey, { ...defaultOptions, ...options }),
      findRepeated,
      acceptMany: (accountId, emails, room) =>
        acceptAll(
          accountId,
          emails.map((email) => ({ ...defaultOptions, email })),
          room
        ),
      resend: Effect.fn("Emails.resend")(function* (accountId, id, actor) {
        const earlier = yield* get(accountId, id)
        // The content belongs to the campaign, which sends it once.
        if (earlier.marketing?.campaign !== undefined)
          return yield* Problem.of("campaigns.email_not_resendable")
        const content = yield* contents.content({ accountId, id: earlier.id })
        const isErased =
          earlier.contentErasedAt !== null || earlier.deliveries.some(({ email }) => email === "")
        if (content === null || isErased) return yield* Problem.of("sending.content_erased")
        const { flowId, runId } = earlier
        const email: ReadyEmail = {
          from: earlier.from,
          recipients: earlier.deliveries.map(({ email: address, kind, name }) => ({
            email: address,
            kind,
            name
          })),
          replyTo: earlier.replyTo,
          content: { subject: earlier.subject, html: content.html, text: content.text },
          keepsContent: earlier.language === null,
          language: earlier.language,
          templateId: earlier.templateId,
          templateVersion: earlier.templateVersion,
          attachments: content.attachments,
          headers: earlier.headers,
          sendAt: null,
          idempotencyKey: null,
          contentDigest: "",
          tags: earlier.tags,
          metadata: earlier.metadata,
          trackOpens: earlier.trackOpens,
          trackClicks: earlier.trackClicks,
          origin: flowId === null || runId === null ? null : { flowId, runId, marketing: earlier.marketing },
          source: emailSource(earlier),
          keyId: null
        }
        const { submission } = yield* commit(accountId, { ...defaultOptions, email })
        yield* record(actor, {
          accountId,
          action: "email.resent",
          target: submission.id,
          before: { email: earlier.id },
          after: { recipients: email.recipients.length }
        })
        return submission
      }),
      get,
      list: Effect.fn("Emails.list")(function* (accountId, filter, page) {
        const found = yield* submissions.list(accountId, filter, page)
        return { ...found, items: yield* withSubjects(accountId, found.items) }
      }),
      cancel: Effect.fn("Emails.cancel")(function* (accountId, id, actor) {
        const submission = yield* get(accountId, id)
        const at = yield* Clock.currentTimeMillis
        const queued = submission.deliveries.filter((delivery) => delivery.status === "Queued")
        // Failed can be reached from Queued only through a review (docs/contributing/decisions.md 5). Here, the operator who
        // cancels is the reviewer.
        const reviewed = yield* submissions.move(
          queued.map((delivery) => moveUnclaimed(delivery, ["PendingReview", null], at))
        )
        if (reviewed.length === 0) return yield* Problem.of("sending.email_not_cancellable")
        const failed = yield* submissions.move(
          reviewed.map((delivery) => moveUnclaimed(delivery, ["Failed", "sending.cancelled"], at))
        )
        yield* deliveryJob.cancel(
          jobs,
          accountId,
          failed.map((delivery) => ({ deliveryId: delivery.id }))
        )
        // It may have been the last email of a campaign, which then has ended.
        const ofCampaign = submission.marketing?.campaign
        if (ofCampaign !== undefined) yield* wakeCampaigns(jobs, ids, accountId, [ofCampaign.id], at)
        yield* record(actor, {
          accountId,
          action: "email.cancelled",
          target: submission.id,
          before: { queued: queued.length },
          after: { cancelled: failed.length }
        })
        return yield* get(accountId, id)
      }, atomically)
    }
  })
}) {
  static readonly layer = Layer.effect(Emails, Emails.make).pipe(
    Layer.provide([
      EmailContents.layer,
      EmailQueue.layer,
      EmailReview.layer,
      SuppressionLookup.layer,
      TemplateRenderer.layer
    ]),
    builtOnce
  )
}

/** The result of a call that has a submission, either its own or an earlier one. */
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

/** The number of a submission's deliveries that will wait and take room. Emails of the installation take none. */
const queuedOf = ({ deliveries, isSystem }: SubmissionSummary): number =>
  isSystem ? 0 : deliveries.filter(({ status }) => status === "Queued").length

/** The number of deliveries of submissions that will wait. */
const sizeOf = (submissions: ReadonlyArray<SubmissionSummary>): number =>
  submissions.reduce((sum, submission) => sum + queuedOf(submission), 0)

/** A string that identifies a submission of a batch: its idempotency key or, without one, its id. */
const keyOf = (submission: SubmissionSummary): string =>
  submission.idempotencyKey === null ? `id:${submission.id}` : `key:${submission.idempotencyKey}`

/** The first draft of each idempotency key. Calls with the same key may arrive together. */
const firstOfEachKey = (drafts: ReadonlyArray<NewSubmission>): ReadonlyArray<NewSubmission> => {
  const byKey = new Map<string, NewSubmission>()
  for (const draft of drafts) if (!byKey.has(keyOf(draft))) byKey.set(keyOf(draft), draft)
  return [...byKey.values()]
}
