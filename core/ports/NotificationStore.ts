/**
 * Stores notifications of webhooks and the log of attempts to send them. Each webhook has its own queue and never waits
 * for another.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type {
  AttemptAnswer,
  ClaimedNotification,
  DeliveryLogEntry,
  NewNotification,
  NotificationDetail,
  NotificationState,
  NotificationSummary,
  WebhookEventType,
  WebhookRef
} from "../model/Webhook.ts"

/** How many notifications of a webhook to claim. */
export interface LineRequest extends WebhookRef {
  readonly limit: number
}

/** A webhook with pending notifications, and when the first can be claimed, epoch milliseconds. */
export interface DueLine extends WebhookRef {
  readonly at: number
}

/** A notification after an attempt. */
export interface CompletedNotification {
  /** As it was claimed. */
  readonly notification: ClaimedNotification
  readonly answer: AttemptAnswer
  /** When the attempt ended, epoch milliseconds. */
  readonly at: number
  readonly state: NotificationState
  /** When the next attempt is due, epoch milliseconds; null for none. */
  readonly nextAttemptAt: number | null
}

/** Which notifications a list shows, by the time they were made too. */
export interface NotificationFilter extends TimeRange {
  readonly webhookId?: Among<string>
  readonly type?: Among<WebhookEventType>
  readonly state?: Among<NotificationState>
  /** The id of the delivery that they are about, or its address, normalized. */
  readonly q?: string | null
}

/** A notification that was asked to be sent again. */
export interface ResentNotification {
  readonly id: string
  /** Whether it is due, or is being attempted; false where it had `maxLoggedAttempts` attempts. */
  readonly isDue: boolean
}

/** The port of notifications. */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /**
     * Adds notifications, Pending and due at once. One whose webhook, delivery and event have a notification is left out,
     * also among concurrent writers. Returns the ids of those added.
     */
    readonly insert: (
      notifications: ReadonlyArray<NewNotification>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Claims, of each webhook, up to its limit of Pending notifications that are due at `now`, or whose claim expired by
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
     * Ends claims with the results of their attempts, which are added to the log. Lost claims and deleted notifications are
     * ignored; one that was cancelled meanwhile stays so. Returns the ids of the others.
     */
    readonly complete: (
      settled: ReadonlyArray<CompletedNotification>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Ends claims that are still held as if they had never been made, due at once. */
    readonly release: (
      notifications: ReadonlyArray<ClaimedNotification>,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /** Cancels all Pending notifications of webhooks, also claimed ones. */
    readonly cancel: (refs: ReadonlyArray<WebhookRef>) => Effect.Effect<void, Unavailable>
    /**
     * Makes notifications of a webhook Pending and due at `now`, whatever their state; one that is claimed stays as it is.
     * Returns those that the webhook has and `prune` left whole. Locks them until the caller's transaction ends.
     */
    readonly resend: (
      ref: WebhookRef,
      ids: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<ReadonlyArray<ResentNotification>, Unavailable>
    /** Deletes the notifications of deliveries, with their log. */
    readonly erase: (
      accountId: string,
      deliveryIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** A webhook's delivery log, newest first. */
    readonly log: (ref: WebhookRef, page: PageRequest) => Effect.Effect<Page<DeliveryLogEntry>, Unavailable>
    /** An account's notification; null for an unknown id, and for one of which `prune` left only a row. */
    readonly get: (accountId: string, id: string) => Effect.Effect<NotificationDetail | null, Unavailable>
    /**
     * An account's notifications that pass a filter, newest first by id. Those of which `prune` left only a row are in no
     * list.
     */
    readonly list: (
      accountId: string,
      filter: NotificationFilter,
      page: PageRequest
    ) => Effect.Effect<Page<NotificationSummary>, Unavailable>
    /**
     * Deletes up to `limit` notifications made before a time, with their log; returns how many. Of a complaint a row without
     * a body stays until `erase`, because complaints of one email can repeat at any time and are notified once. That row is
     * never sent and in no log.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/NotificationStore") {}
