/**
 * Describes the events of a person's timeline in words.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words for events that the service and stores report. */
interface TimelineWords {
  readonly events: Names
  /** Names of their properties. Properties without a name are not shown. */
  readonly properties: Names
}

interface Event {
  readonly name: string
  readonly source: string
}

/** The most properties of an event that are shown. */
const maxProperties = 4

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The name of an event. An event reported by the customer's program keeps its own name. */
export const eventName = ({ name, source }: Event, { events }: TimelineWords): string =>
  source === "Api" ? name : (events[name] ?? name)

/**
 * The properties of an event worth showing; null if there are none. Nested values and internal ids are left out, and so are
 * properties without a name if the event is the service's own. A `total` is shown as an amount in the event's currency.
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
