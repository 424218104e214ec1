/**
 * Says to which domains an account's campaigns cannot be sent now, so that no email is submitted that would only wait.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../../model/Account.ts"
import { MailTransport } from "../../ports/MailTransport.ts"
import { RelayRouting } from "../relays/RelayRouting.ts"
import { type Held, Shaping } from "../shaping/Shaping.ts"
import { firstRelayOf, shapedOf } from "./DispatchPlan.ts"

/** What stands for an email that is not submitted yet. */
const submission = { id: "", flowId: null, templateId: null, marketing: { contactId: "", topicId: null } }

/** A destination that takes more after less than this is busy, and not held, milliseconds. */
const shortWait = 10_000

/** The destinations that take no mail. */
export class DestinationHolds extends Context.Service<DestinationHolds>()("svc/sending/DestinationHolds", {
  make: Effect.gen(function* () {
    const routing = yield* RelayRouting
    const shaping = yield* Shaping
    const transport = yield* MailTransport

    return {
      /**
       * The domains to which campaigns of an account wait, each with until when and why. By what this process knows: one statement
       * every few seconds, and one where the account chose relays.
       *
       * @param sender the address that it is sent from
       */
      of: Effect.fn("DestinationHolds.of")(function* (
        account: Account,
        sender: string,
        domains: ReadonlyArray<string>
      ) {
        const held = new Map<string, Held>()
        if (account.mode !== "Live") return held
        yield* shaping.refresh
        yield* routing.refresh([account])
        const now = yield* Clock.currentTimeMillis
        const ways = routing.waysOf(account, "Marketing")
        const relay = firstRelayOf(ways)
        for (const domain of new Set(domains)) {
          const delivery = { accountId: account.id, email: `@${domain}`, id: "", lane: null }
          const message = shapedOf({ account, delivery, submission }, { email: sender }, ways)
          const hold = shaping.heldUntil(message, now)
          const source = shaping.sourceOf(message, now)
          const busy = transport.busyUntil(domain, now, 0, account.id, relay, source, "Campaign") ?? now
          if (hold !== null) held.set(domain, hold)
          else if (busy > now + shortWait) held.set(domain, { at: busy, reason: "sending.provider_held" })
        }
        return held
      })
    }
  })
}) {
  static readonly layer = Layer.effect(DestinationHolds, DestinationHolds.make).pipe(
    Layer.provide(Shaping.layer)
  )
}
