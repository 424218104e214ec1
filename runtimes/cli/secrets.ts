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
      yield* print(
        `New signing secret. Links signed with the old one are accepted until ${linksAcceptedUntil}`
      )
      yield* print(`Encrypted again with the current secret key: ${resealed} secrets`)
      if (unreadable > 0)
        yield* print(`${unreadable} secrets cannot be decrypted with either key and were not changed`)
    }
    return unreadable === 0 ? undefined : yield* new BadNews()
  })
).pipe(
  Command.withDescription(
    "Create a new signing secret for links and return paths, and encrypt all stored secrets with the current secret key. " +
      "Nodes do not need a restart. To replace the secret key: restart every node with the new key as SVC_SECRET_KEY and " +
      "the old key as SVC_SECRET_KEY_PREVIOUS, run this command, then remove SVC_SECRET_KEY_PREVIOUS. Exit code 1 if " +
      "there are secrets that neither key can decrypt."
  ),
  Command.withShortDescription(
    "Replace the signing secret, and encrypt all secrets with the current secret key"
  ),
  Command.withExamples([{ command: "svc secrets rotate" }])
)

const reset = Command.make(
  "reset",
  {
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Reset. Without this flag, the command only reports what would be lost"),
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
    "Make the installation usable with a new secret key if its key is lost and the service does not start. Reports in " +
      "numbers what is lost. With --yes, creates new secrets for domains, webhooks and stores, encrypted with the " +
      "configured key. Stop every server first. Refuses to run if the configured key matches the installation."
  ),
  Command.withShortDescription("Recover after the secret key is lost"),
  Command.withExamples([{ command: "svc secrets reset" }, { command: "svc secrets reset --yes" }])
)

/** `svc secrets`. */
export const secrets = Command.make("secrets").pipe(
  Command.withDescription("Manage the secrets of the installation"),
  Command.withSubcommands([rotate, reset])
)
