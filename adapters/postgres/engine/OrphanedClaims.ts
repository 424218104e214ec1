/**
 * Releases jobs whose claim lost its reply. The server may have made the claim, and no worker would run those jobs until
 * their leases expire. Each claim has a name by which its jobs are found.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Queue } from "../../../core/ports/JobQueue.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"

/** The properties of a claim by which its jobs are found. */
export interface Claim {
  readonly name: string
  readonly queue: Queue
  /** Epoch milliseconds. */
  readonly leasedUntil: number
}

/**
 * Makes the function that runs a process's claims.
 *
 * @param release releases the jobs of claims of one queue, due immediately. Returns the names of the claims that had jobs
 */
export const makeOrphanedClaims = (
  release: (claims: ReadonlyArray<Claim>, now: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
) => {
  const orphans = new Map<Queue, ReadonlyArray<Claim>>()

  /** An orphaned claim for which no jobs are found is looked up until its lease expires, as the server may still run it. */
  const recover = Effect.fnUntraced(function* (queue: Queue, now: number) {
    const looked = (orphans.get(queue) ?? []).filter(({ leasedUntil }) => leasedUntil > now)
    const found = looked.length === 0 ? [] : yield* release(looked, now)
    const left = looked.filter(({ name }) => !found.includes(name))
    if (left.length === 0) orphans.delete(queue)
    else orphans.set(queue, left)
  })

  /** Claims jobs of a queue for `lease` milliseconds from `now`, after releasing the jobs of orphaned claims. */
  return <A>(
    queue: Queue,
    lease: number,
    now: number,
    make: (claim: Claim) => Effect.Effect<A, Unavailable>
  ): Effect.Effect<A, Unavailable> =>
    Effect.suspend(() => {
      const claim: Claim = { name: randomUUID(), queue, leasedUntil: now + lease }
      const made = Effect.tapError(make(claim), () =>
        Effect.sync(() => orphans.set(queue, [...(orphans.get(queue) ?? []), claim]))
      )
      return orphans.has(queue) ? Effect.andThen(recover(queue, now), made) : made
    })
}
