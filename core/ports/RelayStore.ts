/**
 * Stores relays, and the tokens of their reports that count only once. They belong to a company or to the installation.
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
  /** The digest of the report that came with it. */
  readonly digest: string
  /** After this a report with the token is refused by its age, epoch milliseconds. */
  readonly expiresAt: number
}

/** What became of a token: stored now, or stored before with the same report or with another. */
export type TokenClaim = "Claimed" | "Repeated" | "Used"

/** A report that arrived before the result of its message was written. */
export interface EarlyReport {
  readonly id: string
  readonly relayId: string
  readonly kind: RelayProvider
  /** The delivery, which was being transmitted; null where the relay's own id of the message alone names it. */
  readonly delivery: DeliveryRef | null
  /** As `RelayMessage` has it; null where the delivery is known. */
  readonly providerId: string | null
  readonly report: RelayReport
  /** Epoch milliseconds. */
  readonly keptAt: number
}

/** An early report whose delivery is known. */
export interface KnownReport extends EarlyReport {
  readonly delivery: DeliveryRef
}

/** A message of a delivery that a relay accepted and reports about later. */
export interface RelayMessage {
  readonly accountId: string
  readonly deliveryId: string
  readonly relayId: string
  /** The id by which the relay knows it; null where its reply stated none. */
  readonly providerId: string | null
  /** Epoch milliseconds. */
  readonly sentAt: number
}

/** How many of the latest messages of a relay it never reported on. */
export interface UnreportedMessages {
  readonly relayId: string
  /** How many were looked at. */
  readonly messages: number
  /** How many of them are still `Accepted`. */
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
    /** The relays of a company, or of the installation for null, newest first. */
    readonly list: (
      companyId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<MailRelay>, Unavailable>
    /** How many relays a company has, or the installation for null. */
    readonly count: (companyId: string | null) => Effect.Effect<number, Unavailable>
    /** All relays, the oldest first, for what concerns every one of them. */
    readonly all: Effect.Effect<ReadonlyArray<MailRelay>, Unavailable>
    /** Replaces a relay that exists, except its company, kind, condition, age and last report. */
    readonly save: (relay: MailRelay) => Effect.Effect<void, Unavailable>
    /** Replaces the sealed secrets of a relay by the same ones, sealed again; only while they are still those of `from`. */
    readonly resealSecrets: (id: string, from: string, to: string) => Effect.Effect<void, Unavailable>
    /** Replaces the condition of a relay that exists, and its last refusal where one is given. */
    readonly saveCondition: (
      id: string,
      condition: RelayCondition,
      refusal?: RelayRefusal
    ) => Effect.Effect<void, Unavailable>
    /** Moves `lastReportAt` of a relay that exists forward, never back. */
    readonly reported: (id: string, at: number) => Effect.Effect<void, Unavailable>
    /** Removes a relay of a company, or of the installation; returns it, or null where there is none with that id. */
    readonly remove: (companyId: string | null, id: string) => Effect.Effect<MailRelay | null, Unavailable>
    /** Stores a token, unless it is stored. Of simultaneous calls one gets `Claimed`. */
    readonly claimToken: (token: ReportToken) => Effect.Effect<TokenClaim, Unavailable>
    /** Keeps early reports of a relay, and of all that it has the latest `most`. */
    readonly keepReports: (
      relayId: string,
      reports: ReadonlyArray<EarlyReport>,
      most: number
    ) => Effect.Effect<void, Unavailable>
    /**
     * Removes at most `limit` early reports whose deliveries are known by now and not being transmitted, in the caller's
     * transaction; returns them with their deliveries. Each goes to one caller.
     */
    readonly claimReports: (limit: number) => Effect.Effect<ReadonlyArray<KnownReport>, Unavailable>
    /** Removes at most `limit` early reports kept before `before`; returns how many. */
    readonly pruneReports: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Stores messages, in the caller's transaction; the latest of a delivery replaces an earlier one. */
    readonly noteMessages: (messages: ReadonlyArray<RelayMessage>) => Effect.Effect<void, Unavailable>
    /** The messages that a relay knows by those ids, in no order. */
    readonly findMessages: (
      relayId: string,
      providerIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<RelayMessage>, Unavailable>
    /**
     * What became of the latest messages of relays that were sent from `since` to before `until`: at most `limit` of each relay,
     * less those whose deliveries were erased. Relays without any are left out; the others are in no order.
     */
    readonly unreported: (
      relayIds: ReadonlyArray<string>,
      since: number,
      until: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<UnreportedMessages>, Unavailable>
    /** Removes at most `limit` messages sent before `before`, the oldest first; returns how many. */
    readonly pruneMessages: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Removes at most `limit` tokens that expired before `before`, the oldest first; returns how many. */
    readonly pruneTokens: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/RelayStore") {}
