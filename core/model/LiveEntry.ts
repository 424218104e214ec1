/**
 * What the stream of an account shows as it happens (docs/contributing/dashboard.md 4, "Stream").
 *
 * @module
 */

/** The topics whose entries are stored for streams. */
export const liveTopics = ["emails", "events", "requests", "notifications", "jobs"] as const

/** A topic whose entries are stored for streams. */
export type LiveTopic = (typeof liveTopics)[number]

/** What happened to an item. */
export type LiveChange = "Created" | "Updated"

/** A change to store for streams. */
export interface NewLiveEntry {
  readonly topic: LiveTopic
  readonly change: LiveChange
  /** The item that changed, which readers of the entry look up; of a notification, its own id. */
  readonly itemId: string
  /** The notification, or the request as JSON; null for other topics, whose items are looked up. */
  readonly body: string | null
  /** What happens once: a further entry with the same one is left out. Null for what may repeat. */
  readonly onceKey: string | null
}

/** A stored change. */
export interface LiveEntry extends Omit<NewLiveEntry, "onceKey"> {
  /** Its number in the account: each is one more than the one before. */
  readonly number: number
}

/** How many entries of an account are kept. */
export const maxLiveEntries = 1_000

/** How long entries are kept, and stored after the last stream of the account ended, milliseconds. */
export const liveKeptMillis = 300_000

/** The most streams of an account. */
export const maxStreams = 20
