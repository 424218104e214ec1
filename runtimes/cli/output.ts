/**
 * What the command line prints, and how it fails.
 *
 * @module
 */
import { Data, Effect } from "effect"

/** How a process ends: all went well, the command failed, or it was not called as it can be. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

/** A command failed: one line that says why and what to do. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {
  /** A failure of that message, as an effect. */
  static of(message: string): Effect.Effect<never, CommandFailed> {
    return Effect.fail(new CommandFailed({ message }))
  }
}

/** A command was not called as it can be: one line that says how. */
export class UsageFailed extends Data.TaggedError("UsageFailed")<{ readonly message: string }> {
  /** A failure of that message, as an effect. */
  static of(message: string): Effect.Effect<never, UsageFailed> {
    return Effect.fail(new UsageFailed({ message }))
  }
}

/** A command said all there is to say, and what it says is bad news. */
export class BadNews extends Data.TaggedError("BadNews")<{}> {}

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // Whoever reads may have gone: that is no failure of the command.
    stream.write(text, () => resume(Effect.void))
  })

/** Prints a line of results, on standard output; ends once it is handed over. */
export const print = (line: string): Effect.Effect<void> => write(process.stdout, `${line}\n`)

/** Prints a value as one line of JSON, on standard output. */
export const printJson = (value: unknown): Effect.Effect<void> => print(JSON.stringify(value))

/** Prints a line for whoever watches, on standard error. */
export const note = (line: string): Effect.Effect<void> => write(process.stderr, `${line}\n`)

/** A word for an error of the operating system, such as `ECONNREFUSED`; never its message, which may name secrets. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown reason"

/** A text on one line, without control characters: what comes from elsewhere moves no cursor. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim()

/** Rows in columns that stand below each other. */
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
