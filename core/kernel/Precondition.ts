/**
 * Rejects a change to something that changed after its caller read it. The adapter that receives the call provides the
 * expected tag (`If-Match`); a use case compares it inside the transaction that writes.
 *
 * @module
 */
import { Context, Effect } from "effect"
import { type Edited, tagOf } from "../model/Edited.ts"
import { issue, Problem } from "../shared/Problem.ts"
import { formatDateTime } from "../shared/Validate.ts"

/** The tag that the caller expects, with its quotation marks; null accepts any version. */
export const ExpectedTag = Context.Reference<string | null>("svc/kernel/ExpectedTag", {
  defaultValue: () => null
})

/**
 * Fails with common.edited_meanwhile if the caller expects another version than the current one. Call it in the call's own
 * fiber and in the transaction that writes, with a record that this transaction has locked or is about to delete.
 */
export const expectUnedited = (current: Edited): Effect.Effect<void, Problem> =>
  Effect.withFiber((fiber) => {
    const expected = fiber.getRef(ExpectedTag)
    if (expected === null || expected === tagOf(current)) return Effect.void
    const { updatedAt, updatedBy } = current
    const data = {
      etag: tagOf(current),
      updatedAt: formatDateTime(updatedAt),
      updatedBy: updatedBy && { ...updatedBy }
    }
    return Effect.fail(new Problem({ issues: [{ ...issue("common.edited_meanwhile"), data }] }))
  })
