/**
 * Which fetches of MTA-STS policies run at the same time, and which ends so that another can begin: pure functions.
 *
 * @module
 */

/** The most policies that a process fetches at the same time. */
export const maxFetches = 20

/** A first fetch that lasts this long, milliseconds, gives its place to another domain's where all are taken. */
export const slowMillis = 1_000

/** A fetch in progress. */
export interface RunningFetch {
  /** Whose mail it was begun for. */
  readonly accountId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** How long fetches of the same domain lasted that gave their place to others, milliseconds. */
  readonly spent: number
}

/** How long a fetch keeps its place, milliseconds: each time twice what was spent, so that a slow server's policy is had in the end. */
const keptMillis = ({ spent }: RunningFetch): number => Math.max(slowMillis, 2 * spent)

/**
 * The fetches of which one can end where all places are taken and an account's mail needs another, the first to end first; none
 * where it waits. They are those of the account that has most, first those on which least was spent, then the oldest: any where it
 * has at least two more than the other account, so that no account takes the places of another, else those that have kept their
 * places for their time.
 */
export const fetchesToEnd = <Fetch extends RunningFetch>(
  running: ReadonlyArray<Fetch>,
  accountId: string,
  now: number
): ReadonlyArray<Fetch> => {
  const byAccount = Map.groupBy(running, (fetch) => fetch.accountId)
  const most = Math.max(0, ...[...byAccount.values()].map(({ length }) => length))
  const own = byAccount.get(accountId)?.length ?? 0
  return [...byAccount.values()]
    .filter(({ length }) => length === most)
    .flat()
    .filter((fetch) => most >= own + 2 || now - fetch.startedAt >= keptMillis(fetch))
    .toSorted((one, other) => one.spent - other.spent || one.startedAt - other.startedAt)
}

/** How long an account counts as waiting that does not ask again, milliseconds. */
const waitingMillis = 5_000

/** Accounts whose mail waits for a place take turns, so that none that asks more often goes before others. */
export class FetchTurns {
  /** When each last asked, epoch milliseconds; the account that waits longest first. */
  readonly #asked = new Map<string, number>()

  /** Whether an account takes one of so many places now; else it waits. */
  takes(accountId: string, places: number, now: number): boolean {
    for (const [account, at] of this.#asked) if (at + waitingMillis <= now) this.#asked.delete(account)
    let before = 0
    for (const account of this.#asked.keys()) {
      if (account === accountId) break
      before++
    }
    if (before < places) this.#asked.delete(accountId)
    else this.#asked.set(accountId, now)
    return before < places
  }
}
