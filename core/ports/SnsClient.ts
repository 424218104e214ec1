/**
 * Makes the requests that messages of Amazon SNS call for: fetches the certificate of their signature, and confirms
 * subscriptions.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** SNS could not be reached, or its response was invalid. */
export class SnsUnavailable extends Data.TaggedError("SnsUnavailable")<{}> {}

/**
 * The port of Amazon SNS. It connects only to public addresses, over https with a certificate valid for the name, and follows no
 * redirects. The caller must check that a URL belongs to SNS.
 */
export class SnsClient extends Context.Service<
  SnsClient,
  {
    /** The certificate at a URL, in PEM: at most 64 KB, within 10 seconds. */
    readonly certificate: (url: string) => Effect.Effect<string, SnsUnavailable>
    /** Confirms a subscription by its URL. */
    readonly confirm: (url: string) => Effect.Effect<void, SnsUnavailable>
  }
>()("svc/ports/SnsClient") {}
