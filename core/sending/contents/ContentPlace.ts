/**
 * Checks at startup that content stored outside the database can be found, that is, that external storage is configured.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { imageObject } from "../../model/Image.ts"
import { ContentStore } from "../../ports/ContentStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { ImageStore } from "../../ports/ImageStore.ts"
import { ObjectStorage } from "../../ports/ObjectStorage.ts"

/** Emails or images have content outside the database, and no external storage is configured. */
export class ContentElsewhere extends Data.TaggedError("ContentElsewhere")<{}> {
  override get message(): string {
    return (
      "The content of emails or images is in files or in a bucket, and SVC_OBJECT_STORAGE names neither: " +
      "set it to where the content is"
    )
  }
}

/** Whether the newest image is stored outside the database. Without external storage, no further image can be added there. */
const hasImagesOutside = Effect.gen(function* () {
  const newest = yield* (yield* ImageStore).newest
  if (newest === null) return false
  const name = imageObject(newest, (yield* Crypto).sha256Hex)
  return (yield* (yield* ContentStore).recorded(name.accountId, [name])).length === 0
})

/**
 * Returns whether any content is recorded as stored outside the database. Fails with {@link ContentElsewhere} if no external
 * storage is configured. Content in the database can be read wherever new content is stored.
 */
export const checkContentPlace = Effect.gen(function* () {
  const { place } = yield* ObjectStorage
  const isOutside = (yield* (yield* ContentStore).hasOutside) || (yield* hasImagesOutside)
  if (isOutside && place === "Database") return yield* new ContentElsewhere()
  return isOutside
})
