/**
 * Implements the MailReportReader port: reads each report in a thread that is ended if it takes too long.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { MailReportReader, type ReportBound, ReportRefused } from "../../../core/ports/MailReportReader.ts"
import { type RunEnded, Threads } from "../../../core/ports/Threads.ts"

const boundOf: Readonly<Record<RunEnded["bound"], ReportBound>> = {
  Time: "time",
  Memory: "memory",
  Queue: "busy"
}

/** Loaded for the first report. */
const task = Effect.promise(() => import("./ReportTasks.ts"))

/** Reads reports in threads. */
export const layer: Layer.Layer<MailReportReader, never, Threads> = Layer.effect(
  MailReportReader,
  Effect.map(Threads, ({ run }) =>
    MailReportReader.of({
      read: (raw, kind) =>
        Effect.flatMap(task, ({ readTask }) => run(readTask, { raw, kind }, { bytes: raw.byteLength })).pipe(
          Effect.mapError(({ bound }) => new ReportRefused({ bound: boundOf[bound] })),
          Effect.flatMap((result) =>
            result._tag === "Refused"
              ? Effect.fail(new ReportRefused({ bound: result.bound }))
              : Effect.succeed(result)
          )
        )
    })
  )
)
