/**
 * Adds the tokens of companies and users to the table of installation tokens, which belong to neither.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table installation_tokens
    add column company_id uuid,
    add column user_id uuid,
    add column accounts text,
    alter column rights drop not null`,
  `create index installation_tokens_of_company on installation_tokens (company_id, created_at, id)
    where company_id is not null`,
  `create index installation_tokens_of_user on installation_tokens (user_id, created_at, id)
    where user_id is not null`
]
