/**
 * Implements every storage port in the memory of one process: for tests, for a trial, and for data that need not
 * outlive the process. The constraints are those of the database adapters.
 *
 * @module
 */
import { Layer } from "effect"
import { AcceptanceLookup } from "../../core/ports/AcceptanceLookup.ts"
import * as AccountStore from "./AccountStore.ts"
import * as ApiKeyStore from "./ApiKeyStore.ts"
import * as AttemptStore from "./AttemptStore.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import * as AuditLog from "./AuditLog.ts"
import * as CartStore from "./CartStore.ts"
import * as ConnectedStores from "./ConnectedStores.ts"
import * as ContactFieldStore from "./ContactFieldStore.ts"
import * as ContactStore from "./ContactStore.ts"
import { Database } from "./engine/Database.ts"
import * as DomainStore from "./DomainStore.ts"
import * as EventStore from "./EventStore.ts"
import * as FlowStore from "./FlowStore.ts"
import * as ExportStore from "./ExportStore.ts"
import { ExportTables } from "./tables/ExportTables.ts"
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
import { SharedTables } from "./tables/SharedTables.ts"
import * as SendQuota from "./SendQuota.ts"
import * as StorageHealth from "./StorageHealth.ts"
import * as SubmissionStore from "./SubmissionStore.ts"
import * as SuppressionStore from "./SuppressionStore.ts"
import * as SyncStore from "./SyncStore.ts"
import * as TemplateStore from "./TemplateStore.ts"
import * as TimelineStore from "./TimelineStore.ts"
import * as TopicStore from "./TopicStore.ts"
import * as Transaction from "./Transaction.ts"
import * as WebhookStore from "./WebhookStore.ts"

const acceptanceLookup = Layer.effect(AcceptanceLookup, AcceptanceLookup.ofPorts).pipe(
  Layer.provide([AccountStore.layer, DomainStore.layer, SuppressionStore.layer])
)

/** All storage ports over a {@link Database}. */
export const layerOver = Layer.mergeAll(
  acceptanceLookup,
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
  SegmentStore.layer.pipe(Layer.provide(SuppressionStore.layer)),
  SendQuota.layer,
  StorageHealth.layer,
  SubmissionStore.layer.pipe(Layer.provide(JobQueue.layer)),
  SuppressionStore.layer,
  SyncStore.layer,
  TemplateStore.layer,
  TopicStore.layer,
  TimelineStore.layer,
  Transaction.layer,
  WebhookStore.layer
).pipe(Layer.provide([SharedTables.layer, AudienceTables.layer, ExportTables.layer]))

/** All storage ports over one new, empty database. Each build of the layer has its own. */
export const layer = layerOver.pipe(Layer.provide(Database.layer))
