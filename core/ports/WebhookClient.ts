/**
 * Makes the requests of webhooks, and protects the service's own network from them (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { AttemptAnswer } from "../model/Webhook.ts"

/** A POST request. */
export interface WebhookRequest {
  /** Requests of the same pool share connections; requests of different pools never do. */
  readonly pool: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A string is sent as UTF-8. */
  readonly body: string | Uint8Array
}

/** The port of webhook requests. */
export class WebhookClient extends Context.Service<
  WebhookClient,
  {
    /**
     * Whether a URL may be that of a webhook, without looking its name up: an allowed scheme, no user name or password, and no
     * non-public address. The name is looked up with each request.
     */
    readonly accepts: (url: string) => boolean
    /**
     * Makes one request. The name is looked up first. Nothing is sent unless every address is public, and the connection goes to
     * one of these addresses. The time from connecting to the status line is limited to 10 seconds; redirects are not followed.
     * At most 16 KB of the response are read and 1 KB kept. Failures are results too; an interruption ends the request.
     */
    readonly post: (request: WebhookRequest) => Effect.Effect<AttemptAnswer>
  }
>()("svc/ports/WebhookClient") {}
