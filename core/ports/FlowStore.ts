/**
 * Stores flows, their published versions, and the calls of their trigger URLs.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Flow, FlowVersion, VersionRef } from "../model/Flow.ts"
import type { FlowReference } from "../model/FlowDefinition.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** A version without its definition. */
export type VersionSummary = Pick<FlowVersion, "publishedAt" | "version">

/** A flow that uses a segment or a template. */
export interface FlowUse extends Pick<Flow, "id" | "name" | "status"> {
  /** Whether the version published last uses it; otherwise only the edited definition does. */
  readonly isPublished: boolean
}

/** A call of a flow's trigger URL. */
export interface FlowCall {
  readonly accountId: string
  readonly flowId: string
  /** The id that the caller gave, unique in the flow. */
  readonly callId: string
  /** Null until the contact is found or created. */
  readonly contactId: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/** The port of flows. */
export class FlowStore extends Context.Service<
  FlowStore,
  {
    readonly insert: (flow: Flow) => Effect.Effect<void, Unavailable>
    /** Like `find` for one flow; locks it against other `lock` calls until the caller's transaction ends. */
    readonly lock: (accountId: string, id: string) => Effect.Effect<Flow | null, Unavailable>
    /** Replaces an existing flow. */
    readonly save: (flow: Flow) => Effect.Effect<void, Unavailable>
    /** The account's flows with those ids that exist, in no order. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Flow>, Unavailable>
    /**
     * The account's flows with the id, or whose name contains a text (case-insensitive), newest first, at most `limit`. A null id
     * matches no flow.
     */
    readonly search: (
      accountId: string,
      id: string | null,
      text: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Flow>, Unavailable>
    /** An account's flows, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Flow>, Unavailable>
    /** Adds a version; `WriteConflict("flow_versions_pkey")` if the flow already has it. */
    readonly publish: (version: FlowVersion) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The given versions that exist, in no order, in one read. */
    readonly versions: (
      refs: ReadonlyArray<VersionRef>
    ) => Effect.Effect<ReadonlyArray<FlowVersion>, Unavailable>
    /** A flow's versions without their definitions, the newest first. */
    readonly listVersions: (
      accountId: string,
      flowId: string,
      page: PageRequest
    ) => Effect.Effect<Page<VersionSummary>, Unavailable>
    /** The current versions of the account's Published flows that start on one of the events, in one read. */
    readonly startedBy: (
      accountId: string,
      events: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<VersionRef & { readonly event: string }>, Unavailable>
    /** The current versions of the account's Published flows that start on a segment, by id, in one read. */
    readonly onSegments: (
      accountId: string
    ) => Effect.Effect<ReadonlyArray<VersionRef & { readonly segmentId: string }>, Unavailable>
    /** The account's flows that use a segment or a template, without archived ones, by name. One read. */
    readonly using: (
      accountId: string,
      what: FlowReference,
      id: string
    ) => Effect.Effect<ReadonlyArray<FlowUse>, Unavailable>
    /** The flow whose trigger token has the SHA-256 hash; null if there is none. */
    readonly ofToken: (hash: string) => Effect.Effect<Flow | null, Unavailable>
    /**
     * Adds a call, in the caller's transaction, and returns null. If the flow already has a call with that id (a unique
     * constraint, so even when another node adds it at the same time), nothing is added, and the existing call is returned.
     */
    readonly addCall: (call: FlowCall) => Effect.Effect<FlowCall | null, Unavailable>
    /** Sets a call's contact. */
    readonly nameCaller: (call: FlowCall) => Effect.Effect<void, Unavailable>
    /** Deletes the calls for contacts, as part of erasing them. One statement. */
    readonly eraseCalls: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/FlowStore") {}
