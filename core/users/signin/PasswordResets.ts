/**
 * Accepts requests of people who lost their passwords. For known and unknown addresses, the response and the cost of the request
 * are the same, because the user is looked up only when the email is written.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Origin } from "../../shared/Network.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { mailedLinkLimits, SystemMail } from "../SystemMail.ts"

/** Password resets that people request for themselves. */
export class PasswordResets extends Context.Service<
  PasswordResets,
  {
    /**
     * Mails a link to the user with a normalized address, unless too many were requested or the installation sends no mail.
     * Nothing reveals whether there is such a user.
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
