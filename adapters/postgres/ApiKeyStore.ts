/**
 * Stores API keys in the database, and authenticates calls.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { windowStart } from "../../core/accounts/Authentication.ts"
import type { Mode } from "../../core/model/Account.ts"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { type Authentication, type AdmissionRequest, ApiKeyStore } from "../../core/ports/ApiKeyStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { makeInsertWithinLimit } from "./sql/limits.ts"
import { first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<ApiKey>({
  accountId: "uuid",
  id: "uuid",
  name: "text",
  hash: "text",
  display: "text",
  permissions: "text[]",
  expiresAt: "timestamptz",
  lastUsedAt: "timestamptz",
  revokedAt: "timestamptz",
  createdAt: "timestamptz"
})

/** A key that was found for some of the requests. If `keyId` is null, a window in which calls were counted. */
interface AuthenticationRow {
  /** The number of the kind of request, from 1. */
  readonly n: number
  readonly keyId: string | null
  readonly accountId: string
  readonly mode: Mode
  readonly permitted: boolean
  readonly limit: number
  readonly subject: string
  /** Calls in the window. In a window's own row they include the calls of this statement, in the row of a key they do not. */
  readonly count: number
}

/** Equal requests, and how many there are. */
interface RequestKind extends AdmissionRequest {
  readonly calls: number
}

const kindName = ({ hash, permission, window }: AdmissionRequest): string => `${hash} ${permission} ${window}`

const kindsOf = (requests: ReadonlyArray<AdmissionRequest>): ReadonlyMap<string, RequestKind> => {
  const kinds = new Map<string, RequestKind>()
  for (const request of requests) {
    const name = kindName(request)
    kinds.set(name, { ...request, calls: (kinds.get(name)?.calls ?? 0) + 1 })
  }
  return kinds
}

/** The result of each request, from rows that requests share. Calls in the same window are counted in order. */
const resultsOf = (
  requests: ReadonlyArray<AdmissionRequest>,
  kinds: ReadonlyMap<string, RequestKind>,
  rows: ReadonlyArray<AuthenticationRow>
): ReadonlyArray<Authentication | null> => {
  const found = new Map<string, AuthenticationRow & { readonly keyId: string }>()
  const counts = new Map<string, number>()
  const names = [...kinds.keys()]
  const added = new Map<string, number>()
  for (const row of rows) {
    if (row.keyId === null) continue
    const name = names[row.n - 1]!
    found.set(name, { ...row, keyId: row.keyId })
    if (!counts.has(row.subject)) counts.set(row.subject, row.count)
    if (row.permitted) added.set(row.subject, (added.get(row.subject) ?? 0) + kinds.get(name)!.calls)
  }
  for (const { count, keyId, subject } of rows) {
    if (keyId === null) counts.set(subject, count - added.get(subject)!)
  }
  return requests.map((request) => {
    const row = found.get(kindName(request))
    if (row === undefined) return null
    const { accountId, keyId, limit, mode, permitted, subject } = row
    const count = counts.get(subject)! + (permitted ? 1 : 0)
    counts.set(subject, count)
    return { keyId, accountId, mode, permitted, limit, count }
  })
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("api_keys", columns)
  const insertWithinLimit = yield* makeInsertWithinLimit

  const authenticate = (kinds: ReadonlyArray<RequestKind>, now: number) => {
    const start = new Date(windowStart(now))
    // The first transaction that locks a key's row records its use; the others do not wait for that. Uses are recorded as
    // the start of the window, but not earlier than the key was created.
    return sql<AuthenticationRow>`
      with found as (
        select r.n, k.account_id, k.id, a.mode, (a.settings ->> 'rateLimitPerMinute')::int as "limit",
          r.permission = '' or r.permission = any(k.permissions) as permitted, r.kind || ':' || k.id as subject, r.calls, k.last_used_at
        from rows from (
          unnest(${kinds.map((kind) => kind.hash)}::text[]),
          unnest(${kinds.map((kind) => kind.permission ?? "")}::text[]),
          unnest(${kinds.map((kind) => kind.window)}::text[]),
          unnest(${kinds.map((kind) => String(kind.calls))}::bigint[])
        ) with ordinality as r(hash, permission, kind, calls, n)
        cross join lateral (select * from api_keys where hash = r.hash limit 1) k
        join accounts a on a.account_id = k.account_id
        where a.deleted_at is null and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${new Date(now)})
      ), counted as (
        insert into rate_windows as w (account_id, subject, window_start, hits)
        select account_id, subject, ${start}, sum(calls)::bigint from found where permitted
        group by account_id, subject order by account_id, subject
        on conflict (account_id, subject, window_start) do update set hits = w.hits + excluded.hits
        returning w.account_id, w.subject, w.hits
      ), unnoted as (
        select k.account_id, k.id from api_keys k
        where (k.account_id, k.id) in (
            select account_id, id from found where last_used_at is null or last_used_at < ${start}
          )
        for no key update skip locked
      ), noted as (
        update api_keys k set last_used_at = greatest(${start}, k.created_at) from unnoted u
        where k.account_id = u.account_id and k.id = u.id
          and (k.last_used_at is null or k.last_used_at < ${start})
      )
      select f.n::int, f.id as "keyId", f.account_id as "accountId", f.mode, f.permitted, f."limit", f.subject,
        coalesce(w.hits, 0)::float8 as count
      from found f
      left join lateral (
        select hits from rate_windows
        where account_id = f.account_id and subject = f.subject and window_start = ${start} limit 1
      ) w on not f.permitted
      union all
      select null, null, account_id, null, null, null, subject, hits::float8 from counted`
  }

  return ApiKeyStore.of({
    insert: (keys, maxActive, now) => {
      const accountIds = [...new Set(keys.map((key) => key.accountId))]
      return insertWithinLimit(
        accountIds.map((id) => `api_keys:${id}`),
        table.insertOrConflict(keys),
        sql`
          select svc_conflict('api_keys_active') from (
            select 1 from api_keys
            where account_id = any(${accountIds}::uuid[]) and revoked_at is null
              and (expires_at is null or expires_at > ${new Date(now)})
            group by account_id having count(*) > ${maxActive} limit 1
          ) too_many`
      ).pipe(ifAny(keys))
    },
    list: (accountId) =>
      table.select(sql`from api_keys where account_id = ${accountId} order by created_at desc, id desc`),
    revoke: (accountId, id, now) =>
      table
        .returning(sql`
          update api_keys set revoked_at = coalesce(revoked_at, ${new Date(now)})
          where account_id = ${accountId} and id = ${id}`)
        .pipe(first),
    authenticate: (requests, now) => {
      if (requests.length === 0) return Effect.succeed([])
      const kinds = kindsOf(requests)
      return Effect.map(orUnavailable(authenticate([...kinds.values()], now)), (rows) =>
        resultsOf(requests, kinds, rows)
      )
    }
  })
}).pipe(Layer.effect(ApiKeyStore))
