/**
 * Adds who changed flows, templates, segments and settings last, and the request log. Nodes of the version before keep
 * writing flows, templates, segments and settings, so the new columns may be null.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table flows add column updated_by jsonb`,
  `alter table templates add column updated_by jsonb`,
  `alter table segments add column updated_at timestamptz, add column updated_by jsonb`,
  `alter table accounts add column settings_updated_at timestamptz, add column settings_updated_by jsonb`,
  `create table request_log (
    account_id uuid not null,
    id uuid not null,
    request_id text collate "C" not null,
    key_id uuid not null,
    method text not null,
    route text,
    status int not null,
    code text,
    duration_millis int not null,
    warnings text[] not null,
    request_body text,
    response_body text,
    at timestamptz not null,
    primary key (account_id, at, id)
  )`,
  `create index request_log_bodies on request_log (account_id)
    where request_body is not null or response_body is not null`,
  `create index request_log_request on request_log (account_id, request_id, at, id)`,
  `create index request_log_key on request_log (account_id, key_id, at, id)`,
  `create index request_log_route on request_log (account_id, route, at, id)`,
  `create index request_log_status on request_log (account_id, status, at, id)`,
  `create index request_log_method on request_log (account_id, method, at, id)`,
  `create index request_log_code on request_log (account_id, code, at, id) where code is not null`
]
