/**
 * Estimates how hard passwords are to guess.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** How strong a password is. */
export interface PasswordEstimate {
  /** From 0 (guessed at once) to 4. */
  readonly score: number
  /** Why the password is weak, in one English sentence that does not contain it; null if there is nothing to say. */
  readonly hint: string | null
}

/** The port of password estimates. */
export class PasswordStrength extends Context.Service<
  PasswordStrength,
  {
    /** Estimates a password of at most 200 characters. `words` are those that an attacker tries first. */
    readonly estimate: (password: string, words: ReadonlyArray<string>) => Effect.Effect<PasswordEstimate>
  }
>()("svc/ports/PasswordStrength") {}
