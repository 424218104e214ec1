/**
 * Bounds how many emails of an account wait to be sent. The daily limit alone would bound what is sent, but not what is stored
 * until then.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../../model/Account.ts"
import { SendQuota } from "../../ports/SendQuota.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"

/** How many days' worth of an account's `dailySendLimit` may wait. */
export const maxQueueDays = 10

/**
 * A full queue is counted again once its count is this old, milliseconds. A long queue takes longer to count, so it is counted
 * less often.
 */
const fullFor = (most: number): number => Math.max(10_000, most / 100)
/**
 * Any queue is counted again once its count is this old, milliseconds. Until then, emails that were sent or cancelled still
 * count.
 */
const countedFor = 3_600_000

/** Bounds the queues of accounts. */
export class EmailQueue extends Context.Service<EmailQueue>()("svc/sending/EmailQueue", {
  make: Effect.gen(function* () {
    const quota = yield* SendQuota
    const submissions = yield* SubmissionStore
    const countAndReserve = Effect.fnUntraced(function* (
      { id: accountId, settings: { dailySendLimit } }: Account,
      wanted: number
    ) {
      if (dailySendLimit === null || wanted === 0) return wanted
      const most = maxQueueDays * dailySendLimit
      const { countedAt, granted } = yield* quota.reserve({ accountId, wanted, most })
      const at = yield* Clock.currentTimeMillis
      const isOld = countedAt === null || at - countedAt >= (granted < wanted ? fullFor(most) : countedFor)
      if (!isOld) return granted
      // While the queue is counted, no other transaction can take room for emails that are not stored yet.
      if ((yield* quota.lock(accountId, most)) === countedAt) {
        const waiting = granted + (yield* submissions.countQueued(accountId, most))
        yield* quota.recount({ accountId, most, waiting, at })
      }
      if (granted === wanted) return granted
      const again = yield* quota.reserve({ accountId, wanted: wanted - granted, most })
      return granted + again.granted
    })

    const giveBack = (account: Account, count: number) =>
      account.settings.dailySendLimit === null || count === 0 ? Effect.void : quota.release(account.id, count)

    const take = Effect.fn("EmailQueue.take")(function* (account: Account, sizes: ReadonlyArray<number>) {
      let room = yield* countAndReserve(
        account,
        sizes.reduce((sum, size) => sum + size, 0)
      )
      const fits = sizes.map((size) => {
        if (size > room) return false
        room -= size
        return true
      })
      yield* giveBack(account, room)
      return fits
    })

    return {
      /** Whether there is room for one more email. Runs in the caller's transaction. */
      hasRoom: Effect.fn("EmailQueue.hasRoom")(function* (account: Account) {
        const [fits] = yield* take(account, [1])
        if (fits!) yield* giveBack(account, 1)
        return fits!
      }),
      /**
       * Takes room for groups of emails, one email for each recipient. Each group, in order, gets room for all of its emails
       * or for none; if the account has no daily limit, all groups do. Runs in the caller's transaction, which also stores the
       * emails, so that the bound is exact. Returns which groups have room. The queue itself is counted rarely; usually this
       * is one statement, which scans no emails.
       */
      take,
      /** Gives back room that was taken for emails that were not stored. */
      giveBack
    }
  })
}) {
  static readonly layer = Layer.effect(EmailQueue, EmailQueue.make)
}
