/**
 * Writes the output and errors of the command line.
 *
 * @module
 */
import { Data, Effect } from "effect"

/** Exit codes: success, failure, wrong usage. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** A command failed. The message is one line that says why and what to do. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  /** Whether the same call would fail again, for example because its token is not accepted. */
  readonly isFinal?: boolean
}> {
  /** An effect that fails with this message. */
  static of(message: string): Effect.Effect<never, CommandFailed> {
    return Effect.fail(new CommandFailed({ message }))
  }
}

/** A command was called with invalid arguments. The message is one line that says what is valid. */
export class UsageFailed extends Data.TaggedError("UsageFailed")<{ readonly message: string }> {
  /** An effect that fails with this message. */
  static of(message: string): Effect.Effect<never, UsageFailed> {
    return Effect.fail(new UsageFailed({ message }))
  }
}

/** A command has printed its result, and the result is a failure (exit code 1). */
export class BadNews extends Data.TaggedError("BadNews")<{}> {}

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // A closed pipe is not a failure of the command.
    stream.write(text, () => resume(Effect.void))
  })

/** Prints a line to standard output. Completes after it is written. */
export const print = (line: string): Effect.Effect<void> => write(process.stdout, `${line}\n`)

/** Prints a value as one line of JSON, to standard output. */
export const printJson = (value: unknown): Effect.Effect<void> => print(JSON.stringify(value))

/** Prints a diagnostic line to standard error. */
export const note = (line: string): Effect.Effect<void> => write(process.stderr, `${line}\n`)

/** The code of a system error, such as `ECONNREFUSED`; never its message, which may contain secrets. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown reason"

/** A string on one line, without control characters, so that external data cannot move the cursor. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim()

/** Rows as a table with aligned columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths: Array<number> = []
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    })
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
