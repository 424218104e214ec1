/**
 * Stores the installation's record in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  type Installation,
  type InstallationSecret,
  InstallationStore
} from "../../core/ports/InstallationStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The key of the only row. */
const only = "instance"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const instances = new Table<Installation, "instance_token">(database, {
    key: () => only,
    unique: { instance_token: ({ managementTokenHash }) => managementTokenHash }
  })
  const checks = new Table<{ readonly kept: string }>(database, { key: () => only })
  const secrets = new Table<InstallationSecret>(database, { key: ({ id }) => id })
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
      }),
    replaceSecretCheck: (kept) => database.write(() => void checks.replace({ kept })),
    getSecretCheck: database.read(() => checks.get(only)?.kept ?? null),
    shortTokenUntil: Effect.succeed(null),
    takeUsersNotice: Effect.succeed(false),
    // Transactions run one after the other.
    lock: Effect.void,
    secrets: database.read(() =>
      [...secrets.rows()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    ),
    saveSecrets: (saved) =>
      database.write(() => {
        for (const secret of saved) {
          if (secrets.get(secret.id) === undefined) secrets.insert(frozen(secret))
          else secrets.replace(frozen(secret))
        }
      }),
    removeSecrets: (ids) =>
      database.write(() => {
        for (const id of ids) secrets.remove(id)
      }),
    // There is no data of earlier versions in memory.
    takePlainSecret: Effect.succeed(null)
  })
}).pipe(Layer.effect(InstallationStore))
