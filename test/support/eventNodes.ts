/**
 * Nodes that accept and process events over the given storage ports, with flows that report to the test.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { SuppressedAddresses } from "../../core/audience/contacts/SuppressedAddresses.ts"
import { AddressHash } from "../../core/audience/contacts/AddressHash.ts"
import { EventProcessing } from "../../core/events/EventProcessing.ts"
import { Events } from "../../core/events/Events.ts"
import type { ContactEvent } from "../../core/model/Event.ts"
import { ContactEvents } from "../../core/audience/timeline/ContactEvents.ts"
import { Contacts } from "../../core/audience/contacts/Contacts.ts"
import { ContactEventListener } from "../../core/audience/timeline/ContactEvents.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { installationKeys } from "./keys.ts"

const keys = installationKeys(new Uint8Array(32).fill(7))

/** Starts a node that runs until the scope closes. `dispatch` replaces the flows. */
export const makeEventNode = (
  dispatch: (contactEvents: ReadonlyArray<ContactEvent>) => Effect.Effect<void>
) => {
  const flows = Layer.succeed(ContactEventListener, { dispatch })
  const handlers = Effect.map(EventProcessing, (events) => ({ events }))
  const node = Layer.mergeAll(Worker.layer(handlers), Events.layer).pipe(
    Layer.provide(EventProcessing.layer),
    Layer.provideMerge(Contacts.layer),
    Layer.provide(SuppressedAddresses.layer),
    Layer.provide(AddressHash.layer),
    Layer.provideMerge(ContactEvents.layer),
    Layer.provide(Layer.mergeAll(flows, keys, Layer.provideMerge(Ids.layer, crypto)))
  )
  return Effect.map(Layer.build(Layer.fresh(node)), (built) => ({
    contacts: Context.get(built, Contacts),
    events: Context.get(built, Events),
    contactEvents: Context.get(built, ContactEvents),
    worker: Context.get(built, Worker)
  }))
}
