/**
 * A program that tries to lock a data directory, prints whether it succeeded, and holds the lock.
 *
 * @module
 */
import { Effect } from "effect"
import { lockDirectory } from "../../adapters/postgres/engine/DirectoryLock.ts"

const hold = Effect.flatMap(lockDirectory(process.argv[2]!), () =>
  Effect.andThen(
    Effect.sync(() => process.stdout.write("taken\n")),
    // A timer keeps the process alive; a pending effect alone does not.
    Effect.sleep("1 hour")
  )
)

Effect.runPromise(Effect.scoped(hold)).catch((error: Error) => process.stdout.write(`${error.message}\n`))
