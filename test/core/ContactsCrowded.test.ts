/**
 * A batch of contacts that others write to all the time.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { InstanceKeys } from "../../core/accounts/InstanceKeys.ts"
import { Contacts } from "../../core/audience/Contacts.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { Ids } from "../../core/shared/Ids.ts"
import { freshAccountId } from "../contract/fixtures.ts"
import { happeningsWithoutFlows } from "../support/happenings.ts"

const email = "jane@example.net"

/** Somebody else writes between each look and the write after it, unless the contacts were taken before. */
const crowded = Layer.effect(
  ContactStore,
  Effect.map(ContactStore, (store) => {
    let taken = false
    let at = Date.UTC(2031, 0, 1)
    return ContactStore.of({
      ...store,
      lock: (accountId, keys) => {
        taken = true
        return store.lock(accountId, keys)
      },
      find: (accountId, keys) =>
        Effect.tap(store.find(accountId, keys), () =>
          taken ? Effect.void : store.touch(accountId, [{ email, field: "lastEmailedAt", at: ++at }])
        )
    })
  })
)

const services = Contacts.layer.pipe(
  Layer.provide(happeningsWithoutFlows),
  Layer.provide(InstanceKeys.layer),
  Layer.provide(crowded),
  Layer.provideMerge(Layer.merge(Ids.layer, memory).pipe(Layer.provideMerge(crypto), Layer.fresh))
)

it.effect("is written once it has taken them", () =>
  Effect.gen(function* () {
    const { writeMany } = yield* Contacts
    const accountId = yield* freshAccountId
    const write = (firstName: string) => writeMany(accountId, [{ email, firstName }], "Api")
    yield* write("Jane")
    const [written] = yield* write("Joan")
    expect(Result.getOrThrow(written!).contact.firstName).toBe("Joan")
  }).pipe(Effect.provide(services))
)
