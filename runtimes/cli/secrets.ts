/**
 * `svc secrets`: rotates the secrets of a running installation, and makes a new start possible after the secret key is lost.
 *
 * @module
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { jsonFlag } from "./accounts.ts"
import { serverFlags, serverOf } from "./management.ts"
import { BadNews, print, printJson } from "./output.ts"

const rotate = Command.make(
  "rotate",
  { ...serverFlags, json: jsonFlag },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const rotated = yield* server.manage((client) => client.secrets.rotate())
    const { linksAcceptedUntil, resealed, unreadable } = rotated
    if (given.json) yield* printJson(rotated)
    else {
      yield* print(`New signing secret: links signed before are accepted until ${linksAcceptedUntil}`)
      yield* print(`Sealed with the current secret key: ${resealed} of the previous one's secrets`)
      if (unreadable > 0)
        yield* print(`${unreadable} secrets open with neither key and were left as they are`)
    }
    return unreadable === 0 ? undefined : yield* new BadNews()
  })
).pipe(
  Command.withDescription(
    "Make a new signing secret for links and return paths, and seal everything with the current secret key. All nodes " +
      "go on without a restart. To replace the secret key, first restart every node with the new key as SVC_SECRET_KEY " +
      "and the old one as SVC_SECRET_KEY_PREVIOUS, then rotate, then remove SVC_SECRET_KEY_PREVIOUS. Exit code 1 if there " +
      "are secrets that neither key opens."
  ),
  Command.withShortDescription("Replace the signing secret, and seal everything with the current secret key"),
  Command.withExamples([{ command: "svc secrets rotate" }])
)

const reset = Command.make(
  "reset",
  {
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Reset; without it the command only says what would be lost"),
      Flag.withDefault(false)
    )
  },
  ({ yes }) =>
    Effect.flatMap(
      Effect.promise(() => import("./resetSecrets.ts")),
      ({ resetStoreSecrets }) => resetStoreSecrets(yes)
    )
).pipe(
  Command.withDescription(
    "Start again with another secret key where the one of the installation is lost and the service does not start. Says " +
      "in numbers what is lost; with --yes gives domains, webhooks and stores new secrets, sealed with the configured " +
      "key. Stop every server first. Refuses while the configured key fits."
  ),
  Command.withShortDescription("Start again after the secret key is lost"),
  Command.withExamples([{ command: "svc secrets reset" }, { command: "svc secrets reset --yes" }])
)

/** `svc secrets`. */
export const secrets = Command.make("secrets").pipe(
  Command.withDescription("The secrets of the installation"),
  Command.withSubcommands([rotate, reset])
)
