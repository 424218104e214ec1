/**
 * Claims of jobs whose answer did not arrive: the server may have made them all the same, and then nobody works on
 * those jobs until their leases run out. Each claim has a name of its own, so what it took is found and given back.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Queue } from "../../../core/ports/JobQueue.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"

/** A claim, as the jobs it took are found. */
export interface Claim {
  readonly name: string
  readonly queue: Queue
  /** Epoch milliseconds. */
  readonly leasedUntil: number
}

/**
 * Makes what runs a process's claims.
 *
 * @param giveBack gives back what claims of one queue took, due at once; answers the names of those that took something
 */
export const makeLostClaims = (
  giveBack: (claims: ReadonlyArray<Claim>, now: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
) => {
  const lost = new Map<Queue, ReadonlyArray<Claim>>()

  /** A claim the server made nothing of is looked for until its lease is over: it may still be at it. */
  const recover = Effect.fnUntraced(function* (queue: Queue, now: number) {
    const looked = (lost.get(queue) ?? []).filter(({ leasedUntil }) => leasedUntil > now)
    const found = looked.length === 0 ? [] : yield* giveBack(looked, now)
    const left = looked.filter(({ name }) => !found.includes(name))
    if (left.length === 0) lost.delete(queue)
    else lost.set(queue, left)
  })

  /** Claims jobs of a queue for `lease` milliseconds from `now`, after what earlier claims lost was given back. */
  return <A>(
    queue: Queue,
    lease: number,
    now: number,
    make: (claim: Claim) => Effect.Effect<A, Unavailable>
  ): Effect.Effect<A, Unavailable> =>
    Effect.suspend(() => {
      const claim: Claim = { name: randomUUID(), queue, leasedUntil: now + lease }
      const made = Effect.tapError(make(claim), () =>
        Effect.sync(() => lost.set(queue, [...(lost.get(queue) ?? []), claim]))
      )
      return lost.has(queue) ? Effect.andThen(recover(queue, now), made) : made
    })
}
