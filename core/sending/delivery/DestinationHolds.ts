/**
 * Finds the domains to which an account's campaigns cannot send now, so that no email is submitted that would only wait.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../../model/Account.ts"
import { MailTransport } from "../../ports/MailTransport.ts"
import { RelayRouting } from "../relays/RelayRouting.ts"
import { type Held, Shaping } from "../shaping/Shaping.ts"
import { firstRelayOf, shapedOf } from "./DispatchPlan.ts"

/** Stands in for an email that has not been submitted yet. */
const submission = { id: "", flowId: null, templateId: null, marketing: { contactId: "", topicId: null } }

/** A destination that takes more mail within this time is busy but not held, milliseconds. */
const shortWait = 10_000

/** Finds destinations that take no mail. */
export class DestinationHolds extends Context.Service<DestinationHolds>()("svc/sending/DestinationHolds", {
  make: Effect.gen(function* () {
    const routing = yield* RelayRouting
    const shaping = yield* Shaping
    const transport = yield* MailTransport

    return {
      /**
       * Returns the domains for which an account's campaigns wait, each with the reason and the end of the wait. It uses what
       * this process knows, so it needs only one statement every few seconds, and one more if the account chose relays.
       *
       * @param sender the address from which the campaign is sent
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
