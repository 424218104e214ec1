/**
 * Checks at startup that content that was stored outside the database can be found: that a place outside is configured.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { ContentStore } from "../../ports/ContentStore.ts"
import { ObjectStorage } from "../../ports/ObjectStorage.ts"

/** Emails have content outside the database, and no place outside is configured. */
export class ContentElsewhere extends Data.TaggedError("ContentElsewhere")<{}> {
  override get message(): string {
    return (
      "The content of emails is in files or in a bucket, and SVC_OBJECT_STORAGE names neither: " +
      "set it to where the content is"
    )
  }
}

/** Fails with {@link ContentElsewhere}. What is in the database is read wherever new content is stored. */
export const checkContentPlace = Effect.gen(function* () {
  const contents = yield* ContentStore
  const storage = yield* ObjectStorage
  if (storage.place === "Database" && (yield* contents.hasOutside)) return yield* new ContentElsewhere()
  return undefined
})
