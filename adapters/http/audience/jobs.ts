/**
 * Handles the management endpoints of jobs on many contacts.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import { BulkJobs, hasReport } from "../../../core/bulk/BulkJobs.ts"
import type { ContactQuery } from "../../../core/audience/segments/Segments.ts"
import { type BulkJob, isExport } from "../../../core/model/BulkJob.ts"
import type { Right } from "../../../core/model/Right.ts"
import { issue, Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { type ListCall, listed, listParameters } from "../edge/lists.ts"
import { makeDecodeQuery } from "../edge/parameters.ts"
import { managerOf, permit, requireConfirmation, targetOf } from "../edge/permit.ts"
import { accepted, ok } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"
import { toFilter } from "../management/audience.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const listEndpoint = ManagementApi.groups.people.endpoints.list
const decodeQuery = makeDecodeQuery(listEndpoint.query, listEndpoint.path)

/** The value of a filter as a query parameter; null if it cannot be one. */
const parameterOf = (value: unknown): string | null => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return String(value)
  }
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(",") : null
}

/** Whether a parameter is empty. A list ignores an empty filter, but a job that ignored it would act on everyone. */
const isBlank = (parameter: string): boolean => parameter.split(",").every((part) => part.trim() === "")

/** Decodes the filters in a body as the list decodes its parameters. Each issue is on `filter.<name>`. */
const decodeFilter = (
  given: Readonly<Record<string, unknown>> | undefined
): Result.Result<ContactQuery | null, Problem> => {
  if (given === undefined) return Result.succeed(null)
  const entries = Object.entries(given).filter(([, value]) => value !== null)
  const wrong = entries.flatMap(([name, value]) => {
    const field = `filter.${name}`
    if (listParameters.has(name))
      return [issue("validation.format", field, null, { expected: "a filter of the list" })]
    const parameter = parameterOf(value)
    if (parameter === null) return [issue("validation.type", field)]
    return isBlank(parameter) ? [issue("validation.required", field)] : []
  })
  const problem = Problem.from(wrong)
  if (problem !== undefined) return Result.fail(problem)
  const raw = Object.fromEntries(entries.map(([name, value]) => [name, parameterOf(value) ?? ""]))
  return Result.mapBoth(decodeQuery(raw, {}), {
    onSuccess: ({ query }) => {
      const filters = Object.fromEntries(Object.entries(query).filter(([name]) => !listParameters.has(name)))
      return toFilter(filters as Call<typeof listEndpoint>["query"])
    },
    onFailure: (failure) =>
      Problem.from(
        failure.issues.map((one) => ({ ...one, field: one.field === null ? null : `filter.${one.field}` }))
      )!
  })
}

/** The right that an action needs in addition to the right of its route. */
const rightsOf: Readonly<Record<string, Right>> = {
  Unsubscribe: "consent:write",
  SetTopic: "consent:write",
  Export: "contacts:export",
  Erase: "contacts:erase"
}

/** A job as lists show it at the time `now`. */
export const encodeJob = (now: number) => (job: BulkJob) => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  done: job.done,
  total: job.items,
  failed: job.failed,
  reportUrl: hasReport(job, now) ? `/manage/v1/accounts/${job.accountId}/jobs/${job.id}/report` : null,
  createdBy: { kind: job.createdBy.kind, id: job.createdBy.id, name: job.createdBy.name },
  createdAt: formatDateTime(job.createdAt),
  finishedAt: dateTimeOrNull(job.finishedAt)
})

/** The routes of jobs on many contacts. */
export const jobsRoutes = Effect.gen(function* () {
  const jobs = yield* BulkJobs
  const encoded = (job: BulkJob) => Effect.map(Clock.currentTimeMillis, (now) => encodeJob(now)(job))
  const list = Effect.fnUntraced(function* (page: ListCall, found: ReturnType<typeof jobs.list>) {
    return ok(listed(page, yield* found, encodeJob(yield* Clock.currentTimeMillis)))
  })
  return bind(ManagementApi.groups.jobs, {
    start: Effect.fnUntraced(function* ({ account, actor, caller, payload }) {
      const { action, filter, ids } = payload
      const manager = yield* managerOf(caller)
      const right = Object.hasOwn(rightsOf, action.kind) ? rightsOf[action.kind] : undefined
      if (right !== undefined) yield* permit(manager, right, targetOf(account))
      const isMany = filter !== undefined || (ids?.length ?? 0) > 1
      if (action.kind === "Export" || (action.kind === "Erase" && isMany)) yield* requireConfirmation(manager)
      const request = { action, ids: ids ?? null, filter: yield* Effect.fromResult(decodeFilter(filter)) }
      return accepted(yield* encoded(yield* jobs.start(account.id, request, actor)))
    }),
    list: ({ account, page, query }) => list(page, jobs.list(account.id, query, page)),
    exports: ({ account, page, query }) => list(page, jobs.exports(account.id, query, page)),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return ok(yield* encoded(yield* jobs.get(account.id, params.id)))
    }),
    cancel: Effect.fnUntraced(function* ({ account, actor, params }) {
      return ok(yield* encoded(yield* jobs.cancel(account.id, params.id, actor)))
    }),
    report: Effect.fnUntraced(function* ({ account, actor, caller, params, query }) {
      const manager = yield* managerOf(caller)
      if (isExport(yield* jobs.get(account.id, params.id))) {
        yield* permit(manager, "contacts:export", targetOf(account))
        yield* requireConfirmation(manager)
      }
      const { content, isCsv, job, next } = yield* jobs.report(account.id, params.id, query.after ?? 0, actor)
      const name = job.kind === "ExportRecipients" ? "recipients" : isExport(job) ? "contacts" : "failures"
      return {
        _tag: "Reply",
        status: 200,
        headers: {
          "content-type": `${isCsv ? "text/csv" : "application/x-ndjson"}; charset=utf-8`,
          "content-disposition": `attachment; filename="${name}-${job.id}.${isCsv ? "csv" : "ndjson"}"`,
          ...(next === null ? {} : { link: `<?after=${next}>; rel="next"` })
        },
        body: content
      }
    })
  })
})
