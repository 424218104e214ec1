/**
 * Renders a flow as text with one line per property, so that two versions can be compared line by line.
 *
 * @module
 */
import { listsOf, pathsOf, type Step } from "./flow.ts"
import type { Definition } from "./segment.ts"

/** The parts of a flow that are rendered. */
export interface FlowParts {
  readonly trigger: unknown
  readonly stopEvents: ReadonlyArray<unknown>
  readonly steps: ReadonlyArray<unknown>
}

type Lines = ReadonlyArray<string>

const indented = (lines: Lines): Lines => lines.map((line) => `  ${line}`)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isDefinition = (value: unknown): value is Definition => isObject(value) && Array.isArray(value["rules"])

/** The lines of a named value. Absent, null and empty values mean the same and have no lines. */
const linesOf = (name: string, value: unknown): Lines => {
  if (value === null || value === undefined || value === "") return []
  if (typeof value === "string") {
    const lines = value.replaceAll("><", ">\n<").split("\n")
    return lines.length === 1 ? [`${name}: ${value}`] : [`${name}:`, ...indented(lines)]
  }
  if (isDefinition(value)) {
    const rules = value.rules.map(({ fieldKey, operator, value: of }) =>
      [fieldKey, operator, ...(of === null || of === undefined ? [] : [JSON.stringify(of)])].join(" ")
    )
    return [`${name}: ${value.join}`, ...indented(rules)]
  }
  if (Array.isArray(value) && value.every((one) => typeof one !== "object"))
    return value.length === 0 ? [] : [`${name}: ${value.join(", ")}`]
  if (typeof value !== "object") return [`${name}: ${String(value)}`]
  const members = Object.entries(value).flatMap(([key, one]) => linesOf(key, one))
  return members.length === 0 ? [] : [`${name}:`, ...indented(members)]
}

const stepLines = (step: Step, kinds: Readonly<Record<string, string>>): Lines => {
  const { id, kind, ...rest } = step
  const lists = listsOf(step)
  const nested = new Set([...lists.map(({ name }) => name), "paths"])
  const own = Object.entries(rest).flatMap(([name, value]) => (nested.has(name) ? [] : linesOf(name, value)))
  return [
    `${kinds[kind] ?? kind} (${id})`,
    ...indented(own),
    ...lists.flatMap(({ name, steps }, at) => {
      const weight = pathsOf(step)[at]?.weight
      const title = weight === undefined ? `${name}:` : `path ${at + 1}, weight ${weight}:`
      return indented([title, ...indented(steps.flatMap((one) => stepLines(one, kinds)))])
    })
  ]
}

/** The text of a flow. `kinds` names the kinds of steps. */
export const textOfFlow = (
  { steps, stopEvents, trigger }: FlowParts,
  kinds: Readonly<Record<string, string>>
): string =>
  [
    ...linesOf("trigger", trigger),
    ...stopEvents.flatMap((event) => linesOf("stop", event)),
    ...(steps as ReadonlyArray<Step>).flatMap((step) => stepLines(step, kinds))
  ].join("\n")
