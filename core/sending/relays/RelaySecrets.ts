/**
 * Seals the secrets of relays: the URL with its password, and the secrets of reports.
 *
 * @module
 */
import { Effect } from "effect"
import { type MailRelay, relayPurpose, type RelaySecrets } from "../../model/MailRelay.ts"
import type { SecretBox } from "../../ports/SecretBox.ts"

/** Seals the secrets of the relay with an id. */
export const sealSecrets = (
  box: SecretBox["Service"],
  id: string,
  secrets: RelaySecrets
): Effect.Effect<string> => box.seal(JSON.stringify(secrets), relayPurpose(id))

/** The secrets of a relay; null if they were sealed with another secret key. */
export const openSecrets = (
  box: SecretBox["Service"],
  relay: Pick<MailRelay, "id" | "secrets">
): Effect.Effect<RelaySecrets | null> =>
  box.open(relay.secrets, relayPurpose(relay.id)).pipe(
    Effect.map((text) => JSON.parse(text) as RelaySecrets),
    Effect.catchTag("CannotOpen", () => Effect.succeed(null))
  )
