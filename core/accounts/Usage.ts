/**
 * An account's usage of its limits.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { SendQuota } from "../ports/SendQuota.ts"
import { utcDaysUntil } from "../shared/UtcDays.ts"

/** An account's usage, with its limits. */
export class Usage extends Context.Service<Usage>()("svc/accounts/Usage", {
  make: Effect.gen(function* () {
    const contacts = yield* ContactStore
    const quota = yield* SendQuota
    return {
      /** The number of the account's contacts, and of its emails that count for the current UTC day's cap; two look-ups. */
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
