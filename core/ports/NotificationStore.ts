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

/** A request to claim notifications of a webhook, with the number wanted. */
export interface LineRequest extends WebhookRef {
  readonly limit: number
}

/** A webhook with Pending notifications, and when the first can be claimed, epoch milliseconds. */
export interface DueLine extends WebhookRef {
  readonly at: number
}

/** A notification after an attempt. */
export interface CompletedNotification {
  /** The notification as it was claimed. */
  readonly notification: ClaimedNotification
  readonly answer: AttemptAnswer
  /** When the attempt ended, epoch milliseconds. */
  readonly at: number
  readonly state: NotificationState
  /** When the next attempt is due, epoch milliseconds; null if there is none. */
  readonly nextAttemptAt: number | null
}

/** Which notifications a list shows. A range of times applies to their creation. */
export interface NotificationFilter extends TimeRange {
  readonly webhookId?: Among<string>
  readonly type?: Among<WebhookEventType>
  readonly state?: Among<NotificationState>
  /** The id of the delivery that the notifications are about, or its normalized address. */
  readonly q?: string | null
}

/** A notification that a person asked to send again. */
export interface ResentNotification {
  readonly id: string
  /** Whether it is due or is being attempted; false if it already had `maxLoggedAttempts` attempts. */
  readonly isDue: boolean
}

/** The port of notifications. */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /**
     * Adds notifications, Pending and due at once. One whose webhook, delivery and event already have a notification is left out,
     * even with concurrent writers. Returns the ids of the added ones.
     */
    readonly insert: (
      notifications: ReadonlyArray<NewNotification>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * For each webhook, claims up to its limit of Pending notifications that are due at `now` or whose claim has expired, for
     * `lease` milliseconds; earliest due first. Never waits for another claim.
     */
    readonly claim: (
      lines: ReadonlyArray<LineRequest>,
      lease: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<ClaimedNotification>, Unavailable>
    /**
     * For each of the webhooks with a Pending notification that is due at `now` or claimed until `before` at the latest: when the
     * first of these notifications can be claimed.
     */
    readonly due: (
      refs: ReadonlyArray<WebhookRef>,
      now: number,
      before: number
    ) => Effect.Effect<ReadonlyArray<DueLine>, Unavailable>
    /**
     * Ends claims and adds the results of their attempts to the log. Lost claims and deleted notifications are ignored; a
     * notification that was cancelled meanwhile stays cancelled. Returns the ids of the others.
     */
    readonly complete: (
      settled: ReadonlyArray<CompletedNotification>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Ends claims that are still held as if they had never been made. The notifications are due at once. */
    readonly release: (
      notifications: ReadonlyArray<ClaimedNotification>,
      now: number
    ) => Effect.Effect<void, Unavailable>
    /** Cancels all Pending notifications of webhooks, including claimed ones. */
    readonly cancel: (refs: ReadonlyArray<WebhookRef>) => Effect.Effect<void, Unavailable>
    /**
     * Makes notifications of a webhook Pending and due at `now`, whatever their state; a claimed one stays unchanged. Returns the
     * notifications that the webhook has and that `prune` has not emptied, locked until the caller's transaction ends.
     */
    readonly resend: (
      ref: WebhookRef,
      ids: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<ReadonlyArray<ResentNotification>, Unavailable>
    /** Deletes the notifications about deliveries, with their log. */
    readonly erase: (
      accountId: string,
      deliveryIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** A webhook's delivery log, newest first. */
    readonly log: (ref: WebhookRef, page: PageRequest) => Effect.Effect<Page<DeliveryLogEntry>, Unavailable>
    /** An account's notification; null for an unknown id, and for a notification that `prune` has emptied. */
    readonly get: (accountId: string, id: string) => Effect.Effect<NotificationDetail | null, Unavailable>
    /**
     * An account's notifications that pass a filter, newest first by id, without those that `prune` has emptied.
     */
    readonly list: (
      accountId: string,
      filter: NotificationFilter,
      page: PageRequest
    ) => Effect.Effect<Page<NotificationSummary>, Unavailable>
    /**
     * Deletes up to `limit` notifications created before a time, with their log; returns how many. A notification about a
     * complaint is only emptied: a row without a body stays until `erase`, because complaints about one email can repeat at any
     * time but are notified once. That row is never sent and is in no log.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/NotificationStore") {}
