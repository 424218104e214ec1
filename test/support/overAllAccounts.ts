/**
 * The tables that belong to no account, and the statements that are about the rows of all accounts, with what Citus does with
 * each: `docs/scale.md` shows it.
 *
 * @module
 */

/** How a table without accounts is kept in Citus. */
type GlobalPlace = "reference" | "coordinator"

/** What Citus does with a statement over all accounts. */
export const citusAnswers = {
  /** Each shard finds its part, and the coordinator merges them. */
  merged: "runs on every shard, and the coordinator merges the results",
  /** It locks rows of several shards, which Citus refuses. */
  refused: "is refused, since it locks rows of several shards: it has to run for each shard by itself",
  /** A place means another row in each shard. */
  rewritten: "changes wrong rows, since a place means another row in each shard: it has to name their keys"
} as const

interface OverAllAccounts {
  /** As the table of the page names it. */
  readonly purpose: string
  /** Matches the tables that it reads so, a colon and its text. */
  readonly statement: RegExp
  readonly citus: keyof typeof citusAnswers
}

/** Every table without `account_id`. */
export const globalTables: Readonly<Record<string, GlobalPlace>> = {}

/** Every statement that reads rows of accounts without naming their account. */
export const overAllAccounts: ReadonlyArray<OverAllAccounts> = []
