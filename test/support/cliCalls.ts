/**
 * A program that makes several calls of `svc` in one process. Its argument is a JSON array of arrays of arguments; it
 * prints the results as JSON.
 *
 * @module
 */
import { Effect } from "effect"
import { run } from "../../runtimes/cli/commands.ts"
import type { CommandResult } from "./cli.ts"

type Write = typeof process.stdout.write

/** Captures what is written to a stream until `restore`, which returns it. */
const capture = (stream: NodeJS.WriteStream) => {
  const write = stream.write
  const captured: Array<string> = []
  stream.write = ((text: string, done: () => void) => {
    captured.push(text)
    done()
    return true
  }) as Write
  return {
    restore: () => {
      stream.write = write
      return captured.join("")
    }
  }
}

const results: Array<CommandResult> = []
for (const args of JSON.parse(process.argv[2]!) as ReadonlyArray<ReadonlyArray<string>>) {
  const out = capture(process.stdout)
  const err = capture(process.stderr)
  const code = await Effect.runPromise(run(args))
  results.push({ code, out: out.restore(), err: err.restore() })
}
process.stdout.write(JSON.stringify(results))
