/**
 * Checks at startup that content that was stored outside the database can be found: that a place outside is configured.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { imageObject } from "../../model/Image.ts"
import { ContentStore } from "../../ports/ContentStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { ImageStore } from "../../ports/ImageStore.ts"
import { ObjectStorage } from "../../ports/ObjectStorage.ts"

/** Emails or images have content outside the database, and no place outside is configured. */
export class ContentElsewhere extends Data.TaggedError("ContentElsewhere")<{}> {
  override get message(): string {
    return (
      "The content of emails or images is in files or in a bucket, and SVC_OBJECT_STORAGE names neither: " +
      "set it to where the content is"
    )
  }
}

/** Whether the newest image is outside: without the place configured, none is added. */
const hasImagesOutside = Effect.gen(function* () {
  const newest = yield* (yield* ImageStore).newest
  if (newest === null) return false
  const name = imageObject(newest, (yield* Crypto).sha256Hex)
  return (yield* (yield* ContentStore).recorded(name.accountId, [name])).length === 0
})

/**
 * Returns whether content is on record that was stored outside the database; fails with {@link ContentElsewhere} where no place
 * outside is configured. What is in the database is read wherever new content is stored.
 */
export const checkContentPlace = Effect.gen(function* () {
  const { place } = yield* ObjectStorage
  const isOutside = (yield* (yield* ContentStore).hasOutside) || (yield* hasImagesOutside)
  if (isOutside && place === "Database") return yield* new ContentElsewhere()
  return isOutside
})
