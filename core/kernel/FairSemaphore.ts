/**
 * A semaphore that several holders share fairly: a holder that already has its share waits, and others are served first.
 *
 * @module
 */
import { Effect } from "effect"
import { FairShares } from "../shared/FairShares.ts"

interface Waiter {
  readonly holder: string
  readonly amount: number
  readonly grant: () => void
}

/** A semaphore whose permits are divided by `FairShares`. */
export class FairSemaphore {
  readonly #shares: FairShares
  readonly #waiters = new Set<Waiter>()

  /** @param permits the number of permits, which a single request may exceed */
  constructor(permits: number) {
    this.#shares = new FairShares(permits)
  }

  /**
   * Waits until `holder` may have `amount` permits, then runs an effect with them. The permits are released when the effect
   * ends, or earlier when it calls `release`.
   */
  withPermits<A, E, R>(
    holder: string,
    amount: number,
    run: (release: () => void) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.#take(holder, amount)), () => {
        let isHeld = true
        const release = () => {
          if (isHeld) this.#give(holder, amount)
          isHeld = false
        }
        return Effect.ensuring(restore(Effect.suspend(() => run(release))), Effect.sync(release))
      })
    )
  }

  #take(holder: string, amount: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#shares.allows(holder, amount)) {
        this.#shares.add(holder, amount)
        return resume(Effect.void)
      }
      let isGranted = false
      const waiter: Waiter = {
        holder,
        amount,
        grant: () => {
          isGranted = true
          resume(Effect.void)
        }
      }
      this.#waiters.add(waiter)
      return Effect.sync(() => {
        this.#waiters.delete(waiter)
        if (isGranted) this.#give(holder, amount)
      })
    })
  }

  #give(holder: string, amount: number): void {
    this.#shares.add(holder, -amount)
    for (const waiter of this.#waiters) {
      if (this.#shares.free <= 0) return
      if (!this.#shares.allows(waiter.holder, waiter.amount)) continue
      this.#waiters.delete(waiter)
      this.#shares.add(waiter.holder, waiter.amount)
      waiter.grant()
    }
  }
}
