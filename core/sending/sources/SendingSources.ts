/**
 * The sources as a process knows them while it sends: read every few seconds, so that a message costs no statement.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ProcessInfo } from "../../kernel/ProcessInfo.ts"
import type { MailSource } from "../../model/Source.ts"
import { SourceStore, type StoredSources } from "../../ports/SourceStore.ts"
import { type ChoiceRequest, chooseSource, type SourceChoice } from "./SourceRules.ts"

/** How often sources are read, milliseconds. */
const readEvery = 10_000

/** What sources a process may send from. */
export class SendingSources extends Context.Service<SendingSources>()("svc/sending/SendingSources", {
  make: Effect.gen(function* () {
    const store = yield* SourceStore
    const { node } = yield* ProcessInfo
    let known: StoredSources = { sources: [], pools: [] }
    let readAt: number | null = null

    return {
      /** Reads what changed, unless that was done within ten seconds. */
      refresh: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (readAt !== null && Math.abs(now - readAt) < readEvery) return
        known = yield* store.all
        readAt = now
      }),
      /** Which source a message leaves from. */
      choose: (request: Omit<ChoiceRequest, "own">): SourceChoice =>
        known.sources.length === 0 && known.pools.length === 0
          ? { _tag: "System" }
          : chooseSource(known, { ...request, own: node.addresses }),
      /** The sources that are known. */
      sources: (): ReadonlyArray<MailSource> => known.sources
    }
  })
}) {
  static readonly layer = Layer.effect(SendingSources, SendingSources.make)
}
