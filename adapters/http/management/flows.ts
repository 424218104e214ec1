/**
 * Handles the management endpoints of flows.
 *
 * @module
 */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { Actor } from "../../../core/model/Actor.ts"
import type { Flow } from "../../../core/model/Flow.ts"
import type { ScenarioEmail } from "../../../core/automation/simulation/FlowScenario.ts"
import { Flows } from "../../../core/automation/flows/Flows.ts"
import { RunControl } from "../../../core/automation/flows/RunControl.ts"
import type { LogEntry, Run } from "../../../core/model/Run.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { encodeEdited, tagged } from "../edge/precondition.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeFlow = (flow: Flow) => {
  const { createdAt, definition, id, name, status, tokenHash, version } = flow
  return {
    id,
    name,
    status,
    version,
    ...definition,
    hasTriggerToken: tokenHash !== null,
    createdAt: formatDateTime(createdAt),
    ...encodeEdited(flow)
  }
}

/** A reply that shows a flow, with its ETag. */
const shown = (flow: Flow) => tagged(ok(encodeFlow(flow)), flow)

const encodeLog = (log: ReadonlyArray<LogEntry>) =>
  log.map(({ at, outcome, stepId }) => ({ stepId, at: formatDateTime(at), outcome }))

const encodeRun = (run: Run) => ({
  id: run.id,
  flowId: run.flowId,
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

/** A call that changes a flow. */
interface ChangedFlow {
  readonly account: Account
  readonly actor: Actor
  readonly params: { readonly id: string }
}

/** Flows. */
export const flowsRoutes = Effect.gen(function* () {
  const flows = yield* Flows
  const control = yield* RunControl
  /** Changes a flow and returns it. */
  const changing =
    (change: "archive" | "pause" | "publish") =>
    ({ account, actor, params }: ChangedFlow) =>
      Effect.map(flows[change](account.id, params.id, actor), shown)
  return bind(ManagementApi.groups.flows, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const flow = yield* flows.create(account.id, payload, actor)
      return tagged(created(encodeFlow(flow)), flow)
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* flows.list(account.id, page), encodeFlow))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return shown(yield* flows.get(account.id, params.id))
    }),
    replace: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return shown(yield* flows.replace(account.id, params.id, payload, actor))
    }),
    publish: changing("publish"),
    pause: changing("pause"),
    archive: changing("archive"),
    issueToken: Effect.fnUntraced(function* ({ account, actor, params }) {
      return ok(yield* flows.issueToken(account.id, params.id, actor))
    }),
    webhookSecret: Effect.fnUntraced(function* ({ account, params }) {
      return ok({ secret: yield* flows.webhookSecret(account.id, params.id) })
    }),
    runs: Effect.fnUntraced(function* ({ account, page, params, query }) {
      return ok(
        listed(page, yield* flows.runs(account.id, params.id, { ...query, id: query.runId }, page), encodeRun)
      )
    }),
    runsOfContact: Effect.fnUntraced(function* ({ account, page, params }) {
      return ok(listed(page, yield* flows.runsOfContact(account.id, params.id, page), encodeRun))
    }),
    stats: Effect.fnUntraced(function* ({ account, params }) {
      const { runs, ...counts } = yield* flows.stats(account.id, params.id)
      const { Active: active, Completed: completed, Failed: failed, Stopped: stopped } = runs
      return ok({
        started: active + completed + stopped + failed,
        active,
        completed,
        stopped,
        failed,
        ...counts
      })
    }),
    versions: Effect.fnUntraced(function* ({ account, page, params }) {
      return ok(
        listed(page, yield* flows.versions(account.id, params.id, page), ({ publishedAt, version }) => ({
          version,
          publishedAt: dateTimeOrNull(publishedAt)
        }))
      )
    }),
    version: Effect.fnUntraced(function* ({ account, params }) {
      const { definition, publishedAt, version } = yield* flows.version(account.id, params.id, params.version)
      return ok({ version, publishedAt: dateTimeOrNull(publishedAt), ...definition })
    }),
    start: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      const { contactId, properties = null } = payload
      return created(encodeRun(yield* control.start(account.id, params.id, { contactId, properties }, actor)))
    }),
    stopRun: Effect.fnUntraced(function* ({ account, actor, params }) {
      return ok(encodeRun(yield* control.stop(account.id, params.id, params.runId, actor)))
    }),
    simulate: Effect.fnUntraced(function* ({ account, params, payload }) {
      const { emails, run } = yield* flows.simulate(account.id, params.id, payload)
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
    blueprints: () =>
      Effect.succeed(
        ok(
          flows.blueprints.map(({ definition, description, key, name }) => ({
            key,
            name,
            description,
            trigger: definition.trigger,
            steps: definition.steps
          }))
        )
      ),
    install: Effect.fnUntraced(function* ({ account, actor, params }) {
      return created(encodeFlow(yield* flows.install(account.id, params.key, actor)))
    })
  })
})
