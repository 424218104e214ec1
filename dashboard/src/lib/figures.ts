/**
 * Sums the daily counts of an account to the figures that people ask for.
 *
 * @module
 */

/** Counts of a day, as the API returns them. */
export interface Day {
  readonly date: string
  readonly emails: Readonly<Record<string, number>>
  readonly opens: number
  readonly opensByMachines: number
  readonly clicks: number
  readonly events: number
  readonly runs: Readonly<Record<string, number>>
  /** Added by `withResponses`. */
  readonly complained?: number
  readonly conversions?: number
}

/** What people did after emails of one day and source, as the API returns it. */
export interface Response {
  readonly at: string
  readonly complained: number
  readonly conversions: number
}

/** The figures, in the order in which they are shown. */
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

/** States of an email that has left: what became of it is known, or awaited. */
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

/** The figures of several days together. */
export const totalOf = (days: ReadonlyArray<Day>): Figures => {
  const all = days.map(figuresOf)
  return Object.fromEntries(
    figureNames.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)])
  ) as Figures
}

/** The days in order of time, whatever order they came in. */
export const byTime = <D extends Day>(days: ReadonlyArray<D>): ReadonlyArray<D> =>
  days.toSorted((a, b) => (a.date < b.date ? -1 : 1))

/** The days of the daily counts; none of what counts by something else. */
export const daysOf = <D extends Day>(
  stats:
    | { readonly days: number; readonly items: ReadonlyArray<D> }
    | { readonly items: ReadonlyArray<object> }
    | undefined
): ReadonlyArray<D> => (stats !== undefined && "days" in stats ? stats.items : [])

/** What people did after emails, by day and source; none of the daily counts. */
export const responsesOf = <R extends Response>(
  stats:
    | { readonly days: number; readonly items: ReadonlyArray<object> }
    | { readonly items: ReadonlyArray<R> }
    | undefined
): ReadonlyArray<R> => (stats === undefined || "days" in stats ? [] : stats.items)

/** Days with what people did on them, of all sources together. */
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
