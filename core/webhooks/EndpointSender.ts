/**
 * Sends the notifications of one webhook from this process.
 *
 * An endpoint sender holds a wake-up job of its webhook. It claims due notifications, makes a bounded number of attempts at a
 * time, and completes the wake-up once none of the webhook's notifications is due. Senders are independent of each other, so a
 * slow endpoint delays no other.
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
import { AttemptResults } from "./AttemptResults.ts"
import { NotificationClaims } from "./NotificationClaims.ts"
import { signedHeaders } from "./Signature.ts"
import { SigningKeys } from "./SigningKeys.ts"
import { WebhookWakeups } from "./WebhookWakeups.ts"
import {
  type AttemptAnswer,
  type ClaimedNotification,
  succeeded,
  type Webhook,
  type WebhookRef
} from "../model/Webhook.ts"
import { concurrencyOf, signingSecrets, wantedOf } from "./WebhookRules.ts"

/** A notification claimed longer ago than this is released unsent, since it may have been cancelled; milliseconds. */
const maxWait = 2_000
/** The pause while the database is unavailable. */
const unavailablePause = "1 second"
/** How often writing a result is tried while the database is unavailable. */
const resultTries = 20
/** The pause if a due notification could not be claimed because another worker has locked it. */
const lockedPause = "50 millis"

/** The services that an endpoint sender uses. */
export const EndpointServices = Effect.all({
  client: WebhookClient,
  crypto: Crypto,
  notifications: NotificationStore,
  keys: SigningKeys,
  wakeups: WebhookWakeups,
  claims: NotificationClaims,
  results: AttemptResults
})

/** How an endpoint sender ends. */
export interface EndpointEnd {
  /** Ends the wake-up job: completes it, or makes it due again at once. */
  readonly endWakeup: (wakeup: RunningJob, done: boolean) => Effect.Effect<void, Unavailable>
  /** Called before the wake-up ends; from then on `look` has no effect. */
  readonly onEnd: (sender: EndpointSender) => void
}

const secretUnreadable: AttemptAnswer = {
  httpStatus: null,
  error: "secret_unreadable",
  durationMs: 0,
  answer: null
}

const logFailure = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.annotateLogs(Effect.logError("webhook sender failed"), describeDefect(cause))

/** The sender of one webhook. */
export class EndpointSender {
  readonly ref: WebhookRef
  private readonly services: Effect.Success<typeof EndpointServices>
  private readonly end: EndpointEnd
  /** A latch, closed while the sender can only wait for an attempt or for `look`. */
  private readonly changed = Latch.makeUnsafe(true)
  /** The webhook as last read; null before the first claim, and if it no longer exists. */
  private webhook: Webhook | null = null
  /** Notifications claimed and not yet attempted, in order. */
  private readonly waiting: Array<ClaimedNotification> = []
  /** Notifications claimed and neither recorded nor released: those in `waiting` and those of running attempts. */
  private readonly claimed = new Set<ClaimedNotification>()
  /** When the newest claim was made, epoch milliseconds. */
  private claimedAt = 0
  /** Whether the webhook may have due notifications that are not claimed. */
  private mayHaveMore = true
  /** Whether the last claim found no notification. Any that are due are then locked by another worker. */
  private foundNone = false
  /** Attempts that count against the concurrency: running ones, and failed ones until they are recorded. */
  private active = 0
  private failuresInARow = 0
  /** The number of attempts recorded. An older read of `failuresInARow` must not overwrite their result. */
  private recorded = 0
  /** A moving average of the duration of attempts, milliseconds; null before the first. */
  private pace: number | null = null
  /** The webhook was stopped after too many failures. */
  private stopped = false
  /** Whether the sender was asked to claim nothing more. */
  private stopping = false
  /** Whether an attempt could not be recorded. Its claim and then the wake-up's lease must expire. */
  private lost = false

  constructor(ref: WebhookRef, services: Effect.Success<typeof EndpointServices>, end: EndpointEnd) {
    this.ref = ref
    this.services = services
    this.end = end
  }

  /** Reports that notifications may have become due. The sender looks for them before it ends. */
  look(): void {
    this.mayHaveMore = true
    this.changed.openUnsafe()
  }

  /** Stops claiming. `run` ends once the running attempts are recorded. */
  stop(): void {
    this.stopping = true
    this.changed.openUnsafe()
  }

  /** Sends until nothing is due. If interrupted, it releases its claims and makes the wake-up due again. */
  run(wakeup: RunningJob): Effect.Effect<void> {
    const step = Effect.catchTag(this.step(wakeup), "Unavailable", () => {
      this.mayHaveMore = true
      return Effect.as(Effect.sleep(unavailablePause), false)
    })
    return Effect.gen(function* () {
      while (!(yield* step));
    }).pipe(
      Effect.tapCause(logFailure),
      Effect.ensuring(Effect.sync(() => this.end.onEnd(this))),
      Effect.onInterrupt(() =>
        Effect.ignore(Effect.andThen(this.release([...this.claimed]), this.releaseWakeup(wakeup)))
      )
    )
  }

  /** Claims, starts attempts, and waits for a change. Returns whether the sender has ended. */
  private step(wakeup: RunningJob): Effect.Effect<boolean, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      this.changed.closeUnsafe()
      yield* this.claim()
      yield* this.start()
      if (this.claimed.size > 0 && (!this.mayHaveMore || this.active > 0 || this.isEnding())) {
        yield* this.changed.await
        return false
      }
      return this.mayHaveMore && !this.isEnding() ? false : yield* this.finish(wakeup)
    })
  }

  private isEnding(): boolean {
    return this.stopping || this.lost
  }

  private claim(): Effect.Effect<void, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { ref } = this
      const { claims, notifications } = this.services
      const { length } = this.waiting
      const wanted = wantedOf(concurrencyOf(this.failuresInARow), this.pace) - length - this.active
      if (!this.mayHaveMore || this.isEnding() || wanted <= 0 || length > wanted) return
      this.mayHaveMore = false
      const recordedBefore = this.recorded
      // Uninterruptible, since an interruption between claim and bookkeeping would leave claims behind.
      const claimed = yield* Effect.uninterruptible(claims.claim(ref, wanted))
      this.claimedAt = yield* Clock.currentTimeMillis
      this.webhook = claimed.webhook
      if (claimed.webhook === null || this.stopped || claimed.webhook.status === "Stopped") {
        return yield* notifications.cancel([ref])
      }
      if (this.claimed.size === 0 && this.recorded === recordedBefore) {
        this.failuresInARow = claimed.webhook.failuresInARow
      }
      for (const one of claimed.notifications) this.claimed.add(one)
      this.waiting.push(...claimed.notifications)
      this.foundNone = claimed.notifications.length === 0
      if (claimed.notifications.length === wanted) this.mayHaveMore = true
    })
  }

  /** Starts attempts of waiting notifications, as many as the concurrency allows. */
  private start(): Effect.Effect<void, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { waiting, webhook } = this
      const now = yield* Clock.currentTimeMillis
      if (waiting.length > 0 && (this.isEnding() || now - this.claimedAt > maxWait)) {
        yield* this.release(waiting.splice(0))
        this.mayHaveMore = true
      }
      if (webhook === null) return
      while (waiting.length > 0 && this.active < concurrencyOf(this.failuresInARow)) {
        const notification = waiting.shift()!
        this.active++
        yield* Effect.forkChild(
          Effect.onExit(this.send(webhook, notification), (exit) => {
            if (exit._tag === "Success") return Effect.void
            if (this.claimed.has(notification)) this.lose(notification)
            return logFailure(exit.cause)
          })
        )
      }
    })
  }

  /** Attempts a notification and records the result. */
  private send(webhook: Webhook, notification: ClaimedNotification): Effect.Effect<void, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const answer = yield* Effect.catchTag(this.attempt(webhook, notification), "CannotOpen", () =>
        Effect.succeed(secretUnreadable)
      )
      // A failure counts as active until it is recorded, so that no more attempts run than may still fail.
      const ok = succeeded(answer)
      this.pace = this.pace === null ? answer.durationMs : this.pace * 0.8 + answer.durationMs * 0.2
      if (ok) this.leave()
      const health = yield* Effect.retry(this.services.results.record({ notification, answer }), {
        times: resultTries,
        schedule: Schedule.spaced(unavailablePause)
      })
      this.claimed.delete(notification)
      this.failuresInARow = health.failuresInARow
      this.recorded++
      if (health.stopped) {
        this.stopped = true
        // Recording the failure has cancelled the waiting notifications in the database.
        for (const one of this.waiting.splice(0)) this.claimed.delete(one)
      }
      if (!ok) this.leave()
      else this.changed.openUnsafe()
    })
  }

  private attempt(webhook: Webhook, notification: ClaimedNotification) {
    return Effect.gen({ self: this }, function* () {
      const { client, crypto, keys } = this.services
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
  }

  private leave(): void {
    this.active--
    this.changed.openUnsafe()
  }

  /**
   * Handles an attempt that failed with a defect or could not be recorded. The claim must expire before the notification is
   * attempted again.
   */
  private lose(notification: ClaimedNotification): void {
    this.lost = true
    this.claimed.delete(notification)
    this.active = Math.max(0, this.active - 1)
    this.changed.openUnsafe()
  }

  private release(claimed: ReadonlyArray<ClaimedNotification>): Effect.Effect<void, Unavailable> {
    for (const one of claimed) this.claimed.delete(one)
    return claimed.length === 0
      ? Effect.void
      : Effect.flatMap(Clock.currentTimeMillis, (now) => this.services.notifications.release(claimed, now))
  }

  /** Ends the sender unless more is due. Returns whether it has ended. */
  private finish(wakeup: RunningJob): Effect.Effect<boolean, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { ref } = this
      const { claims, wakeups } = this.services
      if (this.isEnding()) {
        this.end.onEnd(this)
        yield* this.releaseWakeup(wakeup)
        return true
      }
      const at = yield* claims.dueAt(ref)
      if (at !== null && at <= (yield* Clock.currentTimeMillis)) {
        if (!this.mayHaveMore && this.foundNone) yield* Effect.sleep(lockedPause)
        this.mayHaveMore = true
      }
      if (this.mayHaveMore) return false
      this.end.onEnd(this)
      // Another worker has claimed some notifications. If that worker dies, this wake-up makes them due when its claims
      // expire.
      if (at !== null) yield* wakeups.schedule([{ ...ref, at }])
      yield* this.end.endWakeup(wakeup, true)
      return true
    })
  }

  /** Makes the wake-up due again at once, unless another worker has claimed it or its lease must expire. */
  private releaseWakeup(wakeup: RunningJob): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() =>
      this.lost || wakeup.isLost() ? Effect.void : this.end.endWakeup(wakeup, false)
    )
  }
}
