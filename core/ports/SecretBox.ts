/**
 * Keeps secrets unreadable at rest (AES-256-GCM), with the installation's secret key: `SVC_SECRET_KEY`, or a file in
 * the data directory.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** A sealed text was not sealed with this installation's secret key, or was changed since. */
export class CannotOpen extends Data.TaggedError("CannotOpen")<{}> {}

/** The port of sealed secrets. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** A text sealed, as text. `purpose` is bound to it: only the same purpose opens it. */
    readonly seal: (text: string, purpose: string) => Effect.Effect<string>
    /** The text that was sealed. */
    readonly open: (sealed: string, purpose: string) => Effect.Effect<string, CannotOpen>
  }
>()("svc/ports/SecretBox") {}
