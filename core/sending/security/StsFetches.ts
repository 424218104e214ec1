/**
 * Decides which fetches of MTA-STS policies run at the same time, and which fetch ends so that another can begin: pure
 * functions.
 *
 * @module
 */

/** The maximum number of policies that a process fetches at the same time. */
export const maxFetches = 20

/** A first fetch that has taken this long, milliseconds, is ended in favour of another domain's if all places are taken. */
export const slowMillis = 1_000

/** A fetch in progress. */
export interface RunningFetch {
  /** The account for whose mail it was started. */
  readonly accountId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** How long earlier fetches of the same domain took before they were ended in favour of others, milliseconds. */
  readonly spent: number
}

/**
 * How long a fetch keeps its place, milliseconds: at least twice the time already spent on the domain, so that even a slow
 * server's policy is fetched in the end.
 */
const keptMillis = ({ spent }: RunningFetch): number => Math.max(slowMillis, 2 * spent)

/**
 * If all places are taken and an account's mail needs a fetch, returns the fetches that can end, in the order in which they
 * should; empty if the account must wait. They are fetches of the account that has the most. If it has at least two more than
 * the other account, any of its fetches can end, so that no account takes up another's places; otherwise only fetches that
 * have used up their time. Fetches with the least time spent come first, then the oldest.
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

/** How long an account that does not ask again counts as waiting, milliseconds. */
const waitingMillis = 5_000

/** Gives free places to accounts in turn, so that an account that asks more often does not precede others. */
export class FetchTurns {
  /** When each account last asked, epoch milliseconds; the account that has waited longest first. */
  readonly #asked = new Map<string, number>()

  /** Whether an account takes one of the free places now. Otherwise it waits. */
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
