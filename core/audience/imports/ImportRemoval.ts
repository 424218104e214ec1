/**
 * Removes imports that never started.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { ImportStore } from "../../ports/ImportStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** Removes imports whose file was not completely uploaded. */
export class ImportRemoval extends Context.Service<
  ImportRemoval,
  {
    /**
     * Removes an import whose status is Uploading, with all that is stored of it. Returns whether it did. A concurrent
     * change of the import either precedes the removal or fails with a conflict, since the removal changes its version.
     */
    readonly removeUpload: (accountId: string, id: string) => Effect.Effect<boolean, Unavailable>
  }
>()("svc/audience/ImportRemoval") {
  static readonly layer = Layer.effect(
    ImportRemoval,
    Effect.gen(function* () {
      const store = yield* ImportStore
      const atomically = yield* Atomically

      const remove = Effect.fnUntraced(function* (accountId: string, id: string) {
        const found = yield* store.get(accountId, id)
        if (found?.status !== "Uploading") return false
        yield* store.save({ ...found, version: found.version + 1 })
        yield* store.remove(accountId, id)
        return true
      })

      return ImportRemoval.of({
        removeUpload: Effect.fn("ImportRemoval.removeUpload")((accountId, id) =>
          atomically(remove(accountId, id))
        )
      })
    })
  )
}
