/**
 * A task that occupies its thread without using the CPU, as on an overloaded machine, and a task that reads its priority.
 *
 * @module
 */
import { getPriority } from "node:os"
import type { ThreadFunction, ThreadTask } from "../../../core/ports/Threads.ts"

/** Waits for a number of milliseconds. */
export const idle: ThreadFunction<number, number> = (millis) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
  return { value: millis, transfer: [] }
}

/** May use 100 ms of CPU time. */
export const idleTask: ThreadTask<number, number> = { module: import.meta.url, name: "idle", maxMillis: 100 }

/** The priority of the thread. */
export const priority: ThreadFunction<null, number> = () => ({ value: getPriority(), transfer: [] })

export const priorityTask: ThreadTask<null, number> = {
  module: import.meta.url,
  name: "priority",
  maxMillis: 1_000
}
