import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { StorageHealth } from "../../../core/ports/StorageHealth.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { draftEntry, newId } from "../../contract/fixtures.ts"
import { type PostgresServer, startPostgresServer } from "../../support/postgresServer.ts"
import { auditOf } from "../../contract/fixtures.ts"

let server: PostgresServer
let runtime: ManagedRuntime.ManagedRuntime<AuditLog | StorageHealth | Transaction, unknown>

beforeAll(async () => {
  server = await startPostgresServer()
  runtime = ManagedRuntime.make(Layer.fresh(layerServer(Redacted.make(server.url))))
  await runtime.runPromise(Effect.void)
})

afterAll(async () => {
  await runtime.dispose()
  await server.remove()
})

const ping = Effect.flatMap(StorageHealth, (health) => health.ping)

describe("a server outage", () => {
  it("is reported as Unavailable, leaves nothing half-written, and ends when the server is back", async () => {
    const accountId = newId()
    const append = Effect.flatMap(AuditLog, (log) => log.append([draftEntry(accountId)]))
    await runtime.runPromise(append)

    const cutOff = Effect.flatMap(Transaction, ({ run }) =>
      run(
        Effect.andThen(
          append,
          Effect.andThen(
            Effect.promise(() => server.stop()),
            append
          )
        )
      )
    )
    expect(await runtime.runPromise(Effect.flip(cutOff))).toMatchObject({ _tag: "Unavailable" })
    expect(await runtime.runPromise(Effect.flip(ping))).toMatchObject({ _tag: "Unavailable" })
    expect(await runtime.runPromise(Effect.flip(append))).toMatchObject({ _tag: "Unavailable" })

    await server.start()
    await runtime.runPromise(Effect.retry(ping, { times: 50 }))
    const list = Effect.flatMap(AuditLog, (log) =>
      log.list(auditOf(accountId), {}, { page: 1, pageSize: 10 })
    )
    expect((await runtime.runPromise(list)).totalCount).toBe(1)
    await runtime.runPromise(append)
    expect((await runtime.runPromise(list)).totalCount).toBe(2)
  })
})
