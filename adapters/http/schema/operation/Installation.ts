/**
 * Defines the management endpoints of the installation: its nodes, queues, database, certificates, backups, logs, alerts and
 * configuration, and the clock used in tests.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { logLevels, settingSources } from "../../../../core/kernel/ProcessInfo.ts"
import { nodeStates } from "../../../../core/model/Node.ts"
import { alertStates, severities } from "../../../../core/operation/AlertRules.ts"
import { jobStates, queues } from "../../../../core/ports/JobQueue.ts"
import { engines } from "../../../../core/ports/StorageHealth.ts"
import { envelope, TakesLong } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { anyOf, byTime, listOf, sortedListing } from "../Lists.ts"
import { requiring } from "../Requirements.ts"

const nullableText = Schema.NullOr(Schema.String)

const NodeShape = Schema.Struct({
  id: Schema.String,
  host: Schema.String,
  state: Schema.Literals(nodeStates),
  version: Schema.String,
  runtime: Schema.String,
  roles: Schema.Array(Schema.String),
  startedAt: Schema.String,
  seenAt: Schema.String,
  eventLoopDelayMs: Schema.Finite,
  memoryBytes: Schema.Finite,
  heapUsedBytes: Schema.Finite,
  heapLimitBytes: Schema.Finite
}).annotate({ identifier: "Node" })

const JobShape = Schema.Struct({
  id: Schema.String,
  accountId: Schema.String,
  queue: Schema.Literals(queues),
  state: Schema.Literals(jobStates),
  attempts: Schema.Int,
  at: Schema.String.annotateKey({
    description:
      "When it falls due; of a running job, when its lease ends; of a buried one, when it was buried"
  }),
  reason: nullableText
}).annotate({ identifier: "QueuedJob" })

const QueuesShape = Schema.Struct({
  queues: Schema.Array(
    Schema.Struct({
      queue: Schema.Literals(queues),
      pending: Schema.Int,
      buried: Schema.Int,
      nextRunAt: nullableText
    })
  ),
  waiting: Schema.Array(
    Schema.Struct({ queue: Schema.Literals(queues), accountId: Schema.String, dueAt: Schema.String })
  ).annotateKey({ description: "The accounts whose due work has waited longest, ten of each queue" })
}).annotate({ identifier: "Queues" })

const size = { name: Schema.String, rows: Schema.NullOr(Schema.Finite), bytes: Schema.Finite }

const DatabaseShape = Schema.Struct({
  engine: Schema.Literals(engines),
  version: nullableText,
  sizeBytes: Schema.NullOr(Schema.Finite),
  pingMs: Schema.Finite,
  migrations: Schema.NullOr(Schema.Struct({ applied: Schema.Int, known: Schema.Int })),
  tables: Schema.Array(Schema.Struct(size)),
  partitions: Schema.Array(Schema.Struct({ table: Schema.String, ...size })),
  slowStatements: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        statement: Schema.String,
        calls: Schema.Finite,
        totalMs: Schema.Finite,
        meanMs: Schema.Finite
      })
    )
  ).annotateKey({ description: "Null where the extension pg_stat_statements does not count them" })
}).annotate({ identifier: "Database" })

const CertificateShape = Schema.Struct({
  usedFor: Schema.Literals(["Smtp"]),
  names: Schema.Array(Schema.String),
  issuer: Schema.String,
  validFrom: Schema.String,
  validTo: Schema.String,
  isSelfSigned: Schema.Boolean
}).annotate({ identifier: "Certificate" })

const BackupsShape = Schema.Struct({
  isWatched: Schema.Boolean.annotateKey({ description: "Whether SVC_BACKUP_FILE names a file" }),
  lastAt: nullableText,
  verify: Schema.String.annotateKey({ description: "How a backup is verified" })
}).annotate({ identifier: "Backups" })

const LogLineShape = Schema.Struct({
  at: Schema.String,
  level: Schema.Literals(logLevels),
  message: Schema.String,
  fields: Schema.Record(Schema.String, Schema.String)
}).annotate({ identifier: "LogLine" })

const AlertShape = Schema.Struct({
  name: Schema.String,
  severity: Schema.Literals(severities),
  state: Schema.Literals(alertStates),
  summary: Schema.String,
  runbook: Schema.String
}).annotate({ identifier: "Alert" })

const ConfiguredShape = Schema.Struct({
  name: Schema.String,
  value: nullableText.annotateKey({ description: "`set` for a secret that is set" }),
  source: Schema.Literals(settingSources),
  isSecret: Schema.Boolean
}).annotate({ identifier: "ConfiguredValue" })

const itemsOf = <S extends Schema.Top>(item: S) => envelope(Schema.Struct({ items: Schema.Array(item) }))

/** The routes of the installation. */
export class InstallationGroup extends HttpApiGroup.make("installation")
  .add(
    HttpApiEndpoint.get("nodes", "/nodes", {
      query: { ...sortedListing({ age: byTime }, "-age"), state: anyOf(Schema.Literals(nodeStates)) },
      success: envelope(listOf(NodeShape))
    }).annotate(OpenApi.Summary, "List the processes of the service; `-age` begins with the latest started"),
    HttpApiEndpoint.get("jobs", "/jobs", {
      query: {
        ...sortedListing({ age: byTime }, "age"),
        queue: anyOf(Schema.Literals(queues)),
        account: anyOf(id),
        state: anyOf(Schema.Literals(jobStates))
      },
      success: envelope(listOf(JobShape))
    }).annotate(OpenApi.Summary, "List the jobs of the queues, without their payloads, the earliest first"),
    HttpApiEndpoint.get("queues", "/queues", { success: envelope(QueuesShape) }).annotate(
      OpenApi.Summary,
      "The depth of each queue, and the accounts whose work is late"
    ),
    HttpApiEndpoint.post("retryJob", "/jobs/:id/retry", {
      params: { id },
      success: envelope(JobShape)
    }).annotate(OpenApi.Summary, "Try a buried job again"),
    HttpApiEndpoint.delete("dropJob", "/jobs/:id", {
      params: { id },
      success: envelope(JobShape)
    }).annotate(OpenApi.Summary, "Delete a buried job"),
    HttpApiEndpoint.get("database", "/database", { success: envelope(DatabaseShape) }),
    HttpApiEndpoint.get("certificates", "/certificates", { success: itemsOf(CertificateShape) }).annotate(
      OpenApi.Summary,
      "The certificates that this node uses"
    ),
    HttpApiEndpoint.get("backups", "/backups", { success: envelope(BackupsShape) }),
    HttpApiEndpoint.get("lines", "/logs", {
      query: { level: anyOf(Schema.Literals(logLevels)) },
      success: itemsOf(LogLineShape)
    }).annotate(OpenApi.Summary, "What this node logged in the last hour, the newest first"),
    HttpApiEndpoint.get("alerts", "/alerts", { success: itemsOf(AlertShape) }).annotate(
      OpenApi.Summary,
      "The alerts that need no history, those that hold first"
    ),
    HttpApiEndpoint.get("configuration", "/configuration", { success: itemsOf(ConfiguredShape) }).annotate(
      OpenApi.Summary,
      "The configuration of this node, without secrets"
    ),
    HttpApiEndpoint.post("advanceClock", "/clock/advance", {
      payload: Schema.Struct({ by: Schema.String }),
      success: envelope(Schema.Struct({ now: Schema.String }))
    })
      .annotate(
        OpenApi.Summary,
        "Move the clock forward and do what falls due, where everything is kept in memory; else 404"
      )
      .annotate(TakesLong, true)
  )
  .pipe(
    requiring({
      nodes: "installation:read",
      jobs: "installation:read",
      queues: "installation:read",
      retryJob: "installation:operate",
      dropJob: "installation:operate",
      database: "installation:read",
      certificates: "installation:read",
      backups: "installation:read",
      lines: "installation:read",
      alerts: "installation:read",
      configuration: "installation:read",
      advanceClock: "installation:operate"
    })
  ) {}
