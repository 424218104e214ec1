/**
 * Notifications of webhooks, and the log of attempts to send them. Each webhook has a line of its own: what waits in
 * one is never in the way of another.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type {
  AttemptAnswer,
  ClaimedNotification,
  DeliveryLogEntry,
  NewNotification,
  NotificationState,
  WebhookRef
} from "../model/Webhook.ts"

/** How much of a webhook's line is asked for. */
export interface LineRequest extends WebhookRef {
  readonly limit: number
}

/** A webhook's line that holds something, and when it can be claimed, epoch milliseconds. */
export interface DueLine extends WebhookRef {
  readonly at: number
}

/** What becomes of a notification after an attempt. */
export interface SettledNotification {
  /** As it was claimed. */
  readonly notification: ClaimedNotification
  readonly answer: AttemptAnswer
  /** When the attempt ended, epoch milliseconds. */
  readonly at: number
  readonly state: NotificationState
  /** When it is tried again, epoch milliseconds; null when it is not. */
  readonly nextAttemptAt: number | null
}

/** The port of notifications. */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /**
     * Adds notifications, Pending and due when they are made. One of the same webhook, email and event as one that is
     * there is left out, whoever adds it when. Answers the ids of those added.
     */
    readonly insert: (
      notifications: ReadonlyArray<NewNotification>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Takes, of each line, up to its limit of Pending notifications that are due at `now`, or whose claim ran out by
     * then, for `lease` milliseconds; earliest due first. Never waits for another claim.
     */
    readonly claim: (
      lines: ReadonlyArray<LineRequest>,
      lease: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<ClaimedNotification>, Unavailable>
    /**
     * Of the webhooks that have a Pending notification which is due at `now`, or is claimed until `before` at the
     * latest: when the first of those can be claimed.
     */
    readonly due: (
      refs: ReadonlyArray<WebhookRef>,
      now: number,
      before: number
    ) => Effect.Effect<ReadonlyArray<DueLine>, Unavailable>
    /**
     * Ends claims with what came of the attempts, which are added to the log. Claims no longer ours and notifications
     * that are gone are left alone; one that was cancelled meanwhile stays so. Answers the ids of the others.
     */
    readonly settle: (
      settled: ReadonlyArray<SettledNotification>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Ends claims that are still ours as if they had never been, due at once. */
    readonly release: (
      notifications: ReadonlyArray<ClaimedNotification>,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /** Cancels all Pending notifications of webhooks, also those that are claimed. */
    readonly cancel: (refs: ReadonlyArray<WebhookRef>) => Effect.Effect<void, Unavailable>
    /** Removes what is kept about emails, with the log of it. */
    readonly erase: (
      accountId: string,
      deliveryIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** A webhook's delivery log, newest first. */
    readonly log: (ref: WebhookRef, page: PageRequest) => Effect.Effect<Page<DeliveryLogEntry>, Unavailable>
    /**
     * Removes up to `limit` notifications made before a time, with their log; answers how many went. Of one about a
     * complaint a row without a body stays until `erase`: people are reported to complain of the same email again,
     * however late, and are told of once. It is in no line and in no log.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/NotificationStore") {}
