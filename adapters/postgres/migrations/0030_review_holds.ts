/**
 * Counts of the emails that were held for review, by what sends them: of a flow only the first are held.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table review_holds (
    account_id uuid not null,
    source_id uuid not null,
    held bigint not null,
    granted bigint not null,
    primary key (account_id, source_id)
  )`
]
