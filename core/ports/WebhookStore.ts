/**
 * Stores webhooks.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { Webhook, WebhookRef, WebhookStatus } from "../model/Webhook.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of webhooks. */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /**
     * Adds a webhook. `WriteConflict("webhooks_active")` if the account would have more than `maxActive` webhooks that are not
     * stopped, even with concurrent writers.
     */
    readonly insert: (webhook: Webhook, maxActive: number) => Effect.Effect<void, WriteConflict | Unavailable>
    /** An account's webhooks, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Webhook>, Unavailable>
    /** The given webhooks that exist, each once, in no order. */
    readonly find: (refs: ReadonlyArray<WebhookRef>) => Effect.Effect<ReadonlyArray<Webhook>, Unavailable>
    /** The active webhooks of those accounts, oldest first, in one read. */
    readonly active: (accountIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Webhook>, Unavailable>
    /** Like `find`; also locks them until the caller's transaction ends. */
    readonly lock: (refs: ReadonlyArray<WebhookRef>) => Effect.Effect<ReadonlyArray<Webhook>, Unavailable>
    /** Replaces secrets, status, reason and failure count of webhooks that were locked before. */
    readonly save: (webhooks: ReadonlyArray<Webhook>) => Effect.Effect<void, Unavailable>
    /** Resets the failure counts to 0, except those of stopped webhooks. */
    readonly resetFailures: (refs: ReadonlyArray<WebhookRef>) => Effect.Effect<void, Unavailable>
    /** Deletes a webhook and returns it; null if the account has none with the id. */
    readonly remove: (ref: WebhookRef) => Effect.Effect<Webhook | null, Unavailable>
    /** The number of webhooks in each status, over all accounts. */
    readonly counts: Effect.Effect<Readonly<Record<WebhookStatus, number>>, Unavailable>
  }
>()("svc/ports/WebhookStore") {}
