/**
 * Says in words what the timeline of a person shows.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words of the events that the service and stores report. */
interface TimelineWords {
  readonly events: Names
  /** Of their properties; others are not shown. */
  readonly properties: Names
}

interface Event {
  readonly name: string
  readonly source: string
}

/** How many properties of an event are shown. */
const maxProperties = 4

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The name of an event; those that a program reported have its own names. */
export const eventName = ({ name, source }: Event, { events }: TimelineWords): string =>
  source === "Api" ? name : (events[name] ?? name)

/**
 * What is worth reading of an event: neither what is nested, nor ids of the service, nor of the service's own events what has
 * no name; null for nothing. A total is an amount of the event's currency.
 */
export const eventSummary = (
  { name, properties, source }: Event & { readonly properties: Readonly<Record<string, unknown>> },
  { events, properties: names }: TimelineWords,
  format: {
    readonly number: (value: number) => string
    readonly money: (amount: number, currency: string) => string
  }
): string | null => {
  const isKnown = source !== "Api" && events[name] !== undefined
  const { currency, total } = properties
  const isAmount = isKnown && typeof total === "number" && typeof currency === "string"
  const parts = Object.entries(properties)
    .filter(
      ([key, value]) =>
        typeof value !== "object" &&
        !(typeof value === "string" && isId.test(value)) &&
        !(isKnown && names[key] === undefined) &&
        !(isAmount && key === "currency")
    )
    .slice(0, maxProperties)
    .map(([key, value]) => {
      const shown =
        isAmount && key === "total"
          ? format.money(total, currency)
          : typeof value === "number"
            ? format.number(value)
            : String(value)
      return `${isKnown ? names[key] : key}: ${shown}`
    })
  return parts.length === 0 ? null : parts.join(" · ")
}
