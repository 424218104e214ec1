/**
 * Handles the management endpoints of the installation.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { parseDuration } from "../../../core/automation/definition/Duration.ts"
import { Worker } from "../../../core/jobs/Worker.ts"
import { ClockControl } from "../../../core/kernel/ProcessInfo.ts"
import { nodeStateOf, type ServiceNode } from "../../../core/model/Node.ts"
import { advanceClock } from "../../../core/operation/advanceClock.ts"
import { Installation } from "../../../core/operation/Installation.ts"
import type { JobEntry } from "../../../core/ports/JobQueue.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeNode =
  (now: number) =>
  ({ addresses: _addresses, seenAt, startedAt, ...node }: ServiceNode) => ({
    ...node,
    state: nodeStateOf({ seenAt }, now),
    startedAt: formatDateTime(startedAt),
    seenAt: formatDateTime(seenAt)
  })

const encodeJob = ({ at, ...job }: JobEntry) => ({ ...job, at: formatDateTime(at) })

/** The description of how backups are verified. */
const verify =
  "svc backup reads the file again and compares every table before the file gets its name, and svc restore verifies it again"

/** The installation. */
export const installationRoutes = Effect.gen(function* () {
  const installation = yield* Installation
  const clock = yield* ClockControl
  const worker = yield* Worker
  return bind(ManagementApi.groups.installation, {
    nodes: Effect.fnUntraced(function* ({ page, query }) {
      const found = yield* installation.nodes(query.state, page)
      return ok(listed(page, found, encodeNode(yield* Clock.currentTimeMillis)))
    }),
    jobs: Effect.fnUntraced(function* ({ page, query }) {
      const { account: accountId, queue, state } = query
      return ok(listed(page, yield* installation.jobs({ accountId, queue, state }, page), encodeJob))
    }),
    queues: Effect.fnUntraced(function* () {
      const { queues, waiting } = yield* installation.queues
      return ok({
        queues: queues.map((depth) => ({ ...depth, nextRunAt: dateTimeOrNull(depth.nextRunAt) })),
        waiting: waiting.map(({ accountId, dueAt, queue }) => ({
          queue,
          accountId,
          dueAt: formatDateTime(dueAt)
        }))
      })
    }),
    retryJob: Effect.fnUntraced(function* ({ actor, params }) {
      return ok(encodeJob(yield* installation.retry(params.id, actor)))
    }),
    dropJob: Effect.fnUntraced(function* ({ actor, params }) {
      return ok(encodeJob(yield* installation.drop(params.id, actor)))
    }),
    database: () => Effect.map(installation.database, ok),
    certificates: () =>
      Effect.map(installation.certificates, (found) =>
        ok({
          items: found.map(({ validFrom, validTo, ...certificate }) => ({
            ...certificate,
            validFrom: formatDateTime(validFrom),
            validTo: formatDateTime(validTo)
          }))
        })
      ),
    backups: () =>
      Effect.map(installation.lastBackup, (last) =>
        ok({ isWatched: last !== null, lastAt: dateTimeOrNull(last?.at ?? null), verify })
      ),
    lines: ({ query }) =>
      Effect.map(installation.logs(query), (lines) =>
        ok({ items: lines.map((line) => ({ ...line, at: formatDateTime(line.at) })) })
      ),
    alerts: () => Effect.map(installation.alerts, (items) => ok({ items })),
    configuration: () => Effect.succeed(ok({ items: installation.configuration })),
    advanceClock: Effect.fnUntraced(function* ({ payload }) {
      if (clock === null) return yield* Problem.of("common.not_found")
      const millis = parseDuration(payload.by)
      if (millis === null) return yield* Problem.of("automation.duration_invalid", "by")
      return ok({
        now: formatDateTime(yield* Effect.provideService(advanceClock(clock, millis), Worker, worker))
      })
    })
  })
})
