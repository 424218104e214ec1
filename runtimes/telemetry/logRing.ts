/**
 * Keeps what the process logged in the last hour, for operators. As in the log itself, lines contain no secrets and no personal
 * data.
 *
 * @module
 */
import { Cause, Logger, References } from "effect"
import { type LineLevel, type LogLine, logLevels } from "../../core/kernel/ProcessInfo.ts"

/** The maximum number of lines that are kept, of characters of a string in them, and of fields. */
const maxLines = 2_000
const maxText = 500
const maxFields = 20
/** How long a line is kept, in milliseconds. */
const keptMillis = 3_600_000

const textOf = (value: unknown): string => {
  const text =
    typeof value === "string"
      ? value
      : Cause.isCause(value)
        ? Cause.pretty(value)
        : value instanceof Error
          ? value.message
          : (JSON.stringify(value) ?? String(value))
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`
}

const isLevel = (level: string): level is LineLevel => (logLevels as ReadonlyArray<string>).includes(level)

/** The lines of the last hour. */
export class LogRing {
  readonly #lines: Array<LogLine> = []
  #next = 0

  /** Adds a line. If the ring is full, the oldest line is replaced. */
  add(line: LogLine): void {
    this.#lines[this.#next] = line
    this.#next = (this.#next + 1) % maxLines
  }

  /** The lines that are at most an hour old at `now` (epoch milliseconds), oldest first. */
  lines(now: number): ReadonlyArray<LogLine> {
    const ordered = [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)]
    return ordered.filter(({ at }) => at > now - keptMillis)
  }

  /** A logger that adds each line. */
  readonly logger = Logger.make(({ cause, date, fiber, logLevel, message }) => {
    if (!isLevel(logLevel)) return
    const parts = Array.isArray(message) ? message : [message]
    const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).slice(0, maxFields)
    this.add({
      at: date.getTime(),
      level: logLevel,
      message: parts.map(textOf).join(" "),
      fields: {
        ...Object.fromEntries(annotations.map(([name, value]) => [name, textOf(value)])),
        ...(cause.reasons.length === 0 ? {} : { cause: textOf(cause) })
      }
    })
  })
}

/** The lines of this process. */
export const logRing = new LogRing()
