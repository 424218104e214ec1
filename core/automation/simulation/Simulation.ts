/**
 * Plays a flow through in virtual time: the very function that moves runs, nothing sent and nothing stored. Pure.
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
import { type CompiledFlow, compileFlow } from "../runs/CompiledFlow.ts"
import { newRun, type Run, type RunEvent } from "../../model/Run.ts"
import { interpret, isMatch } from "../runs/StepInterpreter.ts"

/** The most events of a story. */
export const maxStory = 100

/** What a flow is played through with. */
export interface Story {
  readonly contact: Contact
  readonly start: RunEvent
  /** In any order; those before the start have no effect. */
  readonly events: ReadonlyArray<RunEvent>
}

/** What the flow's account has. */
export interface Setting {
  readonly accountId: string
  readonly flowId: string
  readonly fields: ReadonlyArray<ContactField>
  /** Whether a contact's unknown attributes become fields. */
  readonly autoCreate: boolean
  readonly topics: ReadonlyArray<Topic>
}

/** An email as it would be sent. */
export interface SimulatedEmail {
  readonly step: SendEmailStep
  readonly at: number
  readonly contact: Contact
}

/** What would happen. `run` is null where the event does not start the flow. */
export interface Simulated {
  readonly run: Run | null
  readonly emails: ReadonlyArray<SimulatedEmail>
  readonly contact: Contact
}

const runId = "00000000-0000-7000-8000-000000000000"
const contactId = "00000000-0000-7000-8000-000000000001"

const decide = (
  { accountId, autoCreate, fields, topics }: Setting,
  stored: ReadonlyArray<Contact>,
  write: ContactWrite,
  now: number
): Contact | Problem => {
  const command = parseContactWrite(write)
  const { results } = decideContacts(
    {
      accountId,
      contacts: stored,
      contactCount: 0,
      contactLimit: null,
      fields,
      autoCreate,
      topics,
      ids: [contactId, runId],
      source: "Api",
      now,
      suppressed: new Map(),
      isOneCall: true
    },
    [command]
  )
  const result = results[0]!
  return Result.isSuccess(result) ? result.success.contact : result.failure
}

/** The person of a story, from what POST /contacts takes; an address is made up where none is given. */
export const personOf = (setting: Setting, write: ContactWrite, now: number): Contact | Problem =>
  decide(setting, [], { ...write, id: null, email: write.email ?? "person@example.com" }, now)

/** Plays a story to its end. Each step sees the time it comes at. */
export const simulate = (definition: FlowDefinition, setting: Setting, story: Story): Simulated => {
  const plan = compileFlow(definition)
  const { start } = story
  if (plan.trigger !== null && !isMatch(plan.trigger, start, start.occurredAt)) {
    return { run: null, emails: [], contact: story.contact }
  }
  return play(plan, setting, story)
}

const play = (plan: CompiledFlow, setting: Setting, { contact: person, events, start }: Story): Simulated => {
  const { accountId, flowId, topics } = setting
  let contact = person
  let run = newRun(
    { id: runId, accountId, flowId, version: 0, contactId: person.id, event: start },
    plan.first,
    start.occurredAt
  )
  const emails: Array<SimulatedEmail> = []
  const coming = events
    .filter((event) => event.occurredAt >= start.occurredAt)
    .toSorted((a, b) => a.occurredAt - b.occurredAt)
  let now = start.occurredAt
  while (run.status === "Active") {
    const event = coming[0]
    // What happens at the very moment of a turn comes first, as it does when it is in time.
    if (event !== undefined && event.occurredAt <= run.dueAt!) {
      coming.shift()
      now = Math.max(now, event.occurredAt)
      run = interpret(plan, run, { _tag: "Happened", event }, now).run
      continue
    }
    now = Math.max(now, run.dueAt!)
    const moved = interpret(
      plan,
      run,
      { _tag: "Turn", facts: { contact, topics, suppression: undefined } },
      now
    )
    run = moved.run
    for (const effect of moved.effects) {
      if (effect._tag === "Email") emails.push({ step: effect.step, at: now, contact })
      if (effect._tag === "Update") {
        const { attributes, id, tags, topics: choices } = effect.step
        const after = decide(setting, [contact], { id: contact.id, attributes, topics: choices, tags }, now)
        if (after instanceof Problem) {
          const outcome = `failed: ${after.issues[0].code}`
          run = { ...run, log: run.log.map((entry) => (entry.stepId === id ? { ...entry, outcome } : entry)) }
        } else contact = after
      }
    }
  }
  return { run, emails, contact }
}
