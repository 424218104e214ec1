/**
 * Stores steps of sign-ins in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { SignInStep } from "../../core/model/SignInStep.ts"
import { SignInStepStore } from "../../core/ports/SignInStepStore.ts"
import { Database } from "./engine/Database.ts"
import { all, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const byEnd = new SortedIndex<SignInStep>(
    () => all,
    (one, other) =>
      one.expiresAt - other.expiresAt || (one.hash < other.hash ? -1 : one.hash > other.hash ? 1 : 0)
  )
  const steps = new Table<SignInStep>(database, { key: ({ hash }) => hash, indexes: [byEnd] })

  const valid = (kind: string, hash: string, now: number): SignInStep | null => {
    const step = steps.get(hash)
    return step?.kind === kind && step.expiresAt > now ? step : null
  }

  return SignInStepStore.of({
    insert: (added) =>
      database.write(() => {
        for (const step of added) steps.insert(frozen(step))
      }),
    find: (kind, hash, now) => database.read(() => valid(kind, hash, now)),
    take: (kind, hash, now) =>
      database.write(() => {
        const step = valid(kind, hash, now)
        if (step !== null) steps.remove(hash)
        return step
      }),
    prune: (before, limit) =>
      database.write(() => {
        const gone: Array<string> = []
        for (const { expiresAt, hash } of byEnd.rows(all)) {
          if (gone.length === limit || expiresAt >= before) break
          gone.push(hash)
        }
        steps.removeMany(gone)
        return gone.length
      })
  })
}).pipe(Layer.effect(SignInStepStore))
