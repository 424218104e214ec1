/**
 * Shows the progress of long work, and how long it may take: with a bar on a terminal, elsewhere with a line every ten seconds.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SingleBar } from "cli-progress"
import { Progress, type ReportProgress } from "../../adapters/postgres/engine/Progress.ts"

/** The time between two lines without a terminal, in milliseconds. Shorter work writes none. */
const lineMillis = 10_000

/** The part of a stream that is used for writing. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

const format = "{phase} [{bar}] {percentage}%, about {eta_formatted} left"
const lineFormat = "{phase}: {percentage}%, about {eta_formatted} left"

/** Omits what is written before the first line is due. */
const patient = (stream: ProgressStream): ProgressStream => {
  const begun = performance.now()
  return {
    write: (text) => (performance.now() - begun < lineMillis ? true : stream.write(text))
  }
}

const barFor = (stream: ProgressStream): SingleBar => {
  const isTerminal = stream.isTTY === true
  return new SingleBar({
    stream: (isTerminal ? stream : patient(stream)) as NodeJS.WritableStream,
    format: isTerminal ? format : lineFormat,
    noTTYOutput: true,
    notTTYSchedule: lineMillis,
    etaBuffer: 100,
    // Signals should end the process as they do without a bar.
    gracefulExit: false,
    linewrap: null as unknown as boolean
  })
}

/** Makes a reporter that writes to a stream, and the function that ends the last phase. */
export const progressTo = (
  stream: ProgressStream
): { readonly report: ReportProgress; readonly end: () => void } => {
  let phase: string | null = null
  let bar: SingleBar | null = null
  const end = () => {
    bar?.stop()
    bar = null
    phase = null
  }
  return {
    end,
    report: (now, done, total) => {
      if (now !== phase) {
        end()
        phase = now
        bar = barFor(stream)
        bar.start(total, done, { phase: now })
      } else if (bar !== null) {
        bar.setTotal(total)
        bar.update(done)
      }
    }
  }
}

/** Reports the progress of work to standard error while the layer's scope is open. */
const layer = Layer.effect(
  Progress,
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => progressTo(process.stderr)),
      ({ end }) => Effect.sync(end)
    ),
    ({ report }) => report
  )
)

/** Runs an effect whose progress is reported to standard error. */
export const withProgress = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, layer)
