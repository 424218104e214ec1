/**
 * Validates the definition of a flow. It accepts any JSON and reports each issue with the path of its field, such as
 * `steps[2].then[0].duration`.
 *
 * Source: docs/contributing/decisions.md 4, docs/contributing/public-api.md "Flow run".
 *
 * @module
 */
import { formats } from "../../shared/Validate.ts"
import { Result } from "effect"
import { isUuid } from "../../shared/Uuid.ts"
import { Problem, valueDetail } from "../../shared/Problem.ts"
import {
  type EventMatch,
  type FlowDefinition,
  type FlowTrigger,
  segmentMoves,
  type Step,
  stepKinds
} from "../../model/FlowDefinition.ts"
import { type Fields, type FlowScope, noEvent, PartReader } from "./PartReader.ts"
import { StepReader } from "./StepReader.ts"

/** The most stop events of a flow (docs/contributing/public-api.md "Limits"). */
export const maxStopEvents = 10
/** The most steps of a flow, including nested ones. */
export const maxSteps = 200
/** The most levels of nested steps. */
export const maxLevels = 10
/** The most characters of a definition, as compact JSON. */
export const maxDefinition = 1_000_000
/** The most paths of a Split. */
export const maxPaths = 10

/** The fields of each kind of step, in addition to `id` and `kind`. */
const settings: Readonly<Record<Step["kind"], ReadonlyArray<string>>> = {
  SendEmail: ["purpose", "templateId", "subject", "html", "text", "topic"],
  Wait: ["duration"],
  WaitUntil: ["at", "time", "timeZone", "timeZoneAttribute"],
  UpdateContact: ["attributes", "topics", "tags"],
  Webhook: ["url"],
  Exit: [],
  WaitForEvent: ["name", "filter", "timeout", "then", "else"],
  Branch: ["condition", "then", "else"],
  Split: ["paths"]
}

/** NUL and lone surrogates in JSON escapes, which cannot be stored. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i
const stepId = /^[A-Za-z0-9_-]{1,64}$/

/** A submitted flow, not yet validated. */
export interface FlowWrite {
  readonly trigger?: unknown
  readonly stopEvents?: unknown
  readonly steps?: unknown
}

/** The ids of all templates that the steps of a submitted flow use, in lower case. */
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

/** Validates a submitted flow. Returns its definition, or a problem with all issues found. */
export const validateFlow = (write: FlowWrite, scope: FlowScope): Result.Result<FlowDefinition, Problem> =>
  new FlowValidator(scope).validate(write)

/** A list of steps, and whether a run can continue after it. */
interface StepList {
  readonly steps: ReadonlyArray<Step>
  readonly endsOpen: boolean
}

/** Validates one definition. */
class FlowValidator {
  readonly #parts: PartReader
  readonly #steps: StepReader
  readonly #ids = new Set<string>()
  #count = 0

  constructor(scope: FlowScope) {
    this.#parts = new PartReader(scope)
    this.#steps = new StepReader(this.#parts)
  }

  validate({ steps, stopEvents, trigger }: FlowWrite): Result.Result<FlowDefinition, Problem> {
    const json = JSON.stringify([trigger, stopEvents, steps])
    if (json.length > maxDefinition) {
      return Result.fail(Problem.of("automation.flow_too_large", "steps", { max: maxDefinition }))
    }
    const definition: FlowDefinition = {
      trigger: this.#trigger(trigger),
      stopEvents: this.#stopEvents(stopEvents),
      steps: this.#stepList(steps, "steps", 1).steps
    }
    const { issues } = this.#parts
    if (issues.count === 0 && unstorable.test(json))
      this.#parts.reject("validation.format", "steps", null, { expected: formats.storable })
    const { problem } = issues
    return problem === undefined ? Result.succeed(definition) : Result.fail(problem)
  }

  #trigger(value: unknown): FlowTrigger {
    const given = this.#parts.fields(value, "trigger")
    if (given === null) return { kind: "Api" }
    if (given["kind"] === "Segment") return this.#segmentTrigger(given)
    this.#parts.only(given, "trigger", ["kind", "name", "filter"])
    if (given["kind"] === "Event") return { kind: "Event", ...this.#parts.event(given, "trigger") }
    if (given["kind"] !== "Api")
      this.#parts.reject("automation.trigger_kind_invalid", "trigger.kind", null, valueDetail(given["kind"]))
    return { kind: "Api" }
  }

  #segmentTrigger(given: Fields): FlowTrigger {
    this.#parts.only(given, "trigger", ["kind", "segmentId", "on", "includePresent"])
    const segmentId = this.#parts.string(given["segmentId"], "trigger.segmentId", 64)?.toLowerCase() ?? ""
    if (segmentId === "") this.#parts.reject("validation.required", "trigger.segmentId")
    else if (!this.#parts.scope.segmentIds.has(segmentId))
      this.#parts.reject("segments.not_found", "trigger.segmentId")
    const on = segmentMoves.find((move) => move === given["on"])
    if (on === undefined)
      this.#parts.reject("validation.format", "trigger.on", null, { expected: segmentMoves.join(" or ") })
    const { includePresent = false } = given
    if (typeof includePresent !== "boolean")
      this.#parts.reject("validation.type", "trigger.includePresent", null, { expected: "true or false" })
    else if (includePresent && on === "Leave")
      this.#parts.reject("validation.format", "trigger.includePresent", null, {
        expected: "false where on is Leave"
      })
    return { kind: "Segment", segmentId, on: on ?? "Enter", includePresent: includePresent === true }
  }

  #stopEvents(value: unknown): ReadonlyArray<EventMatch> {
    const given = this.#parts.list(value, "stopEvents")
    if (given.length > maxStopEvents) {
      this.#parts.reject("automation.too_many_stop_events", "stopEvents", { max: maxStopEvents })
      return []
    }
    return given.map((entry, index) => {
      const path = `stopEvents[${index}]`
      const fields = this.#parts.fields(entry, path)
      if (fields === null) return noEvent
      this.#parts.only(fields, path, ["name", "filter"])
      return this.#parts.event(fields, path)
    })
  }

  #stepList(value: unknown, path: string, level: number): StepList {
    const given = this.#parts.list(value, path)
    if (level > maxLevels) {
      if (given.length > 0) this.#parts.reject("automation.too_deep", path, { max: maxLevels })
      return { steps: [], endsOpen: true }
    }
    if (given.length > maxSteps) {
      this.#parts.reject("automation.too_many_steps", path, { max: maxSteps })
      return { steps: [], endsOpen: true }
    }
    const steps: Array<Step> = []
    let endsOpen = true
    given.forEach((entry, index) => {
      const entryPath = `${path}[${index}]`
      if (!endsOpen) this.#parts.reject("automation.step_unreachable", entryPath)
      const read = this.#step(entry, entryPath, level)
      if (read === null) return
      steps.push(read.step)
      endsOpen &&= read.endsOpen
    })
    return { steps, endsOpen }
  }

  #step(
    value: unknown,
    path: string,
    level: number
  ): { readonly step: Step; readonly endsOpen: boolean } | null {
    const given = this.#parts.fields(value, path)
    if (given === null) return null
    if (++this.#count > maxSteps) {
      if (this.#count === maxSteps + 1)
        this.#parts.reject("automation.too_many_steps", path, { max: maxSteps })
      return null
    }
    const id = this.#parts.string(given["id"], `${path}.id`, 64) ?? ""
    if (!stepId.test(id))
      this.#parts.reject("automation.step_id_invalid", `${path}.id`, null, valueDetail(id))
    else if (this.#ids.has(id))
      this.#parts.reject("automation.step_id_duplicate", `${path}.id`, null, { value: id })
    this.#ids.add(id)
    const kind = stepKinds.find((known) => known === given["kind"])
    if (kind !== undefined) this.#parts.only(given, path, ["id", "kind", ...settings[kind]])
    switch (kind) {
      case undefined:
        this.#parts.reject("automation.step_kind_unknown", `${path}.kind`, null, {
          value: typeof given["kind"] === "string" ? given["kind"] : "This",
          known: stepKinds.join(", ")
        })
        return null
      case "SendEmail":
        return { step: this.#steps.sendEmail(id, given, path), endsOpen: true }
      case "Wait":
        return {
          step: { id, kind, duration: this.#steps.duration(given["duration"], `${path}.duration`) },
          endsOpen: true
        }
      case "WaitUntil":
        return { step: this.#steps.waitUntil(id, given, path), endsOpen: true }
      case "UpdateContact":
        return { step: this.#steps.updateContact(id, given, path), endsOpen: true }
      case "Webhook":
        return { step: { id, kind, url: this.#steps.url(given["url"], `${path}.url`) }, endsOpen: true }
      case "Exit":
        return { step: { id, kind }, endsOpen: false }
      case "WaitForEvent":
      case "Branch": {
        const then = this.#stepList(given["then"], `${path}.then`, level + 1)
        const otherwise = this.#stepList(given["else"], `${path}.else`, level + 1)
        const lists = { then: then.steps, else: otherwise.steps }
        const endsOpen = then.endsOpen || otherwise.endsOpen
        if (kind === "Branch") {
          const condition = this.#parts.filter(given["condition"], `${path}.condition`, "contact too")
          return { step: { id, kind, condition, ...lists }, endsOpen }
        }
        const timeout = this.#steps.duration(given["timeout"], `${path}.timeout`)
        return { step: { id, kind, ...this.#parts.event(given, path), timeout, ...lists }, endsOpen }
      }
      case "Split":
        return this.#split(id, given, path, level)
    }
  }

  #split(id: string, given: Fields, path: string, level: number) {
    const entries = this.#parts.list(given["paths"], `${path}.paths`)
    if (entries.length < 2 || entries.length > maxPaths) {
      this.#parts.reject("automation.paths_invalid", `${path}.paths`, { min: 2, max: maxPaths })
      return { step: { id, kind: "Split", paths: [] } satisfies Step, endsOpen: true }
    }
    let endsOpen = false
    const paths = entries.map((entry, index) => {
      const entryPath = `${path}.paths[${index}]`
      const fields = this.#parts.fields(entry, entryPath) ?? {}
      this.#parts.only(fields, entryPath, ["weight", "steps"])
      const weight = fields["weight"]
      const isWeight = typeof weight === "number" && weight >= 0 && weight <= 1_000_000
      if (!isWeight)
        this.#parts.reject("automation.weight_invalid", `${entryPath}.weight`, null, valueDetail(weight))
      const list = this.#stepList(fields["steps"], `${entryPath}.steps`, level + 1)
      endsOpen ||= list.endsOpen
      return { weight: isWeight ? weight : 1, steps: list.steps }
    })
    if (paths.every(({ weight }) => weight === 0)) {
      this.#parts.reject("automation.weight_invalid", `${path}.paths[0].weight`)
    }
    return { step: { id, kind: "Split", paths } satisfies Step, endsOpen }
  }
}
