/**
 * Stores images in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Image } from "../../core/model/Image.ts"
import { ImageStore } from "../../core/ports/ImageStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

const makeImages = (database: Database["Service"]) => {
  const order = new SortedIndex<Image>(() => all, byField("createdAt"))
  return {
    order,
    images: new Table<Image, "images_hash" | "images_key">(database, {
      key: ({ id }) => id,
      unique: { images_hash: ({ hash }) => hash, images_key: ({ key }) => key },
      indexes: [order]
    })
  }
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const imagesOf = perAccount(() => makeImages(database))

  return ImageStore.of({
    insert: (image) =>
      database.writeOrConflict(() => void imagesOf(image.accountId).images.insert(frozen(image))),
    get: (accountId, id) => database.read(() => imagesOf(accountId).images.get(id) ?? null),
    newest: Effect.succeed(null),
    ofHash: (accountId, hash) =>
      database.read(() => imagesOf(accountId).images.by("images_hash", hash) ?? null),
    ofKey: (accountId, key) => database.read(() => imagesOf(accountId).images.by("images_key", key) ?? null),
    recorded: (accountId, ids) =>
      database.read(() => ids.filter((id) => imagesOf(accountId).images.get(id) !== undefined)),
    count: (accountId) => database.read(() => imagesOf(accountId).order.rows(all).length),
    remove: (accountId, id) => database.write(() => void imagesOf(accountId).images.remove(id)),
    list: (accountId, page) =>
      database.read(() => pageOfAll(imagesOf(accountId).order.rows(all), page, placeBy("createdAt")))
  })
}).pipe(Layer.effect(ImageStore))
