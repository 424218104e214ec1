/**
 * The messages between a pool and its threads.
 *
 * @module
 */

/** The option with which a thread is started: by how much its priority is lower. */
export type ThreadOptions = number

/** A run, as a thread receives it. */
export interface RunMessage {
  readonly module: string
  readonly name: string
  readonly input: unknown
}

/**
 * The messages from a thread: that a run began, after its module was loaded, with the processor time that the thread had used
 * until then and the number that Linux gives to the thread (on other systems null), and how it ended.
 */
export type ThreadMessage =
  | { readonly _tag: "Begun"; readonly processorMillis: number; readonly task: string | null }
  | { readonly _tag: "Done"; readonly value: unknown }
  /** The function threw. */
  | { readonly _tag: "Threw"; readonly message: string }
