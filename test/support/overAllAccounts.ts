/**
 * The tables that belong to no account, and the statements about rows of all accounts, with how Citus executes each of them.
 * `docs/scale.md` shows this list.
 *
 * @module
 */

/** How Citus stores a table without accounts. */
type GlobalPlace = "reference" | "coordinator"

/** How Citus executes a statement over all accounts. */
export const citusAnswers = {
  merged: "runs on every shard, and the coordinator merges the results",
  refused:
    "is refused, since it locks or changes rows of several shards in one statement, or is recursive: it has to run for each shard by itself",
  rewritten: "changes wrong rows, since a place means another row in each shard: it has to name their keys",
  propagated: "runs on the coordinator, and Citus repeats it on the other servers"
} as const

interface OverAllAccounts {
  /** As in the table of the page. */
  readonly purpose: string
  /** Matches the tables that the statement reads across accounts, followed by a colon and the statement's text. */
  readonly statement: RegExp
  readonly citus: keyof typeof citusAnswers
}

/** Every table that has rows without an account. */
export const globalTables: Readonly<Record<string, GlobalPlace>> = {
  audit_seals: "coordinator",
  companies: "reference",
  identities: "coordinator",
  identity_providers: "coordinator",
  installation_secrets: "coordinator",
  installation_tokens: "coordinator",
  instance: "reference",
  lanes: "coordinator",
  mail_report_receipts: "coordinator",
  mail_report_rows: "coordinator",
  memberships: "coordinator",
  nodes: "coordinator",
  operator_access: "coordinator",
  passkeys: "coordinator",
  relay_early_reports: "reference",
  relay_tokens: "reference",
  relays: "reference",
  sessions: "coordinator",
  setup_links: "coordinator",
  sign_in_steps: "coordinator",
  sts_policies: "reference",
  source_days: "coordinator",
  source_pools: "coordinator",
  sources: "coordinator",
  suspensions: "coordinator",
  svc_migrations: "coordinator",
  users: "coordinator"
}

/** Every statement that reads rows of accounts without a condition on the account. */
export const overAllAccounts: ReadonlyArray<OverAllAccounts> = [
  {
    purpose: "rows found by their account, and changed by their place (`ctid`) in the same statement",
    statement: /^\w+ by place(?:, \w+ by place)*: /,
    citus: "rewritten"
  },
  {
    purpose: "claims of due jobs",
    statement: /^jobs, jobs by place: with recursive/,
    citus: "refused"
  },
  {
    purpose: "the first job of each account in each queue",
    statement: /^jobs: with recursive/,
    citus: "refused"
  },
  {
    purpose: "how many jobs wait, when the next is due, and lists of them",
    statement: /^(?:buried_jobs, )?jobs: select/,
    citus: "merged"
  },
  {
    purpose: "a buried job, tried again or dropped by its id",
    statement: /^buried_jobs: with gone/,
    citus: "refused"
  },
  {
    purpose: "rows whose time has ended, the oldest first",
    statement: /^(\w+), \1 by place(?:, \w+ by place)*: (?:with (?:gone|old|settled) as|delete from)/,
    citus: "refused"
  },
  {
    purpose: "entries of the request log, by the setting of their account",
    statement: /^accounts, request_log by place: /,
    citus: "refused"
  },
  {
    purpose: "rows whose time has ended, all at once",
    statement: /^(?:daily_sends|live_streams): delete/,
    citus: "merged"
  },
  {
    purpose: "changes of counters, summed",
    statement: /^email_count_changes.*email_counts: with taken/,
    citus: "refused"
  },
  {
    purpose: "how much mail each lane holds",
    statement: /^deliveries: with recursive found/,
    citus: "refused"
  },
  {
    purpose:
      "what operators see: states of domains, webhooks and standings, held deliveries, streams, the audit log",
    statement: /^(?:audit_log|deliveries|domains|live_accounts|standings|webhooks): select/,
    citus: "merged"
  },
  {
    purpose: "accounts whose standing may have changed",
    statement: /^standing_buckets, standings: select/,
    citus: "merged"
  },
  {
    purpose: "the providers that report complaints",
    statement: /^standing_buckets: select/,
    citus: "merged"
  },
  {
    purpose: "accounts whose segments were not counted yet on a day",
    statement: /^contacts, segment_sizes: select/,
    citus: "merged"
  },
  {
    purpose: "the account of a key, with the count of its calls",
    statement: /^api_keys: with found/,
    citus: "refused"
  },
  {
    purpose: "the account of the address that a flow or a store is called at",
    statement: /^(?:flows|stores): select/,
    citus: "merged"
  },
  {
    purpose: "the messages that a relay reports about by its own ids",
    statement: /^relay_messages: select/,
    citus: "merged"
  },
  {
    purpose: "the messages of reports that arrived before them",
    statement: /^(?:deliveries, )?relay_messages: with found/,
    citus: "refused"
  },
  {
    purpose: "what became of the latest messages of relays",
    statement: /^(?:deliveries, )?relay_messages: select r\.id/,
    citus: "merged"
  },
  {
    purpose: "the name and deletion of a company's accounts",
    statement: /^accounts: update/,
    citus: "merged"
  },
  {
    purpose: "the end of a company with its accounts",
    statement: /^accounts: with gone/,
    citus: "refused"
  },
  {
    purpose: "partitions, made ahead and dropped",
    statement: /^(?:attempts_all, events_all|accounts): select (?:c\.relname|svc_drop_partitions)/,
    citus: "propagated"
  }
]
