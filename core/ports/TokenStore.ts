/**
 * Stores the tokens of the installation, of companies and of users. They belong to no account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Token, TokenOwner } from "../model/Token.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of tokens. */
export class TokenStore extends Context.Service<
  TokenStore,
  {
    /**
     * Adds a token. `WriteConflict("tokens_active")` if its owner would have more than `maxActive` tokens that are neither
     * revoked nor expired at the token's `createdAt`, even with concurrent writers.
     */
    readonly insert: (token: Token, maxActive: number) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The token with the hash, even if revoked or expired; null if there is none. */
    readonly find: (hash: string) => Effect.Effect<Token | null, Unavailable>
    /** All tokens of an owner, including revoked ones, newest first. */
    readonly list: (owner: TokenOwner, page: PageRequest) => Effect.Effect<Page<Token>, Unavailable>
    /**
     * Revokes a token of an owner from `now` on, effective on every node at once. Returns the token afterwards, or null if the
     * owner has none with the id. Revoking again keeps the first time.
     */
    readonly revoke: (owner: TokenOwner, id: string, now: number) => Effect.Effect<Token | null, Unavailable>
    /** Revokes all tokens of an owner, like `revoke`. */
    readonly revokeAll: (owner: TokenOwner, now: number) => Effect.Effect<void, Unavailable>
    /** Records a use. */
    readonly touch: (id: string, usedAt: number, network: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/TokenStore") {}
