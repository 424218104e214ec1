/**
 * When deliveries to a busy destination come up again: one after the other, so that a long backlog is not looked at
 * again and again as a whole.
 *
 * @module
 */

/** Milliseconds between two that come up again: up to 500 a second are offered to a destination that was busy. */
const interval = 2
/** Times are rounded up to it, so that those of one batch are few: each different one is a statement. */
const grid = 1_000
/** The longest any is put off beyond the time its destination is busy: it may recover faster than thought. */
const longest = 300_000
/** Destinations kept in mind. Forgetting one only lets its next come up early. */
const most = 10_000

/** A function that answers when the next delivery to `domain`, busy until `until`, comes up; epoch milliseconds. */
export const makeBusyBackoff = () => {
  const ends = new Map<string, number>()
  return (domain: string, until: number): number => {
    const end = Math.min(Math.max(until, (ends.get(domain) ?? 0) + interval), until + longest)
    ends.delete(domain)
    ends.set(domain, end)
    if (ends.size > most) ends.delete(ends.keys().next().value!)
    return Math.ceil(end / grid) * grid
  }
}
