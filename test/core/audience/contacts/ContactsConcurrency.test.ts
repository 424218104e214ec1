/**
 * Tests of contact batches while other writers change the contacts.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { SuppressedAddresses } from "../../../../core/audience/contacts/SuppressedAddresses.ts"
import { AddressHash } from "../../../../core/audience/contacts/AddressHash.ts"
import { Contacts } from "../../../../core/audience/contacts/Contacts.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { changes, draftContact, freshAccountId } from "../../../contract/fixtures.ts"
import { contactEventsWithoutFlows } from "../../../support/contactEvents.ts"
import { installationKeys } from "../../../support/keys.ts"

const email = "jane@example.net"
/** More newcomers than attempts after a conflict. */
const newcomers = Array.from({ length: 60 }, (_, index) => `newcomer-${index}@example.net`)

/** Another writer changes the contact between each read and write, unless the contacts are locked. */
const contended = Layer.effect(
  ContactStore,
  Effect.map(ContactStore, (store) => {
    let isLocked = false
    let at = Date.UTC(2031, 0, 1)
    return ContactStore.of({
      ...store,
      lock: (accountId, keys) => {
        isLocked = true
        return store.lock(accountId, keys)
      },
      find: (accountId, keys) =>
        Effect.tap(store.find(accountId, keys), () =>
          isLocked ? Effect.void : store.touch(accountId, [{ email, field: "lastEmailedAt", at: ++at }])
        )
    })
  })
)

/** Another writer adds one of the contacts between each read and write, unless inserts are held. */
const growing = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const store = yield* ContactStore
    let isHeld = false
    let next = 0
    return ContactStore.of({
      ...store,
      holdInserts: (accountId) => {
        isHeld = true
        return store.holdInserts(accountId)
      },
      find: (accountId, keys) =>
        Effect.tap(store.find(accountId, keys), () =>
          isHeld
            ? Effect.void
            : Effect.orDie(
                store.write(accountId, changes({ inserts: [draftContact({ email: newcomers[next++]! })] }))
              )
        )
    })
  })
)

const among = (others: typeof contended) =>
  Contacts.layer.pipe(
    Layer.provide(contactEventsWithoutFlows),
    Layer.provide(SuppressedAddresses.layer),
    Layer.provide(AddressHash.layer),
    Layer.provide(installationKeys(new Uint8Array(32))),
    Layer.provide(others),
    Layer.provideMerge(Layer.merge(Ids.layer, memory).pipe(Layer.provideMerge(crypto), Layer.fresh))
  )

it.effect("writes a contended batch after locking its contacts", () =>
  Effect.gen(function* () {
    const { writeMany } = yield* Contacts
    const accountId = yield* freshAccountId
    const write = (firstName: string) => writeMany(accountId, [Result.succeed({ email, firstName })], "Api")
    yield* write("Jane")
    const [written] = yield* write("Joan")
    expect(Result.getOrThrow(written!).contact.firstName).toBe("Joan")
  }).pipe(Effect.provide(among(contended)))
)

it.effect("adds contacts that other writers add concurrently", () =>
  Effect.gen(function* () {
    const { writeMany } = yield* Contacts
    const accountId = yield* freshAccountId
    const written = yield* writeMany(
      accountId,
      newcomers.map((address) => Result.succeed({ email: address })),
      "Api"
    )
    const created = written.map((one) => Result.getOrThrow(one).created)
    expect(created).toEqual(newcomers.map((_, index) => index > 0))
  }).pipe(Effect.provide(among(growing)))
)
