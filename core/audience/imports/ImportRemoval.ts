/**
 * Removes imports that come to nothing.
 *
 * @module
 */
import { Effect } from "effect"
import { ImportStore } from "../../ports/ImportStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import type { ImportStatus } from "../../model/ContactImport.ts"

/**
 * A function that removes an import with all that is kept of it, where its status is one that `goes`; answers whether it
 * did. What becomes of the import at the same moment comes before that or finds it gone: its version tells.
 */
export const makeImportRemoval = Effect.gen(function* () {
  const store = yield* ImportStore
  const transaction = yield* Transaction

  const once = Effect.fnUntraced(function* (
    accountId: string,
    id: string,
    goes: (status: ImportStatus) => boolean
  ) {
    const found = yield* store.get(accountId, id)
    if (found === null || !goes(found.status)) return false
    yield* store.save({ ...found, version: found.version + 1 })
    yield* store.remove(accountId, id)
    return true
  })

  return (...given: Parameters<typeof once>) => retryConflicts(transaction.run(once(...given)))
})
