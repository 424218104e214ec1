/**
 * The use cases of flows: create, publish, pause, archive and simulate them, and list their runs.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { editedBy } from "../../model/Edited.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { formatKey, keyBytes, prefixes } from "../../accounts/KeyFormat.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { ConversionStore } from "../../ports/ConversionStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { FlowStore, type VersionSummary } from "../../ports/FlowStore.ts"
import { type RunFilter, RunStore } from "../../ports/RunStore.ts"
import { VisitStore } from "../../ports/VisitStore.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { expectUnedited } from "../../kernel/Precondition.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import { formatSecret } from "../../webhooks/Signature.ts"
import { type Blueprint, blueprints } from "../definition/Blueprints.ts"
import type { Flow, FlowVersion } from "../../model/Flow.ts"
import { startOf } from "../../model/FlowDefinition.ts"
import { SegmentStarts } from "../runs/SegmentStarts.ts"
import { flowSigningKeys } from "../runs/WebhookStepSender.ts"
import type { FlowWrite } from "../definition/FlowValidator.ts"
import { withAllAhead } from "../../sending/templates/RendersAhead.ts"
import { FlowValidation } from "../definition/FlowValidation.ts"
import { FlowScenario, type ScenarioOutcome, type ScenarioWrite } from "../simulation/FlowScenario.ts"
import type { Run } from "../../model/Run.ts"
import { type FlowStats, stepIdsOf, stepStatsOf } from "./FlowStats.ts"

/** The most flows of an account. */
export const maxFlows = 500
/** The most flows of an account that are published on segments. */
export const maxSegmentFlows = 20
/** The most characters of a flow's name. */
export const maxFlowName = 200

/** The audit action of archiving a flow. */
const archived = "flow.archived"

/** A submitted flow with its name, not yet validated. */
export interface NamedFlowWrite extends FlowWrite {
  readonly name: string
}

/** The URL and token of a flow that is started by calls. The token is shown only once. */
export interface FlowToken {
  readonly triggerUrl: string
  readonly token: string
}

/** A change of a flow by an actor, who is recorded in the audit log. */
type FlowChange<A> = (accountId: string, id: string, actor: Actor) => Effect.Effect<A, Problem | Unavailable>

/** The use cases of flows. Unknown ids are common.not_found; every change is recorded in the audit log. */
export class Flows extends Context.Service<
  Flows,
  {
    /** Adds a draft. Fails with the codes of `FlowValidation.validate`, automation.flow_limit_reached. */
    readonly create: (
      accountId: string,
      write: NamedFlowWrite,
      actor: Actor
    ) => Effect.Effect<Flow, Problem | Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<Flow, Problem | Unavailable>
    /** An account's flows, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Flow>, Unavailable>
    /** Replaces the edited name and definition. The published version stays until the flow is published again. */
    readonly replace: (
      accountId: string,
      id: string,
      write: NamedFlowWrite,
      actor: Actor
    ) => Effect.Effect<Flow, Problem | Unavailable>
    /**
     * Validates the definition again and publishes it as a new version, with which all runs start from now on.
     * automation.segment_flow_limit_reached.
     */
    readonly publish: FlowChange<Flow>
    /** Stops starting runs; automation.workflow_not_published if the flow is not published. */
    readonly pause: FlowChange<Flow>
    /** Archives a flow permanently: it starts no more runs and cannot be changed. */
    readonly archive: FlowChange<Flow>
    /** Creates a trigger token. The previous one becomes invalid at once. */
    readonly issueToken: FlowChange<FlowToken>
    /** The secret that signs the requests of a flow's Webhook steps, as `whsec_...`. */
    readonly webhookSecret: (accountId: string, id: string) => Effect.Effect<string, Problem | Unavailable>
    /** A flow's runs, newest first. */
    readonly runs: (
      accountId: string,
      id: string,
      filter: RunFilter,
      page: PageRequest
    ) => Effect.Effect<Page<Run>, Problem | Unavailable>
    /** A contact's runs of all flows, newest first; common.not_found for an unknown id or an erased contact. */
    readonly runsOfContact: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<Run>, Problem | Unavailable>
    /** The results of a flow's runs and emails. A fixed number of statements. */
    readonly stats: (accountId: string, id: string) => Effect.Effect<FlowStats, Problem | Unavailable>
    /** A flow's published versions, newest first. */
    readonly versions: (
      accountId: string,
      id: string,
      page: PageRequest
    ) => Effect.Effect<Page<VersionSummary>, Problem | Unavailable>
    /** A published version, which never changes. */
    readonly version: (
      accountId: string,
      id: string,
      version: number
    ) => Effect.Effect<FlowVersion, Problem | Unavailable>
    /** Plays a scenario through the edited definition; nothing is sent or stored. */
    readonly simulate: (
      accountId: string,
      id: string,
      scenario: ScenarioWrite
    ) => Effect.Effect<ScenarioOutcome, Problem | Unavailable>
    /** The blueprints that can be installed. */
    readonly blueprints: ReadonlyArray<Blueprint>
    /** Adds a blueprint as a draft. */
    readonly install: (
      accountId: string,
      key: string,
      actor: Actor
    ) => Effect.Effect<Flow, Problem | Unavailable>
  }
>()("svc/automation/Flows") {
  static readonly layer = Layer.effect(
    Flows,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([FlowScenario.layer, FlowValidation.layer, SegmentStarts.layer]))
}

const validateName = (name: string): Result.Result<string, Problem> => {
  const issues = new Issues()
  const trimmed = checkText(name, "name", maxFlowName, issues)
  if (trimmed === "") issues.add("validation.required", "name")
  return issues.result(trimmed)
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const crypto = yield* Crypto
  const publicEndpoint = yield* PublicEndpoint
  const ids = yield* Ids
  const { record } = yield* AuditTrail
  const runs = yield* RunStore
  const contacts = yield* ContactStore
  const conversions = yield* ConversionStore
  const visits = yield* VisitStore
  const store = yield* FlowStore
  const atomically = yield* Atomically
  const validation = yield* FlowValidation
  const scenarios = yield* FlowScenario
  const segmentStarts = yield* SegmentStarts
  const signingKeysOf = yield* flowSigningKeys

  const get = Effect.fn("Flows.get")(function* (accountId: string, id: string) {
    const [flow] = yield* store.find(accountId, [id])
    return flow ?? (yield* Problem.of("common.not_found"))
  })

  /** Validates the name and definition; fails with the issues of both. */
  const validate = Effect.fnUntraced(function* (accountId: string, write: NamedFlowWrite) {
    const name = validateName(write.name)
    const definition = yield* Effect.result(validation.validate(accountId, write))
    if (Result.isSuccess(name))
      return { name: name.success, definition: yield* Effect.fromResult(definition) }
    const isInvalid = Result.isFailure(definition) && definition.failure instanceof Problem
    const issues = isInvalid ? definition.failure.issues : []
    return yield* Problem.from([...name.failure.issues, ...issues])!
  })

  const add = Effect.fnUntraced(function* (
    accountId: string,
    { definition, name }: Pick<Flow, "definition" | "name">,
    actor: Actor
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
      segmentId: null,
      tokenHash: null,
      createdAt: now,
      ...editedBy(actor, now)
    }
    yield* accounts.lock([accountId])
    const { totalCount } = yield* store.list(accountId, { page: 1, pageSize: 1 })
    if (totalCount >= maxFlows) {
      return yield* Problem.of("automation.flow_limit_reached", null, { max: maxFlows })
    }
    yield* store.insert(flow)
    const after = auditState(flow)
    yield* record(actor, { accountId, action: "flow.created", target: flow.id, before: null, after })
    return flow
  }, atomically)

  /** Locks a flow, then saves and records what `change` returns. An archived flow can only be archived again. */
  const alter = Effect.fnUntraced(function* (
    accountId: string,
    id: string,
    actor: Actor,
    action: string,
    change: (flow: Flow) => Effect.Effect<Partial<Flow>, Problem | Unavailable>
  ) {
    const before = yield* store.lock(accountId, id)
    if (before === null) return yield* Problem.of("common.not_found")
    yield* expectUnedited(before)
    if (before.status === "Archived" && action !== archived)
      return yield* Problem.of("automation.flow_archived")
    const now = yield* Clock.currentTimeMillis
    const flow: Flow = { ...before, ...(yield* change(before)), ...editedBy(actor, now, before) }
    if (flow.version > before.version) {
      const { definition, version } = flow
      yield* store.publish({ accountId, flowId: id, version, definition, publishedAt: now })
    }
    yield* store.save(flow)
    const states = { before: auditState(before), after: auditState(flow) }
    yield* record(actor, { accountId, action, target: id, ...states })
    return flow
  }, atomically)

  /** The changes of a flow when it is published. */
  const publishVersion = Effect.fnUntraced(function* (flow: Flow) {
    const { accountId, id, version } = flow
    const definition = yield* validation.validate(accountId, flow.definition)
    if (definition.trigger.kind === "Segment") {
      const others = (yield* store.onSegments(accountId)).filter(({ flowId }) => flowId !== id)
      if (others.length >= maxSegmentFlows) {
        return yield* Problem.of("automation.segment_flow_limit_reached", null, { max: maxSegmentFlows })
      }
    }
    yield* segmentStarts.prepare(flow, definition, yield* Clock.currentTimeMillis)
    return { definition, status: "Published" as const, version: version + 1, ...startOf(definition) }
  })

  return Flows.of({
    create: Effect.fn("Flows.create")(function* (accountId, write, actor) {
      return yield* add(accountId, yield* validate(accountId, write), actor)
    }),
    get,
    list: store.list,
    replace: Effect.fn("Flows.replace")(function* (accountId, id, write, actor) {
      yield* get(accountId, id)
      const { definition, name } = yield* validate(accountId, write)
      return yield* alter(accountId, id, actor, "flow.changed", () => Effect.succeed({ name, definition }))
    }),
    publish: Effect.fn("Flows.publish")((accountId, id, actor) =>
      withAllAhead(
        atomically(
          // Of two flows published concurrently, or a publication and a segment's removal, the later must see the earlier.
          Effect.andThen(
            accounts.lock([accountId]),
            alter(accountId, id, actor, "flow.published", (flow) => publishVersion(flow))
          )
        )
      )
    ),
    pause: Effect.fn("Flows.pause")((accountId, id, actor) =>
      alter(accountId, id, actor, "flow.paused", (flow) =>
        flow.status === "Draft"
          ? Effect.fail(Problem.of("automation.workflow_not_published"))
          : Effect.succeed({ status: "Paused" })
      )
    ),
    archive: Effect.fn("Flows.archive")((accountId, id, actor) =>
      alter(accountId, id, actor, archived, () =>
        Effect.as(segmentStarts.remove(accountId, id), { status: "Archived" as const })
      )
    ),
    issueToken: Effect.fn("Flows.issueToken")(function* (accountId, id, actor) {
      const token = formatKey(prefixes.flow, crypto.randomBytes(keyBytes))
      const tokenHash = crypto.sha256Hex(token)
      yield* alter(accountId, id, actor, "flow.token_issued", () => Effect.succeed({ tokenHash }))
      return { triggerUrl: `${publicEndpoint.baseUrl()}/flows/${id}/trigger`, token }
    }),
    webhookSecret: Effect.fn("Flows.webhookSecret")(function* (accountId, id) {
      yield* get(accountId, id)
      const [newest] = yield* signingKeysOf(accountId, id)
      return formatSecret(newest)
    }),
    runs: Effect.fn("Flows.runs")(function* (accountId, id, filter, page) {
      yield* get(accountId, id)
      return yield* runs.list(accountId, id, filter, page)
    }),
    runsOfContact: Effect.fn("Flows.runsOfContact")(function* (accountId, contactId, page) {
      const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
      if (contact === undefined) return yield* Problem.of("common.not_found")
      return yield* runs.ofContact(accountId, contactId, page)
    }),
    stats: Effect.fn("Flows.stats")(function* (accountId, id) {
      const { definition } = yield* get(accountId, id)
      const active = yield* runs.activeByVersion(accountId, id)
      return {
        runs: yield* runs.countOfFlow(accountId, id),
        ...(yield* visits.countOfFlow(accountId, id)),
        conversions: yield* conversions.countOfFlow(accountId, id),
        revenue: yield* conversions.revenueOfFlow(accountId, id),
        steps: stepStatsOf(stepIdsOf(definition), yield* runs.stepCounts(accountId, id)),
        versions: active.toSorted((one, other) => other.version - one.version)
      }
    }),
    versions: Effect.fn("Flows.versions")(function* (accountId, id, page) {
      yield* get(accountId, id)
      return yield* store.listVersions(accountId, id, page)
    }),
    version: Effect.fn("Flows.version")(function* (accountId, id, version) {
      const [found] = yield* store.versions([{ accountId, flowId: id, version }])
      return found ?? (yield* Problem.of("common.not_found"))
    }),
    simulate: Effect.fn("Flows.simulate")(function* (accountId, id, scenario) {
      return yield* scenarios.play(yield* get(accountId, id), scenario)
    }),
    blueprints,
    install: Effect.fn("Flows.install")(function* (accountId, key, actor) {
      const blueprint = blueprints.find((one) => one.key === key)
      if (blueprint === undefined) return yield* Problem.of("common.not_found")
      return yield* add(accountId, blueprint, actor)
    })
  })
})

/** What the audit log records. The version stands for the definition, which can be long and contains emails. */
const auditState = ({ definition, name, status, tokenHash, version }: Flow) => ({
  name,
  status,
  version,
  steps: definition.steps.length,
  hasToken: tokenHash !== null
})
