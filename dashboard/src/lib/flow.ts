/**
 * The steps of a flow while a person edits them: a tree of lists. Whether a flow is valid is decided by the service.
 *
 * @module
 */

/** A step. */
export interface Step {
  readonly id: string
  readonly kind: string
  readonly [field: string]: unknown
}

type Steps = ReadonlyArray<Step>

/** The kinds of steps, in the order in which they are offered. */
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
] as const

/**
 * The path of a step: its index in its list, preceded by the index of each enclosing step and the name of the list. `[1, "then",
 * 0]` is the first step in the list `then` of the second step.
 */
export type Place = ReadonlyArray<number | string>

/** A list of steps within a step. The lists of a Split are named by their number. */
export interface NestedList {
  readonly name: string
  readonly steps: Steps
}

interface SplitPath {
  readonly weight: number
  readonly steps: Steps
}

const stepsOf = (value: unknown): Steps => (Array.isArray(value) ? (value as Steps) : [])

/** The branches of a Split. */
export const pathsOf = (step: Step): ReadonlyArray<SplitPath> =>
  Array.isArray(step["paths"]) ? (step["paths"] as ReadonlyArray<SplitPath>) : []

/** The lists within a step. */
export const listsOf = (step: Step): ReadonlyArray<NestedList> => {
  if (step.kind === "Branch" || step.kind === "WaitForEvent")
    return ["then", "else"].map((name) => ({ name, steps: stepsOf(step[name]) }))
  return step.kind === "Split"
    ? pathsOf(step).map(({ steps }, at) => ({ name: String(at), steps: stepsOf(steps) }))
    : []
}

const withListOf = (step: Step, name: string, steps: Steps): Step =>
  step.kind === "Split"
    ? { ...step, paths: pathsOf(step).map((path, at) => (String(at) === name ? { ...path, steps } : path)) }
    : { ...step, [name]: steps }

const listAt = (steps: Steps, [at, name, ...rest]: Place): Steps => {
  if (name === undefined) return steps
  const step = steps[at as number]
  const list = step === undefined ? undefined : listsOf(step).find((one) => one.name === name)
  return listAt(list?.steps ?? [], rest)
}

const withList = (steps: Steps, [at, name, ...rest]: Place, change: (list: Steps) => Steps): Steps =>
  name === undefined
    ? change(steps)
    : steps.map((step, index) => {
        if (index !== at) return step
        const list = listsOf(step).find((one) => one.name === name)?.steps ?? []
        return withListOf(step, String(name), withList(list, rest, change))
      })

const lastOf = (place: Place): number => place.at(-1) as number

/** The step at a place. */
export const stepAt = (steps: Steps, place: Place): Step | undefined => listAt(steps, place)[lastOf(place)]

/** The steps with one of them changed. */
export const withStep = (steps: Steps, place: Place, step: Step): Steps =>
  withList(steps, place, (list) => list.map((one, at) => (at === lastOf(place) ? step : one)))

/** The steps with one inserted at a place. */
export const withAdded = (steps: Steps, place: Place, step: Step): Steps =>
  withList(steps, place, (list) => list.toSpliced(lastOf(place), 0, step))

/** The steps without one of them. */
export const without = (steps: Steps, place: Place): Steps =>
  withList(steps, place, (list) => list.toSpliced(lastOf(place), 1))

/** The steps with one moved within its list, and its new place. Unchanged if it cannot move. */
export const moved = (
  steps: Steps,
  place: Place,
  by: number
): { readonly steps: Steps; readonly place: Place } => {
  const list = listAt(steps, place)
  const from = lastOf(place)
  const to = Math.max(0, Math.min(list.length - 1, from + by))
  const step = list[from]
  if (step === undefined || to === from) return { steps, place }
  return {
    steps: withList(steps, place, (one) => one.toSpliced(from, 1).toSpliced(to, 0, step)),
    place: [...place.slice(0, -1), to]
  }
}

/** The next place in the same list. */
export const placeAfter = (place: Place): Place => [...place.slice(0, -1), lastOf(place) + 1]

/** All steps with their places, from top to bottom. */
export const placesOf = (
  steps: Steps,
  before: Place = []
): ReadonlyArray<readonly [place: Place, step: Step]> =>
  steps.flatMap((step, at) => [
    [[...before, at], step] as const,
    ...listsOf(step).flatMap((list) => placesOf(list.steps, [...before, at, list.name]))
  ])

/** The names of steps by id, as lists show them: the kind and the detail, and the id if other steps would have the same name. */
export const stepNames = (
  steps: Steps,
  kinds: Readonly<Record<string, string>>,
  details: ReadonlyMap<string, string>
): ReadonlyMap<string, string> => {
  const named = placesOf(steps).map(([, { id, kind }]) => {
    const detail = details.get(id) ?? ""
    return { id, name: `${kinds[kind] ?? kind}${detail === "" ? "" : `: ${detail}`}` }
  })
  const counts = Map.groupBy(named, ({ name }) => name)
  return new Map(
    named.map(({ id, name }) => [id, (counts.get(name)?.length ?? 0) > 1 ? `${name} (${id})` : name])
  )
}

/** A placeholder for a moved step, while its target is located. */
const gone: Step = { id: "", kind: "" }

/** The steps with one moved to a place in any list, and its new place. Unchanged if the target is within the step itself. */
export const relocated = (
  steps: Steps,
  from: Place,
  to: Place
): { readonly steps: Steps; readonly place: Place } => {
  const step = stepAt(steps, from)
  const isWithin = to.length > from.length && from.every((part, at) => part === to[at])
  if (step === undefined || isWithin) return { steps, place: from }
  const marked = withAdded(withStep(steps, from, gone), to, step)
  const placeOf = (all: Steps, wanted: Step) => placesOf(all).find(([, one]) => one === wanted)![0]
  const next = without(marked, placeOf(marked, gone))
  const place = placeOf(next, step)
  return place.join() === from.join() ? { steps, place } : { steps: next, place }
}

/**
 * The target of a sideways move: the next or previous branch of the enclosing step. Beyond the last branch it is a neighbouring
 * step's first branch, and before the first branch it is the place after the enclosing step. Null if there is none.
 */
export const placeBeside = (steps: Steps, place: Place, by: -1 | 1): Place | null => {
  const around = place.slice(0, -2)
  const parent = around.length === 0 ? undefined : stepAt(steps, around)
  if (parent !== undefined) {
    const lists = listsOf(parent)
    const beside = lists[lists.findIndex(({ name }) => name === place.at(-2)) + by]
    if (beside !== undefined) return [...around, beside.name, beside.steps.length]
  }
  if (by < 0) return parent === undefined ? null : placeAfter(around)
  for (const at of [lastOf(place) + 1, lastOf(place) - 1]) {
    const neighbour = [...place.slice(0, -1), at]
    const step = stepAt(steps, neighbour)
    const [first] = step === undefined ? [] : listsOf(step)
    if (first !== undefined) return [...neighbour, first.name, first.steps.length]
  }
  return null
}

/** The ids of all steps, including nested ones. */
export const idsOf = (steps: Steps): ReadonlyArray<string> =>
  steps.flatMap((step) => [step.id, ...listsOf(step).flatMap((list) => idsOf(list.steps))])

/** An id that is not taken, such as `wait_2`. */
export const freshId = (kind: string, taken: ReadonlySet<string>): string => {
  const base = kind.replaceAll(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase()
  for (let number = 1; ; number += 1) {
    const id = `${base}_${number}`
    if (!taken.has(id)) return id
  }
}

/** A copy of a step, to be added to `steps`. The copy and the steps within it get new ids. */
export const copyOf = (step: Step, steps: Steps): Step => {
  const taken = new Set(idsOf(steps))
  const renamed = (one: Step): Step => {
    const id = freshId(one.kind, taken)
    taken.add(id)
    return listsOf(one).reduce<Step>(
      (copy, { name, steps: list }) => withListOf(copy, name, list.map(renamed)),
      { ...one, id }
    )
  }
  return renamed(step)
}

/** A new step. */
export const newStep = (kind: string, steps: Steps): Step => {
  const step = { id: freshId(kind, new Set(idsOf(steps))), kind }
  switch (kind) {
    case "SendEmail":
      return {
        ...step,
        purpose: "Marketing",
        templateId: null,
        subject: "",
        html: "",
        text: null,
        topic: null
      }
    case "Wait":
      return { ...step, duration: "P1D" }
    case "WaitUntil":
      return { ...step, at: null, time: "09:00", timeZone: "UTC", timeZoneAttribute: null }
    case "WaitForEvent":
      return { ...step, name: "", filter: null, timeout: "P2D", then: [], else: [] }
    case "Branch":
      return { ...step, condition: { join: "All", rules: [] }, then: [], else: [] }
    case "Split":
      return {
        ...step,
        paths: [
          { weight: 1, steps: [] },
          { weight: 1, steps: [] }
        ]
      }
    case "UpdateContact":
      return { ...step, attributes: {}, topics: {}, tags: { add: [], remove: [] } }
    case "Webhook":
      return { ...step, url: "https://" }
    default:
      return step
  }
}

/** The path of a step in the service's notation, such as `steps[2].then[0]`. */
export const pathOf = (steps: Steps, [at, name, ...rest]: Place, before = "steps"): string => {
  const here = `${before}[${at}]`
  if (name === undefined) return here
  const step = steps[at as number]
  const list = step === undefined ? [] : (listsOf(step).find((one) => one.name === name)?.steps ?? [])
  return pathOf(list, rest, step?.kind === "Split" ? `${here}.paths[${name}].steps` : `${here}.${name}`)
}

/** The place of the innermost step that contains a field of the API; null if no step does. */
export const placeOfField = (steps: Steps, field: string): Place | null =>
  placesOf(steps)
    .map(([place]) => ({ place, path: pathOf(steps, place) }))
    .filter(({ path }) => field.startsWith(`${path}.`))
    .toSorted((one, other) => other.path.length - one.path.length)[0]?.place ?? null

/** An ISO 8601 timestamp as the value of a date-time field in the browser's time zone; empty if there is none. */
export const localOf = (point: string): string => {
  const at = new Date(point)
  if (Number.isNaN(at.getTime())) return ""
  const two = (value: number): string => String(value).padStart(2, "0")
  const day = [String(at.getFullYear()).padStart(4, "0"), two(at.getMonth() + 1), two(at.getDate())].join("-")
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The ISO 8601 timestamp of such a field's value; empty if there is none. */
export const pointOf = (local: string): string => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? "" : at.toISOString()
}

/** The units in which a duration is entered. */
export const units = ["M", "H", "D", "W"] as const

/** A unit: minutes, hours, days, weeks. */
export type Unit = (typeof units)[number]

/** The number and unit of an ISO 8601 duration; null if it has several units. */
export const amountOf = (duration: unknown): { readonly amount: number; readonly unit: Unit } | null => {
  const [, days, unitOfDays, times, unitOfTimes] =
    /^P(?:(\d{1,6})([DW])|T(\d{1,6})([HM]))$/.exec(String(duration)) ?? []
  const unit = unitOfDays ?? unitOfTimes
  return unit === undefined ? null : { amount: Number(days ?? times), unit: unit as Unit }
}

/** The ISO 8601 duration of a number of units. */
export const durationOf = (amount: number, unit: Unit): string =>
  unit === "D" || unit === "W" ? `P${amount}${unit}` : `PT${amount}${unit}`
