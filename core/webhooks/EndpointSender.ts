/**
 * A lane: one webhook's notifications on their way out of this process.
 *
 * It holds an alarm of its webhook as its guard, takes what is due from the webhook's line, sends a bounded number at a
 * time, and ends, which completes the guard, once the line holds nothing that is due. Lanes know nothing of each other,
 * so a slow address slows down nobody else.
 *
 * @module
 */
import { Cause, Clock, Effect, Latch, Schedule } from "effect"
import type { RunningJob } from "../jobs/JobPool.ts"
import { Crypto } from "../ports/Crypto.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { describeDefect } from "../shared/Defect.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { makeWebhookWakeups } from "./WebhookWakeups.ts"
import { makeAttemptResults } from "./AttemptResults.ts"
import { makeNotificationClaims } from "./NotificationClaims.ts"
import { signedHeaders } from "./Signature.ts"
import { makeSigningKeys } from "./SigningKeys.ts"
import type { AttemptAnswer, ClaimedNotification, Webhook, WebhookRef } from "../model/Webhook.ts"
import { concurrencyOf, signingSecrets, succeeded, wantedOf } from "./WebhookRules.ts"

/** What waited longer than this after it was taken is put back, since it may have been cancelled; milliseconds. */
const maxWait = 2_000
/** The pause when the store is out of reach. */
const unavailablePause = "1 second"
/** How often a result is tried to be written while the store is out of reach. */
const resultTries = 20
/** The pause when something is due that could not be taken, since somebody else has it locked. */
const lockedPause = "50 millis"

/** What ends a lane or an attempt is logged; that it was to stop is no news. */
const logFailure = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.annotateLogs(Effect.logError("webhook lane failed"), describeDefect(cause))

/** A webhook's lane, as the sender sees it. */
export interface Lane {
  readonly ref: WebhookRef
  /** There may be something due: looks again before it ends. */
  readonly look: () => void
  /** Takes nothing more; ends once what is under way is recorded. */
  readonly stop: () => void
  /** Sends until there is nothing due. */
  readonly run: (guard: RunningJob) => Effect.Effect<void>
}

/**
 * What makes lanes.
 *
 * @param ended called when a lane ends; from then on it looks no more
 */
export const makeLanes = Effect.fnUntraced(function* (
  endGuard: (guard: RunningJob, done: boolean) => Effect.Effect<void, Unavailable>,
  ended: (lane: Lane) => void
) {
  const client = yield* WebhookClient
  const crypto = yield* Crypto
  const store = yield* NotificationStore
  const keys = yield* makeSigningKeys
  const scheduleWakeups = yield* makeWebhookWakeups
  const lines = yield* makeNotificationClaims
  const record = yield* makeAttemptResults

  /** Makes one attempt. */
  const attempt = Effect.fnUntraced(function* (webhook: Webhook, notification: ClaimedNotification) {
    const at = yield* Clock.currentTimeMillis
    const { body, id, webhookId } = notification
    const secrets = yield* keys.open(notification, signingSecrets(webhook.secrets, at))
    return yield* client.post({
      pool: webhookId,
      url: webhook.url,
      headers: { "content-type": "application/json", ...signedHeaders(crypto, secrets, id, at, body) },
      body
    })
  })

  const unreadable: AttemptAnswer = {
    httpStatus: null,
    error: "secret_unreadable",
    durationMs: 0,
    answer: null
  }

  return (ref: WebhookRef): Lane => {
    /** Closed while there is nothing to do but wait for an attempt or for `look`. */
    const changed = Latch.makeUnsafe(true)
    const waiting: Array<ClaimedNotification> = []
    const claimed = new Set<ClaimedNotification>()
    let webhook: Webhook | null = null
    let takenAt = 0
    let mayHaveMore = true
    let stopping = false
    let lost = false
    let active = 0
    let failures = 0
    let stopped = false
    /** How often `failures` was told of an attempt. */
    let told = 0
    let pace: number | null = null

    const put = (taken: ReadonlyArray<ClaimedNotification>) => {
      for (const one of taken) claimed.delete(one)
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        taken.length === 0 ? Effect.void : store.release(taken, now)
      )
    }

    const send = Effect.fnUntraced(function* (to: Webhook, notification: ClaimedNotification) {
      const answer = yield* Effect.catchTag(attempt(to, notification), "CannotOpen", () =>
        Effect.succeed(unreadable)
      )
      // A failure keeps its place until it is counted, so that no more are under way than may still fail.
      const ok = succeeded(answer)
      pace = pace === null ? answer.durationMs : pace * 0.8 + answer.durationMs * 0.2
      if (ok) leave()
      const standing = yield* Effect.retry(record({ notification, answer }), {
        times: resultTries,
        schedule: Schedule.spaced(unavailablePause)
      })
      claimed.delete(notification)
      failures = standing.failuresInARow
      told++
      if (standing.stopped) {
        stopped = true
        // Cancelled in the store by now.
        for (const one of waiting.splice(0)) claimed.delete(one)
      }
      if (!ok) leave()
      else changed.openUnsafe()
    })

    const leave = () => {
      active--
      changed.openUnsafe()
    }

    /** An attempt that could not be recorded, or not be made by a defect: its claim, and then the guard's, runs out. */
    const forget = (notification: ClaimedNotification) => {
      lost = true
      claimed.delete(notification)
      active = Math.max(0, active - 1)
      changed.openUnsafe()
    }

    const take = Effect.gen(function* () {
      const wanted = wantedOf(concurrencyOf(failures), pace) - waiting.length - active
      if (!mayHaveMore || stopping || lost || wanted <= 0 || waiting.length > wanted) return
      mayHaveMore = false
      const toldBefore = told
      // Not interrupted in between: that would leave claims behind.
      const taken = yield* Effect.uninterruptible(lines.take(ref, wanted))
      takenAt = yield* Clock.currentTimeMillis
      webhook = taken.webhook
      // What was read may be older than what attempts have told meanwhile.
      if (webhook === null || stopped || webhook.status === "Stopped") return yield* store.cancel([ref])
      if (claimed.size === 0 && told === toldBefore) failures = webhook.failuresInARow
      for (const one of taken.notifications) claimed.add(one)
      waiting.push(...taken.notifications)
      if (taken.notifications.length === wanted) mayHaveMore = true
    })

    const start = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (waiting.length > 0 && (stopping || lost || now - takenAt > maxWait)) {
        yield* put(waiting.splice(0))
        mayHaveMore = true
      }
      const to = webhook
      if (to === null) return
      while (waiting.length > 0 && active < concurrencyOf(failures)) {
        const notification = waiting.shift()!
        active++
        yield* Effect.forkChild(
          Effect.onExit(send(to, notification), (exit) => {
            if (exit._tag === "Success") return Effect.void
            if (claimed.has(notification)) forget(notification)
            return logFailure(exit.cause)
          })
        )
      }
    })

    /** Whether the lane is over. */
    const finished = Effect.fnUntraced(function* (guard: RunningJob) {
      if (stopping || lost) {
        ended(lane)
        if (!lost && !guard.isLost()) yield* endGuard(guard, false)
        return true
      }
      const at = yield* lines.dueAt(ref)
      if (at !== null && at <= (yield* Clock.currentTimeMillis)) {
        if (!mayHaveMore) yield* Effect.sleep(lockedPause)
        mayHaveMore = true
      }
      if (mayHaveMore) return false
      ended(lane)
      // Another worker has some: should it die, this rings when its claims run out.
      if (at !== null) yield* scheduleWakeups([{ ...ref, at }])
      yield* endGuard(guard, true)
      return true
    })

    const turn = Effect.fnUntraced(function* (guard: RunningJob) {
      changed.closeUnsafe()
      yield* take
      yield* start
      if (claimed.size > 0 && (!mayHaveMore || active > 0 || stopping || lost)) {
        yield* changed.await
        return false
      }
      return mayHaveMore && !stopping && !lost ? false : yield* finished(guard)
    })

    const run = (guard: RunningJob): Effect.Effect<void> =>
      Effect.gen(function* () {
        let over = false
        while (!over) {
          over = yield* Effect.catchTag(turn(guard), "Unavailable", () => {
            mayHaveMore = true
            return Effect.as(Effect.sleep(unavailablePause), false)
          })
        }
      }).pipe(
        Effect.tapCause(logFailure),
        Effect.ensuring(Effect.sync(() => ended(lane))),
        Effect.onInterrupt(() => {
          const back = [...claimed]
          return Effect.ignore(
            Effect.andThen(put(back), guard.isLost() || lost ? Effect.void : endGuard(guard, false))
          )
        })
      )

    const lane: Lane = {
      ref,
      look: () => {
        mayHaveMore = true
        changed.openUnsafe()
      },
      stop: () => {
        stopping = true
        changed.openUnsafe()
      },
      run
    }
    return lane
  }
})
