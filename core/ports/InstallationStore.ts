/**
 * Stores the record of the installation, which belongs to no account: the state of its first start, the hash of the
 * management token made then, and the secrets that sign and hash, sealed.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The installation's own record. */
export interface Installation {
  /** The account whose sandbox key the first start prints. */
  readonly sandboxAccountId: string
  /** SHA-256 of the management token made at first start, hex. */
  readonly managementTokenHash: string
  /**
   * Whether the first start's secrets were shown. A start that finds false makes new ones and shows them, because a
   * process that was killed in between lost the old ones.
   */
  readonly announced: boolean
}

/** A secret from which the keys of one or more uses are derived, sealed by SecretBox. */
export interface InstallationSecret {
  /** Unique in the installation; of a signing secret, the id that its signatures carry. */
  readonly id: string
  /** `Hashing`: hashes addresses of erased people, is never replaced. `Signing`: signs links and return paths. */
  readonly use: "Hashing" | "Signing"
  readonly sealed: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Until when its signatures are accepted, epoch milliseconds; null for a secret that no other replaced. */
  readonly acceptedUntil: number | null
}

/** The port of the installation's record. */
export class InstallationStore extends Context.Service<
  InstallationStore,
  {
    /** The record; null in an empty database. */
    readonly get: Effect.Effect<Installation | null, Unavailable>
    /** Adds the record; `WriteConflict` when there is one already. */
    readonly insert: (instance: Installation) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Replaces the record if its management token has the hash `before`; else `WriteConflict`.
     */
    readonly save: (
      instance: Installation,
      before: string
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Until when a configured management token may be shorter than new ones, epoch milliseconds; null in an installation
     * that no earlier version set up.
     */
    readonly shortTokenUntil: Effect.Effect<number | null, Unavailable>
    /**
     * Whether an earlier version, which had no users, set the installation up and nothing has been said of users yet; false
     * from the second call on.
     */
    readonly takeUsersNotice: Effect.Effect<boolean, Unavailable>
    /** Locks the record until the caller's transaction ends, against others that call this. */
    readonly lock: Effect.Effect<void, Unavailable>
    /**
     * A string sealed with the installation's secret key: the first one offered, kept until `replaceSecretCheck`. Null
     * without a record.
     */
    readonly secretCheck: (offered: string) => Effect.Effect<string | null, Unavailable>
    /** Replaces the sealed string of `secretCheck`. */
    readonly replaceSecretCheck: (sealed: string) => Effect.Effect<void, Unavailable>
    /** The sealed string of `secretCheck`; null before the first one. */
    readonly getSecretCheck: Effect.Effect<string | null, Unavailable>
    /** The installation's secrets, newest first. */
    readonly secrets: Effect.Effect<ReadonlyArray<InstallationSecret>, Unavailable>
    /** Adds secrets, and replaces those with the same ids. */
    readonly saveSecrets: (secrets: ReadonlyArray<InstallationSecret>) => Effect.Effect<void, Unavailable>
    /** Deletes the secrets with those ids. */
    readonly removeSecrets: (ids: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /**
     * Removes and returns the secret that an earlier version stored in clear; null where there is none. The caller seals
     * it in the same transaction.
     */
    readonly takePlainSecret: Effect.Effect<string | null, Unavailable>
  }
>()("svc/ports/InstallationStore") {}
