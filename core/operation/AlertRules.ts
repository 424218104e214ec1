/**
 * Decides which alerts fire, by the thresholds of `deploy/prometheus/alerts.yml` that need no history.
 *
 * @module
 */
import { nodeStateOf, type ServiceNode } from "../model/Node.ts"
import { placeOfLane } from "../model/Source.ts"
import type { Suspension } from "../model/Suspension.ts"
import type { Depth, Waiting } from "../ports/JobQueue.ts"
import type { PartitionedTable } from "../ports/Partitions.ts"
import type { HeldCount } from "../ports/SubmissionStore.ts"

/** Every severity of an alert. */
export const severities = ["Warning", "Critical"] as const

/** The states of an alert. It is `Unknown` if its subject is not monitored. */
export const alertStates = ["Firing", "Ok", "Unknown"] as const

/** An alert. */
export interface Alert {
  /** As in `deploy/prometheus/alerts.yml`. */
  readonly name: string
  readonly severity: (typeof severities)[number]
  readonly state: (typeof alertStates)[number]
  /** What was observed. */
  readonly summary: string
  /** The section of the runbook that applies. */
  readonly runbook: string
}

/** The facts from which alerts are decided; null for unknown facts. Times are epoch milliseconds. */
export interface AlertFacts {
  readonly now: number
  readonly depths: ReadonlyArray<Depth>
  readonly waiting: ReadonlyArray<Waiting>
  readonly nodes: ReadonlyArray<ServiceNode>
  readonly pingMs: number
  readonly backup: { readonly at: number | null } | null
  readonly certificates: ReadonlyArray<{ readonly validTo: number }>
  readonly failingDomains: number
  readonly partitions: ReadonlyArray<Pick<PartitionedTable, "until">>
  /** Suspensions that hold the mail of all accounts to a lane. */
  readonly suspensions: ReadonlyArray<Pick<Suspension, "lane" | "since">>
  /**
   * The number of recipients in each lane whose email is held. At most `maxHeldCounted` are counted; one more means that there
   * are more.
   */
  readonly held: ReadonlyArray<Pick<HeldCount, "lane" | "count" | "since">>
  /** The number of accounts whose marketing is held by their standing. */
  readonly heldAccounts: number
}

/** The number up to which the held recipients of a lane are counted. */
export const maxHeldCounted = 10_000
/** The maximum number of lanes that a summary names. */
const shownLanes = 3

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

/** The thresholds: milliseconds, except `heap` (a share) and `held` (a number of emails). */
export const thresholds = {
  overdue: 5 * minute,
  accountOverdue: 15 * minute,
  ping: 250,
  loopDelay: 250,
  heap: 0.85,
  backup: 36 * 60 * minute,
  certificate: 14 * day,
  partitions: 50 * day,
  suspended: 30 * minute,
  held: 1_000,
  heldFor: 240 * minute
} as const

const lasting = (millis: number): string => {
  if (millis >= 2 * day) return `${Math.floor(millis / day)} days`
  if (millis >= 120 * minute) return `${Math.floor(millis / (60 * minute))} hours`
  if (millis >= 2 * minute) return `${Math.floor(millis / minute)} minutes`
  return `${Math.max(0, Math.round(millis / second))} seconds`
}

const alert = (
  name: string,
  severity: Alert["severity"],
  firing: boolean | null,
  summary: string
): Alert => ({
  name,
  severity,
  state: firing === null ? "Unknown" : firing ? "Firing" : "Ok",
  summary,
  runbook: `deploy/RUNBOOK.md#${name.toLowerCase()}`
})

const least = (times: ReadonlyArray<number>): number | null =>
  times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other))

const worst = (values: ReadonlyArray<number>): number =>
  values.reduce((one, other) => Math.max(one, other), 0)

/** Returns every alert with its state, firing alerts first. */
export const alertsOf = (facts: AlertFacts): ReadonlyArray<Alert> => {
  const {
    backup,
    certificates,
    depths,
    failingDomains,
    heldAccounts,
    nodes,
    now,
    partitions,
    pingMs,
    waiting
  } = facts
  const up = nodes.filter((node) => nodeStateOf(node, now) === "Up")
  const overdue = worst(depths.map(({ nextRunAt }) => (nextRunAt === null ? 0 : now - nextRunAt)))
  const buried = depths.reduce((sum, depth) => sum + depth.buried, 0)
  const late = worst(waiting.map(({ dueAt }) => now - dueAt))
  const loop = worst(up.map(({ eventLoopDelayMs }) => eventLoopDelayMs))
  const heap = worst(
    up.map((node) => (node.heapLimitBytes === 0 ? 0 : node.heapUsedBytes / node.heapLimitBytes))
  )
  const backupAge = backup === null ? null : backup.at === null ? Infinity : now - backup.at
  const expires = least(certificates.map(({ validTo }) => validTo))
  const ends = least(partitions.map(({ until }) => until))
  const suspended = [
    ...new Set(
      facts.suspensions.filter(({ since }) => now - since > thresholds.suspended).map(({ lane }) => lane)
    )
  ]
  const held = [...Map.groupBy(facts.held, ({ lane }) => placeOfLane(lane))].map(([place, counts]) => ({
    place,
    count: counts.reduce((sum, { count }) => sum + Math.min(count, maxHeldCounted), 0),
    isMore: counts.some(({ count }) => count > maxHeldCounted),
    lasts: now - (least(counts.flatMap(({ since }) => since ?? [])) ?? now)
  }))
  const [most] = held
    .filter(({ count, lasts }) => count > thresholds.held || lasts > thresholds.heldFor)
    .toSorted((one, other) => other.count - one.count)
  const alerts = [
    alert(
      "SvcJobsOverdue",
      "Critical",
      overdue > thresholds.overdue,
      `The oldest due work has waited for ${lasting(overdue)}.`
    ),
    alert("SvcJobsBuried", "Warning", buried > 0, `${buried} jobs were given up on.`),
    alert(
      "SvcAccountOverdue",
      "Warning",
      late > thresholds.accountOverdue,
      `The oldest due work of an account has waited for ${lasting(late)}.`
    ),
    alert(
      "SvcStoreSlow",
      "Warning",
      pingMs > thresholds.ping,
      `The database answered within ${Math.round(pingMs)} ms.`
    ),
    alert(
      "SvcEventLoopBlocked",
      "Warning",
      loop > thresholds.loopDelay,
      `The event loop of a node is late by up to ${Math.round(loop)} ms.`
    ),
    alert(
      "SvcHeapNearLimit",
      "Critical",
      heap > thresholds.heap,
      `A node uses ${Math.round(heap * 100)} % of the memory that it may use.`
    ),
    alert(
      "SvcBackupOld",
      "Critical",
      backupAge === null ? null : backupAge > thresholds.backup,
      backupAge === null
        ? "No backup is monitored: set SVC_BACKUP_FILE."
        : backupAge === Infinity
          ? "There is no backup yet."
          : `The last backup was made ${lasting(backupAge)} ago.`
    ),
    alert(
      "SvcCertificateExpires",
      "Warning",
      expires === null ? null : expires - now < thresholds.certificate,
      expires === null
        ? "This node uses no certificate."
        : expires < now
          ? "The certificate of the SMTP ports has expired."
          : `The certificate of the SMTP ports expires in ${lasting(expires - now)}.`
    ),
    alert(
      "SvcDomainsFail",
      "Warning",
      failingDomains > 0,
      `${failingDomains} sending domains fail their DNS checks.`
    ),
    alert(
      "SvcPartitionsMissing",
      "Warning",
      ends === null ? null : ends - now < thresholds.partitions,
      ends === null ? "The database has no partitions." : `The partitions end in ${lasting(ends - now)}.`
    ),
    alert(
      "SvcProviderSuspended",
      "Warning",
      suspended.length > 0,
      suspended.length === 0
        ? "Mail is sent to every provider."
        : `No mail is sent to ${suspended.slice(0, shownLanes).join(", ")}${suspended.length > shownLanes ? ` and ${suspended.length - shownLanes} more` : ""}.`
    ),
    alert(
      "SvcMailHeld",
      "Warning",
      most !== undefined,
      most === undefined
        ? "Little mail is held, and not for long."
        : `${most.isMore ? `More than ${most.count}` : most.count} emails to ${most.place} are held, the first for ${lasting(most.lasts)}.`
    ),
    alert(
      "SvcMarketingHeld",
      "Warning",
      heldAccounts > 0,
      `The marketing of ${heldAccounts} accounts is held by their standing.`
    )
  ]
  const order = ["Firing", "Unknown", "Ok"]
  return alerts.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state))
}
