/**
 * Settings of the memory of a process that count only from its beginning.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"
import { isEmbedded } from "./compiledCode.ts"

/** What a process was started with. */
interface Command {
  readonly execPath: string
  readonly execArgv: ReadonlyArray<string>
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Buffers that are freed go back to the operating system, and do not stay in glibc's arenas, one or more for each thread. */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" }

/** The part of the heap for new objects, which by default grows to 128 MB and stays so. */
const newHeap = "--max-semi-space-size"

/**
 * Each collection of new objects copies what the calls in progress keep until they are answered: with 4 MB instead of 16 a
 * busy node spends a fifth more of the processor on a call, with 16 instead of 32 a tenth more, and a third more on a message of
 * 100 KB over SMTP. An embedded store is what limits its node, so memory counts more there.
 */
const newHeapMegabytes = (env: Command["env"]): number => (isEmbedded(env) ? 4 : 32)

/** The arguments and variables that a process needs to be started again with; null where it has all. Those it has are kept. */
export const commandWithLimits = ({ argv, env, execArgv, execPath }: Command) => {
  const limitsHeap = [...execArgv, env["NODE_OPTIONS"] ?? ""].some((text) => text.includes(newHeap))
  const limitsBuffers = Object.keys(allocator).every((name) => env[name] !== undefined)
  if (limitsHeap && limitsBuffers) return null
  return {
    args: [
      execPath,
      ...execArgv,
      ...(limitsHeap ? [] : [`${newHeap}=${newHeapMegabytes(env)}`]),
      ...argv.slice(1)
    ],
    env: { ...allocator, ...env }
  }
}

/**
 * Replaces the process by one with limits, which has its id and its streams, where Node can do that: on Linux, and without a
 * channel to the process that started it, which would be lost.
 */
export const limitMemory = (): void => {
  if (process.platform !== "linux" || !isMainThread || process.send !== undefined) return
  const command = commandWithLimits(process)
  if (command !== null) process.execve?.(process.execPath, command.args, command.env)
}

/**
 * Collects what the start left behind, and makes the part of the heap for new objects small again, which grew to its limit:
 * together 65 to 105 of 210 to 255 MB. V8 would otherwise keep both. It stops the process for 0.3 to 0.6 s, so that it must be
 * called before calls are answered.
 */
export const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  const collect: (options: object) => void = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  // Only what V8 does before it runs out of memory gives the room for new objects back at once.
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}
