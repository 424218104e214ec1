/**
 * Warnings of a call: what its caller should know of a call that nothing refuses, such as a field that was ignored. A use
 * case adds them with `warn`; the adapter that took the call provides `CallWarnings` and reports them
 * (docs/contributing/decisions.md 2).
 *
 * @module
 */
import { Context, Effect } from "effect"

/** Every code of a warning, with when it is given. Codes are stable. Error codes are in `core/shared/Problem.ts`. */
export const warningCodes = {
  no_verified_sender:
    "The email waits with the reason `sending.no_verified_sender`: it is sent once the domain of its sender is verified",
  unknown_field:
    "The body has a field that the route does not know. It was ignored. `field` is its path, and `nearest` the known name that is most like it, if any",
  total_is_lower_bound: "The search finds more orders than `totalCount` says, which is exact up to 10,000"
} as const satisfies Readonly<Record<string, string>>

/** The code of a warning. */
export type WarningCode = keyof typeof warningCodes

/** A warning of a call. */
export interface Warning {
  readonly code: WarningCode
  /** What it is about, by lower-case names such as `field`; the values may be the caller's. */
  readonly params?: Readonly<Record<string, string>>
}

/** The most warnings of a call that are kept; of further ones, only the number is known. */
export const maxWarnings = 20

/** The longest value of a parameter in characters; a longer one is cut. */
export const maxWarningParam = 100

const cut = (value: string): string => value.slice(0, maxWarningParam).toWellFormed()

/** Collects the warnings of one call: the first {@link maxWarnings}, and how many more there were. */
export class Warnings {
  readonly #list: Array<Warning> = []
  #more = 0

  /** Adds a warning. */
  add({ code, params = {} }: Warning): void {
    if (this.#list.length >= maxWarnings) {
      this.#more++
      return
    }
    const short = Object.entries(params).map(([name, value]) => [name, cut(value)] as const)
    this.#list.push({ code, params: Object.fromEntries(short) })
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
