/**
 * The storage ports of a store choice.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as Memory from "../adapters/memory/index.ts"
import { ConfigurationInvalid, type StoreChoice } from "./config.ts"

/** All storage ports over the store chosen. */
export const storageLayer = (store: StoreChoice) =>
  store._tag === "Memory"
    ? Memory.layer
    : Layer.effectDiscard(
        Effect.fail(new ConfigurationInvalid("SVC_STORE is invalid: only memory is built so far"))
      ).pipe(Layer.provideMerge(Memory.layer))
