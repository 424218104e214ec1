/**
 * A program that makes the calls of `svc` in its one argument, a JSON array of arrays of arguments, one after the other in
 * one process, and prints what each said and how it ended as JSON.
 *
 * @module
 */
import { Effect } from "effect"
import { run } from "../../runtimes/cli/commands.ts"
import type { CommandResult } from "./cli.ts"

type Write = typeof process.stdout.write

/** Keeps what is written to a stream, instead of writing it, until `restore`. */
const keeping = (stream: NodeJS.WriteStream) => {
  const write = stream.write
  const kept: Array<string> = []
  stream.write = ((text: string, done: () => void) => {
    kept.push(text)
    done()
    return true
  }) as Write
  return {
    restore: () => {
      stream.write = write
      return kept.join("")
    }
  }
}

const results: Array<CommandResult> = []
for (const args of JSON.parse(process.argv[2]!) as ReadonlyArray<ReadonlyArray<string>>) {
  const out = keeping(process.stdout)
  const err = keeping(process.stderr)
  const code = await Effect.runPromise(run(args))
  results.push({ code, out: out.restore(), err: err.restore() })
}
process.stdout.write(JSON.stringify(results))
