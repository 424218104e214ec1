/**
 * Removes imports that never started.
 *
 * @module
 */
import { Effect } from "effect"
import { ImportStore } from "../../ports/ImportStore.ts"
import { Atomically } from "../../kernel/atomically.ts"

/**
 * Makes a function that removes an import in the status Uploading, with everything stored of it, and returns whether it did. A
 * concurrent change of the import either precedes the removal or fails with a conflict, because the removal changes its version.
 */
export const makeUploadRemoval = Effect.gen(function* () {
  const store = yield* ImportStore
  const atomically = yield* Atomically
  return Effect.fn("ImportRemoval.removeUpload")(function* (accountId: string, id: string) {
    const found = yield* store.get(accountId, id)
    if (found?.status !== "Uploading") return false
    yield* store.save({ ...found, version: found.version + 1 })
    yield* store.remove(accountId, id)
    return true
  }, atomically)
})
