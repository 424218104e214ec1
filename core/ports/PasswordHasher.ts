/**
 * Hashes passwords, outside the thread that serves requests.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** The result of comparing a password with a hash. */
export interface PasswordMatch {
  readonly matches: boolean
  /** Whether the hash was made with other than the current parameters. */
  readonly isOutdated: boolean
}

/** The port of password hashes. */
export class PasswordHasher extends Context.Service<
  PasswordHasher,
  {
    /** The hash of a password with a new salt; it includes its parameters. */
    readonly hash: (password: string) => Effect.Effect<string>
    /** Compares a password with a hash in constant time. A hash in an unknown format never matches, at the cost of a hash. */
    readonly verify: (password: string, hash: string) => Effect.Effect<PasswordMatch>
  }
>()("svc/ports/PasswordHasher") {}
