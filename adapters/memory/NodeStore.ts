/**
 * Stores the running processes in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { ServiceNode } from "../../core/model/Node.ts"
import { NodeStore } from "../../core/ports/NodeStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const newest = new SortedIndex<ServiceNode>(() => all, byField("startedAt"))
  const nodes = new Table<ServiceNode>(database, { key: ({ id }) => id, indexes: [newest] })

  return NodeStore.of({
    report: (node) =>
      database.write(() => {
        if (nodes.get(node.id) === undefined) nodes.insert(frozen(node))
        else nodes.replace(frozen(node))
      }),
    list: ({ since = null, until = null }, page) =>
      database.read(() => {
        const seen = newest
          .rows(all)
          .filter(({ seenAt }) => (since === null || seenAt >= since) && (until === null || seenAt < until))
        return pageOfAll(seen, page, placeBy("startedAt"))
      }),
    prune: (before, limit) =>
      database.write(() => {
        const gone = [...nodes.rows()].filter(({ seenAt }) => seenAt < before).slice(0, limit)
        nodes.removeMany(gone.map(({ id }) => id))
        return gone.length
      })
  })
}).pipe(Layer.effect(NodeStore))
