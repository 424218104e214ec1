/**
 * Holds a store while what it tells is written.
 *
 * @module
 */
import { Effect } from "effect"
import { ConnectedStores } from "../../ports/ConnectedStores.ts"
import { Problem } from "../../shared/Problem.ts"
import type { Store } from "../../model/Store.ts"

/**
 * A function that keeps a store connected until the caller's transaction ends. A call was let in before, on a node that
 * may have been held up since: of a store that is disconnected by now, and perhaps erased and connected anew, nothing is written.
 * auth.unauthorized, as the call would be told now.
 */
export const makeStoreHold = Effect.map(
  ConnectedStores,
  (stores) =>
    ({ accountId, connectedAt, id }: Store) =>
      Effect.flatMap(stores.hold(accountId, id, connectedAt), (isConnected) =>
        isConnected ? Effect.void : Effect.fail(Problem.of("auth.unauthorized"))
      )
)
