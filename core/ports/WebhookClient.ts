/**
 * Makes the requests of webhooks, and protects the service's own network (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { AttemptAnswer } from "../model/Webhook.ts"

/** A POST request. */
export interface WebhookRequest {
  /** Requests of the same pool share connections, others never. */
  readonly pool: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent as UTF-8. */
  readonly body: string | Uint8Array
}

/** The port of webhook requests. */
export class WebhookClient extends Context.Service<
  WebhookClient,
  {
    /**
     * Whether a URL can be a webhook's, without looking up its name: an allowed scheme, no user name or password, and no
     * address that is not public. The name is looked up with each request.
     */
    readonly accepts: (url: string) => boolean
    /**
     * Makes one request. The name is looked up first; nothing is sent unless every address is public, and the
     * connection goes to one of those. 10 seconds from connecting to the status line; redirects are not followed. At
     * most 16 KB of the response are read and 1 KB kept. Failures are results too; an interruption ends the request.
     */
    readonly post: (request: WebhookRequest) => Effect.Effect<AttemptAnswer>
  }
>()("svc/ports/WebhookClient") {}
