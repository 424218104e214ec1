/**
 * The program of a thread. For each run it loads a module and calls a function of it.
 *
 * @module
 */
import { readlinkSync } from "node:fs"
import { getPriority, setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import type { ThreadFunction } from "../../core/ports/Threads.ts"
import type { RunMessage, ThreadMessage, ThreadOptions } from "./ThreadMessages.ts"

// On Linux this is the priority of the calling thread only: the thread that answers requests goes first if both need a processor.
// On other systems it would be the priority of the whole process.
if (process.platform === "linux") setPriority(Math.min(19, getPriority() + (workerData as ThreadOptions)))

/** The number that Linux gives to this thread: the last part of `<process>/task/<thread>`. */
const task =
  process.platform === "linux" ? (readlinkSync("/proc/thread-self").split("/").at(-1) ?? null) : null

const send = (message: ThreadMessage, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(message, [...transfer])

const run = async ({ input, module, name }: RunMessage): Promise<void> => {
  try {
    const { [name]: call } = (await import(module)) as Record<string, ThreadFunction<unknown, unknown>>
    if (call === undefined) throw new Error(`${module} has no ${name}`)
    const { system, user } = process.threadCpuUsage()
    send({ _tag: "Begun", processorMillis: (user + system) / 1000, task })
    const { transfer, value } = await call(input)
    send({ _tag: "Done", value }, transfer)
  } catch (error) {
    send({ _tag: "Threw", message: error instanceof Error ? (error.stack ?? error.message) : "unknown" })
  }
}

parentPort?.on("message", (message: RunMessage) => void run(message))
