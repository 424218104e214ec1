/**
 * Encrypts secrets at rest (AES-256-GCM), with the installation's secret key: `SVC_SECRET_KEY`, or a file in
 * the data directory. While the secret key is replaced there are two: both open, and the previous one seals until the
 * rotation begins, so that nodes that do not have the new one yet can open everything.
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
    /**
     * Seals with the current secret key what the previous one has sealed; null for what the current one has. For the
     * rotation of the secret key.
     */
    readonly reseal: (sealed: string, purpose: string) => Effect.Effect<string | null, CannotOpen>
  }
>()("svc/ports/SecretBox") {}
