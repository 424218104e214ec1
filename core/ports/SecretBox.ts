/**
 * Encrypts secrets at rest (AES-256-GCM) with the installation's secret key: `SVC_SECRET_KEY`, or a file in the data directory.
 * While the secret key is being replaced there are two. Both open; the previous one seals until the rotation begins, so that
 * nodes without the new key can open everything.
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
    /** Seals a string. The result is bound to `purpose`: it can only be opened with the same purpose. */
    readonly seal: (text: string, purpose: string) => Effect.Effect<string>
    /** Returns the string that was sealed. */
    readonly open: (sealed: string, purpose: string) => Effect.Effect<string, CannotOpen>
    /**
     * Seals with the current secret key what was sealed with the previous one; null if it is already sealed with the current key.
     * For the rotation of the secret key.
     */
    readonly reseal: (sealed: string, purpose: string) => Effect.Effect<string | null, CannotOpen>
  }
>()("svc/ports/SecretBox") {}
