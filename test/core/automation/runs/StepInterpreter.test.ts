/**
 * Tests of the step interpreter and of the validation of flows, with random flows and inputs.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { newContact } from "../../../../core/model/Contact.ts"
import type { EventMatch, FlowDefinition, Step } from "../../../../core/model/FlowDefinition.ts"
import { validateFlow } from "../../../../core/automation/definition/FlowValidator.ts"
import type { FlowScope } from "../../../../core/automation/definition/PartReader.ts"
import { compileFlow } from "../../../../core/automation/runs/CompiledFlow.ts"
import { newRun, type Run, type RunEvent } from "../../../../core/model/Run.ts"
import { interpret, type RunInput, type StepFacts } from "../../../../core/automation/runs/StepInterpreter.ts"

const start = Date.UTC(2031, 4, 6, 7, 8, 9)
const minute = 60_000
const hour = 60 * minute
const contact = {
  ...newContact("01890a5d-ac96-774b-bcce-b302099a8057", "ada@example.org", start),
  consentStatus: "Subscribed" as const,
  attributes: { plan: "pro", zone: "Europe/Berlin" }
}
const facts: StepFacts = { contact, topics: [], suppression: undefined }
const advance: RunInput = { _tag: "Advance", facts }
const received = (name: string, occurredAt = start, properties: RunEvent["properties"] = {}): RunInput => ({
  _tag: "Event",
  event: { name, occurredAt, properties }
})

const flowOf = (steps: ReadonlyArray<Step>, stopEvents: ReadonlyArray<EventMatch> = []): FlowDefinition => ({
  trigger: { kind: "Api" },
  stopEvents,
  steps
})

const runOf = (definition: FlowDefinition, event: RunEvent["properties"] = {}) => {
  const flow = compileFlow(definition)
  const run = newRun(
    {
      id: "01890a5d-ac96-774b-bcce-000000000001",
      accountId: "a",
      flowId: "f",
      version: 1,
      contactId: contact.id,
      event: { name: "user.signed_up", occurredAt: start, properties: event }
    },
    flow.first,
    start
  )
  return { flow, run }
}

const email = (id: string): Step => ({
  id,
  kind: "SendEmail",
  purpose: "Transactional",
  templateId: null,
  subject: "s",
  html: null,
  text: "t",
  topic: null
})
const wait = (id: string, duration: string): Step => ({ id, kind: "Wait", duration })
const exit = (id: string): Step => ({ id, kind: "Exit" })
const awaiting = (
  id: string,
  name: string,
  timeout: string,
  then: ReadonlyArray<Step> = [],
  otherwise: ReadonlyArray<Step> = []
): Step => ({ id, kind: "WaitForEvent", name, filter: null, timeout, then, else: otherwise })

const names = ["a", "b", "c", "stop"] as const

/** Steps without ids, which `numbered` assigns. */
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.letrec<{ list: ReadonlyArray<Step>; step: Step }>(
  (tie) => ({
    list: fc.array(tie("step"), { maxLength: 4, depthIdentifier: "flow" }),
    step: fc.oneof(
      { depthSize: "small", depthIdentifier: "flow" },
      fc.constant(email("")),
      fc.integer({ min: 1, max: 90 }).map((minutes) => wait("", `PT${minutes}M`)),
      fc.constantFrom("09:00", "23:59").map((time): Step => ({
        id: "",
        kind: "WaitUntil",
        at: null,
        time,
        timeZone: "UTC",
        timeZoneAttribute: "zone"
      })),
      fc.constant<Step>({ id: "", kind: "Webhook", url: "https://example.com" }),
      fc.constant<Step>({
        id: "",
        kind: "UpdateContact",
        attributes: {},
        topics: {},
        tags: { add: [], remove: [] }
      }),
      fc
        .tuple(fc.constantFrom("a", "b"), tie("list"), tie("list"))
        .map(([name, then, otherwise]) => awaiting("", name, "PT1H", then, otherwise)),
      fc
        .tuple(fc.constantFrom("pro", "free"), tie("list"), tie("list"))
        .map(([plan, then, otherwise]): Step => ({
          id: "",
          kind: "Branch",
          condition: {
            join: "All",
            rules: [{ fieldKey: "attributes.plan", operator: "Equals", value: plan }]
          },
          then,
          else: otherwise
        })),
      fc
        .array(fc.tuple(fc.nat({ max: 3 }), tie("list")), { minLength: 2, maxLength: 3 })
        .map((paths): Step => ({
          id: "",
          kind: "Split",
          paths: paths.map(([weight, list], index) => ({
            weight: index === 0 ? weight + 1 : weight,
            steps: list
          }))
        })),
      fc.constant(exit(""))
    )
  })
).list

const numbered = (list: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  let count = 0
  const visit = (step: Step): Step => {
    const id = `s${++count}`
    switch (step.kind) {
      case "Branch":
      case "WaitForEvent":
        return { ...step, id, then: step.then.map(visit), else: step.else.map(visit) }
      case "Split":
        return {
          ...step,
          id,
          paths: step.paths.map((path) => ({ ...path, steps: path.steps.map(visit) }))
        }
      default:
        return { ...step, id }
    }
  }
  return list.map(visit)
}

/** Inputs: an event some minutes later, or an advance that is on time, late, or early. */
const inputs = fc.array(
  fc.oneof(
    fc.record({ name: fc.constantFrom(...names), minutes: fc.nat({ max: 100 }) }),
    fc.record({ late: fc.constantFrom(0, 0, 1, 30) }),
    fc.constant({ early: true })
  ),
  { maxLength: 40 }
)

/**
 * Compares a log with the tree of steps. Returns whether the log reaches the end of the flow or an Exit.
 */
const follow = (list: ReadonlyArray<Step>, log: Run["log"]): boolean => {
  const left = [...log]
  let previous = start
  /** `Open`: the run continues after these steps; `Cut`: the log ends within them. */
  const read = (within: ReadonlyArray<Step>): "Open" | "Cut" | "Exit" => {
    for (const step of within) {
      const entry = left.shift()
      if (entry === undefined) return "Cut"
      expect(entry.stepId).toBe(step.id)
      const waited = entry.at - previous
      previous = entry.at
      let nested: ReadonlyArray<Step> = []
      switch (step.kind) {
        case "Exit":
          return "Exit"
        case "Branch": {
          const { value } = step.condition.rules[0]!
          expect(entry.outcome).toBe(value === contact.attributes.plan ? "then" : "else")
          nested = entry.outcome === "then" ? step.then : step.else
          break
        }
        case "Split":
          nested = step.paths[Number(entry.outcome.slice("path ".length)) - 1]!.steps
          break
        case "Wait":
          expect(waited).toBeGreaterThanOrEqual(Number(step.duration.slice(2, -1)) * minute)
          break
        case "WaitForEvent":
          if (entry.outcome === "timeout") expect(waited).toBeGreaterThanOrEqual(hour)
          else expect(entry.outcome).toBe("event")
          nested = entry.outcome === "event" ? step.then : step.else
          break
        default:
      }
      const end = read(nested)
      if (end !== "Open") return end
    }
    return "Open"
  }
  const end = read(list)
  expect(left).toEqual([])
  return end !== "Cut"
}

const workSteps = new Set(["SendEmail", "Webhook", "UpdateContact", "Branch", "Split", "Exit"])

describe("the step interpreter", () => {
  it("always ends or waits, executes no step twice, and changes no run that ended", () => {
    fc.assert(
      fc.property(steps.map(numbered), inputs, (list, given) => {
        const { flow, run: first } = runOf(flowOf(list, [{ name: "stop", filter: null }]))
        let run: Run = first
        let now = start
        const done: Array<string> = []
        const apply = (input: RunInput) => {
          const before = run
          const transition = interpret(flow, run, input, now)
          expect(interpret(flow, run, input, now)).toEqual(transition)
          run = transition.run
          if (before.status !== "Active") expect(transition).toEqual({ run: before, effects: [] })
          for (const effect of transition.effects) if ("step" in effect) done.push(effect.step.id)
          expect(run.log.slice(0, before.log.length)).toEqual(before.log)
          if (run.status === "Active") expect(run.dueAt).not.toBeNull()
          else expect(run).toMatchObject({ dueAt: null, endedAt: expect.any(Number), pending: [] })
          return transition
        }
        const advanceRun = () => {
          // An update of the contact ends an advance. The next advance follows at once.
          for (let count = 0; ; count++) {
            expect(count).toBeLessThan(300)
            const { effects } = apply(advance)
            if (!effects.some((effect) => effect._tag === "Update")) break
          }
          if (run.status === "Active") expect(run.isWaiting && run.dueAt! > now).toBe(true)
        }
        for (const one of given) {
          if ("name" in one) {
            now += one.minutes * minute
            const wasActive = run.status === "Active"
            apply(received(one.name, now))
            if (one.name === "stop" && wasActive) expect(run.status).toBe("Stopped")
          } else if ("late" in one && run.status === "Active") {
            now = Math.max(now, run.dueAt!) + one.late * minute
            advanceRun()
          } else if (run.isWaiting && run.dueAt! > now) {
            expect(apply(advance)).toEqual({ run, effects: [{ _tag: "Wake", at: run.dueAt }] })
          }
        }
        while (run.status === "Active") {
          now = Math.max(now, run.dueAt!)
          advanceRun()
        }
        expect(new Set(done).size).toBe(done.length)
        const logged = run.log.map((entry) => entry.stepId)
        expect(new Set(logged).size).toBe(logged.length)
        for (const { stepId } of run.log) {
          const { kind } = flow.nodes.get(stepId)!.step
          const isDone = done.includes(stepId)
          expect(isDone).toBe(workSteps.has(kind) && !["Branch", "Split", "Exit"].includes(kind))
        }
        const isComplete = follow(list, run.log)
        if (run.status === "Completed") expect(isComplete).toBe(true)
      }),
      { numRuns: 400 }
    )
  })

  it("stops a run at a stop event in any state, if its filter matches", () => {
    const stop: EventMatch = {
      name: "order.paid",
      filter: { join: "All", rules: [{ fieldKey: "event.total", operator: "GreaterThan", value: 10 }] }
    }
    const { flow, run } = runOf(flowOf([wait("w", "P1D"), email("e")], [stop]))
    const asleep = interpret(flow, run, advance, start).run
    for (const one of [run, asleep]) {
      const unmatched = interpret(flow, one, received("order.paid", start, { total: 10 }), start + 1)
      expect(unmatched.run.status).toBe("Active")
      const stopped = interpret(flow, one, received("order.paid", start, { total: 11 }), start + 1)
      expect(stopped.run).toMatchObject({ status: "Stopped", reason: "event: order.paid" })
      expect(stopped.effects).toEqual([{ _tag: "Cancel" }])
    }
  })

  it("accepts an event that arrives before the step that waits for it", () => {
    const { flow, run } = runOf(flowOf([awaiting("w", "a", "PT1H", [email("arrived")], [email("late")])]))
    const between = interpret(flow, run, received("a", start), start + 5).run
    const { effects, run: after } = interpret(flow, between, advance, start + 10)
    expect(after).toMatchObject({ status: "Completed" })
    expect(after.log.map((entry) => `${entry.stepId} ${entry.outcome}`)).toEqual(["w event", "arrived sent"])
    expect(effects).toHaveLength(1)
  })

  it("accepts an event between the end of a wait and its late job, and none from the wait itself", () => {
    const { flow, run } = runOf(flowOf([wait("w", "PT1H"), awaiting("e", "a", "PT1H")]))
    const asleep = interpret(flow, run, advance, start).run
    const early = interpret(flow, asleep, received("a", start + minute), start + minute).run
    expect(early).toBe(asleep)
    const between = interpret(flow, asleep, received("a", start + hour + 1), start + hour + 1).run
    expect(interpret(flow, between, advance, start + hour + 2).run.status).toBe("Completed")
    expect(interpret(flow, early, advance, start + hour).run).toMatchObject({ stepId: "e", isWaiting: true })
  })

  it("uses an event for only one of two steps that wait for it", () => {
    const { flow, run } = runOf(flowOf([awaiting("one", "a", "PT1H"), awaiting("two", "a", "PT1H")]))
    const between = interpret(flow, run, received("a"), start).run
    expect(interpret(flow, between, advance, start).run).toMatchObject({ stepId: "two", isWaiting: true })
  })

  it("keeps the last 20 events between two steps", () => {
    const { flow, run } = runOf(flowOf([awaiting("w", "a", "PT1H")]))
    let between = run
    for (let index = 0; index < 30; index++) {
      between = interpret(flow, between, received("a", start, { index }), start).run
    }
    expect(between.pending.map(({ properties }) => properties["index"])).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 10)
    )
  })

  it("waits for a time of day in the time zone of the contact, or of the step if that is unknown", () => {
    const { flow, run } = runOf(
      flowOf([
        {
          id: "w",
          kind: "WaitUntil",
          at: null,
          time: "09:30",
          timeZone: "Asia/Tokyo",
          timeZoneAttribute: "zone"
        }
      ])
    )
    const until = (zone: string | undefined) => {
      const attributes = zone === undefined ? {} : { zone }
      const given = { ...facts, contact: { ...contact, attributes } }
      const { dueAt } = interpret(flow, run, { _tag: "Advance", facts: given }, start).run
      return new Date(dueAt!).toISOString()
    }
    // The current time is 07:08 UTC on 6 May.
    expect(until("Europe/Berlin")).toBe("2031-05-06T07:30:00.000Z")
    expect(until("America/New_York")).toBe("2031-05-06T13:30:00.000Z")
    for (const zone of [undefined, "Nowhere/Land"]) expect(until(zone)).toBe("2031-05-07T00:30:00.000Z")
  })

  it("prefers an event at the time of the timeout, and the timeout after it", () => {
    const { flow, run } = runOf(flowOf([awaiting("w", "a", "PT1H", [email("arrived")], [email("late")])]))
    const waiting = interpret(flow, run, advance, start).run
    const at = interpret(flow, waiting, received("a", start + hour), start + hour).run
    expect(interpret(flow, at, advance, start + hour).run.log.map((entry) => entry.stepId)).toEqual([
      "w",
      "arrived"
    ])
    const reportedInTime = interpret(flow, waiting, received("a", start + hour), start + hour + 5).run
    expect(reportedInTime.log).toMatchObject([{ outcome: "event" }])
    const late = interpret(flow, waiting, received("a", start + hour + 1), start + hour + 1).run
    expect(interpret(flow, late, advance, start + hour + 2).run.log.map((entry) => entry.stepId)).toEqual([
      "w",
      "late"
    ])
  })

  it("takes the same path of a Split each time, in the proportion of the weights", () => {
    const split: Step = {
      id: "split",
      kind: "Split",
      paths: [
        { weight: 3, steps: [exit("a")] },
        { weight: 1, steps: [exit("b")] },
        { weight: 0, steps: [exit("never")] }
      ]
    }
    const { flow, run } = runOf(flowOf([split]))
    const taken = Array.from({ length: 4000 }, (_, index) => {
      const id = `01890a5d-ac96-774b-bcce-${String(index).padStart(12, "0")}`
      return interpret(flow, { ...run, id }, advance, start).run.log[0]!.outcome
    })
    const first = taken.filter((outcome) => outcome === "path 1").length
    expect(first / taken.length).toBeGreaterThan(0.71)
    expect(first / taken.length).toBeLessThan(0.79)
    expect(taken).not.toContain("path 3")
  })

  it("skips email without consent or topic, and sends transactional email to an unsubscribed contact", () => {
    const topics = [
      {
        id: "t",
        accountId: "a",
        key: "news",
        name: "News",
        description: null,
        defaultOn: true,
        isArchived: false,
        createdAt: start
      }
    ]
    const marketing = (id: string, topic: string | null): Step =>
      ({ ...email(id), purpose: "Marketing", topic }) as Step
    const { flow, run } = runOf(flowOf([marketing("m", "news"), email("t")]))
    const outcomes = (given: Partial<StepFacts>, change: object = {}) =>
      interpret(
        flow,
        run,
        { _tag: "Advance", facts: { ...facts, topics, contact: { ...contact, ...change }, ...given } },
        start
      ).run.log.map((entry) => entry.outcome)
    expect(outcomes({})).toEqual(["sent", "sent"])
    expect(outcomes({}, { consentStatus: "SoftOptIn" })).toEqual(["sent", "sent"])
    expect(outcomes({}, { consentStatus: "Unsubscribed" })).toEqual([
      "skipped: automation.no_consent",
      "sent"
    ])
    for (const consentStatus of ["Unknown", "CheckoutStarted", "PendingConfirmation"]) {
      expect(outcomes({}, { consentStatus })).toEqual(["skipped: automation.no_consent", "sent"])
    }
    const isOff = ["skipped: automation.topic_off", "sent"]
    expect(outcomes({}, { topics: { t: false } })).toEqual(isOff)
    expect(outcomes({ topics: [{ ...topics[0]!, isArchived: true }] }, { topics: { t: true } })).toEqual(
      isOff
    )
    expect(outcomes({ topics: [{ ...topics[0]!, defaultOn: false }] })).toEqual(isOff)
    expect(outcomes({ topics: [] })).toEqual(isOff)
    for (const [kind, code] of [
      ["Bounced", "sending.gate_bounced"],
      ["Complained", "sending.gate_complained"],
      ["Protected", "sending.gate_protected"]
    ] as const) {
      expect(outcomes({ suppression: kind })).toEqual([`skipped: ${code}`, `skipped: ${code}`])
    }
    // If the suppression of a bounce was lifted, the contact's consent is still that of a bounce.
    for (const consentStatus of ["Bounced", "Complained"]) {
      expect(outcomes({}, { consentStatus })).toEqual(["skipped: automation.no_consent", "sent"])
    }
    // Held out of marketing, and over a frequency cap: neither holds transactional email.
    const none = { isHeldOut: false, caps: [], times: [], quietUntil: null }
    expect(outcomes({ limits: { ...none, isHeldOut: true } })).toEqual(["skipped: sending.held_out", "sent"])
    expect(outcomes({}, { email: null })).toEqual([
      "skipped: automation.no_address",
      "skipped: automation.no_address"
    ])
    expect(outcomes({ contact: null })).toEqual([])
  })

  it("lets marketing wait for a frequency cap a day at most, and for the end of quiet hours", () => {
    const marketing = (id: string): Step => ({ ...email(id), purpose: "Marketing", topic: null }) as Step
    const { flow, run } = runOf(flowOf([marketing("m"), marketing("n")]))
    const advanceWith = (given: Run, limits: NonNullable<StepFacts["limits"]>, at: number) =>
      interpret(flow, given, { _tag: "Advance", facts: { ...facts, limits } }, at)
    const caps = [{ emails: 1, days: 1 }]
    const free = { isHeldOut: false, caps, times: [], quietUntil: null }
    const first = advanceWith(run, free, start)
    expect(first.effects.map(({ _tag }) => _tag)).toEqual(["Email", "Wake"])
    expect(first.run).toMatchObject({ isWaiting: true, stepId: "n", dueAt: start + 86_400_000 })
    const later = start + 86_400_000
    const sent = advanceWith(first.run, { ...free, times: [start] }, later)
    expect(sent.run).toMatchObject({ status: "Completed" })
    const skipped = advanceWith(first.run, { ...free, times: [later - 1] }, later)
    expect(skipped.run.log.at(-1)).toMatchObject({ outcome: "skipped: sending.gate_frequency" })
    const quiet = advanceWith(run, { ...free, quietUntil: start + 5 }, start)
    expect(quiet.run).toMatchObject({ isWaiting: true, stepId: "m", dueAt: start + 5 })
    expect(advanceWith(quiet.run, free, start + 5).run.log[0]).toMatchObject({ outcome: "sent" })
  })
})

const scope: FlowScope = {
  fields: [],
  topics: [],
  segmentIds: new Set(["01890a5d-ac96-774b-bcce-b302099a8057"]),
  templateIds: new Set(),
  acceptsUrl: (url) => url.startsWith("https://")
}

const issuesOf = (write: object) => {
  const validated = validateFlow({ trigger: { kind: "Api" }, ...write }, scope)
  return Result.isFailure(validated)
    ? validated.failure.issues.map(({ code, field }) => `${field} ${code}`)
    : []
}

describe("validateFlow", () => {
  it("accepts any JSON as input", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (trigger, stopEvents, list) => {
        validateFlow({ trigger, stopEvents, steps: list }, scope)
      }),
      { numRuns: 50 }
    )
    const kinds = fc.constantFrom(
      "SendEmail",
      "Wait",
      "WaitUntil",
      "WaitForEvent",
      "Branch",
      "Split",
      "Exit",
      "X"
    )
    const wild = fc.letrec<{ step: unknown }>((tie) => ({
      step: fc.record(
        {
          id: fc.oneof(fc.constantFrom("a", "b", ""), fc.jsonValue()),
          kind: kinds,
          then: fc.array(tie("step"), { maxLength: 1 }),
          paths: fc.array(
            fc.record({ weight: fc.jsonValue(), steps: fc.array(tie("step"), { maxLength: 1 }) }),
            { maxLength: 2 }
          ),
          condition: fc.jsonValue(),
          duration: fc.jsonValue(),
          time: fc.jsonValue()
        },
        { requiredKeys: [] }
      )
    })).step
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 4 }), (list) => {
        validateFlow({ trigger: { kind: "Api" }, steps: list }, scope)
      }),
      { numRuns: 300 }
    )
  })

  it("returns a definition that is valid again", () => {
    fc.assert(
      fc.property(steps.map(numbered), (list) => {
        const known = { ...scope, fields: [field("plan"), field("zone")] }
        const validated = validateFlow(flowOf(list), known)
        if (Result.isFailure(validated)) {
          const { issues } = validated.failure
          expect(issues.every(({ code }) => code === "automation.step_unreachable")).toBe(true)
        } else expect(validateFlow(validated.success, known)).toEqual(validated)
      })
    )
  })

  it("accepts a segment of the account as a trigger, and starts those present only with Enter", () => {
    const [segmentId] = [...scope.segmentIds]
    const issues = (trigger: object) => issuesOf({ trigger: { kind: "Segment", ...trigger }, steps: [] })
    for (const on of ["Enter", "Leave"]) expect(issues({ segmentId, on })).toEqual([])
    expect(issues({ segmentId, on: "Enter", includePresent: true })).toEqual([])
    expect(issues({ segmentId, on: "Leave", includePresent: true })).toEqual([
      "trigger.includePresent validation.format"
    ])
    expect(issues({ segmentId: "x", on: "In", includePresent: 1, name: "a" })).toEqual([
      "trigger.name validation.unknown_field",
      "trigger.segmentId segments.not_found",
      "trigger.on validation.format",
      "trigger.includePresent validation.type"
    ])
  })

  it("reports the path of every issue", () => {
    expect(
      issuesOf({
        steps: [
          { id: "a", kind: "Nap" },
          { id: "b", kind: "Wait", duration: "P1M" },
          { id: "b", kind: "SendEmail", purpose: "Transactional", templateId: contact.id },
          {
            id: "c",
            kind: "Branch",
            condition: { join: "All", rules: [{ fieldKey: "attributes.none", operator: "IsSet" }] },
            then: [
              { id: "d", kind: "Exit" },
              { id: "e", kind: "Exit" }
            ],
            else: [{ id: "", kind: "WaitUntil", time: "25:00", timeZone: "Mars/Olympus" }]
          },
          { id: "f", kind: "Split", paths: [{ weight: 0, steps: [] }, { weight: -1 }] },
          { id: "g", kind: "Webhook", url: "http://example.com" },
          { id: "h", kind: "WaitForEvent", name: "Bad Name", timeout: "soon" }
        ],
        stopEvents: [
          { name: "a", filter: { join: "All", rules: [{ fieldKey: "email", operator: "IsSet" }] } }
        ]
      })
    ).toEqual([
      "stopEvents[0].filter.rules[0].fieldKey automation.filter_field_unknown",
      "steps[0].kind automation.step_kind_unknown",
      "steps[1].duration automation.duration_invalid",
      "steps[2].id automation.step_id_duplicate",
      "steps[2].templateId sending.template_not_found",
      "steps[3].then[1] automation.step_unreachable",
      "steps[3].else[0].id automation.step_id_invalid",
      "steps[3].else[0].time validation.format",
      "steps[3].else[0].timeZone automation.time_zone_invalid",
      "steps[3].condition.rules[0].fieldKey segments.field_unknown",
      "steps[4].paths[1].weight automation.weight_invalid",
      "steps[5].url automation.url_invalid",
      "steps[6].timeout automation.duration_invalid",
      "steps[6].name automation.event_name_invalid"
    ])
  })

  it("rejects a string that cannot be stored, at any depth", () => {
    const known = { ...scope, fields: [field("plan")] }
    const codesOf = (value: unknown) => {
      const tags = { add: [], remove: [] }
      const step = { id: "u", kind: "UpdateContact", attributes: { plan: value }, tags }
      const validated = validateFlow({ trigger: { kind: "Api" }, steps: [step] }, known)
      return Result.isFailure(validated) ? validated.failure.issues.map(({ code }) => code) : []
    }
    for (const text of ["\0", "a\0b", "\\\0", "\ud800", "\udfff"]) {
      expect(codesOf(text)).toEqual(["validation.format"])
      expect(codesOf({ deep: [text] })).toEqual(["validation.format"])
    }
    for (const text of ["\\u0000", "\\\\u0000", "👩‍👩‍👧", "u0000"]) expect(codesOf(text)).toEqual([])
  })

  it("enforces the limits", () => {
    const events = Array.from({ length: 11 }, () => ({ name: "a" }))
    expect(issuesOf({ stopEvents: events })).toEqual(["stopEvents automation.too_many_stop_events"])
    const many = Array.from({ length: 201 }, (_, index) => ({ id: `s${index}`, kind: "Exit" }))
    expect(issuesOf({ steps: many })).toEqual(["steps automation.too_many_steps"])
    let deep: object = { id: "x", kind: "Exit" }
    for (let level = 0; level < 12; level++) {
      deep = { id: `b${level}`, kind: "Branch", condition: { rules: [] }, then: [deep] }
    }
    expect(issuesOf({ steps: [deep] }).some((text) => text.endsWith("automation.too_deep"))).toBe(true)
  })
})

const field = (key: string) => ({
  accountId: "a",
  key,
  label: key,
  type: "Text" as const,
  description: null,
  createdFrom: "Api" as const,
  createdAt: start,
  archivedAt: null
})
