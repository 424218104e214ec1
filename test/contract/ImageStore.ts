/**
 * The contract of `core/ports/ImageStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Image } from "../../core/model/Image.ts"
import { ImageStore } from "../../core/ports/ImageStore.ts"
import {
  expectFailure,
  freshAccountId,
  listsNewestFirst,
  newId,
  now,
  oddText,
  type StorageTest
} from "./fixtures.ts"

/** An image with an id, a key and a hash of its own. */
export const draftImage = (accountId: string, values: Partial<Image> = {}): Image => ({
  id: newId(),
  accountId,
  key: newId(),
  name: null,
  type: "image/png",
  width: 600,
  height: 1,
  bytes: 5_000_000,
  hash: newId(),
  createdAt: now,
  createdBy: null,
  ...values
})

/** Tests of the port `ImageStore`. */
export const imageStoreContract = (it: StorageTest): void => {
  describe("ImageStore", () => {
    listsNewestFirst(it, "images", ImageStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draftImage(accountId, { createdAt }),
      timeOf: (image) => image.createdAt,
      insert: (image) => Effect.orDie(insert(image)),
      list
    }))

    it.effect("finds an image by its id, its key and its bytes, in its own account", () =>
      Effect.gen(function* () {
        const store = yield* ImageStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const image = draftImage(accountId, {
          name: oddText,
          type: "image/webp",
          createdBy: { kind: "User", id: "a", name: oddText }
        })
        yield* store.insert(image)
        yield* store.insert(draftImage(accountId))
        expect(yield* store.get(accountId, image.id)).toEqual(image)
        expect(yield* store.ofKey(accountId, image.key)).toEqual(image)
        expect(yield* store.ofHash(accountId, image.hash)).toEqual(image)
        expect(yield* store.recorded(accountId, [newId(), image.id])).toEqual([image.id])
        expect(yield* store.recorded(other, [image.id])).toEqual([])
        expect(yield* store.recorded(accountId, [])).toEqual([])
        expect(yield* store.count(accountId)).toBe(2)
        expect(yield* store.get(other, image.id)).toBeNull()
        expect(yield* store.ofKey(other, image.key)).toBeNull()
        expect(yield* store.ofHash(other, image.hash)).toBeNull()
        expect(yield* store.count(other)).toBe(0)
        yield* store.remove(other, image.id)
        expect(yield* store.get(accountId, image.id)).toEqual(image)
        yield* store.remove(accountId, image.id)
        yield* store.remove(accountId, image.id)
        expect(yield* store.get(accountId, image.id)).toBeNull()
        expect(yield* store.ofKey(accountId, image.key)).toBeNull()
      })
    )

    it.effect("has one image of equal bytes in an account", () =>
      Effect.gen(function* () {
        const store = yield* ImageStore
        const accountId = yield* freshAccountId
        const image = draftImage(accountId)
        yield* store.insert(image)
        const again = draftImage(accountId, { hash: image.hash })
        const conflict = yield* expectFailure(store.insert(again), "WriteConflict")
        expect(conflict.constraint).toBe("images_hash")
        yield* store.insert(draftImage(yield* freshAccountId, { hash: image.hash }))
        expect(yield* store.count(accountId)).toBe(1)
      })
    )
  })
}
