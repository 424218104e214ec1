/**
 * Implements the Threads port with `node:worker_threads`, on Node and Bun. Threads are started when they are needed, and idle
 * ones do not keep the process alive.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { readFile } from "node:fs/promises"
import { setTimeout as setTimeoutOf } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { RunEnded, RunOwner, type RunOptions, Threads, type ThreadTask } from "../../core/ports/Threads.ts"
import { RunQueue } from "./RunQueue.ts"
import type { RunMessage, ThreadMessage, ThreadOptions } from "./ThreadMessages.ts"

/** The limits of a pool. */
export const defaultLimits = {
  /** The maximum number of threads. All but one may run tasks of the same owner. */
  threads: 2,
  /** The maximum bytes of waiting input, in total and of one owner. */
  queuedBytes: 128 * 1024 * 1024,
  queuedBytesOfOwner: 48 * 1024 * 1024,
  /**
   * The maximum memory of a thread. It is queried after the memory of the process has grown by this much, because other work of
   * the process grows it too. If threads do not report their memory (Bun), the one that has run longest is ended.
   */
  grownBytes: 256 * 1024 * 1024,
  /** If a thread's memory has grown by more than this when a run ends, the thread is replaced, as garbage may stay for long. */
  keptBytes: 96 * 1024 * 1024,
  /**
   * The heap of a thread, in megabytes, in case the check above comes too late. Bun ignores it. It must not be lower: if a single
   * allocation is larger than the remaining heap, Node ends the process instead of the thread.
   */
  heapMegabytes: 768,
  /** The maximum part of the heap for new objects, in megabytes. By default it is much larger, for little speed. */
  newHeapMegabytes: 12,
  /** By how much a thread's priority is lower than that of the one that answers calls (setpriority(2); Linux only). */
  niceness: 3
}

/** The limits of a pool. */
export type Limits = Readonly<typeof defaultLimits>

/** How long a thread may take to start and to load a module, in milliseconds: longer than on an overloaded machine. */
const startMillis = 60_000
/** How often the memory of the process is checked while threads run, in milliseconds. */
const memoryMillis = 20
/**
 * A run may take up to this many times its time limit while its thread has used less processor time than the limit, because the
 * machine is overloaded. If a thread's use is not known (on Bun, except on Linux), it gets a part of that.
 */
const waitFactor = 16
const untoldWaitFactor = 2
/** How long a thread may take to report its use, in milliseconds. */
const tellMillis = 250
/** How long a thread that does not end keeps its place, in milliseconds. Bun cannot interrupt some built-in functions. */
const endMillis = 2_000

type Result = { readonly _tag: "Done"; readonly value: unknown } | RunEnded | Error

/** A run that is waiting or in progress. */
interface Run {
  readonly owner: string
  readonly bytes: number
  readonly message: RunMessage
  readonly transfer: ReadonlyArray<ArrayBuffer>
  readonly maxMillis: number
  readonly done: (result: Result) => void
}

/** The program of threads: TypeScript when running from sources, JavaScript in the package. */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./ThreadMain.ts" : "./ThreadMain.js",
  import.meta.url
)

/** A thread, with its current run. */
interface Thread {
  readonly worker: Worker
  run: Run | null
  /** The memory of the process when the thread was started. */
  readonly base: number
  /** When the run was passed to the thread. */
  since: number
  timer: NodeJS.Timeout | undefined
  /** The number that Linux gives to the thread, known once it has begun a run. */
  task: string | null
}

/** The value that a thread reports, or null if it does not within the time limit. */
const told = <Value>(value: Promise<Value>): Promise<Value | null> =>
  Promise.race([value, setTimeoutOf(tellMillis, null, { ref: false })]).catch(() => null)

/**
 * The processor time that a thread has used since its start, in milliseconds; null if it is not known. Linux reports it (proc(5),
 * `schedstat`: nanoseconds first) while the thread is busy.
 */
const processorMillis = async ({ task, worker }: Thread): Promise<number | null> => {
  if (task !== null) {
    const line = await readFile(`/proc/self/task/${task}/schedstat`, "utf8").catch(() => "")
    if (line !== "") return Number.parseInt(line, 10) / 1_000_000
  }
  const usage = await told(worker.cpuUsage())
  return usage === null ? null : (usage.user + usage.system) / 1000
}

/** The memory of a thread, in bytes; null if the thread does not report it. */
const memoryOf = async ({ worker }: Thread): Promise<number | null> => {
  const statistics = await told(worker.getHeapStatistics())
  return statistics === null ? null : statistics.total_heap_size + statistics.external_memory
}

/** Threads, and the runs that wait for them. */
class Pool {
  readonly #limits: Limits
  readonly #threads = new Set<Thread>()
  readonly #waiting = new RunQueue<Run>()
  /** Threads that are ending and still occupy memory. */
  #ending = 0
  #watch: NodeJS.Timeout | undefined
  /** Whether the threads' memory is being queried. */
  #asking = false

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Begins a run, or lets it wait. Returns a function that withdraws it while it waits. */
  add(run: Run): () => void {
    const { queuedBytes, queuedBytesOfOwner } = this.#limits
    const waiting = this.#waiting
    if (
      (waiting.bytes > 0 && waiting.bytes + run.bytes > queuedBytes) ||
      (waiting.bytesOf(run.owner) > 0 && waiting.bytesOf(run.owner) + run.bytes > queuedBytesOfOwner)
    ) {
      run.done(new RunEnded({ bound: "Queue" }))
      return () => undefined
    }
    waiting.add(run)
    this.#next()
    return () => waiting.remove(run)
  }

  /** Ends every thread. */
  async close(): Promise<void> {
    clearInterval(this.#watch)
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(
      threads.map(({ timer, worker }) => {
        clearTimeout(timer)
        return worker.terminate()
      })
    )
  }

  /** Passes runs to threads as long as there are both. */
  #next(): void {
    for (;;) {
      const idle = [...this.#threads].find(({ run }) => run === null)
      if (idle === undefined && this.#threads.size + this.#ending >= this.#limits.threads) return
      const run = this.#waiting.take((owner) => this.#mayRun(owner))
      if (run === null) return
      this.#begin(idle ?? this.#start(), run)
    }
  }

  #mayRun(owner: string): boolean {
    let count = 0
    for (const { run } of this.#threads) if (run?.owner === owner) count++
    return count < Math.max(1, this.#limits.threads - 1)
  }

  #start(): Thread {
    const worker = new Worker(program, {
      // Without the process's options, which may name a file to load or a port for debugging.
      execArgv: [],
      workerData: this.#limits.niceness satisfies ThreadOptions,
      resourceLimits: {
        maxOldGenerationSizeMb: this.#limits.heapMegabytes,
        maxYoungGenerationSizeMb: this.#limits.newHeapMegabytes,
        stackSizeMb: 4
      }
    })
    const thread: Thread = { worker, run: null, base: memory(), since: 0, timer: undefined, task: null }
    worker.on("message", (message: ThreadMessage) => this.#receive(thread, message))
    worker.on("error", (error) =>
      this.#drop(
        thread,
        "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? new RunEnded({ bound: "Memory" })
          : error
      )
    )
    worker.on("exit", () => this.#drop(thread, new Error("The thread ended")))
    this.#threads.add(thread)
    return thread
  }

  #begin(thread: Thread, run: Run): void {
    thread.run = run
    thread.since = performance.now()
    thread.worker.ref()
    this.#limit(thread, startMillis, new Error("A thread did not start in time"))
    this.#watch ??= setInterval(() => this.#checkMemory(), memoryMillis)
    thread.worker.postMessage(run.message, [...run.transfer])
  }

  #limit(thread: Thread, millis: number, result: RunEnded | Error): void {
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => this.#end(thread, result), millis)
  }

  /** Ends a run that uses more processor time than its limit, or takes many times as long. */
  #limitRun(thread: Thread, run: Run, from: number): void {
    const start = performance.now()
    const check = async (): Promise<void> => {
      const used = await processorMillis(thread)
      if (thread.run !== run || !this.#threads.has(thread)) return
      const passed = performance.now() - start
      const left =
        used === null
          ? untoldWaitFactor * run.maxMillis - passed
          : Math.min(run.maxMillis - (used - from), waitFactor * run.maxMillis - passed)
      if (left <= 1) return this.#end(thread, new RunEnded({ bound: "Time" }))
      thread.timer = setTimeout(() => void check(), left)
    }
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => void check(), run.maxMillis)
  }

  #receive(thread: Thread, message: ThreadMessage): void {
    const { run } = thread
    if (run === null || !this.#threads.has(thread)) return
    if (message._tag === "Begun") {
      thread.task = message.task
      return this.#limitRun(thread, run, message.processorMillis)
    }
    const result = message._tag === "Done" ? message : new Error(message.message)
    if (memory() - thread.base > this.#limits.keptBytes) return this.#end(thread, result)
    clearTimeout(thread.timer)
    thread.run = null
    thread.worker.unref()
    this.#rest()
    run.done(result)
    return this.#next()
  }

  /** Ends a thread that exceeds a limit or occupies too much memory. */
  #end(thread: Thread, result: Result): void {
    if (!this.#threads.has(thread)) return
    this.#ending++
    let ended = false
    const onEnded = () => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      this.#ending--
      this.#next()
    }
    const timer = setTimeout(onEnded, endMillis)
    timer.unref()
    this.#drop(thread, result)
    thread.worker.unref()
    void thread.worker.terminate().then(onEnded, onEnded)
  }

  /** Removes a thread that has ended, or will. */
  #drop(thread: Thread, result: Result): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(thread.timer)
    this.#rest()
    thread.run?.done(result)
    this.#next()
  }

  /** Stops checking the memory when no thread runs. */
  #rest(): void {
    for (const { run } of this.#threads) if (run !== null) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** Ends a thread that occupies too much memory, after the memory of the process has grown. */
  #checkMemory(): void {
    const running = [...this.#threads].filter(({ run }) => run !== null)
    const base = Math.min(...running.map((thread) => thread.base))
    if (this.#asking || memory() - base < this.#limits.grownBytes) return
    this.#asking = true
    void this.#endLargest(running.toSorted((one, other) => one.since - other.since)).finally(() => {
      this.#asking = false
    })
  }

  /** Ends the thread that occupies too much memory, or the first of those that do not report it. */
  async #endLargest(running: ReadonlyArray<Thread>): Promise<void> {
    const runs = running.map(({ run }) => run)
    const held = await Promise.all(running.map(memoryOf))
    const over = held.findIndex((bytes) => bytes !== null && bytes > this.#limits.grownBytes)
    const at = over === -1 ? held.indexOf(null) : over
    const thread = running[at]
    // If the run has ended in the meantime, its memory is free.
    if (thread === undefined || thread.run === null || thread.run !== runs[at]) return
    this.#end(thread, new RunEnded({ bound: "Memory" }))
  }
}

/** The memory of the process, in bytes. */
const memory = (): number => process.memoryUsage.rss()

/** The threads of this process. */
export const layer = (limits: Partial<Limits> = {}): Layer.Layer<Threads> =>
  Layer.effect(
    Threads,
    Effect.gen(function* () {
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new Pool({ ...defaultLimits, ...limits })),
        (made) => Effect.promise(() => made.close())
      )
      const run = <Input, Output>(
        { maxMillis, module, name }: ThreadTask<Input, Output>,
        input: Input,
        { bytes, transfer = [] }: RunOptions
      ): Effect.Effect<Output, RunEnded> =>
        Effect.flatMap(RunOwner, (owner) =>
          Effect.callback<Output, RunEnded>((resume) => {
            const withdraw = pool.add({
              owner,
              bytes,
              message: { module, name, input },
              transfer,
              maxMillis,
              done: (result) => {
                if (result instanceof RunEnded) return resume(Effect.fail(result))
                return resume(
                  result instanceof Error ? Effect.die(result) : Effect.succeed(result.value as Output)
                )
              }
            })
            return Effect.sync(withdraw)
          })
        )
      return Threads.of({ run })
    })
  )
