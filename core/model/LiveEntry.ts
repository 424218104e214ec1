/**
 * The changes that the live stream of an account shows (docs/contributing/dashboard.md 4, "Stream").
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
  /** The item that changed, which readers of the entry look up; for a notification, its own id. */
  readonly itemId: string
  /** The notification, or the request as JSON; null for other topics, whose items are looked up. */
  readonly body: string | null
  /** Identifies something that happens only once: further entries with the same key are left out. Null if it may repeat. */
  readonly onceKey: string | null
}

/** A stored change. */
export interface LiveEntry extends Omit<NewLiveEntry, "onceKey"> {
  /** Its number in the account, one higher than that of the previous entry. */
  readonly number: number
}

/** The number of entries of an account that are kept. */
export const maxLiveEntries = 1_000

/** How long entries are kept, and how long changes are stored after an account's last stream ended, milliseconds. */
export const liveKeptMillis = 300_000

/** The most streams of an account at the same time. */
export const maxStreams = 20
