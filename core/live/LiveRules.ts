/**
 * Decides where a stream continues, and what it shows of several changes of one item (docs/contributing/dashboard.md 4,
 * "Stream").
 *
 * @module
 */
import type { LiveChange, LiveEntry } from "../model/LiveEntry.ts"
import type { LiveRead } from "../ports/LiveEntries.ts"

/** The number of an id that a client sends to resume; -1, behind which nothing is kept, for what is none. */
export const parseEventId = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : -1)

/** Whether something behind a number is missing: entries were removed, or it is of another numbering. */
export const isBroken = (after: number, { entries, floor, last }: LiveRead): boolean => {
  if (after < floor || after > last) return true
  const first = entries[0]
  return first === undefined ? after < last : first.number !== after + 1
}

/** The latest change of each item, at the place of that change; one that was made meanwhile is shown as made. */
export const coalesced = (entries: ReadonlyArray<LiveEntry>): ReadonlyArray<LiveEntry> => {
  const latest = new Map<string, LiveEntry>()
  for (const entry of entries) {
    const key = `${entry.topic} ${entry.itemId}`
    const before = latest.get(key)
    const change: LiveChange = before?.change === "Created" ? "Created" : entry.change
    latest.delete(key)
    latest.set(key, { ...entry, change })
  }
  return [...latest.values()]
}
