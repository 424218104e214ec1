/**
 * Stores the policies of recipients' domains about the encryption of mail to them.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // One row for each domain that has a policy, for all accounts.
  `create table sts_policies (
    domain text primary key,
    policy_id text not null,
    mode text not null,
    mx jsonb not null,
    max_age integer not null,
    fetched_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create index sts_policies_expiry on sts_policies (expires_at)`
]
