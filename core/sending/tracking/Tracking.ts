/**
 * Counts opens and clicks: the first of each delivery that a person may have made.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type DeliveryRef, SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { describeDefect } from "../../shared/Defect.ts"
import { makeGroupCommit } from "../../kernel/GroupCommit.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { EmailEvents, eventOf } from "../fanout/EmailEvents.ts"
import { countsAsVisit, type Visit } from "./MachineVisits.ts"
import { readClickToken, readOpenToken, type TrackingSigner } from "./TrackingTokens.ts"

/** The most opens and clicks that are written together. */
const maxGroup = 500
/** The most that wait to be written. More are not counted: following a link never waits for a count. */
const maxWaiting = 20_000

/** An open or click to be counted. */
interface Engagement {
  readonly delivery: DeliveryRef
  /** The link of a click; null for an open. */
  readonly url: string | null
  /** Whether it counts as an open. */
  readonly opens: boolean
}

/** Reads the tokens of pixels and links, and counts opens and clicks. */
export class Tracking extends Context.Service<
  Tracking,
  {
    /**
     * Whether a pixel's token is valid. Counts the visit as an open, in the background; a count that cannot be written
     * is lost. Fails with `Unavailable` only before the first start has finished.
     */
    readonly open: (token: string, visit: Visit) => Effect.Effect<boolean, Unavailable>
    /**
     * The URL of a link; null for a token that is not valid. Counts the visit as a click as `open` does, and as an open
     * too when opens of the email are tracked: an email is opened before a link in it is clicked.
     */
    readonly click: (token: string, visit: Visit) => Effect.Effect<string | null, Unavailable>
  }
>()("svc/sending/Tracking", {
  make: Effect.gen(function* () {
    const crypto = yield* Crypto
    const events = yield* EmailEvents
    const keys = yield* InstallationKeys
    const scope = yield* Effect.scope
    const submissions = yield* SubmissionStore
    const atomically = yield* Atomically
    let waiting = 0

    const read = <A>(readToken: (signer: TrackingSigner, token: string) => A | null, token: string) =>
      keys.prove(({ tracking }) => readToken({ crypto, keys: tracking }, token))

    /** Writes the opens and clicks of an account that arrived together: the first of each delivery, and their events. */
    const write = Effect.fnUntraced(function* (engagements: ReadonlyArray<Engagement>) {
      const at = yield* Clock.currentTimeMillis
      const clicks = firstOfEach(engagements.filter(({ url }) => url !== null))
      const opens = firstOfEach(engagements.filter((engagement) => engagement.opens))
      const opened = yield* submissions.engage("opened", refsOf(opens), at)
      const clicked = yield* submissions.engage("clicked", refsOf(clicks), at)
      yield* events.record([
        ...opened.flatMap((delivery) => eventOf(delivery, { type: "email.opened" }, at)),
        ...clicked.flatMap((delivery) =>
          eventOf(delivery, { type: "email.clicked", url: clicks.get(delivery.id)!.url }, at)
        )
      ])
    })

    const submit = yield* makeGroupCommit<Engagement, void, never, never>({
      maxBatch: maxGroup,
      run: (_accountId, engagements) =>
        atomically(write(engagements)).pipe(
          Effect.catchCause((cause) =>
            Effect.annotateLogs(Effect.logWarning("opens and clicks were not counted"), {
              count: engagements.length,
              ...describeDefect(cause)
            })
          ),
          Effect.as(engagements.map(() => Result.void))
        )
    })

    const count = (engagement: Engagement): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (waiting >= maxWaiting) return Effect.void
        waiting++
        return submit(engagement.delivery.accountId, engagement).pipe(
          Effect.ensuring(Effect.sync(() => waiting--)),
          Effect.forkIn(scope),
          Effect.asVoid
        )
      })

    return {
      open: Effect.fnUntraced(function* (token, visit) {
        const delivery = yield* read(readOpenToken, token)
        if (delivery === null) return false
        if (countsAsVisit(visit)) yield* count({ delivery, url: null, opens: true })
        return true
      }),
      click: Effect.fnUntraced(function* (token, visit) {
        const claim = yield* read(readClickToken, token)
        if (claim === null) return null
        if (countsAsVisit(visit)) yield* count(claim)
        return claim.url
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Tracking, Tracking.make)
}

/** The first engagement of each delivery, by its id. */
const firstOfEach = (engagements: ReadonlyArray<Engagement>): ReadonlyMap<string, Engagement> => {
  const first = new Map<string, Engagement>()
  for (const engagement of engagements) {
    if (!first.has(engagement.delivery.id)) first.set(engagement.delivery.id, engagement)
  }
  return first
}

const refsOf = (engagements: ReadonlyMap<string, Engagement>): ReadonlyArray<DeliveryRef> =>
  [...engagements.values()].map(({ delivery }) => delivery)
