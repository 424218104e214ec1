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
    /** Adds a passkey. `WriteConflict("passkeys_credential")` if its credential id is taken. */
    readonly insert: (passkey: Passkey) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The passkey with a credential id; null if there is none. */
    readonly findCredential: (credentialId: string) => Effect.Effect<Passkey | null, Unavailable>
    /** The passkeys of a user, newest first. */
    readonly list: (userId: string) => Effect.Effect<ReadonlyArray<Passkey>, Unavailable>
    /**
     * Records a signature. Returns false if there is no such passkey, or if the counter is not higher than the stored one, unless
     * both are 0; even with concurrent calls.
     */
    readonly use: (id: string, counter: number, usedAt: number) => Effect.Effect<boolean, Unavailable>
    /** Renames a passkey of a user; null if the user has none with the id. */
    readonly rename: (userId: string, id: string, name: string) => Effect.Effect<Passkey | null, Unavailable>
    /** Removes a passkey of a user and returns it; null if the user has none with the id. */
    readonly remove: (userId: string, id: string) => Effect.Effect<Passkey | null, Unavailable>
  }
>()("svc/ports/PasskeyStore") {}
