/**
 * Stores the seals of audit logs in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type AuditSeal, SealStore } from "../../core/ports/SealStore.ts"
import { Database } from "./engine/Database.ts"
import { frozen, Table } from "./engine/Table.ts"

const keyOf = ({ companyId, day }: Pick<AuditSeal, "companyId" | "day">): string => `${companyId} ${day}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const seals = new Table<AuditSeal>(database, { key: keyOf })
  const ofCompany = (companyId: string) =>
    [...seals.rows()]
      .filter((seal) => seal.companyId === companyId)
      .toSorted((one, other) => (one.day < other.day ? -1 : 1))

  return SealStore.of({
    insert: (seal) =>
      database.write(() => {
        if (seals.get(keyOf(seal)) === undefined) seals.insert(frozen(seal))
      }),
    last: (companyId) => database.read(() => ofCompany(companyId).at(-1) ?? null),
    list: (companyId, after, limit) =>
      database.read(() =>
        ofCompany(companyId)
          .filter(({ day }) => after === null || day > after)
          .slice(0, limit)
      ),
    kept: (companyId, before, limit) =>
      database.read(() =>
        ofCompany(companyId)
          .filter(({ day, pruned }) => day < before && pruned === null)
          .slice(0, limit)
      ),
    mark: (marked) =>
      database.write(() => {
        for (const { companyId, day, pruned } of marked) {
          const seal = seals.get(keyOf({ companyId, day }))
          if (seal !== undefined) seals.replace({ ...seal, pruned })
        }
      })
  })
}).pipe(Layer.effect(SealStore))
