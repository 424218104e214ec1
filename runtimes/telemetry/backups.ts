/**
 * Reports when the last backup was made, from the modification time of a file that the operator's backup writes.
 *
 * @module
 */
import { Effect, FileSystem, Metric, Option } from "effect"

const lastBackup = Metric.gauge("svc_last_backup_timestamp_seconds", {
  description:
    "When the file of SVC_BACKUP_FILE was last written, since the Unix epoch; 0 while there is none"
})

/** How often the file is checked. */
const interval = "15 seconds"

/** Updates the metric of the last backup. Never ends. */
export const watchBackup = Effect.fnUntraced(function* (path: string) {
  const { stat } = yield* FileSystem.FileSystem
  return yield* Effect.forever(
    Effect.gen(function* () {
      const found = Option.flatMap(yield* Effect.option(stat(path)), ({ mtime }) => mtime)
      const millis = Option.match(found, { onNone: () => 0, onSome: (at) => at.getTime() })
      yield* Metric.update(lastBackup, millis / 1000)
      yield* Effect.sleep(interval)
    })
  )
})
