/**
 * Nodes that accept and process events over the storage ports at hand, with flows that tell the test what they hear.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { InstanceKeys } from "../../core/accounts/InstanceKeys.ts"
import { makeEventProcessing } from "../../core/activity/EventProcessing.ts"
import { Events } from "../../core/activity/Events.ts"
import type { Happening } from "../../core/activity/Happening.ts"
import { Happenings } from "../../core/activity/Happenings.ts"
import { Contacts } from "../../core/audience/Contacts.ts"
import { FlowReactions } from "../../core/automation/FlowReactions.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { Ids } from "../../core/shared/Ids.ts"

const key = new Uint8Array(32).fill(7)
const keys = Layer.succeed(InstanceKeys, {
  get: Effect.succeed({ links: key, addresses: key, reports: key, tracking: key, flows: key })
})

/** Starts a node, until the scope closes. `react` stands for the flows. */
export const makeEventNode = (react: (happenings: ReadonlyArray<Happening>) => Effect.Effect<void>) => {
  const flows = Layer.succeed(FlowReactions, { react })
  const handlers = Effect.map(makeEventProcessing, (events) => ({ events }))
  const node = Layer.mergeAll(Worker.layer(handlers), Events.layer).pipe(
    Layer.provideMerge(Contacts.layer),
    Layer.provideMerge(Happenings.layer),
    Layer.provide(Layer.mergeAll(flows, keys, Layer.provideMerge(Ids.layer, crypto)))
  )
  return Effect.map(Layer.build(Layer.fresh(node)), (built) => ({
    contacts: Context.get(built, Contacts),
    events: Context.get(built, Events),
    happenings: Context.get(built, Happenings),
    worker: Context.get(built, Worker)
  }))
}
