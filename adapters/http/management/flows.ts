/**
 * The operator's handlers of flows.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import type { Flow } from "../../../core/model/Flow.ts"
import type { ScenarioEmail } from "../../../core/automation/simulation/FlowScenario.ts"
import { Flows } from "../../../core/automation/flows/Flows.ts"
import { type LogEntry, type Run, type RunStatus, runStatuses } from "../../../core/model/Run.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { pageOfQuery, type Query, textOf } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate, type Params } from "./requireAccount.ts"

const encodeFlow = ({ createdAt, definition, id, name, status, tokenHash, updatedAt, version }: Flow) => ({
  id,
  name,
  status,
  version,
  ...definition,
  hasTriggerToken: tokenHash !== null,
  createdAt: formatDateTime(createdAt),
  updatedAt: formatDateTime(updatedAt)
})

const encodeLog = (log: ReadonlyArray<LogEntry>) =>
  log.map(({ at, outcome, stepId }) => ({ stepId, at: formatDateTime(at), outcome }))

const encodeRun = (run: Run) => ({
  id: run.id,
  contactId: run.contactId,
  version: run.version,
  status: run.status,
  stepId: run.stepId,
  startedAt: formatDateTime(run.startedAt),
  endedAt: dateTimeOrNull(run.endedAt),
  reason: run.reason,
  nextAt: dateTimeOrNull(run.dueAt),
  log: encodeLog(run.log)
})

const encodeEmail = ({ at, content, failure, stepId }: ScenarioEmail) => ({
  stepId,
  at: formatDateTime(at),
  subject: content?.subject ?? null,
  html: content?.html ?? null,
  text: content?.text ?? null,
  failure
})

const idOf = (params: Params): string => (params["id"] ?? "").toLowerCase()

/** `status`; validation.format. */
const statusOf = (query: Query): RunStatus | null | Problem => {
  const status = textOf(query, "status")
  const known = runStatuses.find((one) => one === status)
  return status === null ? null : (known ?? Problem.of("validation.format", "status"))
}

/** Flows. */
export const flowsRoutes = Effect.gen(function* () {
  const flows = yield* Flows
  const gate = yield* makeAccountGate
  /** Changes a flow and shows it. */
  const changing =
    (change: "archive" | "pause" | "publish") =>
    ({ params }: { readonly params: Params }) =>
      Effect.flatMap(gate(params), ({ id }) =>
        Effect.map(flows[change](id, idOf(params), managementActor), (flow) => ok(encodeFlow(flow)))
      )
  return bind(ManagementApi.groups.flows, {
    create: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      return created(encodeFlow(yield* flows.create(id, payload, managementActor)))
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* flows.list(id, yield* asEffect(pageOfQuery(query))), encodeFlow))
    }),
    get: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(encodeFlow(yield* flows.get(id, idOf(params))))
    }),
    replace: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      return ok(encodeFlow(yield* flows.replace(id, idOf(params), payload, managementActor)))
    }),
    publish: changing("publish"),
    pause: changing("pause"),
    archive: changing("archive"),
    issueToken: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(yield* flows.issueToken(id, idOf(params), managementActor))
    }),
    webhookSecret: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok({ secret: yield* flows.webhookSecret(id, idOf(params)) })
    }),
    runs: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const status = yield* asEffect(statusOf(query))
      const page = yield* asEffect(pageOfQuery(query))
      return ok(mapPage(yield* flows.runs(id, idOf(params), status, page), encodeRun))
    }),
    simulate: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const { emails, run } = yield* flows.simulate(id, idOf(params), payload)
      return ok({
        started: run !== null,
        status: run?.status ?? null,
        reason: run?.reason ?? null,
        startedAt: dateTimeOrNull(run?.startedAt ?? null),
        endedAt: dateTimeOrNull(run?.endedAt ?? null),
        path: encodeLog(run?.log ?? []),
        emails: emails.map(encodeEmail)
      })
    }),
    blueprints: ({ params }) =>
      Effect.map(gate(params), () =>
        ok(
          flows.blueprints.map(({ definition, description, key, name }) => ({
            key,
            name,
            description,
            trigger: definition.trigger
          }))
        )
      ),
    install: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return created(encodeFlow(yield* flows.install(id, params["key"] ?? "", managementActor)))
    })
  })
})
