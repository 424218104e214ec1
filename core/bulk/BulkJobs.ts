/**
 * The use cases of jobs on many contacts, notifications, recipients of campaigns or events of stores: start a job, show its
 * progress and its report, and cancel it. `BulkRun` does the work in the background.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import type { ContactQuery } from "../audience/segments/Segments.ts"
import { Segments } from "../audience/segments/Segments.ts"
import { bulkExpiryJob, bulkRunJob } from "../jobs/definitions/BulkJobs.ts"
import { maxId } from "../commerce/platforms/Fields.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Actor } from "../model/Actor.ts"
import {
  type BulkJob,
  type BulkJobKind,
  exportKinds,
  hasEnded,
  isExport,
  keepReportMillis
} from "../model/BulkJob.ts"
import { newContact } from "../model/Contact.ts"
import type { WebhookRef } from "../model/Webhook.ts"
import { type BulkJobFilter, BulkJobStore } from "../ports/BulkJobStore.ts"
import { CampaignStore, type RecipientFilter } from "../ports/CampaignStore.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import { ContactFieldStore } from "../ports/ContactFieldStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { Json } from "../shared/Json.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { formatDateTime, formats, isStorable, oneOf, parseDateTime } from "../shared/Validate.ts"
import {
  type ActionWrite,
  type BulkTarget,
  type BulkWork,
  endedWork,
  exportFormats,
  type ExportFormat,
  maxIds,
  parseAction,
  reportHead,
  type ResendTarget,
  storedWork,
  workOf
} from "./BulkActions.ts"

/** A request to start a job on contacts. */
export interface BulkRequest {
  readonly action: ActionWrite
  /** The ids of contacts; null if `filter` is given. */
  readonly ids: ReadonlyArray<string> | null
  readonly filter: ContactQuery | null
}

/** A request to send notifications of a webhook again: those with the ids, or those of a period that failed. */
export interface ResendRequest {
  readonly notificationIds: ReadonlyArray<string> | null
  /** The start of the period, ISO 8601. */
  readonly since: string | null
  /** The end of the period (exclusive), ISO 8601; null for now. */
  readonly until: string | null
}

/** A part of a job's report. */
export interface BulkReport {
  readonly job: BulkJob
  readonly content: string
  readonly isCsv: boolean
  /** The place after which the next part begins; null for the last part. */
  readonly next: number | null
}

/** The number of report rows read at a time. */
const rowsAtOnce = 500
/** The most characters of a part of a report, which its last rows may exceed. */
const maxPart = 8_000_000

/** The jobs that people start on many items. */
export class BulkJobs extends Context.Service<
  BulkJobs,
  {
    /**
     * Starts a job on contacts. Fails with the issues of `parseAction`; validation.required and validation.format on `ids` and
     * `filter`, of which exactly one must be given; validation.max_length on `ids`; and, for a filter, the problems of
     * `Segments.find`.
     */
    readonly start: (
      accountId: string,
      request: BulkRequest,
      actor: Actor
    ) => Effect.Effect<BulkJob, Problem | Unavailable>
    /**
     * Starts a job that sends notifications of a webhook again. common.not_found and webhooks.stopped for the webhook;
     * validation.required, validation.format and validation.max_length for the selection of notifications.
     */
    readonly resend: (
      ref: WebhookRef,
      request: ResendRequest,
      actor: Actor
    ) => Effect.Effect<BulkJob, Problem | Unavailable>
    /**
     * Starts a job that replays events of a store that were not accepted: those with the ids, or all of them.
     * common.not_found; commerce.store_disconnected; validation.required and validation.max_length on `ids`.
     */
    readonly replay: (
      accountId: string,
      storeId: string,
      ids: ReadonlyArray<string> | null,
      actor: Actor
    ) => Effect.Effect<BulkJob, Problem | Unavailable>
    /**
     * Starts a job that exports the recipients of a campaign that pass a filter. common.not_found; validation.format on `format`.
     */
    readonly exportRecipients: (
      accountId: string,
      campaignId: string,
      filter: RecipientFilter,
      format: string,
      actor: Actor
    ) => Effect.Effect<BulkJob, Problem | Unavailable>
    /** An account's jobs, newest first. */
    readonly list: (
      accountId: string,
      filter: BulkJobFilter,
      page: PageRequest
    ) => Effect.Effect<Page<BulkJob>, Unavailable>
    /** An account's jobs that export, newest first. */
    readonly exports: (
      accountId: string,
      filter: Pick<BulkJobFilter, "state">,
      page: PageRequest
    ) => Effect.Effect<Page<BulkJob>, Unavailable>
    /** A job; common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<BulkJob, Problem | Unavailable>
    /** Cancels a job. What it has done remains. common.not_found; audience.job_finished. */
    readonly cancel: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<BulkJob, Problem | Unavailable>
    /** A part of a job's report, after a place; common.not_found. Reading an export is recorded in the audit log. */
    readonly report: (
      accountId: string,
      id: string,
      after: number,
      actor: Actor
    ) => Effect.Effect<BulkReport, Problem | Unavailable>
  }
>()("svc/bulk/BulkJobs") {
  static readonly layer = Layer.effect(
    BulkJobs,
    Effect.suspend(() => make)
  )
}

/** Whether a job has a report at a time. Until it expires, that is an exported file, or a row for each failure. */
export const hasReport = (job: BulkJob, now: number): boolean => {
  const { failed, finishedAt, kind, state, work } = job
  if (finishedAt === null || work === null || now >= finishedAt + keepReportMillis) return false
  return isExport({ kind }) ? state === "Done" : failed > 0
}

/** Parses the ids in a call: validation.required, validation.max_length, validation.format. */
const parseIds = (
  given: ReadonlyArray<string>,
  field: string
): Result.Result<ReadonlyArray<string>, Problem> => {
  if (given.length === 0) return Result.fail(Problem.of("validation.required", field))
  if (given.length > maxIds)
    return Result.fail(Problem.of("validation.max_length", field, { max: maxIds }, { expected: "ids" }))
  const wrong = given.findIndex((id) => !isUuid(id))
  return wrong >= 0
    ? Result.fail(Problem.of("validation.format", `${field}[${wrong}]`, null, { expected: "a UUID" }))
    : Result.succeed([...new Set(given.map((id) => id.toLowerCase()))])
}

/** The notifications that a request selects, without those created from `now` on. */
const parseResend = (
  { notificationIds, since, until }: ResendRequest,
  now: number
): Result.Result<ResendTarget, Problem> => {
  const issues = new Issues()
  if (notificationIds !== null) {
    const expected = "absent where notificationIds is given"
    if (since !== null) issues.add("validation.format", "since", null, { expected })
    if (until !== null) issues.add("validation.format", "until", null, { expected })
    return Result.flatMap(issues.result(null), () =>
      Result.map(parseIds(notificationIds, "notificationIds"), (ids) => ({ ids }))
    )
  }
  const timeOf = (text: string | null, field: string, otherwise: number): number => {
    const at = text === null ? otherwise : parseDateTime(text)
    if (at === null) issues.add("validation.format", field, null, { expected: formats.dateTime })
    return at ?? otherwise
  }
  if (since === null) issues.add("validation.required", until === null ? "notificationIds" : "since")
  const range = {
    since: timeOf(since, "since", 0),
    until: Math.min(timeOf(until, "until", now + 1), now + 1)
  }
  return issues.result(range)
}

const make = Effect.gen(function* () {
  const store = yield* BulkJobStore
  const campaigns = yield* CampaignStore
  const webhooks = yield* WebhookStore
  const stores = yield* ConnectedStores
  const segments = yield* Segments
  const fields = yield* ContactFieldStore
  const topics = yield* TopicStore
  const queue = yield* JobQueue
  const atomically = yield* Atomically
  const ids = yield* Ids
  const { record } = yield* AuditTrail

  const get = Effect.fn("BulkJobs.get")(function* (accountId: string, id: string) {
    return (yield* store.get(accountId, id)) ?? (yield* Problem.of("common.not_found"))
  })

  /** The contacts that a request selects. A filter is tried once, so that an invalid one is rejected now. */
  const targetOf = Effect.fnUntraced(function* (
    accountId: string,
    { filter, ids: given }: BulkRequest,
    now: number
  ): Effect.fn.Return<BulkTarget, Problem | Unavailable> {
    if (given === null && filter === null) return yield* Problem.of("validation.required", "ids")
    if (given !== null) {
      if (filter !== null) {
        return yield* Problem.of("validation.format", "filter", null, {
          expected: "absent where ids is given"
        })
      }
      return { ids: yield* Effect.fromResult(parseIds(given, "ids")) }
    }
    yield* segments.find(accountId, filter!, { page: 1, pageSize: 1, total: "Bounded" })
    // Excludes contacts added from now on.
    const until = Math.min(filter!.until ?? Infinity, now + 1)
    return { filter: { ...filter!, until } }
  })

  /** Stores a job and enqueues its first background job. */
  const begin = Effect.fnUntraced(function* (
    accountId: string,
    kind: BulkJobKind,
    work: BulkWork,
    detail: Json,
    actor: Actor,
    now: number
  ) {
    const job: BulkJob = {
      id: yield* ids.next,
      accountId,
      kind,
      state: "Queued",
      work: storedWork(work),
      position: null,
      done: 0,
      failed: 0,
      items: null,
      rows: 0,
      createdBy: actor,
      createdAt: now,
      finishedAt: null,
      version: 1
    }
    yield* store.insert(job)
    const payload = { jobId: job.id, step: "Run" as const }
    yield* queue.enqueue([bulkRunJob.job({ id: yield* ids.next, accountId, payload, runAt: now })])
    yield* record(actor, { accountId, action: "job.started", target: job.id, before: null, after: detail })
    return job
  }, atomically)

  return BulkJobs.of({
    start: Effect.fn("BulkJobs.start")(function* (accountId, request, actor) {
      const scope = yield* Effect.all(
        { topics: topics.list(accountId), known: fields.list(accountId) },
        { concurrency: "unbounded" }
      )
      const action = yield* Effect.fromResult(
        parseAction(request.action, { topics: scope.topics, fields: scope.known.map(({ key }) => key) })
      )
      const now = yield* Clock.currentTimeMillis
      const target = yield* targetOf(accountId, request, now)
      // Without the values of filters, which may identify a person.
      const chosen = "ids" in target ? { contacts: target.ids.length } : { filters: namesOf(target.filter) }
      const detail = { ...request.action, ...chosen }
      return yield* begin(accountId, action.kind, { action, target }, detail, actor, now)
    }),
    resend: Effect.fn("BulkJobs.resend")(function* (ref, request, actor) {
      const [webhook] = yield* webhooks.find([ref])
      if (webhook === undefined) return yield* Problem.of("common.not_found")
      const now = yield* Clock.currentTimeMillis
      const target = yield* Effect.fromResult(parseResend(request, now))
      if (webhook.status === "Stopped") return yield* Problem.of("webhooks.stopped")
      const { accountId, webhookId } = ref
      const detail = "ids" in target ? { notifications: target.ids.length } : timesOf(target)
      const kind = "ResendNotifications"
      return yield* begin(
        accountId,
        kind,
        { resend: target, webhookId },
        { kind, webhookId, ...detail },
        actor,
        now
      )
    }),
    replay: Effect.fn("BulkJobs.replay")(function* (accountId, storeId, given, actor) {
      const found = yield* stores.get(accountId, storeId)
      if (found === null) return yield* Problem.of("common.not_found")
      if (found.disconnectedAt !== null) return yield* Problem.of("commerce.store_disconnected")
      if (given !== null && given.length === 0) return yield* Problem.of("validation.required", "ids")
      if (given !== null && given.length > maxIds) {
        return yield* Problem.of("validation.max_length", "ids", { max: maxIds })
      }
      const wrong = given?.findIndex((id) => id.length > maxId || !isStorable(id)) ?? -1
      if (wrong >= 0) {
        return yield* Problem.of("validation.format", `ids[${wrong}]`, null, {
          expected: "the id of an event"
        })
      }
      const now = yield* Clock.currentTimeMillis
      const kind = "ReplayStoreEvents"
      const detail = { kind, storeId, ...(given === null ? {} : { events: given.length }) }
      return yield* begin(
        accountId,
        kind,
        { replay: { ids: given, until: now }, storeId },
        detail,
        actor,
        now
      )
    }),
    exportRecipients: Effect.fn("BulkJobs.exportRecipients")(
      function* (accountId, campaignId, filter, format, actor) {
        const [campaign] = isUuid(campaignId)
          ? yield* campaigns.find(accountId, [campaignId.toLowerCase()])
          : []
        if (campaign === undefined) return yield* Problem.of("common.not_found")
        const chosen = exportFormats.find((one) => one === format)
        if (chosen === undefined) {
          return yield* Problem.of("validation.format", "format", null, { expected: oneOf(exportFormats) })
        }
        const now = yield* Clock.currentTimeMillis
        const kind = "ExportRecipients"
        return yield* begin(
          accountId,
          kind,
          { recipients: filter, campaignId: campaign.id, format: chosen },
          { kind, campaignId: campaign.id, format: chosen, filters: Object.keys(filter) },
          actor,
          now
        )
      }
    ),
    list: store.list,
    exports: (accountId, filter, page) => store.list(accountId, { ...filter, kind: exportKinds }, page),
    get,
    cancel: Effect.fn("BulkJobs.cancel")(function* (accountId, id, actor) {
      const found = yield* get(accountId, id)
      if (hasEnded(found.state)) return yield* Problem.of("audience.job_finished")
      const now = yield* Clock.currentTimeMillis
      const cancelled: BulkJob = {
        ...found,
        state: "Cancelled",
        work: endedWork(found),
        finishedAt: now,
        version: found.version + 1
      }
      yield* store.save(cancelled)
      yield* bulkRunJob.cancel(queue, accountId, [{ jobId: id }])
      yield* queue.enqueue([
        bulkExpiryJob.job({
          id: yield* ids.next,
          accountId,
          payload: { jobId: id, step: "Expire" },
          runAt: now + keepReportMillis
        })
      ])
      const before = { state: found.state }
      yield* record(actor, {
        accountId,
        action: "job.cancelled",
        target: id,
        before,
        after: { state: "Cancelled", done: found.done }
      })
      return cancelled
    }, atomically),
    report: Effect.fn("BulkJobs.report")(function* (accountId, id, after, actor) {
      const job = yield* get(accountId, id)
      const work = workOf(job)
      const now = yield* Clock.currentTimeMillis
      if (work === null || !hasReport(job, now)) return yield* Problem.of("common.not_found")
      let content = after === 0 ? reportHead(work, newContact(job.id, "", now)) : ""
      let last = after
      let isWhole = false
      while (!isWhole && content.length < maxPart) {
        const rows = yield* store.rows(accountId, id, last, rowsAtOnce)
        content += rows.map((row) => row.content).join("")
        last = rows.at(-1)?.place ?? last
        isWhole = rows.length < rowsAtOnce
      }
      if (isExport(job)) {
        yield* record(actor, {
          accountId,
          action: "job.export_downloaded",
          target: id,
          before: null,
          after: { contacts: job.done }
        })
      }
      return { job, content, isCsv: formatOf(work) === "Csv", next: isWhole ? null : last }
    })
  })
})

/** The format of a job's report. */
const formatOf = (work: BulkWork): ExportFormat => {
  if ("recipients" in work) return work.format
  return "action" in work && work.action.kind === "Export" ? work.action.format : "Csv"
}

/** The period in a form for the audit log. */
const timesOf = ({ since, until }: { readonly since: number; readonly until: number }) => ({
  since: formatDateTime(since),
  until: formatDateTime(until)
})

/** The names of the filters that are set. */
const namesOf = (filter: ContactQuery): ReadonlyArray<string> =>
  Object.entries(filter).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]))
