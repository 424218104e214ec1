/**
 * Warnings of a call: what its caller should know although the call is accepted, such as that a field was ignored. A use case
 * adds them with `warn`; the adapter that receives the call provides `CallWarnings` and reports them
 * (docs/contributing/decisions.md 2).
 *
 * @module
 */
import { Context, Effect } from "effect"

/** Every warning code, with the condition that causes it. Codes are stable. Error codes are in `core/shared/Problem.ts`. */
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
  /** What the warning is about, by lower-case names such as `field`. Values may come from the caller. */
  readonly params?: Readonly<Record<string, string>>
}

/** The most warnings of a call that are kept; further ones are only counted. */
export const maxWarnings = 20

/** The longest parameter value in characters; a longer one is truncated. */
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

  /** Counts warnings that are not listed. */
  addMore(count: number): void {
    this.#more += count
  }

  /** The warnings in the order in which they were added. */
  get list(): ReadonlyArray<Warning> {
    return this.#list
  }

  /** The number of warnings that are not listed. */
  get more(): number {
    return this.#more
  }
}

/** The warnings of the call that the current fiber serves; null outside a call, as in background jobs. */
export const CallWarnings = Context.Reference<Warnings | null>("svc/kernel/CallWarnings", {
  defaultValue: () => null
})

/**
 * Warns the caller. Outside a call it does nothing. Call it in the call's own fiber: what `GroupCommit` runs serves several
 * calls, and has no warnings.
 */
export const warn = (warning: Warning): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    fiber.getRef(CallWarnings)?.add(warning)
    return Effect.void
  })
