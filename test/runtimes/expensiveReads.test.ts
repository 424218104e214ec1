/**
 * Tests expensive reads of one account on PostgreSQL: those that find no free place are rejected with Retry-After, while other
 * accounts and other calls go on. Also tests which totals of long lists are exact.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { describe, expect, it, vi } from "vitest"
import { api } from "../support/calls.ts"
import { execute, freshDatabase, isWaiting } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import type { ListPage } from "../support/shapes.ts"
import { openWorkspace } from "../support/workspace.ts"

const admin = "token-of-the-operator-0123456789ab"

/** Locks the table of timelines, so that counting a segment by events takes until the lock is released. */
const holdTimelines = async (url: string) => {
  const held = Deferred.makeUnsafe<void>()
  const release = Deferred.makeUnsafe<void>()
  const hold = Effect.flatMap(PgClient.PgClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`lock table timeline in access exclusive mode`
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(release)
      })
    )
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  const fiber = Effect.runFork(hold)
  await Effect.runPromise(Deferred.await(held))
  return async () => {
    await Effect.runPromise(Deferred.succeed(release, undefined))
    await Effect.runPromise(Fiber.join(fiber))
  }
}

// Both runtimes concurrently, because each waits for 10 seconds.
describe.concurrent.each<Runtime>(["node", "bun"])("on %s", (runtime) => {
  const servers = useServers()

  it("a read that finds no place within 10 seconds is a 503 with Retry-After", async () => {
    const url = await freshDatabase()
    const { baseUrl } = await servers
      .start(runtime, {
        SVC_STORE: url,
        SVC_ADMIN_TOKEN: admin,
        SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef"
      })
      .ready()
    const target = {
      managementToken: admin,
      fetch: (path: string, init?: RequestInit) => fetch(baseUrl + path, init)
    }
    const reading = (await openWorkspace(target, "Reading")).sandbox
    const other = (await openWorkspace(target, "Other")).sandbox
    const definition = { join: "All", rules: [{ fieldKey: "events.visited", operator: "IsSet" }] }
    await reading.manage("POST", "/segments", { name: "Visitors", definition })
    const read = () => api(baseUrl, reading.key, "/api/v1/segments")
    // A change, so that the cached counts are not used.
    await reading.api("POST", "/contacts", { email: "ada@example.org" })

    const release = await holdTimelines(url)
    const first = read()
    await vi.waitFor(async () => expect(await isWaiting(url)).toBe(true), { timeout: 10_000 })
    const began = performance.now()
    const waiting = Promise.all(Array.from({ length: 40 }, read))
    // Meanwhile other accounts read, and the account itself writes and makes reads that are not expensive.
    for (let call = 0; call < 10; call++) {
      expect((await api(baseUrl, other.key, "/api/v1/segments")).status).toBe(200)
      expect((await api(baseUrl, other.key, "/api/v1/contacts?page=1&pageSize=50")).status).toBe(200)
      expect((await api(baseUrl, reading.key, "/api/v1/contacts/email:ada@example.org")).status).toBe(200)
      expect(
        (await api(baseUrl, reading.key, "/api/v1/contacts", { email: `b${call}@example.org` })).status
      ).toBe(201)
    }
    const answers = await waiting
    expect(performance.now() - began).toBeGreaterThan(9_000)
    expect(answers.map(({ codes, headers, status }) => [status, codes, headers.get("retry-after")])).toEqual(
      Array.from({ length: 40 }, () => [503, ["common.too_many_reads"], "5"])
    )
    await release()
    expect((await first).status).toBe(200)
    expect((await read()).status).toBe(200)

    // The total of two filters that each match more than is examined. It is exact if the list ends on its first page.
    await execute(
      url,
      `insert into contacts (account_id, id, email, consent_status, marketing_declared, is_paying_customer, order_count, total_spent,
        from_orders, attributes, topics, added_at, version, country_code, language)
      select '${other.accountId}', gen_random_uuid(), 'p' || n || '@example.com', 'Subscribed', false, false, 0, 0, false, '{}',
        '{}', now() - n * interval '1 minute', 1, case when n <= 10100 then 'AT' end, case when n > 10070 then 'de' end
      from generate_series(1, 20200) n`
    )
    const totalOf = async (query: string) => {
      const { value } = await other.manage<ListPage<object>>(
        "GET",
        `/contacts?country=AT&language=de&${query}`
      )
      return [value.items.length, value.totalIsExact, value.totalIsExact && value.totalCount]
    }
    expect(await totalOf("limit=50")).toEqual([30, true, 30])
    expect(await totalOf("limit=10")).toEqual([10, false, false])
    expect(await totalOf("limit=10&count=exact")).toEqual([10, true, 30])
  }, 90_000)
})
