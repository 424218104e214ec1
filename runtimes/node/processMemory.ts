/**
 * Applies memory settings that take effect only when a process starts.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"
import { isEmbedded } from "./compiledCode.ts"

/** The command with which a process was started. */
interface Command {
  readonly execPath: string
  readonly execArgv: ReadonlyArray<string>
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Makes glibc return freed buffers to the operating system, instead of keeping them in one or more arenas per thread. */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" }

/** The option for the part of the heap for new objects, which by default grows to 128 MB and stays that size. */
const newHeap = "--max-semi-space-size"

/**
 * Each collection of new objects copies what calls in progress keep until they are answered. With 4 MB instead of 16, a busy node
 * uses a fifth more of the processor for a call; with 16 instead of 32 a tenth more, and a third more for a message of 100 KB
 * over SMTP. A node with an embedded database is limited by the database, so memory is more important there.
 */
const newHeapMegabytes = (env: Command["env"]): number => (isEmbedded(env) ? 4 : 32)

/** The arguments and variables with which a process must be started again; null if it has all of them. Existing ones are kept. */
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
 * Replaces the process with one that has the settings, and keeps its id and its streams, if Node supports that: on Linux, and
 * without a channel to the parent process, which would be lost.
 */
export const limitMemory = (): void => {
  if (process.platform !== "linux" || !isMainThread || process.send !== undefined) return
  const command = commandWithLimits(process)
  if (command !== null) process.execve?.(process.execPath, command.args, command.env)
}

/**
 * Collects the garbage of the start, and shrinks the part of the heap for new objects, which has grown to its limit: together 65
 * to 105 of 210 to 255 MB, which V8 would otherwise keep. It stops the process for 0.3 to 0.6 s, so it must be called before
 * calls are answered.
 */
export const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  const collect: (options: object) => void = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  // Only the collection that V8 makes before it runs out of memory returns the room for new objects at once.
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}
