/**
 * Takes requests of people who lost their passwords. What the caller gets, and what the request costs, is the same for known
 * and unknown addresses: the user is looked for when the email is written.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Origin } from "../../shared/Network.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { mailedLinkLimits, SystemMail } from "../SystemMail.ts"

/** Resets of passwords that people ask for themselves. */
export class PasswordResets extends Context.Service<
  PasswordResets,
  {
    /**
     * Has a link mailed to the user of a normalized address, unless too many were asked for or the installation sends no
     * mail. Nothing tells whether there is such a user.
     */
    readonly request: (email: string, origin: Origin) => Effect.Effect<void, Unavailable>
  }
>()("svc/users/PasswordResets") {
  static readonly layer = Layer.effect(
    PasswordResets,
    Effect.map(SystemMail, (systemMail) =>
      PasswordResets.of({
        request: Effect.fn("PasswordResets.request")(function* (email, { network, trust }) {
          const source =
            trust === "Proxy" ? null : { name: `at ${network}`, most: mailedLinkLimits.perNetwork }
          yield* systemMail.sendLink({ kind: "Reset", email }, { to: email, source })
        })
      })
    )
  )
}
