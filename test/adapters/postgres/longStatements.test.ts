import { Deferred, Effect, Fiber, Layer, ManagedRuntime, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { StorageHealth } from "../../../core/ports/StorageHealth.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { freshAccountId, freshAccountIds } from "../../contract/fixtures.ts"
import { freshDatabase } from "../../support/postgres.ts"

let node: ManagedRuntime.ManagedRuntime<AccountStore | StorageHealth | Transaction, unknown>

beforeAll(async () => {
  node = ManagedRuntime.make(Layer.fresh(layerServer(Redacted.make(await freshDatabase()))))
  await node.runPromise(Effect.void)
})

afterAll(() => node.dispose())

/** How long another statement may take, in milliseconds: much less than the wait for the lock. */
const waitTimeout = 5_000

const ping = Effect.flatMap(StorageHealth, (health) => health.ping)

/** Runs `meanwhile` while a statement waits for an account locked by a transaction, and then ends that transaction. */
const besideWaiting = <A, E>(
  meanwhile: Effect.Effect<A, E, AccountStore | StorageHealth | Transaction>,
  waiters = 1
) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    const { run } = yield* Transaction
    const id = yield* freshAccountId
    const held = yield* Deferred.make<void>()
    const free = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(
      run(
        Effect.andThen(
          accounts.lock([id]),
          Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(free))
        )
      )
    )
    yield* Deferred.await(held)
    const waiting = yield* Effect.forEach(Array.from({ length: waiters }), () =>
      Effect.forkChild(accounts.lock([id]), { startImmediately: true })
    )
    const answer = yield* Effect.timeoutOption(meanwhile, waitTimeout)
    const stillWaiting = waiting.every((fiber) => fiber.pollUnsafe() === undefined)
    yield* Deferred.succeed(free, undefined)
    const [found] = yield* Fiber.joinAll(waiting)
    yield* Fiber.join(holder)
    return { answered: answer._tag === "Some", stillWaiting, found: found?.map((account) => account.id), id }
  })

describe("a statement that waits for a lock", () => {
  it("delays no other statement", async () => {
    const { answered, found, id, stillWaiting } = await node.runPromise(besideWaiting(ping))
    expect({ answered, stillWaiting }).toEqual({ answered: true, stillWaiting: true })
    expect(found).toEqual([id])
  })

  it("delays no concurrent statements, and no transaction", async () => {
    const several = Effect.all(
      [
        ...Array.from({ length: 20 }, () => ping),
        Effect.flatMap(Transaction, ({ run }) => run(freshAccountIds(2)))
      ],
      { concurrency: "unbounded" }
    )
    const { answered, stillWaiting } = await node.runPromise(besideWaiting(several, 3))
    expect({ answered, stillWaiting }).toEqual({ answered: true, stillWaiting: true })
  })
})
