/**
 * Says what starts a flow, and lists its steps.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"
import type { Texts } from "../../texts/en.ts"

/** The colour of each state. */
export const flowTones: Readonly<Record<string, Tone>> = {
  Published: "good",
  Paused: "warning",
  Draft: "accent"
}

/** The colour of each state of a run. */
export const runTones: Readonly<Record<string, Tone>> = { Active: "accent", Completed: "good", Failed: "bad" }

type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** What starts a flow, in a few words. `segments` has the names of segments by id. */
export const triggerText = (
  trigger: unknown,
  { flows }: Texts,
  segments: ReadonlyMap<string, string>
): string => {
  if (!isPart(trigger)) return "–"
  const kind = text(trigger["kind"]) ?? "–"
  const name = text(trigger["name"]) ?? text(trigger["event"]) ?? text(trigger["eventName"])
  if (name !== null) return flows.triggers.Event(name)
  if (kind === "Api") return flows.triggers.Api
  if (kind === "Segment") {
    const segment = segments.get(text(trigger["segmentId"]) ?? "") ?? null
    return trigger["on"] === "Leave" ? flows.triggers.Leave(segment) : flows.triggers.Enter(segment)
  }
  if (kind === "Webhook") return flows.triggers.Webhook
  return flows.triggers.Other(kind)
}

/** The longest text that a line shows; contents of emails are longer. */
const maxText = 80

const isShort = (value: unknown): boolean =>
  ["number", "boolean"].includes(typeof value) || (typeof value === "string" && value.length <= maxText)

/** A step as a line: how deep it is below branches, and what it says. */
export interface StepLine {
  readonly id: string
  readonly kind: string
  readonly depth: number
  readonly detail: string
}

/** The steps of a flow from top to bottom; those of branches below their step. */
export const stepLines = (steps: ReadonlyArray<unknown>, depth = 0): ReadonlyArray<StepLine> =>
  steps.flatMap((step, at) => {
    if (!isPart(step)) return []
    const detail = Object.entries(step)
      .filter(([key, value]) => !["id", "kind"].includes(key) && isShort(value))
      .map(([key, value]) => `${key}: ${String(value)}`)
      .join(" · ")
    const below = Object.values(step).flatMap((value): ReadonlyArray<StepLine> => {
      if (!Array.isArray(value)) return []
      const parts = (value as ReadonlyArray<unknown>).filter(isPart)
      if (parts.some((part) => "kind" in part && "id" in part)) return stepLines(parts, depth + 1)
      return parts.flatMap((part) =>
        Array.isArray(part["steps"]) ? stepLines(part["steps"], depth + 1) : []
      )
    })
    return [{ id: text(step["id"]) ?? String(at), kind: text(step["kind"]) ?? "–", depth, detail }, ...below]
  })
