/**
 * `svc migrate`: migrates the database schema.
 *
 * @module
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"

/** `svc migrate`. */
export const migrate = Command.make(
  "migrate",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDescription("Change nothing; exit code 1 if the database is not at the current schema"),
      Flag.withDefault(false)
    )
  },
  ({ check }) =>
    Effect.flatMap(
      Effect.promise(() => import("./migrateStore.ts")),
      ({ migrateStore }) => migrateStore(check)
    )
).pipe(
  Command.withDescription(
    "Migrate the database of SVC_STORE to the schema of this version, in one transaction, and print from where to " +
      "where. Every start does the same; run it by itself to do it before the nodes of a new version start. The " +
      "embedded store can be used by one process: stop the server first."
  ),
  Command.withShortDescription("Migrate the database to the current schema"),
  Command.withExamples([{ command: "svc migrate" }, { command: "svc migrate --check" }])
)
