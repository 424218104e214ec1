/**
 * What belongs to the installation as a whole and to no account: how far its first start came, and the hash of the
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
   * Whether the first start's secrets were shown. A start that finds false makes new ones and shows them: a
   * process killed in between lost the old ones.
   */
  readonly announced: boolean
}

/** The port of the installation's record. */
export class InstallationStore extends Context.Service<
  InstallationStore,
  {
    /** The record, or null on an empty store. */
    readonly get: Effect.Effect<Installation | null, Unavailable>
    /** Adds the record; `WriteConflict` when there is one already. */
    readonly insert: (instance: Installation) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Replaces the record whose management token has the hash `before`; `WriteConflict` where it has another by now, or
     * there is none.
     */
    readonly save: (
      instance: Installation,
      before: string
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * A text sealed with the installation's secret key: the first one ever offered, which is kept for good. Null
     * without a record.
     */
    readonly secretCheck: (offered: string) => Effect.Effect<string | null, Unavailable>
  }
>()("svc/ports/InstallationStore") {}
