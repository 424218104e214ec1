/**
 * Simulates a run of a flow in virtual time, purely and with the step interpreter of real runs: nothing is sent or stored.
 *
 * @module
 */
import { Result } from "effect"
import type { Contact } from "../../model/Contact.ts"
import type { ContactField } from "../../model/ContactField.ts"
import { decideContacts } from "../../audience/contacts/ContactRules.ts"
import { parseContactWrite } from "../../audience/contacts/ContactWrite.ts"
import type { ContactWrite } from "../../model/ContactInput.ts"
import type { Topic } from "../../model/Topic.ts"
import { Problem } from "../../shared/Problem.ts"
import type { FlowDefinition, SendEmailStep } from "../../model/FlowDefinition.ts"
import { compileFlow } from "../runs/CompiledFlow.ts"
import { newRun, type Run, type RunEvent } from "../../model/Run.ts"
import { interpret, isMatch, relogged } from "../runs/StepInterpreter.ts"

/** The most events of a scenario. */
export const maxScenarioEvents = 100

/** The input of a simulation. */
export interface Scenario {
  readonly contact: Contact
  readonly start: RunEvent
  /** In any order. Events before the start have no effect. */
  readonly events: ReadonlyArray<RunEvent>
}

/** The data of the flow's account. */
export interface Setting {
  readonly accountId: string
  readonly flowId: string
  readonly fields: ReadonlyArray<ContactField>
  /** Whether unknown attributes of a contact become fields. */
  readonly autoCreate: boolean
  readonly topics: ReadonlyArray<Topic>
}

/** An email that would be sent. */
export interface SimulatedEmail {
  readonly step: SendEmailStep
  /** Epoch milliseconds. */
  readonly at: number
  readonly contact: Contact
}

/** The result of a simulation. `run` is null if the event does not start the flow. */
export interface Simulated {
  readonly run: Run | null
  readonly emails: ReadonlyArray<SimulatedEmail>
}

const runId = "00000000-0000-7000-8000-000000000000"
const contactId = "00000000-0000-7000-8000-000000000001"

const decide = (
  { accountId, autoCreate, fields, topics }: Setting,
  stored: ReadonlyArray<Contact>,
  write: ContactWrite,
  now: number
): Result.Result<Contact, Problem> => {
  const command = parseContactWrite(write, now)
  const { results } = decideContacts(
    {
      accountId,
      contacts: stored,
      contactCount: 0,
      contactLimit: null,
      fields,
      autoCreate,
      topics,
      erased: new Set(),
      ids: [contactId, runId],
      source: "Api",
      now,
      suppressed: new Map(),
      isOneCall: true
    },
    [command]
  )
  return Result.map(results[0]!, ({ contact }) => contact)
}

/** The contact of a scenario, from the body of POST /contacts; with a made-up address unless one is given. */
export const personOf = (
  setting: Setting,
  write: ContactWrite,
  now: number
): Result.Result<Contact, Problem> =>
  decide(setting, [], { ...write, id: null, email: write.email ?? "person@example.com" }, now)

/** Simulates a run until it ends. */
export const simulate = (definition: FlowDefinition, setting: Setting, scenario: Scenario): Simulated => {
  const flow = compileFlow(definition)
  const { events, start } = scenario
  let { contact } = scenario
  if (flow.trigger !== null && !isMatch(flow.trigger, start, start.occurredAt))
    return { run: null, emails: [] }
  const { accountId, flowId, topics } = setting
  let run = newRun(
    { id: runId, accountId, flowId, version: 0, contactId: contact.id, event: start },
    flow.first,
    start.occurredAt
  )
  const emails: Array<SimulatedEmail> = []
  const pending = events
    .filter((event) => event.occurredAt >= start.occurredAt)
    .toSorted((a, b) => a.occurredAt - b.occurredAt)
  let now = start.occurredAt
  while (run.status === "Active") {
    const event = pending[0]
    // An event at the same time as a timeout comes first, because it is in time.
    if (event !== undefined && event.occurredAt <= run.dueAt!) {
      pending.shift()
      now = Math.max(now, event.occurredAt)
      run = interpret(flow, run, { _tag: "Event", event }, now).run
      continue
    }
    now = Math.max(now, run.dueAt!)
    const facts = { contact, topics, suppression: undefined }
    const transition = interpret(flow, run, { _tag: "Advance", facts }, now)
    run = transition.run
    for (const effect of transition.effects) {
      if (effect._tag === "Email") emails.push({ step: effect.step, at: now, contact })
      if (effect._tag !== "Update") continue
      const { attributes, id, tags, topics: choices } = effect.step
      const updated = decide(setting, [contact], { id: contact.id, attributes, topics: choices, tags }, now)
      if (Result.isSuccess(updated)) contact = updated.success
      else run = relogged(run, id, `failed: ${updated.failure.issues[0].code}`)
    }
  }
  return { run, emails }
}
