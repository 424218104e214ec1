/**
 * Fetches from Amazon SNS what its messages refer to: the certificate of their signature, and the confirmation of a
 * subscription.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** SNS could not be reached, or did not reply as it should. */
export class SnsUnavailable extends Data.TaggedError("SnsUnavailable")<{}> {}

/**
 * The port of Amazon SNS. It connects to public addresses alone, over https with a certificate valid for the name, and follows
 * no redirects. The caller has checked that a URL is one of SNS.
 */
export class SnsClient extends Context.Service<
  SnsClient,
  {
    /** The certificate at a URL, PEM: at most 64 KB, within 10 seconds. */
    readonly certificate: (url: string) => Effect.Effect<string, SnsUnavailable>
    /** Confirms a subscription by its URL. */
    readonly confirm: (url: string) => Effect.Effect<void, SnsUnavailable>
  }
>()("svc/ports/SnsClient") {}
