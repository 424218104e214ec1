/**
 * Stores the record of the installation, which belongs to no account: the state of its first start, the hash of the management
 * token made then, and the sealed secrets with which it signs and hashes.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The record of the installation. */
export interface Installation {
  /** The account whose sandbox key the first start prints. */
  readonly sandboxAccountId: string
  /** SHA-256 of the management token made at the first start, hex. */
  readonly managementTokenHash: string
  /**
   * Whether the secrets of the first start were shown. If not, the next start makes new ones and shows them, because the old
   * ones were lost when a process was killed in between.
   */
  readonly announced: boolean
}

/** A sealed secret from which the keys of one or more uses are derived. */
export interface InstallationSecret {
  /** Unique in the installation. Signatures carry the id of their signing secret. */
  readonly id: string
  /** `Hashing` hashes addresses of erased people and is never replaced. `Signing` signs links and return paths. */
  readonly use: "Hashing" | "Signing"
  readonly sealed: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Until when its signatures are accepted, epoch milliseconds; null for a secret that was not replaced. */
  readonly acceptedUntil: number | null
}

/** The port of the installation's record. */
export class InstallationStore extends Context.Service<
  InstallationStore,
  {
    /** The record; null in an empty database. */
    readonly get: Effect.Effect<Installation | null, Unavailable>
    /** Adds the record; `WriteConflict` if there is one already. */
    readonly insert: (instance: Installation) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Replaces the record if the hash of its management token is `before`; otherwise `WriteConflict`. */
    readonly save: (
      instance: Installation,
      before: string
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Until when a configured management token may be shorter than the current minimum, epoch milliseconds; null unless an
     * earlier version set up the installation.
     */
    readonly shortTokenUntil: Effect.Effect<number | null, Unavailable>
    /**
     * Returns true once, for an installation that an earlier version without users set up: users have not been announced yet.
     * Otherwise false.
     */
    readonly takeUsersNotice: Effect.Effect<boolean, Unavailable>
    /** Locks the record against other callers of `lock` until the caller's transaction ends. */
    readonly lock: Effect.Effect<void, Unavailable>
    /**
     * A string sealed with the installation's secret key: the first that was offered, kept until `replaceSecretCheck`. Null if
     * there is no record.
     */
    readonly secretCheck: (offered: string) => Effect.Effect<string | null, Unavailable>
    /** Replaces the sealed string of `secretCheck`. */
    readonly replaceSecretCheck: (sealed: string) => Effect.Effect<void, Unavailable>
    /** The sealed string of `secretCheck`; null before the first call. */
    readonly getSecretCheck: Effect.Effect<string | null, Unavailable>
    /** The installation's secrets, newest first. */
    readonly secrets: Effect.Effect<ReadonlyArray<InstallationSecret>, Unavailable>
    /** Adds secrets, and replaces those with the same ids. */
    readonly saveSecrets: (secrets: ReadonlyArray<InstallationSecret>) => Effect.Effect<void, Unavailable>
    /** Deletes the secrets with those ids. */
    readonly removeSecrets: (ids: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /**
     * Removes and returns the secret that an earlier version stored unencrypted; null if there is none. The caller seals it in
     * the same transaction.
     */
    readonly takePlainSecret: Effect.Effect<string | null, Unavailable>
  }
>()("svc/ports/InstallationStore") {}
