/**
 * `svc start`: runs the server on the current runtime.
 *
 * @module
 */
import { Effect } from "effect"
import { Command } from "effect/cli"

/** `svc start`. The server itself ends the process. */
export const start = Command.make("start", {}, () =>
  Effect.andThen(
    Effect.promise(() => ("bun" in process.versions ? import("../bun/main.ts") : import("../node/main.ts"))),
    Effect.never
  )
).pipe(
  Command.withDescription(
    "Start the server: API, SMTP and background work, configured by the SVC_ environment variables. The server first " +
      "migrates the database to the current schema. It runs until SIGTERM or SIGINT, and completes work in progress before " +
      "it exits."
  ),
  Command.withShortDescription("Start the server"),
  Command.withExamples([
    { command: "svc start" },
    { command: "SVC_STORE=postgres://user:password@host/database svc start" }
  ])
)
