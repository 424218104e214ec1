/**
 * The installation's record in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type Installation, InstallationStore } from "../../core/ports/InstallationStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { frozen, Table } from "./engine/Table.ts"

/** There is only one row. */
const only = "instance"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const instances = new Table<Installation, "instance_token">(database, {
    key: () => only,
    unique: { instance_token: ({ managementTokenHash }) => managementTokenHash }
  })
  const checks = new Table<{ readonly kept: string }>(database, { key: () => only })
  return InstallationStore.of({
    get: database.read(() => instances.get(only) ?? null),
    insert: (instance) =>
      database.writeOrConflict(() => {
        if (instances.get(only) !== undefined) throw new WriteConflict({ constraint: "instance" })
        instances.insert(frozen(instance))
      }),
    save: (instance, before) =>
      database.writeOrConflict(() => {
        if (instances.by("instance_token", before) === undefined)
          throw new WriteConflict({ constraint: "instance" })
        instances.replace(frozen(instance))
      }),
    secretCheck: (offered) =>
      database.write(() => {
        if (instances.get(only) === undefined) return null
        return (checks.get(only) ?? checks.insert({ kept: offered })).kept
      })
  })
}).pipe(Layer.effect(InstallationStore))
