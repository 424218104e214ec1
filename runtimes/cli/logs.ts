/**
 * `svc logs`: helps with reading the logs of the service.
 *
 * @module
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { serverFlags, serverOf } from "./management.ts"
import { print } from "./output.ts"

const hash = Command.make(
  "hash",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription("An email address, or the IP address or network of a client")
    ),
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ text, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) => client.logs.hash({ text }))
    return yield* print(found.hash)
  })
).pipe(
  Command.withDescription("Print the hash of an address. The logs contain these hashes instead of addresses"),
  Command.withExamples([{ command: "svc logs hash ada@example.org" }])
)

/** `svc logs`. */
export const logs = Command.make("logs").pipe(
  Command.withDescription("Work with the logs of the service"),
  Command.withSubcommands([hash])
)
