/**
 * Checks at startup that the configured management token is long enough. An installation that an earlier version set up may keep
 * a shorter token for 30 days.
 *
 * @module
 */
import { Clock, Data, Effect, Redacted } from "effect"
import { InstallationStore } from "../ports/InstallationStore.ts"

/** The fewest characters of a configured management token. */
export const minAdminToken = 32

/** The configured management token is too short. */
export class AdminTokenTooShort extends Data.TaggedError("AdminTokenTooShort")<{}> {
  override get message(): string {
    return `SVC_ADMIN_TOKEN is invalid: expected at least ${minAdminToken} visible ASCII characters, such as those of openssl rand -base64 32`
  }
}

/**
 * Checks a configured token before the first start writes anything. Returns a warning for a token that is too short but still
 * accepted, otherwise null. Fails with {@link AdminTokenTooShort}.
 */
export const checkAdminToken = Effect.fnUntraced(function* (configured: Redacted.Redacted | null) {
  if (configured === null || Redacted.value(configured).length >= minAdminToken) return null
  const until = yield* (yield* InstallationStore).shortTokenUntil
  if (until === null || until <= (yield* Clock.currentTimeMillis)) return yield* new AdminTokenTooShort()
  const day = new Date(until).toISOString().slice(0, 10)
  return `SVC_ADMIN_TOKEN has fewer than ${minAdminToken} characters: from ${day} on the service does not start with it; set a longer one`
})
