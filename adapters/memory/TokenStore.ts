/**
 * Stores tokens in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { isActiveToken, type Token, type TokenOwner } from "../../core/model/Token.ts"
import { TokenStore } from "../../core/ports/TokenStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const groupOf = ({ companyId, userId }: TokenOwner): string => `${companyId ?? ""} ${userId ?? ""}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Token>(groupOf, byField("createdAt"))
  const tokens = new Table<Token, "installation_tokens_hash">(database, {
    key: ({ id }) => id,
    unique: { installation_tokens_hash: ({ hash }) => hash },
    indexes: [order]
  })

  return TokenStore.of({
    insert: (token, maxActive) =>
      database.writeOrConflict(() => {
        tokens.insert(frozen(token))
        const active = order.rows(groupOf(token)).filter((one) => isActiveToken(one, token.createdAt))
        if (active.length > maxActive) throw new WriteConflict({ constraint: "tokens_active" })
      }),
    find: (hash) => database.read(() => tokens.by("installation_tokens_hash", hash) ?? null),
    list: (owner, page) => database.read(() => order.page(groupOf(owner), page, placeBy("createdAt"))),
    revoke: (owner, id, now) =>
      database.write(() => {
        const found = tokens.get(id)
        if (found === undefined || groupOf(found) !== groupOf(owner)) return null
        return found.revokedAt === null ? tokens.replace({ ...found, revokedAt: now }) : found
      }),
    revokeAll: (owner, now) =>
      database.write(() => {
        for (const token of order.rows(groupOf(owner)).slice()) {
          if (token.revokedAt === null) tokens.replace({ ...token, revokedAt: now })
        }
      }),
    touch: (id, lastUsedAt, lastUsedNetwork) =>
      database.write(() => {
        const token = tokens.get(id)
        if (token !== undefined) tokens.replace({ ...token, lastUsedAt, lastUsedNetwork })
      })
  })
}).pipe(Layer.effect(TokenStore))
