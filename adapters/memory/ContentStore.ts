/**
 * Stores the records of stored content in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { ContentStore } from "../../core/ports/ContentStore.ts"
import { Database } from "./engine/Database.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: tablesOf } = yield* SubmissionTables
  return ContentStore.of({
    // The content is lost with the process, and all of it is in memory.
    hasOutside: Effect.succeed(false),
    find: (accountId, hashes) =>
      database.read(() =>
        tablesOf(accountId)
          .stored.getMany(hashes)
          .map(({ hash }) => hash)
      ),
    recorded: (accountId, names) =>
      database.read(() => {
        const { stored } = tablesOf(accountId)
        return names.filter(({ hash, id }) => stored.get(hash)?.id === id)
      }),
    removeUnused: (accountId, limit, now) =>
      database.write(() => {
        const { outside, seen } = tablesOf(accountId).removeUnused(limit, now)
        return { seen, outside: outside.map(({ hash, id }) => ({ accountId, hash, id })) }
      })
  })
}).pipe(Layer.effect(ContentStore))
