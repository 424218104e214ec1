/**
 * The definition of a flow: its trigger, stop events and steps (docs/contributing/decisions.md 4).
 *
 * Steps form a tree: a definition is a list of steps, and some steps contain lists. When a list inside a step ends, the run
 * continues after that step. A run therefore only moves forward.
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"

/** A rule about `event.<property>` or, in a Branch, also about the contact. Operators and values are those of segments. */
export interface FilterRule {
  readonly fieldKey: string
  readonly operator: string
  readonly value: Json
}

/** A conjunction or disjunction of rules. Without rules, everything passes. */
export interface Filter {
  readonly join: "All" | "Any"
  readonly rules: ReadonlyArray<FilterRule>
}

/** Matches an event by its name and, if there is a filter, by its properties. */
export interface EventMatch {
  readonly name: string
  readonly filter: Filter | null
}

/** Whether a flow starts when a contact enters or leaves a segment. */
export const segmentMoves = ["Enter", "Leave"] as const

/** Starts a flow when a contact enters or leaves a segment. */
export interface SegmentTrigger {
  readonly kind: "Segment"
  readonly segmentId: string
  readonly on: (typeof segmentMoves)[number]
  /** Whether publishing also starts the flow for people who are already in the segment; only with `Enter`. */
  readonly includePresent: boolean
}

/** What starts a flow: an event, a call of its trigger URL, or a contact entering or leaving a segment. */
export type FlowTrigger =
  | ({ readonly kind: "Event" } & EventMatch)
  | { readonly kind: "Api" }
  | SegmentTrigger

/** The values stored with a flow by which its trigger is found: its event or its segment. */
export const startOf = ({
  trigger
}: Pick<FlowDefinition, "trigger">): {
  readonly startsOn: string | null
  readonly segmentId: string | null
} => ({
  startsOn: trigger.kind === "Event" ? trigger.name : null,
  segmentId: trigger.kind === "Segment" ? trigger.segmentId : null
})

/** The name of the event with which runs of a flow start if no reported event starts them. */
export const startEventName = (trigger: FlowTrigger): string => {
  switch (trigger.kind) {
    case "Event":
      return trigger.name
    case "Api":
      return "api.called"
    case "Segment":
      return trigger.on === "Enter" ? "segment.entered" : "segment.left"
  }
}

/** The purpose of an email. Only marketing needs consent. */
export const emailPurposes = ["Transactional", "Marketing"] as const

/** The purpose of an email. */
export type EmailPurpose = (typeof emailPurposes)[number]

/** Sends an email, from a template or with content of its own. */
export interface SendEmailStep {
  readonly id: string
  readonly kind: "SendEmail"
  readonly purpose: EmailPurpose
  readonly templateId: string | null
  /** Liquid, like html and text; null if a template is used. */
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  /** The key of the topic that the contact must have on; null for none. Only for marketing. */
  readonly topic: string | null
}

/** Waits for a duration. */
export interface WaitStep {
  readonly id: string
  readonly kind: "Wait"
  /** ISO 8601, such as `P3D` or `PT90M`. */
  readonly duration: string
}

/** Waits until a timestamp, or until the next time of day in the contact's time zone. */
export interface WaitUntilStep {
  readonly id: string
  readonly kind: "WaitUntil"
  /** A date-time with an offset; null if the step waits for a time of day. */
  readonly at: string | null
  /** A time of day, `HH:MM`; null if the step waits for a timestamp. */
  readonly time: string | null
  /** An IANA name, used if the contact has no time zone. */
  readonly timeZone: string
  /** The key of the contact's attribute that names a time zone; null for none. */
  readonly timeZoneAttribute: string | null
}

/** Waits for an event and then continues with `then`; at the timeout, with `else`. */
export interface WaitForEventStep extends EventMatch {
  readonly id: string
  readonly kind: "WaitForEvent"
  /** ISO 8601 duration. */
  readonly timeout: string
  readonly then: ReadonlyArray<Step>
  readonly else: ReadonlyArray<Step>
}

/** Continues with `then` or `else`, by rules about the contact and the starting event. */
export interface BranchStep {
  readonly id: string
  readonly kind: "Branch"
  readonly condition: Filter
  readonly then: ReadonlyArray<Step>
  readonly else: ReadonlyArray<Step>
}

/** Continues with one of its paths at random. The choice is always the same for a run. */
export interface SplitStep {
  readonly id: string
  readonly kind: "Split"
  readonly paths: ReadonlyArray<{ readonly weight: number; readonly steps: ReadonlyArray<Step> }>
}

/** Changes the contact as POST /contacts does; tags are added and removed. */
export interface UpdateContactStep {
  readonly id: string
  readonly kind: "UpdateContact"
  readonly attributes: { readonly [key: string]: Json }
  readonly topics: { readonly [key: string]: boolean }
  readonly tags: { readonly add: ReadonlyArray<string>; readonly remove: ReadonlyArray<string> }
}

/** Sends a signed POST; the run does not wait for the response. */
export interface WebhookStep {
  readonly id: string
  readonly kind: "Webhook"
  readonly url: string
}

/** Ends the run. */
export interface ExitStep {
  readonly id: string
  readonly kind: "Exit"
}

/** A step. */
export type Step =
  | SendEmailStep
  | WaitStep
  | WaitUntilStep
  | WaitForEventStep
  | BranchStep
  | SplitStep
  | UpdateContactStep
  | WebhookStep
  | ExitStep

/** Every kind of step. */
export const stepKinds = [
  "SendEmail",
  "Wait",
  "WaitUntil",
  "WaitForEvent",
  "Branch",
  "Split",
  "UpdateContact",
  "Webhook",
  "Exit"
] as const satisfies ReadonlyArray<Step["kind"]>

/** A flow's definition. */
export interface FlowDefinition {
  readonly trigger: FlowTrigger
  readonly stopEvents: ReadonlyArray<EventMatch>
  readonly steps: ReadonlyArray<Step>
}

/** The lists of steps inside a step, with their paths. */
export const listsOf = (
  step: Step
): ReadonlyArray<{ readonly place: string; readonly steps: ReadonlyArray<Step> }> => {
  switch (step.kind) {
    case "Branch":
    case "WaitForEvent":
      return [
        { place: "then", steps: step.then },
        { place: "else", steps: step.else }
      ]
    case "Split":
      return step.paths.map(({ steps }, index) => ({ place: `paths[${index}].steps`, steps }))
    default:
      return []
  }
}

/** All steps of a definition that send an email, at any depth. */
export const emailsOf = ({ steps }: Pick<FlowDefinition, "steps">): ReadonlyArray<SendEmailStep> =>
  steps.flatMap((step) => (step.kind === "SendEmail" ? [step] : listsOf(step).flatMap(emailsOf)))

/** The kinds of account records that a flow can use. */
export type FlowReference = "segmentId" | "templateId"

/** Whether a definition uses a segment or a template. */
export const names = (definition: FlowDefinition, what: FlowReference, id: string): boolean =>
  what === "templateId"
    ? emailsOf(definition).some(({ templateId }) => templateId === id)
    : startOf(definition).segmentId === id
