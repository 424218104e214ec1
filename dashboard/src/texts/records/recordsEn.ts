/**
 * The texts of stores' events, of versions of flows and of the API reference in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

type Names = Readonly<Record<string, string>>

const events = (shown: string, count: number): string => `${shown} ${plural(count, "event", "events")}`

/** The texts. */
export const recordsEn = {
  storeEvents: {
    title: "Events of the store",
    event: "Event",
    unnamed: "An event of an earlier version",
    why: "Why not",
    received: "Received",
    lastEvent: "Last event",
    never: "none in 30 days",
    failed: (shown: string) => `${shown} failed`,
    state: "State",
    states: { Accepted: "Accepted", Failed: "Not accepted" } as Names,
    replay: "Replay",
    replayAll: "Replay all that failed",
    replayTitle: (shown: string, count: number) => `Replay ${events(shown, count)}?`,
    replayText:
      "They are processed again as they arrived, by a job. What another event has changed since is not overwritten by an older one.",
    started: "They are replayed by a job. See People, Jobs for its report.",
    empty: "Events appear here",
    emptyText: "What the store reported in the last 30 days, with what became of it."
  },
  flowVersions: {
    title: "Published versions",
    version: (shown: string) => `Version ${shown}`,
    draft: "Draft",
    active: (shown: string, count: number) => `${shown} active ${plural(count, "run", "runs")}`,
    compare: "Compare",
    compareWith: "With",
    compareTitle: (before: string, after: string) => `${before} and ${after}`,
    compareText: "Lines with - are of the first alone, lines with + of the second.",
    same: "They do not differ.",
    none: "The flow was not published yet."
  },
  reference: {
    tab: "API",
    text: "Calls of the API from this page, with a key of this account. In a live account they do what they say.",
    key: "API key",
    keyHint: "It stays on this page and is dropped when you leave it. Make one under Keys.",
    search: "Find a call",
    call: "Call",
    parameters: "Parameters",
    body: "Body",
    noJson: "This is not JSON.",
    send: "Send",
    answer: "Answer",
    took: (milliseconds: string) => `${milliseconds} ms`,
    document: "Whole reference",
    missingKey: "Enter a key first.",
    nothing: "No call matches.",
    failed: "The service cannot be reached."
  }
}

/** The shape of the texts of every language. */
export type RecordTexts = typeof recordsEn
