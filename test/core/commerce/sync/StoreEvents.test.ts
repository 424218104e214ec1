/**
 * Tests of what is stored about rejected events, and of accepting them in a replay.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Bootstrap } from "../../../../core/accounts/Bootstrap.ts"
import { failedEvent, maxKeptEvent, peopleIn } from "../../../../core/commerce/sync/FailedEvents.ts"
import { StoreEvents } from "../../../../core/commerce/sync/StoreEvents.ts"
import { Stores } from "../../../../core/commerce/stores/Stores.ts"
import { managementActor } from "../../../../core/model/Actor.ts"
import type { FailedEvent } from "../../../../core/model/ReceivedEvent.ts"
import { OrderStore } from "../../../../core/ports/OrderStore.ts"
import { SyncStore } from "../../../../core/ports/SyncStore.ts"
import { writtenNumber } from "../../../../core/shared/Json.ts"
import { Problem } from "../../../../core/shared/Problem.ts"
import { firstPage } from "../../../contract/fixtures.ts"
import { makeFakeTransport } from "../../../support/fakeTransport.ts"
import { wholeCore } from "../../../support/wholeCore.ts"

describe("events that were not accepted", () => {
  it("name the people whose data they have", () => {
    const event = {
      id: "e1",
      data: {
        customer: { id: writtenNumber("9007199254740993"), email: " Ada@Example.org" },
        customer_id: 7
      },
      note: ["a@b", { id: null, total: 5 }]
    }
    expect(peopleIn(event).toSorted()).toEqual(
      ["#7", "#9007199254740993", "#e1", "a@b", "ada@example.org"].toSorted()
    )
  })

  it("keep their content up to a size", () => {
    const of = (text: string) =>
      failedEvent(
        { id: "e", name: "n", given: { event: { email: "a@example.org", text } } },
        Problem.of("commerce.event_name_unknown", "name"),
        1
      )
    expect(of("short")).toMatchObject({
      code: "commerce.event_name_unknown",
      field: "name",
      people: ["a@example.org"]
    })
    expect(of("x".repeat(maxKeptEvent))).toMatchObject({ given: null, people: [] })
  })

  it.effect("are accepted by a replay once the reason is gone, as received when they first were", () =>
    Effect.gen(function* () {
      const accountId = (yield* (yield* Bootstrap).prepare(0))!.sandboxAccountId
      const facts = { platform: "Custom", name: "Shop", domain: "shop.example", consentMode: "Explicit" }
      const { store } = yield* (yield* Stores).connect(accountId, facts, managementActor)
      const data = { id: "o1", currency: "EUR", total: writtenNumber("1.10"), status: "Paid" }
      const kept = (eventId: string, given: object | null, receivedAt: number): FailedEvent => ({
        eventId,
        name: "order.placed",
        receivedAt,
        given: given === null ? null : JSON.stringify({ event: given }),
        code: "commerce.event_name_unknown",
        field: "name",
        people: []
      })
      const sync = yield* SyncStore
      const receivedAt = Date.UTC(1969, 11, 31)
      const failed = [
        kept("good", { id: "good", name: "order.placed", data }, receivedAt),
        kept("bad", { id: "bad", name: "order.placed", data: {} }, receivedAt + 1),
        kept("gone", null, receivedAt + 2)
      ]
      yield* sync.fail(accountId, store.id, failed, "Failed")
      const { replay } = yield* StoreEvents
      const range = { ids: null, until: 0 }
      const first = yield* replay(accountId, store.id, range, null, 2)
      expect(first).toEqual({
        outcomes: [
          ["good", null],
          ["bad", "validation.required"]
        ],
        next: [receivedAt + 1, "bad"]
      })
      expect(yield* replay(accountId, store.id, range, first.next, 2)).toEqual({
        outcomes: [["gone", "commerce.event_not_kept"]],
        next: null
      })
      const { items } = yield* (yield* OrderStore).list(
        accountId,
        { storeId: null, statuses: ["Paid"], search: null },
        firstPage
      )
      expect(items).toMatchObject([{ externalId: "o1", total: "1.1", placedAt: receivedAt }])
      expect(yield* sync.seen(accountId, store.id, ["good", "bad"])).toEqual(["good"])
      expect((yield* replay(accountId, store.id, range, null, 5)).outcomes).toHaveLength(2)
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
  )
})
