/**
 * `svc backup`, `svc restore` and `svc migrate-store`: copy everything in a database.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

const work = Effect.promise(() => import("./copy.ts"))

const verified =
  "The command compares the number of rows and their SHA-256 hashes for each table. It does not need the client tools of " +
  "PostgreSQL."

/** `svc backup`. */
export const backup = Command.make(
  "backup",
  {
    out: Flag.String("out").pipe(Flag.withDescription("File to write"), Flag.withMetavar("file"))
  },
  ({ out }) => Effect.flatMap(work, ({ backupTo }) => backupTo(out))
).pipe(
  Command.withDescription(
    "Write a consistent, compressed copy of the whole store (SVC_STORE) to a file, then read the file to verify it. " +
      `${verified} With a PostgreSQL server, the service can keep running. The embedded store can be opened by only one ` +
      "process, so stop the server first. The file appears under its name only when it is complete. It contains personal " +
      "data, so only its owner can read it. It never contains the secret key: store that separately. It does not contain " +
      "email content that SVC_OBJECT_STORAGE keeps outside the store: copy that content after the backup."
  ),
  Command.withShortDescription("Back up the whole store to a file"),
  Command.withExamples([{ command: "svc backup --out svc.backup" }])
)

/** `svc restore`. */
export const restore = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription("File written by svc backup")) },
  ({ file }) => Effect.flatMap(work, ({ restoreFrom }) => restoreFrom(file))
).pipe(
  Command.withDescription(
    "Load a backup into the store of SVC_STORE, which must be empty, and verify the result. " +
      `${verified} The backup can come from the other kind of store and from an earlier version. An interrupted restore ` +
      "continues where it stopped. Until the restore is complete, the service does not start on the store."
  ),
  Command.withShortDescription("Load a backup into an empty store"),
  Command.withExamples([{ command: "SVC_STORE=postgres://user:password@host/empty svc restore svc.backup" }])
)

/** `svc migrate-store`. */
export const migrateStore = Command.make(
  "migrate-store",
  {
    from: Flag.String("from").pipe(
      Flag.withDescription("Data directory of an embedded store, or URL of a PostgreSQL database"),
      Flag.withMetavar("directory or URL")
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription(
        "URL of an empty PostgreSQL database. Default: SVC_STORE, which other users of the machine cannot see"
      ),
      Flag.withMetavar("URL"),
      Flag.optional
    )
  },
  ({ from, to }) => Effect.flatMap(work, ({ moveStore }) => moveStore(from, Option.getOrNull(to)))
).pipe(
  Command.withDescription(
    "Copy a whole store to an empty PostgreSQL database: accounts, keys, domains, emails, orders, runs and jobs. " +
      `${verified} Stop the service first: the command refuses to run while a service uses either store. An interrupted ` +
      "copy continues where it stopped. Until the copy is complete, the service does not start on the new store. The " +
      "source is not changed. On the new store, the service needs the same secret key. Email content that " +
      "SVC_OBJECT_STORAGE keeps outside the store stays where it is."
  ),
  Command.withShortDescription("Copy a whole store to an empty PostgreSQL database"),
  Command.withExamples([
    { command: "svc migrate-store --from /var/lib/svc --to postgres://user:password@host/empty" }
  ])
)
