/**
 * Every storage port in PostgreSQL: on a server, or on PGlite in this process. The same statements and the same
 * schema serve both.
 *
 * @module
 */
import { Layer, type Redacted } from "effect"
import * as AcceptanceLookup from "./AcceptanceLookup.ts"
import * as AccountStore from "./AccountStore.ts"
import * as ApiKeyStore from "./ApiKeyStore.ts"
import * as AttemptStore from "./AttemptStore.ts"
import * as AuditLog from "./AuditLog.ts"
import * as CartStore from "./CartStore.ts"
import * as ConnectedStores from "./ConnectedStores.ts"
import * as ContactFieldStore from "./ContactFieldStore.ts"
import * as ContactStore from "./ContactStore.ts"
import * as DomainStore from "./DomainStore.ts"
import * as Embedded from "./engine/Embedded.ts"
import * as EventStore from "./EventStore.ts"
import * as FlowStore from "./FlowStore.ts"
import * as ExportStore from "./ExportStore.ts"
import * as ImportStore from "./ImportStore.ts"
import * as InboxStore from "./InboxStore.ts"
import * as InstallationStore from "./InstallationStore.ts"
import * as ItemStore from "./ItemStore.ts"
import * as JobQueue from "./JobQueue.ts"
import * as OrderStore from "./OrderStore.ts"
import * as NotificationStore from "./NotificationStore.ts"
import * as RateLimits from "./RateLimits.ts"
import * as RunStore from "./RunStore.ts"
import * as SegmentStore from "./SegmentStore.ts"
import * as SendQuota from "./SendQuota.ts"
import * as Server from "./engine/Server.ts"
import * as JobNotifier from "./engine/JobNotifier.ts"
import * as StorageHealth from "./StorageHealth.ts"
import * as SubmissionStore from "./SubmissionStore.ts"
import * as SuppressionStore from "./SuppressionStore.ts"
import * as SyncStore from "./SyncStore.ts"
import * as TemplateStore from "./TemplateStore.ts"
import * as TimelineStore from "./TimelineStore.ts"
import * as TopicStore from "./TopicStore.ts"
import * as Transaction from "./Transaction.ts"
import * as WebhookStore from "./WebhookStore.ts"

const stores = Layer.mergeAll(
  AcceptanceLookup.layer.pipe(Layer.provide([AccountStore.layer, DomainStore.layer, SuppressionStore.layer])),
  AccountStore.layer,
  ApiKeyStore.layer,
  AttemptStore.layer,
  AuditLog.layer,
  CartStore.layer,
  ConnectedStores.layer,
  ContactFieldStore.layer,
  ContactStore.layer,
  DomainStore.layer,
  EventStore.layer,
  FlowStore.layer,
  ExportStore.layer,
  ImportStore.layer,
  InboxStore.layer,
  InstallationStore.layer,
  ItemStore.layer,
  JobQueue.layer,
  OrderStore.layer,
  NotificationStore.layer,
  RateLimits.layer,
  RunStore.layer,
  SegmentStore.layer,
  SendQuota.layer,
  StorageHealth.layer,
  SubmissionStore.layer,
  SuppressionStore.layer,
  SyncStore.layer,
  TemplateStore.layer,
  TimelineStore.layer,
  TopicStore.layer,
  WebhookStore.layer
).pipe(Layer.provideMerge(Transaction.layer))

/** All storage ports over the server at `url`, brought to the current schema. */
export const layerServer = (url: Redacted.Redacted) =>
  stores.pipe(Layer.provide(JobNotifier.layerServer), Layer.provide(Server.layer(url)))

/**
 * All storage ports over PGlite in `directory`, or in memory when it is null, brought to the current schema. Fails
 * with `DataDirectoryInUse` when another process has the directory.
 */
export const layerEmbedded = (directory: string | null) =>
  stores.pipe(
    Layer.provide(JobNotifier.layerEmbedded),
    Layer.provide(Layer.effectDiscard(JobQueue.endLeases).pipe(Layer.provideMerge(Embedded.layer(directory))))
  )
