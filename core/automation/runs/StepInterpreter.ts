/**
 * The one function that moves runs: `(plan, run, input, now) -> (run, effects)`. Pure: the same input moves a run the
 * same way, so that a turn can be taken back and taken again.
 *
 * A run only moves forward through its plan, so it always comes to an end or to a wait, and does no step twice.
 *
 * @module
 */
import type { Contact } from "../../model/Contact.ts"
import { hasTopic, type Topic } from "../../model/Topic.ts"
import { type SuppressionKind, suppressionReason } from "../../model/Suppression.ts"
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
import type { LogEntry, Run, RunEvent } from "../../model/Run.ts"
import { isTimeZone, nextTimeOfDay, parseTimeOfDay } from "../definition/TimeOfDay.ts"

/** What steps look at, as it is now. */
export interface StepFacts {
  /** Null for one that was erased. */
  readonly contact: Contact | null
  /** All topics of the account. */
  readonly topics: ReadonlyArray<Topic>
  /** Why the contact's address is suppressed; undefined when it is not. */
  readonly suppression: SuppressionKind | undefined
}

/** What moves a run: something that happened to its contact, or its own turn. */
export type RunInput =
  | { readonly _tag: "Happened"; readonly event: RunEvent }
  | { readonly _tag: "Turn"; readonly facts: StepFacts }

/**
 * What follows from a move, to be done in the same transaction.
 *
 * - `Wake`: the run's next turn is at `at`; one that was set before is off.
 * - `Withdraw`: the run ended: its turn is off, and its emails that have not left are taken back.
 * - `Email`, `Call`: the step is carried out.
 * - `Update`: the contact is changed; the run waits for that and has another turn at once, with the facts as they are
 *   then.
 */
export type FlowEffect =
  | { readonly _tag: "Wake"; readonly at: number }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Email"; readonly step: SendEmailStep }
  | { readonly _tag: "Update"; readonly step: UpdateContactStep }
  | { readonly _tag: "Call"; readonly step: WebhookStep }

/** A run as it is after a move, the very same when nothing changed, and what follows. */
export interface Transition {
  readonly run: Run
  readonly effects: ReadonlyArray<FlowEffect>
}

/** The most events a run remembers between two steps. */
const maxPending = 20

const unchanged = (run: Run): Transition => ({ run, effects: [] })

/** Moves a run. One that is not Active does not move. `now` is in epoch milliseconds. */
export const interpret = (plan: CompiledFlow, run: Run, input: RunInput, now: number): Transition => {
  if (run.status !== "Active") return unchanged(run)
  return input._tag === "Happened"
    ? receive(plan, run, input.event, now)
    : takeTurn(plan, run, input.facts, now)
}

/** Whether an event is one that is waited for. */
export const isMatch = ({ name, test }: Matcher, event: RunEvent, now: number): boolean =>
  name === event.name && test(factsOf(event, null, now))

const factsOf = (event: RunEvent, facts: StepFacts | null, now: number): FilterFacts => ({
  properties: event.properties,
  contact: facts?.contact ?? null,
  topics: facts?.topics ?? [],
  now
})

const logged = (run: Run, stepId: string, outcome: string, at: number): Run => ({
  ...run,
  log: [...run.log, { stepId, at, outcome } satisfies LogEntry]
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

/** A run that cannot go on. */
export const failRun = (run: Run, reason: string, now: number): Run => end(run, "Failed", reason, now)

const goTo = (run: Run, stepId: string | null, now: number): Run => ({
  ...run,
  stepId,
  isWaiting: false,
  dueAt: now
})

const receive = (plan: CompiledFlow, run: Run, event: RunEvent, now: number): Transition => {
  if (plan.stops.some((stop) => isMatch(stop, event, now))) {
    return { run: end(run, "Stopped", `event: ${event.name}`, now), effects: [{ _tag: "Cancel" }] }
  }
  if (!plan.awaited.has(event.name)) return unchanged(run)
  const node = run.isWaiting ? plan.nodes.get(run.stepId!) : undefined
  const isDue = run.dueAt! <= now
  // In time, if it came or occurred by the timeout and the run still waits: also at the very moment, and also when it
  // was reported in time and the turn of the timeout is late.
  const inTime = run.dueAt! >= now || run.dueAt! >= event.occurredAt
  if (node?.step.kind === "WaitForEvent" && inTime && arrives(node, event, now)) {
    return {
      run: goTo(logged(run, node.step.id, "event", now), node.ways[0]!, now),
      effects: [{ _tag: "Wake", at: now }]
    }
  }
  // Between two steps: the one before is over, and the one that waits for it may be next.
  if (!isDue) return unchanged(run)
  return { run: { ...run, pending: [...run.pending, event].slice(-maxPending) }, effects: [] }
}

const arrives = ({ step, test }: Node, event: RunEvent, now: number): boolean =>
  step.kind === "WaitForEvent" && step.name === event.name && test(factsOf(event, null, now))

const takeTurn = (plan: CompiledFlow, given: Run, facts: StepFacts, now: number): Transition => {
  if (given.isWaiting && given.dueAt! > now) {
    return { run: given, effects: [{ _tag: "Wake", at: given.dueAt! }] }
  }
  let run = given
  const effects: Array<FlowEffect> = []
  if (facts.contact === null) {
    return { run: end(run, "Stopped", "contact_erased", now), effects: [{ _tag: "Cancel" }] }
  }
  if (run.isWaiting) {
    const node = plan.nodes.get(run.stepId!)!
    const timedOut = node.step.kind === "WaitForEvent"
    run = goTo(
      logged(run, node.step.id, timedOut ? "timeout" : "waited", now),
      timedOut ? node.ways[1]! : node.next,
      now
    )
  }
  while (run.stepId !== null) {
    const node = plan.nodes.get(run.stepId)!
    const { next, step } = node
    switch (step.kind) {
      case "SendEmail": {
        const refusal = refusalOf(step, facts)
        if (refusal === null) effects.push({ _tag: "Email", step })
        run = goTo(logged(run, step.id, refusal === null ? "sent" : `skipped: ${refusal}`, now), next, now)
        break
      }
      case "Webhook":
        effects.push({ _tag: "Call", step })
        run = goTo(logged(run, step.id, "called", now), next, now)
        break
      case "UpdateContact":
        effects.push({ _tag: "Update", step })
        return { run: goTo(logged(run, step.id, "updated", now), next, now), effects }
      case "Branch": {
        const met = node.test(factsOf(run.event, facts, now))
        run = goTo(logged(run, step.id, met ? "then" : "else", now), node.ways[met ? 0 : 1]!, now)
        break
      }
      case "Split": {
        const index = pathOf(step, run.id)
        run = goTo(logged(run, step.id, `path ${index + 1}`, now), node.ways[index]!, now)
        break
      }
      case "Exit":
        run = goTo(logged(run, step.id, "exit", now), null, now)
        break
      default: {
        const came = run.pending.find((event) => arrives(node, event, now))
        if (came !== undefined) {
          const pending = run.pending.filter((event) => event !== came)
          run = goTo(logged({ ...run, pending }, step.id, "event", now), node.ways[0]!, now)
          break
        }
        const until = endOfWait(step, facts.contact, now)
        if (until > now) {
          return {
            run: { ...run, isWaiting: true, dueAt: until, pending: [] },
            effects: [...effects, { _tag: "Wake", at: until }]
          }
        }
        run = goTo(logged(run, step.id, "waited", now), next, now)
      }
    }
  }
  return { run: end(run, "Completed", null, now), effects }
}

/** Why an email of a flow may not be sent to a contact; null when it may. */
export const refusalOf = (
  { purpose, topic: key }: Pick<SendEmailStep, "purpose" | "topic">,
  { contact, suppression, topics }: StepFacts
): string | null => {
  if (contact === null || contact.email === null) return "automation.no_address"
  if (suppression !== undefined) return suppressionReason[suppression]
  if (contact.consentStatus === "Bounced") return suppressionReason.Bounced
  if (contact.consentStatus === "Complained") return suppressionReason.Complained
  if (purpose === "Transactional") return null
  if (contact.consentStatus !== "Subscribed" && contact.consentStatus !== "SoftOptIn") {
    return "automation.no_consent"
  }
  if (key === null) return null
  const topic = topics.find((one) => one.key === key)
  return topic === undefined || topic.isArchived || !hasTopic(topic, contact.topics)
    ? "automation.topic_off"
    : null
}

type WaitingStep = Extract<Step, { readonly kind: "Wait" | "WaitUntil" | "WaitForEvent" }>

/** When a wait that begins now is over, epoch milliseconds. */
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

/** The path of a Split that a run takes: by its id, so that it is the same whenever it is asked. */
const pathOf = ({ id, paths }: SplitStep, runId: string): number => {
  const total = paths.reduce((sum, { weight }) => sum + weight, 0)
  let left = fraction(`${runId}/${id}`) * total
  for (const [index, { weight }] of paths.entries()) {
    if (left < weight) return index
    left -= weight
  }
  return paths.findLastIndex(({ weight }) => weight > 0)
}

/** A number in [0, 1) that looks random, from a text: FNV-1a, then the finalizer of MurmurHash3. */
const fraction = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
