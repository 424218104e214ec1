/**
 * How much of its limits an account uses.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { SendQuota } from "../ports/SendQuota.ts"
import { utcDaysUntil } from "../shared/UtcDays.ts"

/** What an account uses, and its limits. */
export class Usage extends Context.Service<Usage>()("svc/accounts/Usage", {
  make: Effect.gen(function* () {
    const contacts = yield* ContactStore
    const quota = yield* SendQuota
    return {
      /** The account's contacts, and the emails that count for its cap of this UTC day; two look-ups. */
      of: Effect.fn("Usage.of")(function* ({ id, settings }: Account) {
        const [today] = utcDaysUntil(yield* Clock.currentTimeMillis, 1)
        const { contactLimit, dailySendLimit, rateLimitPerMinute } = settings
        return {
          contacts: yield* contacts.count(id),
          emailsToday: yield* quota.taken(id, today!.date),
          limits: { contactLimit, dailySendLimit, rateLimitPerMinute }
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Usage, Usage.make)
}
