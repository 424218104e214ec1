/**
 * The supervised side of a process: it reports that it is ready, and sends and requests metrics. Without a supervisor, the
 * process prints its messages itself.
 *
 * @module
 */
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import cluster from "node:cluster"
import { measureProcess } from "../../adapters/http/metrics/ProcessGauges.ts"
import { type Announcement, writeReadyFile } from "../server/announce.ts"
import { type Message, messageIn, metricsMillis } from "./messages.ts"

/** Whether a supervisor started this process. */
export const isSupervised: boolean = cluster.isWorker

/** Whether this is the only process or the first one, which reports what concerns the whole installation. */
export const isFirst: boolean = !cluster.isWorker || cluster.worker?.id === 1

const send = (message: Message): void => {
  process.send?.(message)
}

/** Reports that the process accepts work: to the supervisor, or else to the operator and in the ready file. */
export const announce = Effect.fnUntraced(function* (
  { facts, lines }: Announcement,
  readyFile: string | null
) {
  if (isSupervised) return send({ _tag: "Ready", lines, facts })
  for (const line of lines) console.log(line)
  if (readyFile !== null) yield* writeReadyFile(readyFile, facts)
})

const waiting = new Map<number, (texts: ReadonlyArray<string>) => void>()
let lastId = 0

/** The metrics of the other processes. Those that do not answer within {@link metricsMillis} are omitted. */
export const metricsOfOthers: Effect.Effect<ReadonlyArray<string>> = isSupervised
  ? Effect.callback<ReadonlyArray<string>>((resume) => {
      const id = ++lastId
      waiting.set(id, (texts) => resume(Effect.succeed(texts)))
      send({ _tag: "MetricsAsked", id })
      return Effect.sync(() => waiting.delete(id))
    }).pipe(Effect.timeoutOrElse({ duration: 2 * metricsMillis, orElse: () => Effect.succeed([]) }))
  : Effect.succeed([])

const ownMetrics = Effect.andThen(measureProcess, PrometheusMetrics.format())

if (isSupervised) {
  process.on("message", (value) => {
    const message = messageIn(value)
    if (message?._tag === "MetricsGiven") {
      waiting.get(message.id)?.(message.texts)
      waiting.delete(message.id)
    }
    if (message?._tag === "MetricsAsked") {
      void Effect.runPromise(ownMetrics).then((text) =>
        send({ _tag: "MetricsGiven", id: message.id, texts: [text] })
      )
    }
  })
  // The supervisor has ended. A new supervisor starts processes of its own.
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
}
