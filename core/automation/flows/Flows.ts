/**
 * Flows as their operator handles them: written, published, paused, archived, tried out, and watched.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { formatKey, keyBytes, prefixes } from "../../accounts/KeyFormat.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { type Code, type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import { formatSecret } from "../../webhooks/Signature.ts"
import { type Blueprint, blueprints } from "../definition/Blueprints.ts"
import type { Flow } from "../../model/Flow.ts"
import { makeCallKeys } from "../runs/WebhookStepSender.ts"
import type { FlowWrite } from "../definition/FlowCheck.ts"
import { makeFlowContents } from "../definition/FlowValidation.ts"
import type { FlowDefinition } from "../../model/FlowDefinition.ts"
import { makeFlowScenarios, type ScenarioWrite, type Told } from "../simulation/FlowScenarios.ts"
import type { Run, RunStatus } from "../../model/Run.ts"

/** The most flows of an account. */
export const maxFlows = 500
/** The most characters of a flow's name. */
export const maxFlowName = 200

/** A flow as sent. */
export interface NamedFlowWrite extends FlowWrite {
  readonly name: string
}

/** Where a flow is called, with its token: shown once. */
export interface FlowToken {
  readonly triggerUrl: string
  readonly token: string
}

/** Handles flows. Unknown ids are common.not_found; every change is recorded by its actor. */
export class Flows extends Context.Service<
  Flows,
  {
    /** Adds a draft; the codes of `checkFlow`, sending.template_invalid, automation.flow_limit_reached. */
    readonly create: (
      accountId: string,
      write: NamedFlowWrite,
      actor: string
    ) => Effect.Effect<Flow, Problem | Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<Flow, Problem | Unavailable>
    /** An account's flows, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Flow>, Unavailable>
    /** Replaces name and definition as edited; what is published stays until it is published again. */
    readonly replace: (
      accountId: string,
      id: string,
      write: NamedFlowWrite,
      actor: string
    ) => Effect.Effect<Flow, Problem | Unavailable>
    /** Freezes the definition as a new version that starts runs from now on; checks it again. */
    readonly publish: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<Flow, Problem | Unavailable>
    /** Starts no more runs; automation.workflow_not_published for a flow that starts none. */
    readonly pause: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<Flow, Problem | Unavailable>
    /** Puts a flow away for good: it starts no more runs and is not changed any more. */
    readonly archive: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<Flow, Problem | Unavailable>
    /** Makes a trigger token; the one before stops working at once. */
    readonly issueToken: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<FlowToken, Problem | Unavailable>
    /** The secret that signs the requests of a flow's Webhook steps. */
    readonly webhookSecret: (accountId: string, id: string) => Effect.Effect<string, Problem | Unavailable>
    /** A flow's runs, newest first. */
    readonly runs: (
      accountId: string,
      id: string,
      status: RunStatus | null,
      page: PageRequest
    ) => Effect.Effect<Page<Run>, Problem | Unavailable>
    /** What a flow as edited would do; nothing is sent or stored. */
    readonly simulate: (
      accountId: string,
      id: string,
      story: ScenarioWrite
    ) => Effect.Effect<Told, Problem | Unavailable>
    readonly blueprints: ReadonlyArray<Blueprint>
    /** Adds a blueprint as a draft. */
    readonly install: (
      accountId: string,
      key: string,
      actor: string
    ) => Effect.Effect<Flow, Problem | Unavailable>
  }
>()("svc/automation/Flows") {
  static readonly layer = Layer.effect(
    Flows,
    Effect.suspend(() => make)
  )
}

const checkName = (name: string): string | Problem => {
  const issues: Array<Issue> = []
  const checked = checkText(name, "name", maxFlowName, issues)
  if (checked === "") issues.push(issue("validation.required", "name"))
  return Problem.from(issues) ?? checked
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const crypto = yield* Crypto
  const publicEndpoint = yield* PublicEndpoint
  const ids = yield* Ids
  const { record } = yield* AuditTrail
  const runs = yield* RunStore
  const store = yield* FlowStore
  const transaction = yield* Transaction
  const check = yield* makeFlowContents
  const tell = yield* makeFlowScenarios
  const callKey = yield* makeCallKeys

  const get = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [flow] = yield* store.find(accountId, [id])
    return flow ?? (yield* Problem.of("common.not_found"))
  })

  const add = Effect.fnUntraced(function* (
    accountId: string,
    name: string,
    definition: FlowDefinition,
    actor: string
  ) {
    const now = yield* Clock.currentTimeMillis
    const flow: Flow = {
      id: yield* ids.next,
      accountId,
      name,
      status: "Draft",
      version: 0,
      definition,
      startsOn: null,
      tokenHash: null,
      createdAt: now,
      updatedAt: now
    }
    const once = Effect.gen(function* () {
      yield* accounts.lock([accountId])
      const { totalCount } = yield* store.list(accountId, { page: 1, pageSize: 1 })
      if (totalCount >= maxFlows) {
        return yield* Problem.of("automation.flow_limit_reached", null, { max: maxFlows })
      }
      yield* store.insert(flow)
      yield* record(actor, {
        accountId,
        action: "flow.created",
        target: flow.id,
        before: null,
        after: recorded(flow)
      })
      return flow
    })
    return yield* retryConflicts(transaction.run(once))
  })

  /** Changes a flow, one change after the other. `change` answers the flow as it becomes. */
  const alter = (
    accountId: string,
    id: string,
    actor: string,
    action: string,
    change: (flow: Flow, now: number) => Effect.Effect<Flow, Problem | Unavailable>
  ) =>
    retryConflicts(
      transaction.run(
        Effect.gen(function* () {
          const before = yield* store.lock(accountId, id)
          if (before === null) return yield* Problem.of("common.not_found")
          const now = yield* Clock.currentTimeMillis
          const flow: Flow = { ...(yield* change(before, now)), updatedAt: now }
          if (flow.version > before.version) {
            const { definition, version } = flow
            yield* store.publish({ accountId, flowId: id, version, definition })
          }
          yield* store.save(flow)
          yield* record(actor, {
            accountId,
            action,
            target: id,
            before: recorded(before),
            after: recorded(flow)
          })
          return flow
        })
      )
    )

  const refuse = (code: Code) => Effect.fail(Problem.of(code))

  /** One that was put away is not changed any more. */
  const unlessArchived = (flow: Flow, changed: Effect.Effect<Flow, Problem | Unavailable>) =>
    flow.status === "Archived" ? refuse("automation.flow_archived") : changed

  const create: Flows["Service"]["create"] = Effect.fn("Flows.create")(function* (accountId, write, actor) {
    const name = checkName(write.name)
    const definition = yield* Effect.result(check(accountId, write))
    if (name instanceof Problem || definition._tag === "Failure") {
      return yield* joined(name, definition._tag === "Failure" ? definition.failure : undefined)
    }
    return yield* add(accountId, name, definition.success, actor)
  })

  return Flows.of({
    create,
    get,
    list: store.list,
    replace: Effect.fn("Flows.replace")(function* (accountId, id, write, actor) {
      yield* get(accountId, id)
      const name = checkName(write.name)
      const definition = yield* Effect.result(check(accountId, write))
      if (name instanceof Problem || definition._tag === "Failure") {
        return yield* joined(name, definition._tag === "Failure" ? definition.failure : undefined)
      }
      return yield* alter(accountId, id, actor, "flow.changed", (flow) =>
        unlessArchived(flow, Effect.succeed({ ...flow, name, definition: definition.success }))
      )
    }),
    publish: (accountId, id, actor) =>
      alter(accountId, id, actor, "flow.published", (flow) =>
        unlessArchived(
          flow,
          Effect.map(check(accountId, flow.definition), (definition) => ({
            ...flow,
            definition,
            status: "Published",
            version: flow.version + 1,
            startsOn: definition.trigger.kind === "Event" ? definition.trigger.name : null
          }))
        )
      ),
    pause: (accountId, id, actor) =>
      alter(accountId, id, actor, "flow.paused", (flow) =>
        flow.status === "Published" || flow.status === "Paused"
          ? Effect.succeed({ ...flow, status: "Paused" })
          : refuse(
              flow.status === "Archived" ? "automation.flow_archived" : "automation.workflow_not_published"
            )
      ),
    archive: (accountId, id, actor) =>
      alter(accountId, id, actor, "flow.archived", (flow) =>
        Effect.succeed({ ...flow, status: "Archived", tokenHash: null })
      ),
    issueToken: (accountId, id, actor) =>
      Effect.suspend(() => {
        const token = formatKey(prefixes.flow, crypto.randomBytes(keyBytes))
        return Effect.as(
          alter(accountId, id, actor, "flow.token_issued", (flow) =>
            unlessArchived(flow, Effect.succeed({ ...flow, tokenHash: crypto.sha256Hex(token) }))
          ),
          { triggerUrl: `${publicEndpoint.baseUrl()}/flows/${id}/trigger`, token }
        )
      }),
    webhookSecret: (accountId, id) =>
      Effect.flatMap(get(accountId, id), () => Effect.map(callKey(accountId, id), formatSecret)),
    runs: (accountId, id, status, page) =>
      Effect.flatMap(get(accountId, id), () => runs.list(accountId, id, status, page)),
    simulate: (accountId, id, story) => Effect.flatMap(get(accountId, id), (flow) => tell(flow, story)),
    blueprints,
    install: Effect.fn("Flows.install")(function* (accountId, key, actor) {
      const blueprint = blueprints.find((one) => one.key === key)
      if (blueprint === undefined) return yield* Problem.of("common.not_found")
      return yield* add(accountId, blueprint.name, blueprint.definition, actor)
    })
  })
})

/** Everything that is wrong with a flow, in one answer. */
const joined = (
  name: string | Problem,
  rest: Problem | Unavailable | undefined
): Effect.Effect<never, Problem | Unavailable> => {
  if (!(name instanceof Problem)) return Effect.fail(rest!)
  if (!(rest instanceof Problem)) return Effect.fail(name)
  return Effect.fail(new Problem({ issues: [...name.issues, ...rest.issues] }))
}

/** What the audit log keeps: not the definition, which can be long and quotes emails; its version names it. */
const recorded = ({ definition, name, status, tokenHash, version }: Flow) => ({
  name,
  status,
  version,
  steps: definition.steps.length,
  hasToken: tokenHash !== null
})
