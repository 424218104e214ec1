/**
 * The use cases of operators on the installation: what they see of it, and what they do with its jobs.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import {
  type CertificateFacts,
  type ConfiguredValue,
  type LineLevel,
  type LogLine,
  ProcessInfo
} from "../kernel/ProcessInfo.ts"
import { Atomically } from "../kernel/atomically.ts"
import type { Actor } from "../model/Actor.ts"
import { nodeGoneAfter, type NodeState, type ServiceNode } from "../model/Node.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { type Depth, type JobEntry, type JobFilter, JobQueue, type Waiting } from "../ports/JobQueue.ts"
import { NodeStore } from "../ports/NodeStore.ts"
import { Partitions } from "../ports/Partitions.ts"
import { ShapingStore } from "../ports/ShapingStore.ts"
import { StandingStore } from "../ports/StandingStore.ts"
import { StorageHealth, type StorageReport } from "../ports/StorageHealth.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { type Among, maxPageSize, type Page, type PageRequest, readAll } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { type Alert, alertsOf, maxHeldCounted, thresholds } from "./AlertRules.ts"

/** How often a process reports itself, milliseconds. */
export const reportMillis = 15_000

/** How long a process stays in the list after its last report, milliseconds. */
export const nodeKeptMillis = 24 * 3_600_000

/** The maximum number of accounts of a queue whose work is shown as late. */
const maxWaiting = 10

/** A filter of log lines. */
export interface LogFilter {
  readonly level?: Among<LineLevel>
}

/** The contents of the queues. */
export interface QueueOverview {
  readonly queues: ReadonlyArray<Depth>
  /** For each queue, the accounts whose due work has waited longest. */
  readonly waiting: ReadonlyArray<Waiting>
}

/** The size of the database and its parts. */
export interface DatabaseOverview extends StorageReport {
  /** Bytes; null if unknown. */
  readonly sizeBytes: number | null
  /** The duration of a trivial query, milliseconds. */
  readonly pingMs: number
}

/**
 * Shows the installation to operators, and manages its buried jobs. For ids of jobs that are not buried, it fails with
 * common.not_found.
 */
export class Installation extends Context.Service<
  Installation,
  {
    /** Stores the state of this process. */
    readonly report: Effect.Effect<void, Unavailable>
    /** Lists the processes, latest started first. This process reports itself before. */
    readonly nodes: (
      state: Among<NodeState>,
      page: PageRequest
    ) => Effect.Effect<Page<ServiceNode>, Unavailable>
    readonly jobs: (filter: JobFilter, page: PageRequest) => Effect.Effect<Page<JobEntry>, Unavailable>
    readonly queues: Effect.Effect<QueueOverview, Unavailable>
    /** Makes a buried job pending again, and records it in the account's audit log. */
    readonly retry: (id: string, actor: Actor) => Effect.Effect<JobEntry, Problem | Unavailable>
    /** Deletes a buried job, and records it in the account's audit log. */
    readonly drop: (id: string, actor: Actor) => Effect.Effect<JobEntry, Problem | Unavailable>
    readonly database: Effect.Effect<DatabaseOverview, Unavailable>
    readonly alerts: Effect.Effect<ReadonlyArray<Alert>, Unavailable>
    /** The certificates of this process only. */
    readonly certificates: Effect.Effect<ReadonlyArray<CertificateFacts>>
    readonly lastBackup: Effect.Effect<{ readonly at: number | null } | null>
    /** The log lines of this process only, newest first. */
    readonly logs: (filter: LogFilter) => Effect.Effect<ReadonlyArray<LogLine>>
    readonly configuration: ReadonlyArray<ConfiguredValue>
  }
>()("svc/operation/Installation") {
  static readonly layer = Layer.effect(
    Installation,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const info = yield* ProcessInfo
  const nodes = yield* NodeStore
  const queue = yield* JobQueue
  const health = yield* StorageHealth
  const partitions = yield* Partitions
  const domains = yield* DomainStore
  const shaping = yield* ShapingStore
  const standings = yield* StandingStore
  const submissions = yield* SubmissionStore
  const atomically = yield* Atomically
  const { record } = yield* AuditTrail

  const report = Effect.gen(function* () {
    const seenAt = yield* Clock.currentTimeMillis
    yield* nodes.report({ ...info.node, ...(yield* info.measures), seenAt })
  })

  const timedPing = Clock.clockWith((clock) =>
    Effect.suspend(() => {
      const asked = clock.monotonicTimeNanosUnsafe()
      return Effect.map(health.ping, () => Number(clock.monotonicTimeNanosUnsafe() - asked) / 1e6)
    })
  )

  const list = Effect.fnUntraced(function* (state: Among<NodeState>, page: PageRequest) {
    yield* report
    const gone = (yield* Clock.currentTimeMillis) - nodeGoneAfter
    const [only, ...others] = state ?? []
    if (only === undefined || others.length > 0) return yield* nodes.list({}, page)
    return yield* nodes.list(only === "Up" ? { since: gone } : { until: gone }, page)
  })

  /** Applies an action to a buried job and records it. */
  const decide = (
    action: string,
    take: (id: string, now: number) => Effect.Effect<JobEntry | null, Unavailable>
  ) =>
    Effect.fn("Installation.decide")(function* (id: string, actor: Actor) {
      const job = yield* take(id, yield* Clock.currentTimeMillis)
      if (job === null) return yield* Problem.of("common.not_found")
      const { accountId, attempts, queue: name, reason } = job
      const before = { queue: name, attempts, reason }
      yield* record(actor, { accountId, action, target: id, before, after: null })
      return job
    }, atomically)

  return Installation.of({
    report,
    nodes: Effect.fn("Installation.nodes")(list),
    jobs: queue.list,
    queues: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      return { queues: yield* queue.depth, waiting: yield* queue.waiting(now, maxWaiting) }
    }),
    retry: decide("job.retried", queue.retryBuried),
    drop: decide("job.dropped", queue.dropBuried),
    database: Effect.gen(function* () {
      return { ...(yield* health.report), sizeBytes: yield* health.size, pingMs: yield* timedPing }
    }),
    alerts: Effect.gen(function* () {
      const { items } = yield* list(["Up"], { page: 1, pageSize: maxPageSize })
      const now = yield* Clock.currentTimeMillis
      const { Failing: failingDomains } = yield* domains.counts
      const open = { is: true, at: now }
      const isLong = { open, ofAll: true, before: now - thresholds.suspended } as const
      const { Held: heldAccounts } = yield* standings.count
      return alertsOf({
        now,
        suspensions: yield* readAll((request) => shaping.page(request, isLong)),
        held: yield* submissions.heldLanes(maxHeldCounted + 1),
        heldAccounts,
        depths: yield* queue.depth,
        waiting: yield* queue.waiting(now, 1),
        nodes: items,
        pingMs: yield* timedPing,
        backup: yield* info.lastBackup,
        certificates: yield* info.certificates,
        failingDomains,
        partitions: yield* partitions.tables
      })
    }),
    certificates: info.certificates,
    lastBackup: info.lastBackup,
    logs: ({ level = null }) =>
      Effect.map(info.logs, (lines) =>
        lines.filter((line) => level === null || level.includes(line.level)).toReversed()
      ),
    configuration: info.configuration
  })
})
