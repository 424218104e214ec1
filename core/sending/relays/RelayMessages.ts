/**
 * Knows which delivery a message of a relay is of, by what its provider gives back.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { LogHash } from "../../accounts/LogHash.ts"
import { Atomically } from "../../kernel/atomically.ts"
import type { RelayReport } from "../../model/RelayReport.ts"
import { type RelayMessage, RelayStore } from "../../ports/RelayStore.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { arrivalIdOf, arrivalIdsOf, arrivalMillis, foldedId, providerIdOf } from "./ProviderIds.ts"

/** A message that a relay accepted, and that it reports about later. */
export interface AcceptedMessage extends Omit<RelayMessage, "providerId"> {
  readonly recipient: string
  /** The relay's reply to it. */
  readonly reply: string
}

/** A report about a delivery of this installation. */
export interface Matched {
  readonly ref: DeliveryRef
  readonly report: RelayReport
}

/** Which delivery a message of a relay is of. */
export class RelayMessages extends Context.Service<
  RelayMessages,
  {
    /** Stores messages by the ids that reports will name, in the caller's transaction. */
    readonly note: (messages: ReadonlyArray<AcceptedMessage>) => Effect.Effect<void, Unavailable>
    /** The ids by which a report may name its message, the relay's own ones first. */
    readonly idsOf: (report: RelayReport) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * The deliveries of reports, by those ids; a report of no message is left out. Where a message is found by its arrival, the
     * relay's id of it is kept, so that no second message is found for that id, and this one by it from then on.
     */
    readonly match: (
      relayId: string,
      reports: ReadonlyArray<RelayReport>
    ) => Effect.Effect<ReadonlyArray<Matched>, Unavailable>
  }
>()("svc/sending/RelayMessages") {
  static readonly layer = Layer.effect(
    RelayMessages,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const logHash = yield* LogHash
      const relays = yield* RelayStore

      const idsOf = Effect.fnUntraced(function* ({ delivery }: RelayReport) {
        const { providerIds, recipient, takenAt } = delivery
        const stated = providerIds.map(foldedId)
        if (recipient === null || (takenAt ?? null) === null) return stated
        return [...stated, ...arrivalIdsOf(yield* logHash.of(recipient), takenAt!)]
      })

      return RelayMessages.of({
        note: Effect.fnUntraced(function* (messages) {
          if (messages.length === 0) return
          const noted = yield* Effect.forEach(messages, ({ recipient, reply, ...message }) =>
            Effect.map(logHash.of(recipient), (hash): RelayMessage => ({
              ...message,
              providerId: providerIdOf(reply) ?? arrivalIdOf(hash, message.sentAt)
            }))
          )
          yield* relays.noteMessages(noted)
        }),
        idsOf,
        match: Effect.fn("RelayMessages.match")(function* (relayId, reports) {
          const named = yield* Effect.forEach(reports, (report) =>
            Effect.map(idsOf(report), (ids) => ({ report, ids }))
          )
          const ids = [...new Set(named.flatMap((one) => one.ids))]
          if (ids.length === 0) return []
          const found = Map.groupBy(yield* relays.findMessages(relayId, ids), ({ providerId }) => providerId!)
          const learned: Array<RelayMessage> = []
          const matched = named.flatMap(({ ids: own, report }): ReadonlyArray<Matched> => {
            const stated = report.delivery.providerIds.map(foldedId)
            const byId = stated.flatMap((id) => found.get(id) ?? [])[0]
            const takenAt = report.delivery.takenAt ?? null
            const unnamed = () => own.flatMap((id) => found.get(id) ?? [])
            const message = byId ?? (takenAt === null ? undefined : nearest(unnamed(), takenAt))
            if (message === undefined) return []
            const [id] = stated
            if (byId === undefined && id !== undefined) {
              const known = { ...message, providerId: id }
              learned.push(known)
              found.set(id, [known])
              found.set(
                message.providerId!,
                found.get(message.providerId!)!.filter((one) => one !== message)
              )
            }
            return [{ ref: { accountId: message.accountId, id: message.deliveryId }, report }]
          })
          if (learned.length > 0) yield* atomically(relays.noteMessages(learned))
          return matched
        })
      })
    })
  ).pipe(Layer.provide(LogHash.layer))
}

/** The message that was sent next to the time that a provider states. */
const nearest = (messages: ReadonlyArray<RelayMessage>, takenAt: number): RelayMessage | undefined => {
  const distance = ({ sentAt }: RelayMessage) => Math.abs(sentAt - takenAt)
  return messages
    .filter((one) => distance(one) <= arrivalMillis)
    .toSorted((a, b) => distance(a) - distance(b))[0]
}
