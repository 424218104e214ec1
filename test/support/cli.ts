/**
 * The command line, run as a process.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { sharedCode } from "./prepared.ts"
import { programOf } from "./programs.ts"
import type { Runtime } from "./serverProcess.ts"

const root = join(import.meta.dirname, "../..")

/** The time limit of a command, in milliseconds. */
const longest = 90_000

/** The output and exit code of a command. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The program of the command line and its first argument. */
export const cliOf = (runtime: Runtime): readonly [string, string] => [
  join(root, "node_modules/.bin", runtime),
  programOf("runtimes/cli/main")
]

/** Runs `svc` with `args` in `folder`, with no variables except `env`. */
export const runCli = (
  runtime: Runtime,
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<CommandResult> => runScript(cliOf(runtime), folder, args, env)

/** Makes several calls of `svc` in one process, for calls that do not need separate processes. Returns the result of each. */
export const callCli = async (
  runtime: Runtime,
  folder: string,
  calls: ReadonlyArray<ReadonlyArray<string>>
): Promise<ReadonlyArray<CommandResult>> => {
  const [program] = cliOf(runtime)
  const script = join(root, "test/support/cliCalls.ts")
  const { code, err, out } = await runScript([program, script], folder, [JSON.stringify(calls)], {})
  if (code !== 0) throw new Error(`The calls ended with ${code}: ${err}`)
  return JSON.parse(out) as ReadonlyArray<CommandResult>
}

const runScript = (
  [program, script]: readonly [string, string],
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Promise<CommandResult> =>
  new Promise((resolve) => {
    execFile(
      program,
      [script, ...args],
      {
        cwd: folder,
        timeout: longest,
        killSignal: "SIGKILL",
        maxBuffer: 64 * 1024 * 1024,
        env: {
          PATH: process.env["PATH"],
          HOME: process.env["HOME"],
          SVC_DATA_DIR: join(folder, "data"),
          ...sharedCode(),
          ...env
        }
      },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : null
        resolve({ code, out, err })
      }
    )
  })

/** The lines of the output. */
export const linesOf = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line !== "")
