/**
 * The processes that run the service.
 *
 * @module
 */

/** What a process is, from its start to its end. */
export interface NodeFacts {
  readonly id: string
  /** The host name of its machine. */
  readonly host: string
  readonly version: string
  /** `node` or `bun`, with its version. */
  readonly runtime: string
  /** The parts of the service that it runs: `api`, `smtp`, `worker`. */
  readonly roles: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** The addresses of its machine, including those that only the machine itself can reach. */
  readonly addresses: ReadonlyArray<string>
}

/** The current measurements of a process. */
export interface NodeMeasures {
  /** The recent delay of its event loop, 99th percentile, milliseconds. */
  readonly eventLoopDelayMs: number
  /** The memory that it occupies, bytes. */
  readonly memoryBytes: number
  /** The size of its JavaScript heap in use, and the maximum, bytes. */
  readonly heapUsedBytes: number
  readonly heapLimitBytes: number
}

/** A process as it last reported itself. */
export interface ServiceNode extends NodeFacts, NodeMeasures {
  /** Epoch milliseconds. */
  readonly seenAt: number
}

/** Whether a process still reports itself regularly. */
export const nodeStates = ["Up", "Gone"] as const

/** Whether a process still reports itself regularly. */
export type NodeState = (typeof nodeStates)[number]

/** How long after its last report a process counts as gone, milliseconds. */
export const nodeGoneAfter = 60_000

/** The state of a process at a time, epoch milliseconds. */
export const nodeStateOf = ({ seenAt }: Pick<ServiceNode, "seenAt">, now: number): NodeState =>
  now - seenAt > nodeGoneAfter ? "Gone" : "Up"
