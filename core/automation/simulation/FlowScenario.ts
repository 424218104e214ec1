/**
 * Plays a scenario through a flow for its author: shows which steps would run, and which emails would be sent when.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { ContactWrite } from "../../model/ContactInput.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import type { EmailText } from "../../sending/emails/EmailContent.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues, Problem, valueDetail } from "../../shared/Problem.ts"
import { type Maybe, parseDateTime, formats } from "../../shared/Validate.ts"
import { parseDuration } from "../definition/Duration.ts"
import type { Flow } from "../../model/Flow.ts"
import { startEventName } from "../../model/FlowDefinition.ts"
import { StepContents } from "../runs/StepContents.ts"
import type { Run, RunEvent } from "../../model/Run.ts"
import { maxScenarioEvents, personOf, simulate } from "./Simulation.ts"

/** A submitted event of a scenario, at a timestamp or at a time relative to the start. */
export interface ScenarioEvent {
  readonly name?: Maybe<string>
  readonly occurredAt?: Maybe<string>
  /** The time after the start, as an ISO 8601 duration. */
  readonly after?: Maybe<string>
  readonly properties?: Maybe<Readonly<Record<string, unknown>>>
}

/** A submitted scenario, not yet validated. */
export interface ScenarioWrite {
  readonly contact?: Maybe<ContactWrite>
  /** The event that starts the flow; by default, its trigger's event, now. */
  readonly event?: Maybe<ScenarioEvent>
  readonly events?: Maybe<ReadonlyArray<ScenarioEvent>>
}

/** An email that would be sent; without content if it could not be rendered. */
export interface ScenarioEmail {
  readonly stepId: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly content: EmailText | null
  /** The code of the problem that prevented rendering; otherwise null. */
  readonly failure: string | null
}

/** The outcome of a scenario. `run` is null if the event does not start the flow. */
export interface ScenarioOutcome {
  readonly run: Run | null
  readonly emails: ReadonlyArray<ScenarioEmail>
}

const links = {
  unsubscribe: "https://example.com/u/simulated",
  preferences: "https://example.com/p/simulated"
}

/** Plays scenarios. */
export class FlowScenario extends Context.Service<FlowScenario>()("svc/automation/FlowScenario", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const fieldStore = yield* ContactFieldStore
    const topicStore = yield* TopicStore
    const stepContents = yield* StepContents

    return {
      /**
       * Plays a scenario through the edited definition of a flow; nothing is sent or stored. automation.story_invalid,
       * automation.duration_invalid, validation.*, and the codes of POST /contacts on `contact`.
       */
      play: Effect.fn("FlowScenario.play")(function* (flow: Flow, scenario: ScenarioWrite) {
        const { accountId, definition, id: flowId } = flow
        const now = yield* Clock.currentTimeMillis
        const [[account], fields, topics] = yield* Effect.all(
          [accounts.find([accountId]), fieldStore.list(accountId), topicStore.list(accountId)],
          { concurrency: "unbounded" }
        )
        const autoCreate = account?.settings.autoCreateAttributes ?? false
        const setting = { accountId, flowId, fields, autoCreate, topics }
        const { events, start } = yield* Effect.fromResult(parseEvents(flow, scenario, now))
        const contact = yield* Effect.mapError(
          Effect.fromResult(personOf(setting, scenario.contact ?? {}, start.occurredAt)),
          onContact
        )
        const simulated = simulate(definition, setting, { contact, start, events })
        const contents = yield* stepContents.render(
          accountId,
          simulated.emails.map(({ contact: person, step }) => ({
            step,
            contact: person,
            event: start,
            links
          }))
        )
        const emails = simulated.emails.map(({ at, step }, index): ScenarioEmail => {
          const content = contents[index]!
          return Result.isFailure(content)
            ? { stepId: step.id, at, content: null, failure: content.failure.issues[0].code }
            : { stepId: step.id, at, content: content.success.content, failure: null }
        })
        return { run: simulated.run, emails }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(FlowScenario, FlowScenario.make).pipe(
    Layer.provide(StepContents.layer)
  )
}

/** The problem of a scenario's contact, with its fields prefixed by `contact`. */
const onContact = ({ issues: [first, ...rest] }: Problem): Problem => {
  const nested = (one: typeof first) => ({
    ...one,
    field: one.field === null ? "contact" : `contact.${one.field}`
  })
  return new Problem({ issues: [nested(first), ...rest.map(nested)] })
}

const parseEvents = (
  { definition: { trigger } }: Flow,
  scenario: ScenarioWrite,
  now: number
): Result.Result<{ readonly start: RunEvent; readonly events: ReadonlyArray<RunEvent> }, Problem> => {
  const submitted = scenario.events ?? []
  if (submitted.length > maxScenarioEvents) {
    return Result.fail(Problem.of("automation.story_invalid", "events", { max: maxScenarioEvents }))
  }
  const issues = new Issues()
  const start = parseEvent(scenario.event ?? {}, "event", startEventName(trigger), now, issues)
  const events = submitted.map((event, index) =>
    parseEvent(event, `events[${index}]`, null, start.occurredAt, issues)
  )
  return issues.result({ start, events })
}

const parseEvent = (
  { after, name: given, occurredAt, properties }: ScenarioEvent,
  path: string,
  defaultName: string | null,
  from: number,
  issues: Issues
): RunEvent => {
  const name = given ?? defaultName
  if (name === null) issues.add("validation.required", `${path}.name`)
  const at = occurredAt == null ? from : parseDateTime(occurredAt)
  if (at === null) issues.add("validation.format", `${path}.occurredAt`, null, { expected: formats.dateTime })
  const wait = after == null ? 0 : parseDuration(after)
  if (wait === null) issues.add("automation.duration_invalid", `${path}.after`, null, valueDetail(after))
  return {
    name: name ?? "",
    occurredAt: (at ?? from) + (wait ?? 0),
    properties: (properties ?? {}) as Readonly<Record<string, Json>>
  }
}
