/**
 * Adds the table of the installation's sealed secrets. The secret that earlier versions stored in clear is sealed and
 * removed at the next start, since only the service has the key that seals.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table installation_secrets (
    id text primary key,
    use text not null,
    sealed text not null,
    created_at timestamptz not null,
    accepted_until timestamptz
  )`,
  `alter table instance alter column link_secret drop not null`
]
