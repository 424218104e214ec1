/**
 * Stores the steps of sign-ins between two calls.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { SignInStep, SignInStepKind } from "../model/SignInStep.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of steps of sign-ins. */
export class SignInStepStore extends Context.Service<
  SignInStepStore,
  {
    /** Adds steps. */
    readonly insert: (steps: ReadonlyArray<SignInStep>) => Effect.Effect<void, Unavailable>
    /** The step of a kind with the hash, unless it has expired at `now`; null if there is none. */
    readonly find: (
      kind: SignInStepKind,
      hash: string,
      now: number
    ) => Effect.Effect<SignInStep | null, Unavailable>
    /** Like `find`, but also removes the step: only one of several concurrent calls gets it. */
    readonly take: (
      kind: SignInStepKind,
      hash: string,
      now: number
    ) => Effect.Effect<SignInStep | null, Unavailable>
    /** Deletes steps that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SignInStepStore") {}
