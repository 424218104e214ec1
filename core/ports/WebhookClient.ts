/**
 * Makes the requests of webhooks, and guards the network the service runs in (decisions 7).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { AttemptAnswer } from "../model/Webhook.ts"

/** A POST to be made. */
export interface WebhookRequest {
  /** Requests with the same one share connections, others never. */
  readonly pool: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The port of webhook requests. */
export class WebhookClient extends Context.Service<
  WebhookClient,
  {
    /**
     * Whether a URL can be a webhook's as far as its text tells: of a scheme that is allowed, without user name and
     * password, and not naming an address that is not public. A name is looked up only when a request is made.
     */
    readonly accepts: (url: string) => boolean
    /**
     * Makes one request. The name is looked up first; nothing is sent unless every address is public, and the
     * connection goes to one of those. 10 seconds from connecting to the status line; redirects are not followed. At
     * most 16 KB of the answer are read and 1 KB kept. Whatever happens is an answer; an interruption gives up.
     */
    readonly post: (request: WebhookRequest) => Effect.Effect<AttemptAnswer>
  }
>()("svc/ports/WebhookClient") {}
