/**
 * Connects to relays without sending anything, to find out whether they can be used.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { RelayEndpoint, RelayStepResult } from "../model/MailRelay.ts"

/** A relay to be checked. */
export interface ProbedRelay extends RelayEndpoint {
  /** Whether a tenant chose it: then it is connected to only where the AddressGuard permits it. */
  readonly isGuarded: boolean
}

/** The port of checks of relays. */
export class RelayProbe extends Context.Service<
  RelayProbe,
  {
    /**
     * Connects, encrypts and authenticates, as far as the relay asks for it, and closes the connection. The steps that were
     * tried, in order, each at most once; only the last one may have failed. Takes at most 15 seconds. The words hold no
     * credentials.
     */
    readonly check: (relay: ProbedRelay) => Effect.Effect<ReadonlyArray<RelayStepResult>>
  }
>()("svc/ports/RelayProbe") {}
