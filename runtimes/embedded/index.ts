/**
 * The whole service in process: no port, no file. For tests and for integrators.
 *
 * @module
 */
import { Duration, Effect, Exit, Layer, Scope, Context, Clock, References } from "effect"
import { app } from "../../adapters/http/index.ts"
import { toWebHandler } from "../../adapters/http/Web.ts"
import * as Memory from "../../adapters/memory/index.ts"
import { Accounts } from "../../core/accounts/Accounts.ts"
import { ApiKeys } from "../../core/accounts/ApiKeys.ts"
import { FirstStart } from "../../core/accounts/FirstStart.ts"
import { permissions } from "../../core/accounts/Permission.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { type InboxMessage, InboxStore } from "../../core/ports/InboxStore.ts"
import { maxPageSize } from "../../core/shared/Page.ts"
import { serviceLayer } from "../service.ts"
import { makeVirtualClock } from "./VirtualClock.ts"

/** An account with a key that has every permission. */
export interface ReadyAccount {
  readonly accountId: string
  readonly apiKey: string
}

/** A running service. */
export interface Embedded {
  /** Answers a request as the server would; its URL begins with `baseUrl`. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly baseUrl: string
  readonly managementToken: string
  readonly live: ReadyAccount
  readonly sandbox: ReadyAccount
  /** The sandbox account's inbox, newest first, at most 200 messages. */
  readonly inbox: () => Promise<ReadonlyArray<InboxMessage>>
  /** Moves the clock, and does on the way what falls due, each at its time. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** Waits until nothing that is due is left to do. */
  readonly settle: () => Promise<void>
  /** The service's time, epoch milliseconds. */
  readonly now: () => number
  /** Stops the service; its data is gone. */
  readonly close: () => Promise<void>
}

/** How to start. */
export interface Options {
  /** The clock's first time, epoch milliseconds; now unless given. */
  readonly startAt?: number
}

const baseUrl = "http://svc.test"

/** Starts a service with a live and a sandbox account ready to use. */
export const start = async (options: Options = {}): Promise<Embedded> => {
  const clock = makeVirtualClock(options.startAt ?? Date.now())
  const scope = Scope.makeUnsafe()
  const base = Context.make(Clock.Clock, clock).pipe(Context.add(References.MinimumLogLevel, "None"))
  const run = Effect.runPromiseWith(base)
  const layer = Layer.fresh(serviceLayer(null).pipe(Layer.provideMerge(Memory.layer)))
  const built = await run(Effect.provideService(Layer.build(layer), Scope.Scope, scope))
  const context = Context.merge(base, built)
  const within = Effect.runPromiseWith(context)

  const setUp = Effect.gen(function* () {
    const firstStart = yield* FirstStart
    const keys = yield* ApiKeys
    const accounts = yield* Accounts
    const secrets = (yield* firstStart.prepare)!
    yield* firstStart.announced
    const [company] = (yield* accounts.companies({ page: 1, pageSize: 1 })).items
    const request = { name: "First live key", permissions, expiresInDays: null }
    const live = yield* keys.create(company!.liveAccountId, request, "system")
    yield* Effect.forkIn((yield* Worker).run, scope)
    return { secrets, live: { accountId: company!.liveAccountId, apiKey: live.key }, served: yield* app }
  })
  const { live, secrets, served } = await within(setUp)
  const fetch = toWebHandler(served, context as Context.Context<never>)

  const drain = Effect.flatMap(Worker, (worker) => worker.drain)
  const advanceTo = (target: number): Effect.Effect<void, unknown, Worker> =>
    Effect.gen(function* () {
      const worker = yield* Worker
      yield* drain
      const due = yield* worker.nextDue
      if (due === null || due > target) return yield* Effect.sync(() => clock.set(target))
      clock.set(Math.max(due, clock.currentTimeMillisUnsafe()))
      yield* advanceTo(target)
    })

  return {
    fetch,
    baseUrl,
    managementToken: secrets.managementToken,
    live,
    sandbox: { accountId: secrets.sandboxAccountId, apiKey: secrets.sandboxKey },
    inbox: () =>
      within(
        Effect.flatMap(InboxStore, (store) =>
          Effect.map(
            store.list(secrets.sandboxAccountId, { page: 1, pageSize: maxPageSize }),
            (page) => page.items
          )
        )
      ),
    advance: (duration) =>
      within(
        Effect.andThen(
          advanceTo(clock.currentTimeMillisUnsafe() + Duration.toMillis(Duration.fromInputUnsafe(duration))),
          drain
        )
      ).then(() => undefined),
    settle: () => within(drain).then(() => undefined),
    now: () => clock.currentTimeMillisUnsafe(),
    close: () => run(Scope.close(scope, Exit.void))
  }
}
