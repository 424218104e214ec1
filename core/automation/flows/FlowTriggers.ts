/**
 * Starts flows by call, with a token of each flow's own (public-api, Flow API trigger).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { flawsOfProperties } from "../../events/EventRules.ts"
import { windowMillis, windowStart, type AuthResult } from "../../accounts/Authentication.ts"
import { isKey, prefixes } from "../../accounts/KeyFormat.ts"
import { Contacts } from "../../audience/contacts/Contacts.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { FlowStore } from "../../ports/FlowStore.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { RateLimits } from "../../ports/RateLimits.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Transaction, WriteConflict } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { isUuid } from "../../shared/Uuid.ts"
import type { Json } from "../../shared/Json.ts"
import { type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import { isStorable, type Maybe } from "../../shared/Validate.ts"
import { makeCompiledFlows, versionKey } from "../runs/CompiledFlows.ts"
import { newRun } from "../../model/Run.ts"
import { firstRunRetention } from "../../jobs/definitions/RetentionJobs.ts"
import { advanceRunJob } from "../../jobs/definitions/RunJobs.ts"

/** The most characters of a call's id. */
export const maxCallId = 100
/** The name of what starts a run by call. */
const calledEvent = "api.called"

/** A call as sent, its types checked and nothing else; the rest is the contact's. */
export interface TriggerCall extends Omit<ContactWrite, "id" | "tags"> {
  readonly id?: Maybe<string>
  readonly properties?: unknown
}

/** What a call came to. */
export interface Triggered {
  readonly contactId: string
  /** Whether the call's id was used before: nothing was done. */
  readonly duplicate: boolean
}

/** Starts flows by call. */
export class FlowTriggers extends Context.Service<
  FlowTriggers,
  {
    /** Judges a call that presents a token, before anything else about it is looked at. */
    readonly authenticate: (flowId: string, token: string) => Effect.Effect<AuthResult, Unavailable>
    /**
     * Finds or creates the person and starts a run, unless the person is in one of that flow already; once for each id.
     * Durable with its work when it answers. automation.workflow_not_published, automation.trigger_*, and the codes of
     * POST /contacts.
     */
    readonly trigger: (
      accountId: string,
      flowId: string,
      call: TriggerCall
    ) => Effect.Effect<Triggered, Problem | Unavailable>
  }
>()("svc/automation/FlowTriggers") {
  static readonly layer = Layer.effect(
    FlowTriggers,
    Effect.suspend(() => make)
  )
}

/** Checks a call. Answers every issue found. */
const checkCall = ({ email, externalId, id, properties }: TriggerCall): Problem | undefined => {
  const issues: Array<Issue> = []
  const callId = id?.trim() ?? ""
  if (callId === "" || callId.length > maxCallId || !isStorable(callId)) {
    issues.push(issue("automation.trigger_call_id_invalid", "id", { min: 1, max: maxCallId }))
  }
  if ((email?.trim() ?? "") === "" && (externalId?.trim() ?? "") === "") {
    issues.push(issue("automation.trigger_contact_required", "email"))
  }
  if (flawsOfProperties(properties ?? {}).length > 0) {
    issues.push(issue("automation.trigger_properties_invalid", "properties"))
  }
  return Problem.from(issues)
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const contacts = yield* Contacts
  const crypto = yield* Crypto
  const flows = yield* FlowStore
  const ids = yield* Ids
  const limits = yield* RateLimits
  const people = yield* ContactStore
  const queue = yield* JobQueue
  const runs = yield* RunStore
  const transaction = yield* Transaction
  const plansOf = yield* makeCompiledFlows

  const authenticate = Effect.fn("FlowTriggers.authenticate")(function* (
    flowId: string,
    token: string
  ): Effect.fn.Return<AuthResult, Unavailable> {
    if (!isUuid(flowId) || !isKey(prefixes.flow, token)) return { _tag: "Unauthorized" }
    const flow = yield* flows.ofToken(crypto.sha256Hex(token))
    if (flow === null || flow.id !== flowId.toLowerCase()) return { _tag: "Unauthorized" }
    const { accountId } = flow
    const now = yield* Clock.currentTimeMillis
    const start = windowStart(now)
    const [[account], [count]] = yield* Effect.all([
      accounts.find([accountId]),
      limits.count([{ accountId, subject: `flow:${flow.id}`, windowStart: start, amount: 1 }])
    ])
    if (account === undefined || count === undefined) return { _tag: "Unauthorized" }
    const limit = account.settings.rateLimitPerMinute
    const rate = {
      limit,
      remaining: Math.max(0, limit - count),
      resetSeconds: Math.max(1, Math.ceil((start + windowMillis - now) / 1000))
    }
    return count > limit
      ? { _tag: "RateLimited", rate }
      : { _tag: "Authenticated", accountId, keyId: flow.id, rate }
  })

  /**
   * Finds or creates the person, who is a customer unless the call says otherwise. That is nothing to say of a contact
   * whose consent a store tells.
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
   * Takes a contact, which a call that changed nothing of it did not, until the caller's transaction ends: an erasure
   * either waits and finds what is written for the contact, or was first, and the call is for somebody new.
   */
  const hold = Effect.fnUntraced(function* (accountId: string, contactId: string) {
    const keys = { ids: [contactId], externalIds: [], emails: [] }
    yield* people.lock(accountId, keys)
    const [contact] = yield* people.find(accountId, keys)
    if (contact?.erasedAt !== null) return yield* new WriteConflict({ constraint: "contacts_erased" })
  })

  const trigger = Effect.fn("FlowTriggers.trigger")(function* (
    accountId: string,
    id: string,
    call: TriggerCall
  ) {
    const flowId = id.toLowerCase()
    const problem = checkCall(call)
    if (problem !== undefined) return yield* problem
    const { consent, id: givenId, properties, ...person } = call
    const callId = givenId!.trim()
    const once = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const [flow] = yield* flows.find(accountId, [flowId])
      if (flow?.status !== "Published") return yield* Problem.of("automation.workflow_not_published")
      const earlier = yield* flows.addCall({ accountId, flowId, callId, contactId: null, at })
      if (earlier !== null) return { contactId: earlier.contactId!, duplicate: true }
      const { contact } = yield* write(accountId, person, consent)
      yield* hold(accountId, contact.id)
      yield* flows.nameCaller({ accountId, flowId, callId, contactId: contact.id, at })
      const ref = { accountId, flowId, version: flow.version }
      const plan = (yield* plansOf([ref])).get(versionKey(ref))
      const [runId, jobId, retentionId] = yield* ids.many(3)
      const event = {
        name: calledEvent,
        occurredAt: at,
        properties: (properties ?? {}) as Readonly<Record<string, Json>>
      }
      const run = newRun({ id: runId!, ...ref, contactId: contact.id, event }, plan?.first ?? null, at)
      if ((yield* runs.insert(accountId, [run])).length > 0) {
        yield* queue.enqueue([
          advanceRunJob(jobId!, accountId, run.id, at),
          firstRunRetention(retentionId!, accountId, at)
        ])
      }
      return { contactId: contact.id, duplicate: false }
    })
    return yield* retryConflicts(transaction.run(once))
  })

  return FlowTriggers.of({ authenticate, trigger })
})
