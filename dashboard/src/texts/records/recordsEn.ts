/**
 * The texts of a person's runs, topics, devices and timeline, of store events, flow versions and the API reference, in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

type Names = Readonly<Record<string, string>>

const events = (shown: string, count: number): string => `${shown} ${plural(count, "event", "events")}`

/** The texts. */
export const recordsEn = {
  runsOf: { title: "Flow runs", empty: "No flow has run for this person." },
  topicsOf: {
    title: "Topics",
    on: "On",
    off: "Off",
    chosen: "The person's choice",
    byDefault: "The topic's default",
    empty: "The account has no topics. Add one for each kind of email that people can turn off."
  },
  devices: {
    title: "Devices seen",
    text: "Where the person opened and clicked in the last 30 days.",
    kinds: { Phone: "Phone", Tablet: "Tablet", Computer: "Computer" } as Names,
    seen: (opens: string, openCount: number, clicks: string, clickCount: number) =>
      `${opens} ${plural(openCount, "open", "opens")}, ${clicks} ${plural(clickCount, "click", "clicks")}`,
    empty:
      "No device was seen. Mail programs that load images by a proxy, such as Gmail, show none until a link is clicked."
  },
  startFlow: {
    title: "Start a flow",
    text: (name: string) =>
      `Starts the published version for ${name}, without the flow's trigger and filter. Its emails still need consent.`,
    flow: "Flow",
    none: "No flow is published. Publish one first.",
    start: "Start",
    done: (flow: string) => `${flow} was started`
  },
  timeline: {
    events: {
      "cart.abandoned": "Cart abandoned",
      "conversion.attributed": "Conversion",
      "contact.subscribed": "Subscribed",
      "email.clicked": "Link clicked",
      "email.opened": "Email opened",
      "email.sent": "Campaign email sent",
      "order.cancelled": "Order cancelled",
      "order.paid": "Order paid",
      "order.placed": "Order placed",
      "order.refunded": "Order refunded"
    } as Names,
    properties: {
      currency: "Currency",
      lineCount: "Lines",
      number: "Number",
      total: "Total",
      url: "Link"
    } as Names
  },
  storeEvents: {
    title: "Store events",
    event: "Event",
    unnamed: "Event of an earlier version",
    why: "Error",
    received: "Received",
    lastEvent: "Last event",
    never: "none in 30 days",
    failed: (shown: string) => `${shown} failed`,
    state: "State",
    states: { Accepted: "Accepted", Failed: "Rejected" } as Names,
    replay: "Replay",
    replayAll: "Replay all failed",
    replayTitle: (shown: string, count: number) => `Replay ${events(shown, count)}?`,
    replayText: "A job processes them again as received. Newer changes are not overwritten by older events.",
    started: "A job replays them. See People, Jobs for its report.",
    empty: "Events appear here",
    emptyText: "Events the store reported in the last 30 days, with their outcome."
  },
  flowVersions: {
    title: "Published versions",
    version: (shown: string) => `Version ${shown}`,
    draft: "Draft",
    active: (shown: string, count: number) => `${shown} active ${plural(count, "run", "runs")}`,
    compare: "Compare",
    compareWith: "With",
    compareTitle: (before: string, after: string) => `${before} and ${after}`,
    compareText: "Lines marked - are only in the first, lines marked + only in the second.",
    same: "No differences.",
    none: "Not published yet."
  },
  reference: {
    tab: "API",
    text: "Call the API from this page with a key of this account. In a live account, calls have real effects.",
    key: "API key",
    keyHint: "Kept on this page only, until you leave it. Create one under API keys.",
    search: "Find a call",
    call: "Call",
    parameters: "Parameters",
    body: "Body",
    noJson: "This is not valid JSON.",
    send: "Send",
    answer: "Response",
    took: (milliseconds: string) => `${milliseconds} ms`,
    document: "Full reference",
    missingKey: "Enter a key first.",
    nothing: "No call matches.",
    failed: "The service cannot be reached."
  }
}

/** The shape of the texts of every language. */
export type RecordTexts = typeof recordsEn
