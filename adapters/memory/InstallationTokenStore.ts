/**
 * Installation tokens in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type InstallationToken, isActiveToken } from "../../core/model/InstallationToken.ts"
import { InstallationTokenStore } from "../../core/ports/InstallationTokenStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** Tokens have one order, not one for each account. */
const all = "all"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<InstallationToken>(() => all, byField("createdAt"))
  const tokens = new Table<InstallationToken, "installation_tokens_hash">(database, {
    key: ({ id }) => id,
    unique: { installation_tokens_hash: ({ hash }) => hash },
    indexes: [order]
  })

  return InstallationTokenStore.of({
    insert: (token, maxActive) =>
      database.writeOrConflict(() => {
        tokens.insert(frozen(token))
        const active = order.rows(all).filter((one) => isActiveToken(one, token.createdAt))
        if (active.length > maxActive) throw new WriteConflict({ constraint: "installation_tokens_active" })
      }),
    find: (hash) => database.read(() => tokens.by("installation_tokens_hash", hash) ?? null),
    list: (page) => database.read(() => order.page(all, page, placeBy("createdAt"))),
    revoke: (id, now) =>
      database.write(() => {
        const token = tokens.get(id)
        if (token === undefined) return null
        return token.revokedAt === null ? tokens.replace({ ...token, revokedAt: now }) : token
      }),
    touch: (id, lastUsedAt, lastUsedNetwork) =>
      database.write(() => {
        const token = tokens.get(id)
        if (token !== undefined) tokens.replace({ ...token, lastUsedAt, lastUsedNetwork })
      })
  })
}).pipe(Layer.effect(InstallationTokenStore))
