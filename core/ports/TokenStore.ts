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
     * Adds a token. `WriteConflict("tokens_active")` when more than `maxActive` of its owner would be neither revoked nor
     * expired at the token's `createdAt`, also under concurrency.
     */
    readonly insert: (token: Token, maxActive: number) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The token with that hash, revoked or expired ones included; null where there is none. */
    readonly find: (hash: string) => Effect.Effect<Token | null, Unavailable>
    /** All tokens of an owner, revoked ones included, newest first. */
    readonly list: (owner: TokenOwner, page: PageRequest) => Effect.Effect<Page<Token>, Unavailable>
    /**
     * Revokes a token of an owner from `now` on, at once for every node. Returns the token as it is afterwards, or null when
     * the owner has none with that id. Revoking again keeps the first time.
     */
    readonly revoke: (owner: TokenOwner, id: string, now: number) => Effect.Effect<Token | null, Unavailable>
    /** Revokes all tokens of an owner, as `revoke`. */
    readonly revokeAll: (owner: TokenOwner, now: number) => Effect.Effect<void, Unavailable>
    /** Records a use. */
    readonly touch: (id: string, usedAt: number, network: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/TokenStore") {}
