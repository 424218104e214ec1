/**
 * How long the ids of events that stores told are remembered, by which an event that comes again counts once.
 *
 * Shopify repeats a webhook 8 times within 4 hours (shopify.dev, Troubleshooting webhooks; until 2024 within 48 hours), and
 * plugins do as long as the service is out of their reach; 30 days are longer than either. What comes again after that is
 * judged as anything else that comes late: orders, carts, customers and products go by the time the store gives them, so
 * that an old event of theirs changes nothing. The platforms' requests to erase and to disconnect have no such time, and
 * are carried out again, so that somebody who came back can be erased by the same words.
 *
 * @module
 */
import { Effect } from "effect"
import { pruneEvery } from "../../jobs/Pruning.ts"
import { SyncStore } from "../../ports/SyncStore.ts"

/** Forgets the ids of events after 30 days. */
export const pruneStoreEvents = Effect.flatMap(SyncStore, ({ prune }) =>
  pruneEvery({
    name: "ids of store events",
    every: "1 hour",
    keptMillis: 30 * 24 * 60 * 60_000,
    perRound: 5_000,
    prune
  })
)
