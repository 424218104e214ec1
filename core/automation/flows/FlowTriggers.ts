/**
 * Starts runs by calls to a flow's trigger URL, authenticated with the flow's own token (docs/contributing/public-api.md "Flow
 * API trigger").
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { flawsOfProperties } from "../../events/EventRules.ts"
import type { AuthResult } from "../../accounts/Authentication.ts"
import { isKey, prefixes } from "../../accounts/KeyFormat.ts"
import { TokenRate } from "../../accounts/TokenRate.ts"
import { Contacts } from "../../audience/contacts/Contacts.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { WriteConflict } from "../../ports/Transaction.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { isUuid } from "../../shared/Uuid.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { isStorable, type Maybe } from "../../shared/Validate.ts"
import { CompiledFlows, versionKey } from "../runs/CompiledFlow.ts"
import type { VersionRef } from "../../model/Flow.ts"
import { newRun } from "../../model/Run.ts"
import { startEventName } from "../../model/FlowDefinition.ts"
import { RunStart } from "../runs/RunStart.ts"

/** The most characters of a call's id. */
export const maxCallId = 100

/** A submitted call, of which only the types are validated. All other fields are those of the contact. */
export interface TriggerCall extends Omit<ContactWrite, "id" | "tags"> {
  readonly id?: Maybe<string>
  readonly properties?: unknown
}

/** The result of a call. */
export interface Triggered {
  readonly contactId: string
  /** Whether the call's id was used before, so that the call had no effect. */
  readonly duplicate: boolean
}

/** Starts runs by calls. */
export class FlowTriggers extends Context.Service<
  FlowTriggers,
  {
    /** Authenticates a call by its token, and counts it against the flow's rate limit. */
    readonly authenticate: (flowId: string, token: string) => Effect.Effect<AuthResult, Unavailable>
    /**
     * Finds or creates the contact and starts a run, unless the contact has an active run of that flow. It does so once for each
     * call id: a call with a known id is a duplicate, whatever else it contains. Returns after the commit.
     * automation.workflow_not_published, automation.trigger_*, and the codes of POST /contacts.
     */
    readonly trigger: (
      accountId: string,
      flowId: string,
      call: TriggerCall
    ) => Effect.Effect<Triggered, Problem | Unavailable>
    /** The earlier call with an id, for a body that is not valid; null if there is none. */
    readonly findRepeated: (
      accountId: string,
      flowId: string,
      callId: string | null
    ) => Effect.Effect<Triggered | null, Unavailable>
  }
>()("svc/automation/FlowTriggers") {
  static readonly layer = Layer.effect(
    FlowTriggers,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([CompiledFlows.layer, RunStart.layer]))
}

/** The trimmed id of a call; null if it is invalid. */
const parseCallId = (id: Maybe<string>): string | null => {
  const callId = id?.trim() ?? ""
  return callId === "" || callId.length > maxCallId || !isStorable(callId) ? null : callId
}

/** Validates everything in a call except its contact's fields. */
const checkCall = ({ email, externalId, id, properties }: TriggerCall): Result.Result<void, Problem> => {
  const issues = new Issues()
  if (parseCallId(id) === null) {
    issues.add("automation.trigger_call_id_invalid", "id", { min: 1, max: maxCallId })
  }
  if ((email?.trim() ?? "") === "" && (externalId?.trim() ?? "") === "") {
    issues.add("automation.trigger_contact_required", "email")
  }
  if (flawsOfProperties(properties ?? {}).length > 0) {
    issues.add("automation.trigger_properties_invalid", "properties")
  }
  return issues.result(undefined)
}

const make = Effect.gen(function* () {
  const contacts = yield* Contacts
  const crypto = yield* Crypto
  const flows = yield* FlowStore
  const ids = yield* Ids
  const contactStore = yield* ContactStore
  const runStart = yield* RunStart
  const atomically = yield* Atomically
  const compiledFlows = yield* CompiledFlows
  const tokenRate = yield* TokenRate

  const authenticate = Effect.fn("FlowTriggers.authenticate")(function* (
    flowId: string,
    token: string
  ): Effect.fn.Return<AuthResult, Unavailable> {
    if (!isUuid(flowId) || !isKey(prefixes.flow, token)) return { _tag: "Unauthorized" }
    const flow = yield* flows.ofToken(crypto.sha256Hex(token))
    if (flow === null || flow.id !== flowId.toLowerCase()) return { _tag: "Unauthorized" }
    const { accountId, id } = flow
    const counted = yield* tokenRate.count(accountId, `flow:${id}`)
    if (counted === null) return { _tag: "Unauthorized" }
    const { isOver, rate } = counted
    return isOver ? { _tag: "RateLimited", rate } : { _tag: "Authenticated", accountId, keyId: id, rate }
  })

  /**
   * Finds or creates the contact. The basis of its consent is Customer unless the call states consent; it is left out for a
   * contact whose consent a store manages.
   */
  const write = Effect.fnUntraced(function* (
    accountId: string,
    person: ContactWrite,
    consent: ContactWrite["consent"]
  ) {
    const writeOne = (one: ContactWrite) =>
      Effect.flatMap(contacts.writeMany(accountId, [Result.succeed(one)], "FlowTrigger"), ([written]) =>
        Effect.fromResult(written!)
      )
    if (consent != null) return yield* writeOne({ ...person, consent })
    return yield* Effect.catchTag(
      writeOne({ ...person, consent: { basis: "Customer" } }),
      "Problem",
      (problem) =>
        problem.issues[0].code === "audience.contact_store_managed" && problem.issues[0].field === "consent"
          ? writeOne(person)
          : Effect.fail(problem)
    )
  })

  /**
   * Locks a contact until the caller's transaction ends, because a write that changes nothing does not lock it. A concurrent
   * erasure either waits and then erases the new run, or was first, and the call creates a new contact.
   */
  const lockContact = Effect.fnUntraced(function* (accountId: string, contactId: string) {
    const keys = { ids: [contactId], externalIds: [], emails: [] }
    yield* contactStore.lock(accountId, keys)
    const [contact] = yield* contactStore.find(accountId, keys)
    if (contact?.erasedAt !== null) return yield* new WriteConflict({ constraint: "contacts_erased" })
  })

  /** Executes `start` for the flow's current version in a transaction, unless the call's id was used before. */
  const once = (
    accountId: string,
    flowId: string,
    callId: string,
    start: (flow: VersionRef, at: number) => Effect.Effect<Triggered, Problem | WriteConflict | Unavailable>
  ) =>
    atomically(
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const [flow] = yield* flows.find(accountId, [flowId])
        if (flow?.status !== "Published") return yield* Problem.of("automation.workflow_not_published")
        const earlier = yield* flows.addCall({ accountId, flowId, callId, contactId: null, at })
        if (earlier !== null) return { contactId: earlier.contactId!, duplicate: true }
        return yield* start({ accountId, flowId, version: flow.version }, at)
      })
    )

  const trigger = Effect.fn("FlowTriggers.trigger")(function* (
    accountId: string,
    id: string,
    call: TriggerCall
  ) {
    const flowId = id.toLowerCase()
    const checked = Effect.fromResult(checkCall(call))
    const callId = parseCallId(call.id) ?? (yield* Effect.as(checked, ""))
    const { consent, id: _id, properties, ...person } = call
    return yield* once(
      accountId,
      flowId,
      callId,
      Effect.fnUntraced(function* (ref, at) {
        // Only checked here, because an invalid call can still be a repeat.
        yield* checked
        const { contact } = yield* write(accountId, person, consent)
        yield* lockContact(accountId, contact.id)
        yield* flows.nameCaller({ accountId, flowId, callId, contactId: contact.id, at })
        const compiled = (yield* compiledFlows.find([ref])).get(versionKey(ref))
        const event = {
          name: startEventName({ kind: "Api" }),
          occurredAt: at,
          properties: (properties ?? {}) as Readonly<Record<string, Json>>
        }
        const start = { id: yield* ids.next, ...ref, contactId: contact.id, event }
        yield* runStart.start(accountId, [newRun(start, compiled?.first ?? null, at)], at)
        return { contactId: contact.id, duplicate: false }
      })
    )
  })

  const findRepeated = Effect.fn("FlowTriggers.findRepeated")(function* (
    accountId: string,
    id: string,
    given: string | null
  ) {
    const callId = parseCallId(given)
    if (callId === null) return null
    // The failure rolls back the row that was added for the look-up.
    const unknown = () => Effect.fail(Problem.of("automation.trigger_call_id_invalid", "id"))
    return yield* Effect.catchTag(once(accountId, id.toLowerCase(), callId, unknown), "Problem", () =>
      Effect.succeed(null)
    )
  })

  return FlowTriggers.of({ authenticate, trigger, findRepeated })
})
