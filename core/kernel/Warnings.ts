/**
 * Warnings of a call: what its caller should know of a call that is answered as usual, such as a field that was ignored.
 * A use case adds them with `warn`; the adapter that took the call provides `CallWarnings` and reports them.
 *
 * @module
 */
import { Context, Effect } from "effect"

/** Every code of a warning, with when it is given. Codes are stable. Error codes are in `core/shared/Problem.ts`. */
export const warningCodes = {
  "commerce.total_is_lower_bound":
    "The search finds more orders than `totalCount` says, which is exact up to 10,000.",
  "request.unknown_field": "The body has a field that the route does not know. It was ignored."
} as const satisfies Readonly<Record<string, string>>

/** The code of a warning. */
export type WarningCode = keyof typeof warningCodes

/** A warning of a call. */
export interface Warning {
  readonly code: WarningCode
  /** An English sentence; it may name values of the call. */
  readonly message: string
  /** The sentence for the log, which has no personal data; the message unless given. */
  readonly logged?: string
}

/** The most warnings of a call that are kept; of further ones, only the number is known. */
export const maxWarnings = 10

/** The longest message of a warning in characters; a longer one is cut. */
export const maxWarningLength = 200

const cut = (text: string): string =>
  text.length <= maxWarningLength ? text : `${text.slice(0, maxWarningLength - 3)}...`

/** Collects the warnings of one call, each once: the first {@link maxWarnings}, and how many more there were. */
export class Warnings {
  readonly #list: Array<Warning> = []
  #more = 0

  /** Adds a warning; one with the same code and message is added once. */
  add({ code, logged, message }: Warning): void {
    const short = cut(message)
    if (this.#list.some((known) => known.code === code && known.message === short)) return
    if (this.#list.length >= maxWarnings) this.#more++
    else this.#list.push({ code, message: short, ...(logged === undefined ? {} : { logged: cut(logged) }) })
  }

  /** Counts warnings that are not kept. */
  addMore(count: number): void {
    this.#more += count
  }

  /** The warnings in the order they were added. */
  get list(): ReadonlyArray<Warning> {
    return this.#list
  }

  /** How many further warnings there are. */
  get more(): number {
    return this.#more
  }
}

/** The warnings of the call that the fiber works for; null outside a call, as in background jobs. */
export const CallWarnings = Context.Reference<Warnings | null>("svc/kernel/CallWarnings", {
  defaultValue: () => null
})

/**
 * Warns the caller. It does nothing outside a call. Call it in the call's own fiber: what `GroupCommit` runs works for
 * several calls, and has none.
 */
export const warn = (warning: Warning): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    fiber.getRef(CallWarnings)?.add(warning)
    return Effect.void
  })
