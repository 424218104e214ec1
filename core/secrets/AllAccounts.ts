/**
 * Lists the accounts of the installation.
 *
 * @module
 */
import { Effect } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { readAll } from "../shared/Page.ts"

/** The ids of every account. */
export const accountIds = Effect.gen(function* () {
  const { companies } = yield* AccountStore
  const all = yield* readAll(companies)
  return all.flatMap(({ liveAccountId, sandboxAccountId }) => [liveAccountId, sandboxAccountId])
})
