/**
 * Decides where a stream resumes, and how it shows several changes of one item (docs/management-api.md "Stream").
 *
 * @module
 */
import type { LiveChange, LiveEntry } from "../model/LiveEntry.ts"
import type { LiveRead } from "../ports/LiveEntries.ts"

/** The number in an id that a client sends to resume. An invalid id gives -1, which cannot be resumed from. */
export const parseEventId = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : -1)

/** Whether entries after a number are missing, because they were removed or the number is of an earlier numbering. */
export const isBroken = (after: number, { entries, floor, last }: LiveRead): boolean => {
  if (after < floor || after > last) return true
  const first = entries[0]
  return first === undefined ? after < last : first.number !== after + 1
}

/** Keeps only the latest change of each item, in its position. An item created among these entries is shown as Created. */
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
