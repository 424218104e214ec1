/**
 * Tests concurrent calls that conflict in the database, like those of several nodes.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Redacted, Result, Stream } from "effect"
import { managementActor } from "../../../core/model/Actor.ts"
import { expect } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { Bootstrap } from "../../../core/accounts/Bootstrap.ts"
import { Erasure } from "../../../core/privacy/Erasure.ts"
import { chunkBytes } from "../../../core/model/ContactImport.ts"
import { importExpiryJob } from "../../../core/jobs/definitions/ImportJobs.ts"
import { Imports } from "../../../core/audience/imports/Imports.ts"
import { Flows } from "../../../core/automation/flows/Flows.ts"
import { FlowTriggers } from "../../../core/automation/flows/FlowTriggers.ts"
import type { StoreEvent } from "../../../core/commerce/platforms/EventData.ts"
import { ProductSync } from "../../../core/commerce/sync/ProductSync.ts"
import { type StoreChange, unknownPerson } from "../../../core/commerce/platforms/StoreChange.ts"
import { storeErasureJob } from "../../../core/jobs/definitions/StoreJobs.ts"
import { StoreSync } from "../../../core/commerce/sync/StoreSync.ts"
import { Worker } from "../../../core/jobs/Worker.ts"
import { ConnectedStores } from "../../../core/ports/ConnectedStores.ts"
import { ImportStore } from "../../../core/ports/ImportStore.ts"
import { ItemStore } from "../../../core/ports/ItemStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { SyncStore } from "../../../core/ports/SyncStore.ts"
import { maxStores } from "../../../core/model/Store.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { RunStore } from "../../../core/ports/RunStore.ts"
import {
  atOnce,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  newId,
  successes,
  times,
  unique
} from "../../contract/fixtures.ts"
import { eventually } from "../../support/client.ts"
import { makeFakeTransport } from "../../support/fakeTransport.ts"
import { freshDatabase, isWaiting, query } from "../../support/postgres.ts"
import { wholeCore } from "../../support/wholeCore.ts"
import { auditOf } from "../../contract/fixtures.ts"

/**
 * Effects that run after an import is read, and within a transaction before a contact is locked, before runs are added, and
 * before a store's events are stored.
 */
const meanwhile = {
  afterImport: Effect.void,
  beforeHold: Effect.void,
  beforeRuns: Effect.void,
  beforeSync: Effect.void
}

let url = ""

const storage = Layer.mergeAll(
  Layer.effect(
    ContactStore,
    Effect.map(ContactStore, (store) =>
      ContactStore.of({
        ...store,
        lock: (accountId, keys) =>
          Effect.andThen(
            Effect.suspend(() => meanwhile.beforeHold),
            store.lock(accountId, keys)
          )
      })
    )
  ),
  Layer.effect(
    ImportStore,
    Effect.map(ImportStore, (store) =>
      ImportStore.of({
        ...store,
        get: (...given) =>
          Effect.tap(
            store.get(...given),
            Effect.suspend(() => meanwhile.afterImport)
          )
      })
    )
  ),
  Layer.effect(
    SyncStore,
    Effect.map(SyncStore, (store) =>
      SyncStore.of({
        ...store,
        remember: (...given) =>
          Effect.andThen(
            Effect.suspend(() => meanwhile.beforeSync),
            store.remember(...given)
          )
      })
    )
  ),
  Layer.effect(
    RunStore,
    Effect.map(RunStore, (store) =>
      RunStore.of({
        ...store,
        insert: (accountId, runs) =>
          Effect.andThen(
            Effect.suspend(() => meanwhile.beforeRuns),
            store.insert(accountId, runs)
          )
      })
    )
  )
).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(Effect.promise(freshDatabase), (fresh) => {
        url = fresh
        return layerServer(Redacted.make(fresh))
      })
    )
  )
)

const core = wholeCore({ act: Effect.void }, makeFakeTransport(), Layer.orDie(storage))

/** Waits until a fiber ends, or until it waits for another transaction. */
const endsOrWaits = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.promise(() =>
    eventually(
      async () => fiber.pollUnsafe() !== undefined || (await isWaiting(url)),
      (met) => met
    )
  )

/** The number of runs and calls of a contact. */
const rowsOf = async (contactId: string): Promise<number> => {
  const rows = await query<{ readonly count: number }>(
    url,
    `select count(*)::int as count from (
      select contact_id from flow_runs union all select contact_id from flow_calls
    ) r where contact_id = '${contactId}'`
  )
  return rows[0]!.count
}

/** The number of rows with data of a store. */
const rowsOfStore = async (storeId: string): Promise<number> => {
  const rows = await query<{ readonly count: number }>(
    url,
    `select count(*)::int as count from (
      select store_id from contacts union all select store_id from items union all
      select store_id from store_records union all select store_id from store_events
    ) r where store_id = '${storeId}'`
  )
  return rows[0]!.count
}

const actor = managementActor

const newStore = () => ({
  platform: "Custom",
  name: "Shop",
  domain: `${unique("shop")}.example`,
  consentMode: "Explicit"
})

layer(core, { excludeTestServices: true })("concurrently", (it) => {
  it.effect("the limit of connected stores holds under concurrent connections", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const accountId = yield* freshAccountId
      yield* atOnce(times(maxStores - 1, () => stores.connect(accountId, newStore(), actor)))
      const exits = yield* atOnce(times(8, () => stores.connect(accountId, newStore(), actor)))
      expectOnlyFailures(exits, "Problem")
      expect(successes(exits)).toHaveLength(1)
      const { totalCount } = yield* stores.list(accountId, firstPage)
      expect(totalCount).toBe(maxStores)
    })
  )

  it.effect(
    "concurrent reconnections of a store succeed once, with a working token, and so do disconnections",
    () =>
      Effect.gen(function* () {
        const stores = yield* Stores
        const accountId = yield* freshAccountId
        // Each opens its connection before they conflict.
        yield* atOnce(times(8, () => stores.connect(accountId, newStore(), actor)))
        const wanted = newStore()
        const { store } = yield* stores.connect(accountId, wanted, actor)
        const leaving = yield* atOnce(times(8, () => stores.disconnect(accountId, store.id, actor)))
        const coming = yield* atOnce(times(8, () => stores.connect(accountId, wanted, actor)))
        expectOnlyFailures(leaving, "Problem")
        expectOnlyFailures(coming, "Problem")
        expect(successes(coming)).toHaveLength(1)
        expect((yield* stores.authenticate(store.id, successes(coming)[0]!.token))._tag).toBe("Authenticated")
        expect(successes(leaving)).toHaveLength(1)
        const audit = yield* AuditLog
        const actions = (yield* audit.list(auditOf(accountId), {}, firstPage)).items
          .filter(({ target }) => target === store.id)
          .map(({ action }) => action)
        expect(actions).toEqual(["store.connected", "store.disconnected", "store.connected"])
      })
  )

  it.effect("a call that starts a flow leaves nothing of a person who is erased concurrently", () =>
    Effect.gen(function* () {
      yield* (yield* Bootstrap).prepare(0)
      const [flows, triggers, erasure] = [yield* Flows, yield* FlowTriggers, yield* Erasure]
      const accountId = yield* freshAccountId
      const write = {
        name: "By call",
        trigger: { kind: "Api" },
        stopEvents: [],
        steps: [{ id: "w", kind: "Wait", duration: "P1D" }]
      }
      const publish = Effect.gen(function* () {
        const { id } = yield* flows.create(accountId, write, actor)
        yield* flows.publish(accountId, id, actor)
        return id
      })
      for (const hook of ["beforeHold", "beforeRuns"] as const) {
        const call = { id: hook, email: "ada@erased.example", properties: { name: "Ada" } }
        const { contactId } = yield* triggers.trigger(accountId, yield* publish, call)
        const [reached, go] = [yield* Latch.make(), yield* Latch.make()]
        meanwhile[hook] = Effect.andThen(reached.open, go.await)
        const calling = yield* Effect.forkChild(triggers.trigger(accountId, yield* publish, call))
        yield* reached.await
        meanwhile[hook] = Effect.void
        const erasing = yield* Effect.forkChild(erasure.erase(accountId, contactId, actor))
        yield* endsOrWaits(erasing)
        yield* go.open
        yield* Fiber.join(erasing)
        yield* Fiber.join(calling)
        expect(yield* Effect.promise(() => rowsOf(contactId))).toBe(0)
      }
    })
  )

  it.effect("a store disconnected concurrently gets no more data, and all its data can be erased", () =>
    Effect.gen(function* () {
      const [stores, sync, connected] = [yield* Stores, yield* StoreSync, yield* ConnectedStores]
      const [jobs, worker] = [yield* JobQueue, yield* Worker]
      const accountId = yield* freshAccountId
      const at = Date.now()
      const person = { ...unknownPerson, customerId: "1", email: "ada@shop.example" }
      const tea = { id: "tea", kind: "product", name: "Tea" }
      const changes: ReadonlyArray<StoreChange> = [
        { _tag: "Customer", at, person },
        { _tag: "Product", at, item: tea }
      ]
      for (const change of changes) {
        const wanted = newStore()
        const { store } = yield* stores.connect(accountId, wanted, actor)
        const reported = { name: "customer.upserted", change, given: { event: {} } }
        const take = (id: string) => sync.take(store, [Result.succeed({ ...reported, id })])
        const [reached, go] = [yield* Latch.make(), yield* Latch.make()]
        meanwhile.beforeSync = Effect.andThen(reached.open, go.await)
        const taking = yield* Effect.forkChild(take("one"))
        yield* reached.await
        meanwhile.beforeSync = Effect.void
        // On another node.
        const erasing = yield* Effect.forkChild(
          Effect.gen(function* () {
            yield* stores.disconnect(accountId, store.id, actor)
            yield* connected.startErasure(accountId, store.id, at)
            yield* jobs.enqueue([
              storeErasureJob.job({ id: newId(), accountId, payload: store.id, runAt: at })
            ])
            yield* worker.drain
          })
        )
        yield* endsOrWaits(erasing)
        yield* go.open
        yield* Fiber.join(taking)
        yield* Fiber.join(erasing)
        expect(yield* Effect.promise(() => rowsOfStore(store.id))).toBe(0)
        // Like a node that was suspended after it had accepted the call.
        const unauthorized = { _tag: "Problem", issues: [{ code: "auth.unauthorized" }] }
        expect(yield* Effect.flip(take("two"))).toMatchObject(unauthorized)
        expect(yield* Effect.promise(() => rowsOfStore(store.id))).toBe(0)
        // After reconnecting, it is the same store, but not the connection that accepted the call.
        expect((yield* stores.connect(accountId, wanted, actor)).store.id).toBe(store.id)
        expect(yield* Effect.flip(take("three"))).toMatchObject(unauthorized)
        expect(yield* Effect.promise(() => rowsOfStore(store.id))).toBe(0)
      }
    })
  )

  /** A running upload to a new account, and an effect that lets it complete. */
  const upload = Effect.gen(function* () {
    const imports = yield* Imports
    const accountId = yield* freshAccountId
    const arrived = yield* Latch.make()
    const bytes = new TextEncoder().encode(`email\n${`${"unknown".repeat(100)}\n`.repeat(chunkBytes / 512)}`)
    const file = Stream.concat(
      Stream.make(bytes),
      Stream.unwrap(Effect.as(arrived.await, Stream.make(bytes.subarray(6))))
    )
    const request = { name: null, mapping: null, consent: null, delimiter: null, dryRun: false }
    const uploading = yield* Effect.forkChild(Effect.result(imports.start(accountId, request, file, actor)))
    const found = yield* Effect.promise(() =>
      eventually(
        () => query<{ readonly id: string }>(url, `select id from imports where account_id = '${accountId}'`),
        (rows) => rows.length > 0
      )
    )
    return { accountId, id: found[0]!.id, arrived, uploading }
  })

  it.effect("an upload that completes before its time-out is not removed", () =>
    Effect.gen(function* () {
      const [imports, store] = [yield* Imports, yield* ImportStore]
      const { accountId, arrived, id, uploading } = yield* upload
      const draft = (yield* store.get(accountId, id))!
      yield* (yield* JobQueue).enqueue([
        importExpiryJob.job({
          id: newId(),
          accountId,
          payload: { importId: draft.id, step: "Expire" },
          runAt: Date.now()
        })
      ])
      const [reached, go] = [yield* Latch.make(), yield* Latch.make()]
      meanwhile.afterImport = Effect.andThen(reached.open, go.await)
      const expiring = yield* Effect.forkChild((yield* Worker).drain)
      yield* reached.await
      meanwhile.afterImport = Effect.void
      yield* arrived.open
      yield* endsOrWaits(uploading)
      // As if another node had read a row in the meantime.
      const failed = { line: 999_999, issues: [], email: null, externalId: null, cells: null }
      yield* store.addErrors(accountId, id, [failed])
      yield* go.open
      yield* Fiber.join(expiring)
      expect(yield* Fiber.join(uploading)).toMatchObject({ _tag: "Success" })
      expect(yield* imports.get(accountId, id)).toMatchObject({ size: expect.any(Number) })
      expect((yield* store.errors(accountId, id, 999_998, 10)).map(({ line }) => line)).toEqual([999_999])
    })
  )

  it.effect("an upload whose import is cancelled fails, and leaves nothing", () =>
    Effect.gen(function* () {
      const imports = yield* Imports
      const { accountId, arrived, id, uploading } = yield* upload
      yield* imports.cancel(accountId, id, actor)
      yield* arrived.open
      expect(yield* Fiber.join(uploading)).toMatchObject({
        failure: { _tag: "Problem", issues: [{ code: "audience.import_finished" }] }
      })
      expect(yield* imports.get(accountId, id)).toMatchObject({ status: "Cancelled" })
      expect(yield* (yield* ImportStore).chunk(accountId, id, 0)).toBeNull()
      expect(yield* (yield* ImportStore).chunk(accountId, id, 1)).toBeNull()
    })
  )

  it.effect("two changes of a product on two nodes leave the newer one", () =>
    Effect.gen(function* () {
      const [stores, sync, items] = [yield* Stores, yield* StoreSync, yield* ItemStore]
      const otherNode = yield* Effect.provide(ProductSync, ProductSync.layer)
      const accountId = yield* freshAccountId
      const { store } = yield* stores.connect(accountId, newStore(), actor)
      const at = Date.now()
      const reported = (name: string, time: number): StoreEvent => ({
        id: name,
        name: "products/update",
        change: { _tag: "Product", at: time, item: { id: "tea", kind: "product", name } },
        given: { topic: "products/update", payload: {} }
      })
      const names = Effect.map(items.find(accountId, store.id, ["tea"]), (all) =>
        all.map((item) => item.name)
      )
      for (const [index, before] of ["none", "one"].entries()) {
        const [reached, go] = [yield* Latch.make(), yield* Latch.make()]
        meanwhile.beforeSync = Effect.andThen(reached.open, go.await)
        const taking = yield* Effect.forkChild(
          sync.take(store, [Result.succeed(reported(`older than ${before}`, at + 10 * index))])
        )
        yield* reached.await
        meanwhile.beforeSync = Effect.void
        const newer = `newer than ${before}`
        yield* otherNode.write(store, [reported(newer, at + 10 * index + 1)])
        yield* go.open
        expect(yield* Fiber.join(taking)).toEqual([Result.succeed("Accepted")])
        expect(yield* names).toEqual([newer])
      }
    })
  )
})
