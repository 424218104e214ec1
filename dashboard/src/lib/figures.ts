/**
 * Adds an account's daily counts up to the figures that the screens show.
 *
 * @module
 */

/** The counts of a day, as returned by the API. */
export interface Day {
  readonly date: string
  readonly emails: Readonly<Record<string, number>>
  readonly opens: number
  readonly opensByMachines: number
  readonly clicks: number
  readonly events: number
  readonly runs: Readonly<Record<string, number>>
  /** Only present after `withResponses`. */
  readonly complained?: number
  readonly conversions?: number
}

/** Responses to the emails of one day and source, as returned by the API. */
export interface Response {
  readonly at: string
  readonly complained: number
  readonly conversions: number
}

/** The figures, in the order of display. */
export const figureNames = [
  "sent",
  "delivered",
  "bounced",
  "complained",
  "openedByPeople",
  "openedByMachines",
  "clicked",
  "conversions",
  "events",
  "runs"
] as const

/** The name of a figure. */
export type FigureName = (typeof figureNames)[number]

/** Numbers by figure. */
export type Figures = Readonly<Record<FigureName, number>>

/** The states of an email that has left the service, whether or not its outcome is known. */
const left = ["sent", "accepted", "delivered", "bounced", "unknown"]

const sumOf = (counts: Readonly<Record<string, number>>, names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0)

/** The figures of a day. */
export const figuresOf = ({
  clicks,
  complained = 0,
  conversions = 0,
  emails,
  events,
  opens,
  opensByMachines,
  runs
}: Day): Figures => ({
  sent: sumOf(emails, left),
  delivered: emails["delivered"] ?? 0,
  bounced: emails["bounced"] ?? 0,
  complained,
  openedByPeople: opens,
  openedByMachines: opensByMachines,
  clicked: clicks,
  conversions,
  events,
  runs: sumOf(runs, Object.keys(runs))
})

/** The totals of several days. */
export const totalOf = (days: ReadonlyArray<Day>): Figures => {
  const all = days.map(figuresOf)
  return Object.fromEntries(
    figureNames.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)])
  ) as Figures
}

/** The days in chronological order. */
export const byTime = <D extends Day>(days: ReadonlyArray<D>): ReadonlyArray<D> =>
  days.toSorted((a, b) => (a.date < b.date ? -1 : 1))

/** The daily counts in a response; empty if it has counts of another kind. */
export const daysOf = <D extends Day>(
  stats:
    | { readonly days: number; readonly items: ReadonlyArray<D> }
    | { readonly items: ReadonlyArray<object> }
    | undefined
): ReadonlyArray<D> => (stats !== undefined && "days" in stats ? stats.items : [])

/** The responses by day and source; empty if the API returned daily counts. */
export const responsesOf = <R extends Response>(
  stats:
    | { readonly days: number; readonly items: ReadonlyArray<object> }
    | { readonly items: ReadonlyArray<R> }
    | undefined
): ReadonlyArray<R> => (stats === undefined || "days" in stats ? [] : stats.items)

/** Adds the responses of each day, summed over all sources, to the days. */
export const withResponses = (
  days: ReadonlyArray<Day>,
  responses: ReadonlyArray<Response>
): ReadonlyArray<Day> => {
  const byDate = Map.groupBy(responses, ({ at }) => at.slice(0, 10))
  return days.map((day) => {
    const own = byDate.get(day.date) ?? []
    return {
      ...day,
      complained: own.reduce((sum, { complained }) => sum + complained, 0),
      conversions: own.reduce((sum, { conversions }) => sum + conversions, 0)
    }
  })
}
