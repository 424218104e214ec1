/**
 * `svc backup`, `svc restore` and `svc migrate-store`: copy everything in a database.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

const work = Effect.promise(() => import("./copy.ts"))

const verified =
  "The number and the SHA-256 hashes of the rows of each table are compared with what was read. It needs no client tools " +
  "of PostgreSQL."

/** `svc backup`. */
export const backup = Command.make(
  "backup",
  {
    out: Flag.String("out").pipe(Flag.withDescription("The file to write"), Flag.withMetavar("file"))
  },
  ({ out }) => Effect.flatMap(work, ({ backupTo }) => backupTo(out))
).pipe(
  Command.withDescription(
    "Write everything in the store of SVC_STORE to a file, as it was at one moment, compressed, and read the file again " +
      `to verify it. ${verified} The service may run meanwhile on a PostgreSQL server; the embedded store can be used by ` +
      "one process: stop the server first. The file appears when it is complete and is readable by its owner only: it " +
      "holds personal data. The secret key is never in it: keep it elsewhere. Nor is content of emails that " +
      "SVC_OBJECT_STORAGE keeps outside the store: copy that after the backup."
  ),
  Command.withShortDescription("Write everything in the store to a file"),
  Command.withExamples([{ command: "svc backup --out svc.backup" }])
)

/** `svc restore`. */
export const restore = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription("A file that svc backup wrote")) },
  ({ file }) => Effect.flatMap(work, ({ restoreFrom }) => restoreFrom(file))
).pipe(
  Command.withDescription(
    "Load a file of svc backup into the store of SVC_STORE, which must be empty, and verify what is there then. " +
      `${verified} The backup may be of the other kind of store, and of an earlier version. One that was interrupted goes ` +
      "on where it was; until it is complete, no service starts on the store."
  ),
  Command.withShortDescription("Load a file of svc backup into an empty store"),
  Command.withExamples([{ command: "SVC_STORE=postgres://user:password@host/empty svc restore svc.backup" }])
)

/** `svc migrate-store`. */
export const migrateStore = Command.make(
  "migrate-store",
  {
    from: Flag.String("from").pipe(
      Flag.withDescription("The data directory of an embedded store, or the URL of a PostgreSQL database"),
      Flag.withMetavar("directory or URL")
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription(
        "The URL of an empty PostgreSQL database; else SVC_STORE, which is hidden from other users of the machine"
      ),
      Flag.withMetavar("URL"),
      Flag.optional
    )
  },
  ({ from, to }) => Effect.flatMap(work, ({ moveStore }) => moveStore(from, Option.getOrNull(to)))
).pipe(
  Command.withDescription(
    "Copy everything in a store to an empty PostgreSQL database: accounts, keys, domains, emails, orders, runs, jobs. " +
      `${verified} Stop the service first: the command refuses to run while one uses either store. One that was ` +
      "interrupted goes on where it was; until it is complete, no service starts on the new store. The source is not " +
      "changed. The service needs the same secret key on the new store. Content of emails that SVC_OBJECT_STORAGE keeps " +
      "outside the store stays where it is."
  ),
  Command.withShortDescription("Copy everything in a store to an empty PostgreSQL database"),
  Command.withExamples([
    { command: "svc migrate-store --from /var/lib/svc --to postgres://user:password@host/empty" }
  ])
)
