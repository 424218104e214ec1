/**
 * The contract of `core/ports/ObjectStorage`.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { ObjectName, StoredObject } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { newId, times, unique } from "./fixtures.ts"

/** An object of an account, by default with unique bytes. */
export const draftObject = (
  accountId: string,
  bytes: Uint8Array = new TextEncoder().encode(unique("object"))
): StoredObject => ({
  name: { accountId, hash: createHash("sha256").update(bytes).digest("hex"), id: newId() },
  bytes
})

const inOrder = (names: ReadonlyArray<ObjectName>): ReadonlyArray<ObjectName> =>
  names.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))

/** Tests of the port `ObjectStorage`. */
export const objectStorageContract = (it: Vitest.MethodsNonLive<ObjectStorage>): void => {
  describe("ObjectStorage", () => {
    it.effect("returns objects as they were stored, and null for others", () =>
      Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const accountId = newId()
        const large = draftObject(
          accountId,
          Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 256)
        )
        const empty = draftObject(accountId, new Uint8Array())
        const other = draftObject(newId())
        yield* storage.put([large, empty, other])
        yield* storage.put([large])
        yield* storage.put([])
        const missing = draftObject(accountId).name
        const elsewhere = { ...large.name, accountId: newId() }
        const found = yield* storage.get([other.name, missing, large.name, empty.name, elsewhere])
        expect(found.map((bytes) => bytes && Buffer.from(bytes).toString("base64"))).toEqual(
          [other.bytes, null, large.bytes, empty.bytes, null].map(
            (bytes) => bytes && Buffer.from(bytes).toString("base64")
          )
        )
        expect(yield* storage.get([])).toEqual([])
      })
    )

    it.effect("removes objects by their names, and ignores names without one", () =>
      Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const accountId = newId()
        const [gone, kept] = [draftObject(accountId), draftObject(accountId)]
        yield* storage.put([gone, kept])
        // The name of another write of the same bytes.
        yield* storage.remove([{ ...kept.name, id: newId() }, gone.name, draftObject(accountId).name])
        yield* storage.remove([gone.name])
        yield* storage.remove([])
        const found = yield* storage.get([gone.name, kept.name])
        expect(found.map((bytes) => bytes !== null)).toEqual([false, true])
        expect(yield* storage.list(accountId, null, 10)).toEqual([kept.name])
      })
    )

    it.effect("lists the objects of an account in order, page by page", () =>
      Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const accountId = newId()
        const objects = times(7, () => draftObject(accountId))
        yield* storage.put([...objects, draftObject(newId())])
        const names = inOrder(objects.map(({ name }) => name))
        expect(yield* storage.list(accountId, null, 100)).toEqual(names)
        expect(yield* storage.list(accountId, null, 3)).toEqual(names.slice(0, 3))
        expect(yield* storage.list(accountId, names[2]!, 3)).toEqual(names.slice(3, 6))
        expect(yield* storage.list(accountId, names[5]!, 3)).toEqual(names.slice(6))
        expect(yield* storage.list(accountId, names[6]!, 3)).toEqual([])
        expect(yield* storage.list(newId(), null, 3)).toEqual([])
      })
    )
  })
}
