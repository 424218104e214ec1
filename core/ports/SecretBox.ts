/**
 * Encrypts secrets at rest (AES-256-GCM), with the installation's secret key: `SVC_SECRET_KEY`, or a file in
 * the data directory.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** The string was not sealed with this installation's secret key, or was changed since. */
export class CannotOpen extends Data.TaggedError("CannotOpen")<{}> {}

/** The port of sealed secrets. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    /** Seals a string. `purpose` is bound to the result: only the same purpose opens it. */
    readonly seal: (text: string, purpose: string) => Effect.Effect<string>
    /** The string that was sealed. */
    readonly open: (sealed: string, purpose: string) => Effect.Effect<string, CannotOpen>
  }
>()("svc/ports/SecretBox") {}
