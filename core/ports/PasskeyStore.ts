/**
 * Stores the passkeys of users.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Passkey } from "../model/Passkey.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of passkeys. */
export class PasskeyStore extends Context.Service<
  PasskeyStore,
  {
    /** Adds a passkey. `WriteConflict("passkeys_credential")` when there is one with its credential id. */
    readonly insert: (passkey: Passkey) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The passkey with a credential id; null where there is none. */
    readonly findCredential: (credentialId: string) => Effect.Effect<Passkey | null, Unavailable>
    /** The passkeys of a user, newest first. */
    readonly list: (userId: string) => Effect.Effect<ReadonlyArray<Passkey>, Unavailable>
    /**
     * Records a signature. False where the counter is not beyond the stored one, unless both are 0, also concurrently, and
     * where there is no such passkey.
     */
    readonly use: (id: string, counter: number, usedAt: number) => Effect.Effect<boolean, Unavailable>
    /** Names a passkey of a user; null where the user has none with that id. */
    readonly rename: (userId: string, id: string, name: string) => Effect.Effect<Passkey | null, Unavailable>
    /** Removes a passkey of a user; returns it, or null where the user has none with that id. */
    readonly remove: (userId: string, id: string) => Effect.Effect<Passkey | null, Unavailable>
  }
>()("svc/ports/PasskeyStore") {}
