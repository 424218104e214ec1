/**
 * Implements the PasswordStrength port with zxcvbn, in a thread, because an estimate takes milliseconds and the dictionaries
 * take a while to load.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type PasswordEstimate, PasswordStrength } from "../../core/ports/PasswordStrength.ts"
import { Threads } from "../../core/ports/Threads.ts"
import { estimateTask } from "./estimatePassword.ts"

/** The estimate of a password for which estimating takes too long. */
const unknown: PasswordEstimate = { score: 0, hint: null }

/** Estimates in threads. */
export const layer = Layer.effect(
  PasswordStrength,
  Effect.map(Threads, ({ run }) =>
    PasswordStrength.of({
      estimate: (password, words) =>
        Effect.catchTag(run(estimateTask, { password, words }, { bytes: 0 }), "RunEnded", () =>
          Effect.succeed(unknown)
        )
    })
  )
)
