/**
 * Stores relays, their early reports, and the single-use tokens of their reports. Relays belong to a company or to the
 * installation.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailRelay, RelayCondition, RelayRefusal } from "../model/MailRelay.ts"
import type { RelayProvider, RelayReport } from "../model/RelayReport.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** A token that a provider signs only once. */
export interface ReportToken {
  readonly relayId: string
  /** The relay's company; null for the installation. */
  readonly companyId: string | null
  readonly token: string
  /** The digest of the report that arrived with the token. */
  readonly digest: string
  /** From this time on, a report with the token is refused because of its age, epoch milliseconds. */
  readonly expiresAt: number
}

/** The result of claiming a token: stored now, or stored before, with the same report or with another. */
export type TokenClaim = "Claimed" | "Repeated" | "Used"

/** A report that arrived before the result of its message was written. */
export interface EarlyReport {
  readonly id: string
  readonly relayId: string
  readonly kind: RelayProvider
  /** The delivery, which was being transmitted; null if only the relay's id of the message identifies it. */
  readonly delivery: DeliveryRef | null
  /** The relay's id, as in `RelayMessage`; null if the delivery is known. */
  readonly providerId: string | null
  readonly report: RelayReport
  /** Epoch milliseconds. */
  readonly keptAt: number
}

/** An early report whose delivery is known. */
export interface KnownReport extends EarlyReport {
  readonly delivery: DeliveryRef
}

/** A message of a delivery that a relay accepted and will report about. */
export interface RelayMessage {
  readonly accountId: string
  readonly deliveryId: string
  readonly relayId: string
  /** The relay's id of the message; null if its reply stated none. */
  readonly providerId: string | null
  /** Epoch milliseconds. */
  readonly sentAt: number
}

/** How many of a relay's latest messages it has never reported on. */
export interface UnreportedMessages {
  readonly relayId: string
  /** The number of messages examined. */
  readonly messages: number
  /** The number of these that are still `Accepted`. */
  readonly unreported: number
}

/** The port of relays. */
export class RelayStore extends Context.Service<
  RelayStore,
  {
    /** Adds a relay. */
    readonly insert: (relay: MailRelay) => Effect.Effect<void, Unavailable>
    /** The relays with those ids that exist, in no order. */
    readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<MailRelay>, Unavailable>
    /** The relays of a company, or (null) of the installation, newest first. */
    readonly list: (
      companyId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<MailRelay>, Unavailable>
    /** The number of relays of a company, or (null) of the installation. */
    readonly count: (companyId: string | null) => Effect.Effect<number, Unavailable>
    /** All relays, oldest first. */
    readonly all: Effect.Effect<ReadonlyArray<MailRelay>, Unavailable>
    /** Replaces an existing relay, except its company, kind, condition, creation time and last report. */
    readonly save: (relay: MailRelay) => Effect.Effect<void, Unavailable>
    /** Replaces the sealed secrets of a relay by the same secrets sealed anew, but only while they are still `from`. */
    readonly resealSecrets: (id: string, from: string, to: string) => Effect.Effect<void, Unavailable>
    /** Replaces the condition of an existing relay, and its last refusal if one is given. */
    readonly saveCondition: (
      id: string,
      condition: RelayCondition,
      refusal?: RelayRefusal
    ) => Effect.Effect<void, Unavailable>
    /** Moves `lastReportAt` of an existing relay forward, never back. */
    readonly reported: (id: string, at: number) => Effect.Effect<void, Unavailable>
    /** Removes a relay of a company, or (null) of the installation, and returns it; null if there is none with the id. */
    readonly remove: (companyId: string | null, id: string) => Effect.Effect<MailRelay | null, Unavailable>
    /** Stores a token, unless it is stored already. Only one of several concurrent calls gets `Claimed`. */
    readonly claimToken: (token: ReportToken) => Effect.Effect<TokenClaim, Unavailable>
    /** Stores early reports of a relay; only its latest `most` stay. */
    readonly keepReports: (
      relayId: string,
      reports: ReadonlyArray<EarlyReport>,
      most: number
    ) => Effect.Effect<void, Unavailable>
    /**
     * Removes at most `limit` early reports whose deliveries are known now and not being transmitted, in the caller's
     * transaction, and returns them with their deliveries. Each goes to one caller.
     */
    readonly claimReports: (limit: number) => Effect.Effect<ReadonlyArray<KnownReport>, Unavailable>
    /** Removes at most `limit` early reports stored before `before`; returns how many. */
    readonly pruneReports: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Stores messages, in the caller's transaction. The latest message of a delivery replaces an earlier one. */
    readonly noteMessages: (messages: ReadonlyArray<RelayMessage>) => Effect.Effect<void, Unavailable>
    /** The messages with the relay's ids, in no order. */
    readonly findMessages: (
      relayId: string,
      providerIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<RelayMessage>, Unavailable>
    /**
     * How many of the latest messages of relays, sent from `since` to before `until`, were never reported on: at most `limit` per
     * relay, without those whose deliveries were erased. Relays without any message are left out; the others are in no order.
     */
    readonly unreported: (
      relayIds: ReadonlyArray<string>,
      since: number,
      until: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<UnreportedMessages>, Unavailable>
    /** Removes at most `limit` messages sent before `before`, oldest first; returns how many. */
    readonly pruneMessages: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Removes at most `limit` tokens that expired before `before`, oldest first; returns how many. */
    readonly pruneTokens: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/RelayStore") {}
