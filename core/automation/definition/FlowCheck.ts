/**
 * The check of a flow as sent. It takes any JSON and finds everything that is wrong, each with its place, such as
 * `steps[2].then[0].duration`.
 *
 * Source: decisions 4, public-api "Flow run".
 *
 * @module
 */
import type { FlowScope } from "./FlowScope.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { Problem } from "../../shared/Problem.ts"
import {
  type EventMatch,
  type FlowDefinition,
  type FlowTrigger,
  type Step,
  stepKinds
} from "../../model/FlowDefinition.ts"
import { type Fields, noEvent } from "./FlowParts.ts"
import { StepCheck } from "./StepCheck.ts"

/** The most stop events of a flow (public-api, Limits). */
export const maxStopEvents = 10
/** The most steps of a flow, those within others counted. */
export const maxSteps = 200
/** The most levels of steps within steps. */
export const maxLevels = 10
/** The most characters of a definition, as compact JSON. */
export const maxDefinition = 1_000_000
/** The most paths of a Split. */
export const maxPaths = 10

/** As JSON escapes them: NUL and lone surrogates, which cannot be stored; deep in a value they have no other place. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i
const stepId = /^[A-Za-z0-9_-]{1,64}$/

/** A flow as sent: anything. */
export interface FlowWrite {
  readonly trigger?: unknown
  readonly stopEvents?: unknown
  readonly steps?: unknown
}

/** Every template that steps of a flow as sent seem to name. */
export const templateIdsOf = (write: FlowWrite): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (value: unknown, level: number): void => {
    if (level > 4 * maxLevels || typeof value !== "object" || value === null) return
    if (Array.isArray(value)) return value.forEach((entry) => visit(entry, level + 1))
    const { templateId } = value as Fields
    if (typeof templateId === "string" && isUuid(templateId.trim()))
      found.add(templateId.trim().toLowerCase())
    for (const entry of Object.values(value)) visit(entry, level + 1)
  }
  visit(write.steps, 0)
  return [...found]
}

/** Checks a flow. Answers its definition, or every issue found. */
export const checkFlow = (write: FlowWrite, vocabulary: FlowScope): FlowDefinition | Problem => {
  const text = JSON.stringify([write.trigger, write.stopEvents, write.steps])
  if (text.length > maxDefinition) {
    return Problem.of("automation.flow_too_large", "steps", { max: maxDefinition })
  }
  const check = new Check(vocabulary)
  const definition: FlowDefinition = {
    trigger: check.trigger(write.trigger),
    stopEvents: check.stopEvents(write.stopEvents),
    steps: check.steps(write.steps, "steps", 1).steps
  }
  if (check.issues.length === 0 && unstorable.test(text)) check.refuse("validation.format", "steps")
  return Problem.from(check.issues) ?? definition
}

/** A list of steps, and whether a run can go on after it. */
interface Checked {
  readonly steps: ReadonlyArray<Step>
  readonly endsOpen: boolean
}

class Check extends StepCheck {
  readonly ids = new Set<string>()
  count = 0

  trigger(value: unknown): FlowTrigger {
    const given = this.fields(value, "trigger")
    if (given === null) return { kind: "Api" }
    if (given["kind"] === "Event") return { kind: "Event", ...this.event(given, "trigger") }
    if (given["kind"] !== "Api") this.refuse("automation.trigger_kind_invalid", "trigger.kind")
    return { kind: "Api" }
  }

  stopEvents(value: unknown): ReadonlyArray<EventMatch> {
    const given = this.list(value, "stopEvents")
    if (given.length > maxStopEvents) {
      this.refuse("automation.too_many_stop_events", "stopEvents", { max: maxStopEvents })
      return []
    }
    return given.map((entry, index) => {
      const path = `stopEvents[${index}]`
      const fields = this.fields(entry, path)
      return fields === null ? noEvent : this.event(fields, path)
    })
  }

  steps(value: unknown, path: string, level: number): Checked {
    const given = this.list(value, path)
    if (level > maxLevels) {
      if (given.length > 0) this.refuse("automation.too_deep", path, { max: maxLevels })
      return { steps: [], endsOpen: true }
    }
    if (given.length > maxSteps) {
      this.refuse("automation.too_many_steps", path, { max: maxSteps })
      return { steps: [], endsOpen: true }
    }
    const steps: Array<Step> = []
    let endsOpen = true
    given.forEach((entry, index) => {
      const place = `${path}[${index}]`
      if (!endsOpen) this.refuse("automation.step_unreachable", place)
      const checked = this.step(entry, place, level)
      if (checked === null) return
      steps.push(checked.step)
      endsOpen &&= checked.endsOpen
    })
    return { steps, endsOpen }
  }

  step(
    value: unknown,
    path: string,
    level: number
  ): { readonly step: Step; readonly endsOpen: boolean } | null {
    const given = this.fields(value, path)
    if (given === null) return null
    if (++this.count > maxSteps) {
      if (this.count === maxSteps + 1) this.refuse("automation.too_many_steps", path, { max: maxSteps })
      return null
    }
    const id = this.text(given["id"], `${path}.id`, 64) ?? ""
    if (!stepId.test(id)) this.refuse("automation.step_id_invalid", `${path}.id`)
    else if (this.ids.has(id)) this.refuse("automation.step_id_duplicate", `${path}.id`)
    this.ids.add(id)
    const kind = stepKinds.find((known) => known === given["kind"])
    switch (kind) {
      case undefined:
        this.refuse("automation.step_kind_unknown", `${path}.kind`)
        return null
      case "SendEmail":
        return { step: this.sendEmail(id, given, path), endsOpen: true }
      case "Wait":
        return {
          step: { id, kind, duration: this.duration(given["duration"], `${path}.duration`) },
          endsOpen: true
        }
      case "WaitUntil":
        return { step: this.waitUntil(id, given, path), endsOpen: true }
      case "UpdateContact":
        return { step: this.updateContact(id, given, path), endsOpen: true }
      case "Webhook":
        return { step: { id, kind, url: this.url(given["url"], `${path}.url`) }, endsOpen: true }
      case "Exit":
        return { step: { id, kind }, endsOpen: false }
      case "WaitForEvent":
      case "Branch": {
        const then = this.steps(given["then"], `${path}.then`, level + 1)
        const otherwise = this.steps(given["else"], `${path}.else`, level + 1)
        const lists = { then: then.steps, else: otherwise.steps }
        const endsOpen = then.endsOpen || otherwise.endsOpen
        if (kind === "Branch") {
          const condition = this.filter(given["condition"], `${path}.condition`, "contact too")
          return { step: { id, kind, condition, ...lists }, endsOpen }
        }
        const timeout = this.duration(given["timeout"], `${path}.timeout`)
        return { step: { id, kind, ...this.event(given, path), timeout, ...lists }, endsOpen }
      }
      case "Split":
        return this.split(id, given, path, level)
    }
  }

  split(id: string, given: Fields, path: string, level: number) {
    const entries = this.list(given["paths"], `${path}.paths`)
    if (entries.length < 2 || entries.length > maxPaths) {
      this.refuse("automation.paths_invalid", `${path}.paths`, { min: 2, max: maxPaths })
      return { step: { id, kind: "Split", paths: [] } satisfies Step, endsOpen: true }
    }
    let endsOpen = false
    const paths = entries.map((entry, index) => {
      const place = `${path}.paths[${index}]`
      const fields = this.fields(entry, place) ?? {}
      const weight = fields["weight"]
      const isWeight = typeof weight === "number" && weight >= 0 && weight <= 1_000_000
      if (!isWeight) this.refuse("automation.weight_invalid", `${place}.weight`)
      const list = this.steps(fields["steps"], `${place}.steps`, level + 1)
      endsOpen ||= list.endsOpen
      return { weight: isWeight ? weight : 1, steps: list.steps }
    })
    if (paths.every(({ weight }) => weight === 0)) {
      this.refuse("automation.weight_invalid", `${path}.paths[0].weight`)
    }
    return { step: { id, kind: "Split", paths } satisfies Step, endsOpen }
  }
}
