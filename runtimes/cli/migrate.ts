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
      Flag.withDescription("Change nothing. Exit code 1 if the database does not have the current schema"),
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
    "Migrate the database of SVC_STORE to the schema of this version in one transaction, and print the old and the new " +
      "schema version. Every start of the server does the same. Run this command to migrate before the nodes of a new " +
      "version start. The embedded store can be opened by only one process, so stop the server first."
  ),
  Command.withShortDescription("Migrate the database to the current schema"),
  Command.withExamples([{ command: "svc migrate" }, { command: "svc migrate --check" }])
)
