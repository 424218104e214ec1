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
      Argument.withDescription("An email address, or the IP address or network of a caller")
    ),
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ text, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) => client.logs.hash({ text }))
    return yield* print(found.hash)
  })
).pipe(
  Command.withDescription("Print the hash that stands for an address in the logs, which hold no addresses"),
  Command.withExamples([{ command: "svc logs hash ada@example.org" }])
)

/** `svc logs`. */
export const logs = Command.make("logs").pipe(
  Command.withDescription("Logs of the service"),
  Command.withSubcommands([hash])
)
