/**
 * Interprets the steps of a flow for one run, purely: `(flow, run, input, now) -> (run, effects)`. The same input always results
 * in the same transition, so a transaction that was rolled back can be repeated.
 *
 * A run only moves forward through its flow. It therefore always ends or reaches a wait, and executes no step twice.
 *
 * @module
 */
import type { Contact } from "../../model/Contact.ts"
import type { Topic } from "../../model/Topic.ts"
import { type SuppressionKind, suppressionReason } from "../../model/Suppression.ts"
import { marketingRefusal } from "../../sending/gate/GateRules.ts"
import { cappedUntil } from "../../sending/gate/MarketingRules.ts"
import type { PersonLimits } from "../../sending/gate/PeopleLimits.ts"
import { parseDateTime } from "../../shared/Validate.ts"
import { parseDuration } from "../definition/Duration.ts"
import type {
  SendEmailStep,
  SplitStep,
  Step,
  UpdateContactStep,
  WaitUntilStep,
  WebhookStep
} from "../../model/FlowDefinition.ts"
import type { FilterFacts } from "../definition/FlowFilter.ts"
import type { Matcher, Node, CompiledFlow } from "./CompiledFlow.ts"
import type { Run, RunEvent } from "../../model/Run.ts"
import { isTimeZone, nextTimeOfDay, parseTimeOfDay } from "../../kernel/TimeOfDay.ts"

/** The facts on which steps decide, read when the run is advanced. */
export interface StepFacts {
  /** Null if the contact was erased. */
  readonly contact: Contact | null
  /** All topics of the account. */
  readonly topics: ReadonlyArray<Topic>
  /** Why the contact's address is suppressed; undefined if it is not. */
  readonly suppression: SuppressionKind | undefined
  /** The limits on marketing; absent if there are none. */
  readonly limits?: PersonLimits
}

/** The inputs that change a run: an event of its contact, or its own due job. */
export type RunInput =
  | { readonly _tag: "Event"; readonly event: RunEvent }
  | { readonly _tag: "Advance"; readonly facts: StepFacts }

/**
 * The effects of a transition, carried out in the same transaction.
 *
 * - `Wake`: the run is advanced at `at` (epoch milliseconds); this replaces its pending job.
 * - `Cancel`: the run ended: its pending job and its unsent emails are cancelled.
 * - `Email`: the step's email is sent.
 * - `Call`: the step's webhook is called.
 * - `Update`: the contact is changed, then the run is advanced again with new facts.
 */
export type FlowEffect =
  | { readonly _tag: "Wake"; readonly at: number }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Email"; readonly step: SendEmailStep }
  | { readonly _tag: "Update"; readonly step: UpdateContactStep }
  | { readonly _tag: "Call"; readonly step: WebhookStep }

/** A run after an input (the same object if nothing changed), and the effects. */
export interface Transition {
  readonly run: Run
  readonly effects: ReadonlyArray<FlowEffect>
}

/** The most events that a run stores between two steps. */
const maxPending = 20

const unchanged = (run: Run): Transition => ({ run, effects: [] })

/**
 * Applies an input to a run. A run that is not Active stays unchanged.
 *
 * @param now epoch milliseconds
 */
export const interpret = (flow: CompiledFlow, run: Run, input: RunInput, now: number): Transition => {
  if (run.status !== "Active") return unchanged(run)
  return input._tag === "Event" ? receive(flow, run, input.event, now) : advance(flow, run, input.facts, now)
}

/** Whether an event matches a trigger or stop event. */
export const isMatch = ({ name, test }: Matcher, event: RunEvent, now: number): boolean =>
  name === event.name && test(factsOf(event, null, now))

const factsOf = (event: RunEvent, facts: StepFacts | null, now: number): FilterFacts => ({
  properties: event.properties,
  contact: facts?.contact ?? null,
  topics: facts?.topics ?? [],
  now
})

/** Logs the outcome of the current step and moves to the next. */
const leave = (run: Run, outcome: string, stepId: string | null, now: number): Run => ({
  ...run,
  log: [...run.log, { stepId: run.stepId!, at: now, outcome }],
  stepId,
  isWaiting: false,
  dueAt: now
})

/** Replaces the outcome that was logged for a step when it was decided. */
export const relogged = (run: Run, stepId: string, outcome: string): Run => ({
  ...run,
  log: run.log.map((entry) => (entry.stepId === stepId ? { ...entry, outcome } : entry))
})

const end = (
  run: Run,
  status: "Completed" | "Stopped" | "Failed",
  reason: string | null,
  now: number
): Run => ({
  ...run,
  status,
  stepId: status === "Completed" ? null : run.stepId,
  isWaiting: false,
  dueAt: null,
  pending: [],
  endedAt: now,
  reason
})

/** Ends a run that cannot continue. */
export const failRun = (run: Run, reason: string, now: number): Run => end(run, "Failed", reason, now)

/** Stops a run. */
export const stopRun = (run: Run, reason: string, now: number): Run => end(run, "Stopped", reason, now)

const receive = (flow: CompiledFlow, run: Run, event: RunEvent, now: number): Transition => {
  if (flow.stops.some((stop) => isMatch(stop, event, now))) {
    return { run: stopRun(run, `event: ${event.name}`, now), effects: [{ _tag: "Cancel" }] }
  }
  if (!flow.awaited.has(event.name)) return unchanged(run)
  const node = run.isWaiting ? flow.nodes.get(run.stepId!) : undefined
  const isDue = run.dueAt! <= now
  // The event is in time if it arrived or occurred no later than the timeout, even if it was reported in time and the job for the
  // timeout is late.
  const inTime = run.dueAt! >= now || run.dueAt! >= event.occurredAt
  if (node?.step.kind === "WaitForEvent" && inTime && isAwaited(node, event, now)) {
    return {
      run: leave(run, "event", node.branches[0]!, now),
      effects: [{ _tag: "Wake", at: now }]
    }
  }
  // The run is between two steps, and the next one may wait for this event.
  if (!isDue) return unchanged(run)
  return { run: { ...run, pending: [...run.pending, event].slice(-maxPending) }, effects: [] }
}

const isAwaited = ({ step, test }: Node, event: RunEvent, now: number): boolean =>
  step.kind === "WaitForEvent" && step.name === event.name && test(factsOf(event, null, now))

const advance = (flow: CompiledFlow, given: Run, facts: StepFacts, now: number): Transition => {
  if (given.isWaiting && given.dueAt! > now) {
    return { run: given, effects: [{ _tag: "Wake", at: given.dueAt! }] }
  }
  if (facts.contact === null) {
    return { run: stopRun(given, "contact_erased", now), effects: [{ _tag: "Cancel" }] }
  }
  /** Whether the step's email already waited: it waits for a frequency cap only once. */
  let hasWaited = given.isWaiting && flow.nodes.get(given.stepId!)!.step.kind === "SendEmail"
  let run = given.isWaiting ? endWait(flow, given, now) : given
  const effects: Array<FlowEffect> = []
  while (run.stepId !== null) {
    const node = flow.nodes.get(run.stepId)!
    const { next, step } = node
    switch (step.kind) {
      case "SendEmail": {
        const sent = effects.filter((effect) => effect._tag === "Email" && isMarketing(effect.step)).length
        const decision = decideEmail(step, facts, sent, hasWaited, now)
        if (decision._tag === "Wait") {
          return {
            run: { ...run, isWaiting: true, dueAt: decision.at, pending: [] },
            effects: [...effects, { _tag: "Wake", at: decision.at }]
          }
        }
        hasWaited = false
        if (decision._tag === "Send") effects.push({ _tag: "Email", step })
        run = leave(run, decision._tag === "Send" ? "sent" : `skipped: ${decision.reason}`, next, now)
        break
      }
      case "Webhook":
        effects.push({ _tag: "Call", step })
        run = leave(run, "called", next, now)
        break
      case "UpdateContact":
        effects.push({ _tag: "Update", step })
        return { run: leave(run, "updated", next, now), effects }
      case "Branch": {
        const isMet = node.test(factsOf(run.event, facts, now))
        run = leave(run, isMet ? "then" : "else", node.branches[isMet ? 0 : 1]!, now)
        break
      }
      case "Split": {
        const index = pathOf(step, run.id)
        run = leave(run, `path ${index + 1}`, node.branches[index]!, now)
        break
      }
      case "Exit":
        run = leave(run, "exit", null, now)
        break
      default: {
        const arrived = run.pending.find((event) => isAwaited(node, event, now))
        if (arrived !== undefined) {
          const pending = run.pending.filter((event) => event !== arrived)
          run = leave({ ...run, pending }, "event", node.branches[0]!, now)
          break
        }
        const until = endOfWait(step, facts.contact, now)
        if (until > now) {
          return {
            run: { ...run, isWaiting: true, dueAt: until, pending: [] },
            effects: [...effects, { _tag: "Wake", at: until }]
          }
        }
        run = leave(run, "waited", next, now)
      }
    }
  }
  return { run: end(run, "Completed", null, now), effects }
}

/** Continues a run whose wait has ended. */
const endWait = (flow: CompiledFlow, run: Run, now: number): Run => {
  const { branches, next, step } = flow.nodes.get(run.stepId!)!
  if (step.kind === "SendEmail") return { ...run, isWaiting: false, dueAt: now }
  return step.kind === "WaitForEvent"
    ? leave(run, "timeout", branches[1]!, now)
    : leave(run, "waited", next, now)
}

/** The decision about the email of a step: it is sent, waits until a time (epoch milliseconds), or is skipped. */
type EmailDecision =
  | { readonly _tag: "Send" }
  | { readonly _tag: "Wait"; readonly at: number }
  | { readonly _tag: "Skip"; readonly reason: string }

/** The longest time for which the email of a step waits because of a frequency cap, milliseconds. */
const maxCapWait = 86_400_000

const isMarketing = ({ purpose }: Pick<SendEmailStep, "purpose">): boolean => purpose === "Marketing"

const noLimits: PersonLimits = { isHeldOut: false, caps: [], times: [], quietUntil: null }

/** @param sent the number of marketing emails that this transition has already sent */
const decideEmail = (
  step: Pick<SendEmailStep, "purpose" | "topic">,
  { contact, limits = noLimits, suppression, topics }: StepFacts,
  sent: number,
  hasWaited: boolean,
  now: number
): EmailDecision => {
  if (contact === null || contact.email === null) return { _tag: "Skip", reason: "automation.no_address" }
  const topic = step.topic === null ? null : topics.find((one) => one.key === step.topic)
  const times = [...limits.times, ...Array.from({ length: sent }, () => now)]
  const refusal = marketingRefusal(
    { suppression, marketing: isMarketing(step) ? { contact, topic } : null },
    {
      isHeldOut: limits.isHeldOut,
      cappedUntil: cappedUntil(limits.caps, times, now),
      quietUntil: limits.quietUntil,
      windowAt: null
    }
  )
  switch (refusal?._tag) {
    case undefined:
      return { _tag: "Send" }
    case "Suppressed":
      return { _tag: "Skip", reason: suppressionReason[refusal.kind] }
    case "TopicOff":
      return { _tag: "Skip", reason: "automation.topic_off" }
    case "HeldOut":
      return { _tag: "Skip", reason: "sending.held_out" }
    case "OverCap":
      return hasWaited
        ? { _tag: "Skip", reason: "sending.gate_frequency" }
        : { _tag: "Wait", at: Math.min(refusal.until, now + maxCapWait) }
    case "QuietHours":
      return { _tag: "Wait", at: refusal.until }
    default:
      return { _tag: "Skip", reason: "automation.no_consent" }
  }
}

type WaitingStep = Extract<Step, { readonly kind: "Wait" | "WaitUntil" | "WaitForEvent" }>

/** When a wait that begins now will end, epoch milliseconds. */
const endOfWait = (step: WaitingStep, contact: Contact, now: number): number => {
  switch (step.kind) {
    case "Wait":
      return now + parseDuration(step.duration)!
    case "WaitForEvent":
      return now + parseDuration(step.timeout)!
    case "WaitUntil":
      return step.at !== null
        ? parseDateTime(step.at)!
        : nextTimeOfDay(parseTimeOfDay(step.time!)!, zoneOf(step, contact), now)
  }
}

const zoneOf = ({ timeZone, timeZoneAttribute: key }: WaitUntilStep, { attributes }: Contact): string => {
  const own = key !== null && Object.hasOwn(attributes, key) ? attributes[key] : undefined
  return typeof own === "string" && isTimeZone(own) ? own : timeZone
}

/** The index of the path that a run takes at a Split. It depends only on the ids, so it is always the same. */
const pathOf = ({ id, paths }: SplitStep, runId: string): number => {
  const total = paths.reduce((sum, { weight }) => sum + weight, 0)
  let remaining = fraction(`${runId}/${id}`) * total
  for (const [index, { weight }] of paths.entries()) {
    if (remaining < weight) return index
    remaining -= weight
  }
  return paths.findLastIndex(({ weight }) => weight > 0)
}

/** A pseudorandom number in [0, 1) from a string: FNV-1a, then the finalizer of MurmurHash3. */
const fraction = (value: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < value.length; index++)
    hash = Math.imul(hash ^ value.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
