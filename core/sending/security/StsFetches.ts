/**
 * Which fetches of MTA-STS policies run at the same time, and which ends so that another can begin: pure functions.
 *
 * @module
 */

/** The most policies that a process fetches at the same time. */
export const maxFetches = 20

/** A fetch that lasts this long, milliseconds, gives its place to another domain's where all are taken. */
export const slowMillis = 1_000

/** A fetch in progress. */
export interface RunningFetch {
  /** Whose mail it was begun for. */
  readonly accountId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
}

/**
 * The fetch that ends where all places are taken and an account's mail needs another; null where that one waits. It is one of the
 * account that has most: its oldest where it has at least two more than the other account, so that no account takes the places
 * of another, else its oldest that is slow.
 */
export const fetchToEnd = <Fetch extends RunningFetch>(
  running: ReadonlyArray<Fetch>,
  accountId: string,
  now: number
): Fetch | null => {
  const byAccount = Map.groupBy(running, (fetch) => fetch.accountId)
  const most = Math.max(0, ...[...byAccount.values()].map(({ length }) => length))
  const own = byAccount.get(accountId)?.length ?? 0
  const [oldest = null] = [...byAccount.values()]
    .filter(({ length }) => length === most)
    .flat()
    .toSorted((one, other) => one.startedAt - other.startedAt)
  const isSlow = oldest !== null && now - oldest.startedAt >= slowMillis
  return most >= own + 2 || isSlow ? oldest : null
}
