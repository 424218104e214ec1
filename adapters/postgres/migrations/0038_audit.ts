/**
 * Adds to the audit log who acted under which name, from where, and with which outcome. Entries of earlier versions stay as
 * they are.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table audit_log
    add column actor_name text,
    add column session_id uuid,
    add column network text,
    add column user_agent text,
    add column company_id uuid,
    add column target_name text,
    add column outcome text`,
  // Entries of companies themselves belong to no account.
  `create index audit_log_company on audit_log (company_id, at, id) where company_id is not null`,
  `create index audit_log_all on audit_log (at, id)`,
  `drop index audit_log_age`
]
