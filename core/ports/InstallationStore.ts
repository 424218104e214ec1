/**
 * Stores the record of the installation, which belongs to no account: the state of its first start, and the hash of the
 * management token made then.
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
  /** What the keys of links and of address hashes are derived from, hex. Made once and never changed. */
  readonly linkSecret: string
  /**
   * Whether the first start's secrets were shown. A start that finds false makes new ones and shows them, because a
   * process that was killed in between lost the old ones.
   */
  readonly announced: boolean
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
     * A string sealed with the installation's secret key: the first one offered, which is kept permanently. Null without a
     * record.
     */
    readonly secretCheck: (offered: string) => Effect.Effect<string | null, Unavailable>
  }
>()("svc/ports/InstallationStore") {}
