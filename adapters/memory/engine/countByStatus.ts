/**
 * Counts rows by status.
 *
 * @module
 */

/** The number of rows with each status. */
export const countByStatus = <Status extends string>(
  all: ReadonlyArray<Status>,
  rows: Iterable<{ readonly status: Status }>
): Readonly<Record<Status, number>> => {
  const counts = Object.fromEntries(all.map((status) => [status, 0])) as Record<Status, number>
  for (const { status } of rows) counts[status]++
  return counts
}
