/**
 * Sends the notifications of one webhook from this process.
 *
 * An endpoint sender holds a wake-up job of its webhook, claims notifications that are due, makes a bounded number of
 * attempts at a time, and completes the wake-up once nothing of the webhook is due. Senders are independent of each
 * other: a slow address delays no other.
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
import type { AttemptAnswer, ClaimedNotification, Webhook, WebhookRef } from "../model/Webhook.ts"
import { concurrencyOf, signingSecrets, succeeded, wantedOf } from "./WebhookRules.ts"

/** A notification claimed longer ago than this is released unsent, since it may have been cancelled; milliseconds. */
const maxWait = 2_000
/** The pause while the database is unavailable. */
const unavailablePause = "1 second"
/** How often the write of a result is tried while the database is unavailable. */
const resultTries = 20
/** The pause when a due notification could not be claimed, since another worker has it locked. */
const lockedPause = "50 millis"

/** The services an endpoint sender uses. */
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

interface EndpointState {
  /** As last read; null before the first claim, and when it no longer exists. */
  webhook: Webhook | null
  /** Claimed and not yet attempted, in order. */
  readonly waiting: Array<ClaimedNotification>
  /** Claimed, and neither recorded nor released: `waiting` and those of running attempts. */
  readonly claimed: Set<ClaimedNotification>
  /** When the newest claim was made, epoch milliseconds. */
  claimedAt: number
  /** Whether the webhook may have due notifications that are not claimed. */
  mayHaveMore: boolean
  /** Attempts that count against the concurrency: running ones, and failed ones until they are recorded. */
  active: number
  failuresInARow: number
  /** How many attempts were recorded: an older read of `failuresInARow` must not overwrite theirs. */
  recorded: number
  /** A moving average of the time of attempts, milliseconds; null before the first. */
  pace: number | null
  /** The webhook was stopped after too many failures. */
  stopped: boolean
  /** Asked to claim nothing more. */
  stopping: boolean
  /** An attempt could not be recorded: its claim, and then the wake-up's lease, must expire. */
  lost: boolean
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
  /** Closed while there is nothing to do except wait for an attempt or for `look`. */
  private readonly changed = Latch.makeUnsafe(true)
  private readonly state: EndpointState = {
    webhook: null,
    waiting: [],
    claimed: new Set(),
    claimedAt: 0,
    mayHaveMore: true,
    active: 0,
    failuresInARow: 0,
    recorded: 0,
    pace: null,
    stopped: false,
    stopping: false,
    lost: false
  }

  constructor(ref: WebhookRef, services: Effect.Success<typeof EndpointServices>, end: EndpointEnd) {
    this.ref = ref
    this.services = services
    this.end = end
  }

  /** Notifications may have become due: the sender looks for them before it ends. */
  look(): void {
    this.state.mayHaveMore = true
    this.changed.openUnsafe()
  }

  /** Claims nothing more; `run` ends once the running attempts are recorded. */
  stop(): void {
    this.state.stopping = true
    this.changed.openUnsafe()
  }

  /** Sends until nothing is due. Interrupted, it releases its claims and makes the wake-up due again. */
  run(wakeup: RunningJob): Effect.Effect<void> {
    const step = Effect.catchTag(this.step(wakeup), "Unavailable", () => {
      this.state.mayHaveMore = true
      return Effect.as(Effect.sleep(unavailablePause), false)
    })
    return Effect.gen(function* () {
      while (!(yield* step));
    }).pipe(
      Effect.tapCause(logFailure),
      Effect.ensuring(Effect.sync(() => this.end.onEnd(this))),
      Effect.onInterrupt(() =>
        Effect.ignore(Effect.andThen(this.release([...this.state.claimed]), this.releaseWakeup(wakeup)))
      )
    )
  }

  /** Claims, starts attempts, and waits for a change; returns whether the sender has ended. */
  private step(wakeup: RunningJob): Effect.Effect<boolean, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { state } = this
      this.changed.closeUnsafe()
      yield* this.claim()
      yield* this.start()
      if (state.claimed.size > 0 && (!state.mayHaveMore || state.active > 0 || this.isEnding())) {
        yield* this.changed.await
        return false
      }
      return state.mayHaveMore && !this.isEnding() ? false : yield* this.finish(wakeup)
    })
  }

  private isEnding(): boolean {
    return this.state.stopping || this.state.lost
  }

  private claim(): Effect.Effect<void, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { ref, state } = this
      const { claims, notifications } = this.services
      const { length } = state.waiting
      const wanted = wantedOf(concurrencyOf(state.failuresInARow), state.pace) - length - state.active
      if (!state.mayHaveMore || this.isEnding() || wanted <= 0 || length > wanted) return
      state.mayHaveMore = false
      const recordedBefore = state.recorded
      // Not interrupted in between: that would leave claims behind.
      const claimed = yield* Effect.uninterruptible(claims.claim(ref, wanted))
      state.claimedAt = yield* Clock.currentTimeMillis
      state.webhook = claimed.webhook
      if (claimed.webhook === null || state.stopped || claimed.webhook.status === "Stopped") {
        return yield* notifications.cancel([ref])
      }
      if (state.claimed.size === 0 && state.recorded === recordedBefore) {
        state.failuresInARow = claimed.webhook.failuresInARow
      }
      for (const one of claimed.notifications) state.claimed.add(one)
      state.waiting.push(...claimed.notifications)
      if (claimed.notifications.length === wanted) state.mayHaveMore = true
    })
  }

  /** Starts attempts of what waits, as many as the concurrency allows. */
  private start(): Effect.Effect<void, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { state } = this
      const { waiting, webhook } = state
      const now = yield* Clock.currentTimeMillis
      if (waiting.length > 0 && (this.isEnding() || now - state.claimedAt > maxWait)) {
        yield* this.release(waiting.splice(0))
        state.mayHaveMore = true
      }
      if (webhook === null) return
      while (waiting.length > 0 && state.active < concurrencyOf(state.failuresInARow)) {
        const notification = waiting.shift()!
        state.active++
        yield* Effect.forkChild(
          Effect.onExit(this.send(webhook, notification), (exit) => {
            if (exit._tag === "Success") return Effect.void
            if (state.claimed.has(notification)) this.lose(notification)
            return logFailure(exit.cause)
          })
        )
      }
    })
  }

  /** Attempts a notification and records the result. */
  private send(webhook: Webhook, notification: ClaimedNotification): Effect.Effect<void, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { state } = this
      const answer = yield* Effect.catchTag(this.attempt(webhook, notification), "CannotOpen", () =>
        Effect.succeed(secretUnreadable)
      )
      // A failure counts as active until it is recorded, so that no more attempts run than may still fail.
      const ok = succeeded(answer)
      state.pace = state.pace === null ? answer.durationMs : state.pace * 0.8 + answer.durationMs * 0.2
      if (ok) this.leave()
      const health = yield* Effect.retry(this.services.results.record({ notification, answer }), {
        times: resultTries,
        schedule: Schedule.spaced(unavailablePause)
      })
      state.claimed.delete(notification)
      state.failuresInARow = health.failuresInARow
      state.recorded++
      if (health.stopped) {
        state.stopped = true
        // The recording has cancelled them in the database.
        for (const one of state.waiting.splice(0)) state.claimed.delete(one)
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
    this.state.active--
    this.changed.openUnsafe()
  }

  /** An attempt failed with a defect or could not be recorded: its claim must expire before another is made. */
  private lose(notification: ClaimedNotification): void {
    const { state } = this
    state.lost = true
    state.claimed.delete(notification)
    state.active = Math.max(0, state.active - 1)
    this.changed.openUnsafe()
  }

  private release(claimed: ReadonlyArray<ClaimedNotification>): Effect.Effect<void, Unavailable> {
    for (const one of claimed) this.state.claimed.delete(one)
    return claimed.length === 0
      ? Effect.void
      : Effect.flatMap(Clock.currentTimeMillis, (now) => this.services.notifications.release(claimed, now))
  }

  /** Ends the sender unless more is due; returns whether it has ended. */
  private finish(wakeup: RunningJob): Effect.Effect<boolean, Unavailable> {
    return Effect.gen({ self: this }, function* () {
      const { ref, state } = this
      const { claims, wakeups } = this.services
      if (this.isEnding()) {
        this.end.onEnd(this)
        yield* this.releaseWakeup(wakeup)
        return true
      }
      const at = yield* claims.dueAt(ref)
      if (at !== null && at <= (yield* Clock.currentTimeMillis)) {
        if (!state.mayHaveMore) yield* Effect.sleep(lockedPause)
        state.mayHaveMore = true
      }
      if (state.mayHaveMore) return false
      this.end.onEnd(this)
      // Another worker has claimed some: should it die, this wake-up is due when its claims expire.
      if (at !== null) yield* wakeups.schedule([{ ...ref, at }])
      yield* this.end.endWakeup(wakeup, true)
      return true
    })
  }

  /** Makes the wake-up due again at once, unless another worker has it or its lease must expire. */
  private releaseWakeup(wakeup: RunningJob): Effect.Effect<void, Unavailable> {
    return Effect.suspend(() =>
      this.state.lost || wakeup.isLost() ? Effect.void : this.end.endWakeup(wakeup, false)
    )
  }
}
