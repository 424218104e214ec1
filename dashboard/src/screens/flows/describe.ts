/**
 * Describes the trigger of a flow, and the colours of its states.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"
import type { Texts } from "../../texts/en.ts"

/** The colour of each state. */
export const flowTones: Readonly<Record<string, Tone>> = {
  Published: "good",
  Paused: "warning"
}

/** The colour of each state of a run. */
export const runTones: Readonly<Record<string, Tone>> = { Active: "accent", Completed: "good", Failed: "bad" }

type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The trigger of a flow in a few words. `segments` maps ids to names of segments. */
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
