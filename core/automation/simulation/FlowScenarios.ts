/**
 * Plays stories through flows, for their author: what would be sent, and when.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import type { EmailText } from "../../sending/emails/EmailContent.ts"
import type { Json } from "../../shared/Json.ts"
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import { type Maybe, parseDateTime } from "../../shared/Validate.ts"
import { parseDuration } from "../definition/Duration.ts"
import type { Flow } from "../../model/Flow.ts"
import { makeStepContents, valuesOf, withWayOut } from "../runs/FlowEmails.ts"
import type { Run, RunEvent } from "../../model/Run.ts"
import { maxStory, personOf, simulate } from "./Simulation.ts"

/** An event of a story: at a time, or some time after the start. */
export interface StoryEvent {
  readonly name?: Maybe<string>
  readonly occurredAt?: Maybe<string>
  /** ISO 8601 duration. */
  readonly after?: Maybe<string>
  readonly properties?: Maybe<Readonly<Record<string, unknown>>>
}

/** A story as sent. */
export interface ScenarioWrite {
  readonly contact?: Maybe<ContactWrite>
  /** What starts the flow: its trigger's event, now, unless it says otherwise. */
  readonly event?: Maybe<StoryEvent>
  readonly events?: Maybe<ReadonlyArray<StoryEvent>>
}

/** An email that would be sent; without content where it could not be rendered. */
export interface StoryEmail {
  readonly stepId: string
  readonly at: number
  readonly content: EmailText | null
  /** Why it could not be rendered, else null. */
  readonly failure: string | null
}

/** What would happen. `run` is null where the event does not start the flow. */
export interface Told {
  readonly run: Run | null
  readonly emails: ReadonlyArray<StoryEmail>
}

const links = {
  unsubscribe: "https://example.com/u/simulated",
  preferences: "https://example.com/p/simulated"
}

/** A function that plays a story through a flow as it is edited now; nothing is sent or stored. */
export const makeFlowScenarios = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const fields = yield* ContactFieldStore
  const topics = yield* TopicStore
  const contentsOf = yield* makeStepContents

  return Effect.fn("Flows.simulate")(function* (flow: Flow, story: ScenarioWrite) {
    const { accountId, definition, id: flowId } = flow
    const now = yield* Clock.currentTimeMillis
    const [[account], knownFields, knownTopics] = yield* Effect.all(
      [accounts.find([accountId]), fields.list(accountId), topics.list(accountId)],
      { concurrency: "unbounded" }
    )
    const setting = {
      accountId,
      flowId,
      fields: knownFields,
      autoCreate: account?.settings.autoCreateAttributes ?? false,
      topics: knownTopics
    }
    const issues: Array<Issue> = []
    const triggerName = definition.trigger.kind === "Event" ? definition.trigger.name : "api.called"
    const start = eventOf(story.event ?? {}, "event", triggerName, now, issues)
    const given = story.events ?? []
    if (given.length > maxStory) {
      return yield* Problem.of("automation.story_invalid", "events", { max: maxStory })
    }
    const events = given.map((event, index) =>
      eventOf(event, `events[${index}]`, null, start.occurredAt, issues)
    )
    const problem = Problem.from(issues)
    if (problem !== undefined) return yield* problem
    const contact = personOf(setting, story.contact ?? {}, start.occurredAt)
    if (contact instanceof Problem) {
      return yield* new Problem({
        issues: contact.issues.map((one) => ({
          ...one,
          field: one.field === null ? "contact" : `contact.${one.field}`
        })) as unknown as Problem["issues"]
      })
    }
    const played = simulate(definition, setting, { contact, start, events })
    const contents = yield* contentsOf(
      accountId,
      played.emails.map(({ contact: person, step }) => ({ step, values: valuesOf(person, start, links) }))
    )
    const emails = played.emails.map(({ at, step }, index): StoryEmail => {
      const content = contents[index]!
      return Result.isFailure(content)
        ? { stepId: step.id, at, content: null, failure: content.failure.issues[0].code }
        : {
            stepId: step.id,
            at,
            content: step.purpose === "Marketing" ? withWayOut(content.success, links) : content.success,
            failure: null
          }
    })
    return { run: played.run, emails } satisfies Told
  })
})

const eventOf = (
  { after, name, occurredAt, properties }: StoryEvent,
  path: string,
  otherwise: string | null,
  from: number,
  issues: Array<Issue>
): RunEvent => {
  const known = name ?? otherwise
  if (known === null) issues.push(issue("validation.required", `${path}.name`))
  const at = occurredAt == null ? from : parseDateTime(occurredAt)
  if (at === null) issues.push(issue("validation.format", `${path}.occurredAt`))
  const wait = after == null ? 0 : parseDuration(after)
  if (wait === null) issues.push(issue("automation.duration_invalid", `${path}.after`))
  return {
    name: known ?? "",
    occurredAt: (at ?? from) + (wait ?? 0),
    properties: (properties ?? {}) as Readonly<Record<string, Json>>
  }
}
