/**
 * Runs functions on external data in worker threads, which are ended if a run exceeds its time or memory. Thus the cost of
 * parsing or rendering such data never blocks the thread that serves calls.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** Work for a thread: an exported function. It takes and returns values that `structuredClone` can copy, and keeps no state. */
export interface ThreadTask<Input, Output> {
  /** The URL of the module that exports it, its `import.meta.url`. The module must load without side effects. */
  readonly module: string
  /** The name of the export, of type {@link ThreadFunction}. */
  readonly name: string
  /**
   * The longest run, milliseconds, without the start of the thread. Processor time, if the runtime measures it, so that an
   * overloaded machine does not end cheap runs.
   */
  readonly maxMillis: number
  /** Carries the types; never set. */
  readonly types?: (input: Input) => Output
}

/** The result of a run, and those of its buffers that are transferred to the caller instead of copied. */
export interface ThreadResult<Output> {
  readonly value: Output
  readonly transfer: ReadonlyArray<ArrayBuffer>
}

/** The function of a task. */
export type ThreadFunction<Input, Output> = (
  input: Input
) => ThreadResult<Output> | Promise<ThreadResult<Output>>

/** A run was ended, or not begun, and has no result. */
export class RunEnded extends Data.TaggedError("RunEnded")<{
  /** The exceeded bound; `Queue` if the run was not begun because too much waits already. */
  readonly bound: "Time" | "Memory" | "Queue"
}> {}

/** How a task is run. */
export interface RunOptions {
  /** The approximate size of the input, bytes; 0 if the callers limit what waits, so that the bound is never `Queue`. */
  readonly bytes: number
  /** Buffers of the input that are transferred to the thread: the caller can no longer use them. */
  readonly transfer?: ReadonlyArray<ArrayBuffer>
}

/** The port of threads. */
export class Threads extends Context.Service<
  Threads,
  {
    /**
     * Runs a task. Threads are assigned to the accounts of {@link RunOwner} in turn, and no account can occupy every thread, so
     * one account's runs do not delay those of another. A task that throws is a defect.
     */
    readonly run: <Input, Output>(
      task: ThreadTask<Input, Output>,
      input: Input,
      options: RunOptions
    ) => Effect.Effect<Output, RunEnded>
  }
>()("svc/ports/Threads") {}

/** The account for which runs are made; empty for the service itself. */
export const RunOwner = Context.Reference<string>("svc/ports/RunOwner", { defaultValue: () => "" })
