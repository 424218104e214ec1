/**
 * Describes defects for logs by name and stack, never by message: messages quote values, which can be personal data or secrets.
 *
 * @module
 */
import { Cause } from "effect"

const maxFrames = 12

/** The name, code and stack frames of an error or a cause. */
export const describeDefect = (
  defect: unknown
): { readonly error: string; readonly frames: ReadonlyArray<string> } => {
  const error = Cause.isCause(defect) ? Cause.squash(defect) : defect
  if (!(error instanceof Error)) return { error: typeof error, frames: [] }
  const names: Array<string> = []
  for (let current: unknown = error; current instanceof Error && names.length < 5; current = current.cause) {
    names.push(
      "code" in current && typeof current.code === "string"
        ? `${current.name}(${current.code})`
        : current.name
    )
  }
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return { error: names.join(" < "), frames: frames.slice(0, maxFrames).map((line) => line.trim()) }
}
