/**
 * Checks whether relays can be used, by connecting to them without sending anything.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { RelayEndpoint, RelayStepResult } from "../model/MailRelay.ts"

/** A relay to check. */
export interface ProbedRelay extends RelayEndpoint {
  /** Whether a tenant chose the relay. Then it is connected to only if the AddressGuard permits it. */
  readonly isGuarded: boolean
}

/** The port that checks relays. */
export class RelayProbe extends Context.Service<
  RelayProbe,
  {
    /**
     * Connects, encrypts and authenticates, as far as the relay requires it, and closes the connection. Returns the steps tried,
     * in order, each at most once; only the last one can have failed. Takes at most 15 seconds. The texts contain no credentials.
     */
    readonly check: (relay: ProbedRelay) => Effect.Effect<ReadonlyArray<RelayStepResult>>
  }
>()("svc/ports/RelayProbe") {}
