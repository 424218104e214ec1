/**
 * Runs functions over data from outside in threads of their own, which are ended when a run exceeds its time or memory. The
 * thread that answers calls is never held by what such data costs to parse or render.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** Work for a thread: an exported function. It takes and returns what `structuredClone` copies, and keeps no state of a run. */
export interface ThreadTask<Input, Output> {
  /** The URL of the module that exports it: its `import.meta.url`. It must load without side effects. */
  readonly module: string
  /** The name of the export, of type {@link ThreadFunction}. */
  readonly name: string
  /**
   * How long a run may take, milliseconds, without the start of the thread: of processor time where the runtime tells it,
   * so that an overloaded machine ends no run that is cheap.
   */
  readonly maxMillis: number
  /** Holds the types; never set. */
  readonly types?: (input: Input) => Output
}

/** The result of a run, and the buffers in it that are moved to the caller instead of copied. */
export interface ThreadResult<Output> {
  readonly value: Output
  readonly transfer: ReadonlyArray<ArrayBuffer>
}

/** The function of a task. */
export type ThreadFunction<Input, Output> = (
  input: Input
) => ThreadResult<Output> | Promise<ThreadResult<Output>>

/** A run has no result. */
export class RunEnded extends Data.TaggedError("RunEnded")<{
  /** The bound that it exceeded; `Queue` when so much waits already that it was not begun. */
  readonly bound: "Time" | "Memory" | "Queue"
}> {}

/** How a task is run. */
export interface RunOptions {
  /** The approximate size of the input, bytes; 0 where the callers bound what waits, so that it is never `Queue`. */
  readonly bytes: number
  /** Buffers of the input that are moved to the thread: the caller no longer has their content. */
  readonly transfer?: ReadonlyArray<ArrayBuffer>
}

/** The port of threads. */
export class Threads extends Context.Service<
  Threads,
  {
    /**
     * Runs a task. Runs wait for a thread by turns of their {@link RunOwner}, and none of them can hold every thread, so that
     * one account's do not delay those of another. A task that throws is a defect.
     */
    readonly run: <Input, Output>(
      task: ThreadTask<Input, Output>,
      input: Input,
      options: RunOptions
    ) => Effect.Effect<Output, RunEnded>
  }
>()("svc/ports/Threads") {}

/** The account that runs are for; empty for the service itself. */
export const RunOwner = Context.Reference<string>("svc/ports/RunOwner", { defaultValue: () => "" })
