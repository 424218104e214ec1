/**
 * The contract of every storage adapter. An adapter fulfils the contract when these suites pass against its layer; each
 * can also be run by itself: `layer(storage, { excludeTestServices: true })("my adapter", contactStoreContract)`, where
 * `layer` is that of `@effect/vitest` and `storage` has all ports, such as those in memory with one replaced.
 *
 * The suites run one after the other on one database, which may have rows already; nothing else may use it meanwhile.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import { acceptanceLookupContract } from "./AcceptanceLookup.ts"
import { accountStoreContract } from "./AccountStore.ts"
import { apiKeyStoreContract } from "./ApiKeyStore.ts"
import { attemptStoreContract } from "./AttemptStore.ts"
import { auditLogContract } from "./AuditLog.ts"
import { cartStoreContract } from "./CartStore.ts"
import { connectedStoresContract } from "./ConnectedStores.ts"
import { contactFieldStoreContract } from "./ContactFieldStore.ts"
import { contactStoreContract } from "./ContactStore.ts"
import { contactLockContract } from "./ContactLock.ts"
import { contactTouchContract } from "./ContactTouch.ts"
import { dailyCountsContract } from "./DailyCounts.ts"
import { differentialContract } from "./Differential.ts"
import { domainStoreContract } from "./DomainStore.ts"
import { eventStoreContract } from "./EventStore.ts"
import type { StoragePorts, StorageTest } from "./fixtures.ts"
import { flowStoreContract } from "./FlowStore.ts"
import { runStoreContract } from "./RunStore.ts"
import { exportStoreContract } from "./ExportStore.ts"
import { importStoreContract } from "./ImportStore.ts"
import { erasureContract } from "./Erasure.ts"
import { inboxStoreContract } from "./InboxStore.ts"
import { installationStoreContract } from "./InstallationStore.ts"
import { itemStoreContract } from "./ItemStore.ts"
import { jobQueueContract } from "./JobQueue.ts"
import { jobQueueModelContract } from "./JobQueueModel.ts"
import { orderStoreContract } from "./OrderStore.ts"
import { notificationStoreContract } from "./NotificationStore.ts"
import { rateLimitsContract } from "./RateLimits.ts"
import { segmentStoreContract } from "./SegmentStore.ts"
import { sendQuotaContract } from "./SendQuota.ts"
import { storageHealthContract } from "./StorageHealth.ts"
import { submissionJobsContract } from "./SubmissionJobs.ts"
import { submissionLifecycleContract } from "./SubmissionLifecycle.ts"
import { submissionStoreContract } from "./SubmissionStore.ts"
import { suppressionStoreContract } from "./SuppressionStore.ts"
import { storeErasureContract } from "./StoreErasure.ts"
import { syncStoreContract } from "./SyncStore.ts"
import { templateStoreContract } from "./TemplateStore.ts"
import { timelineStoreContract } from "./TimelineStore.ts"
import { topicStoreContract } from "./TopicStore.ts"
import { transactionContract } from "./Transaction.ts"
import { webhookStoreContract } from "./WebhookStore.ts"

export type { ComparedService, OpenService } from "./Differential.ts"
export type { StoragePorts, StorageTest } from "./fixtures.ts"
export {
  acceptanceLookupContract,
  accountStoreContract,
  apiKeyStoreContract,
  attemptStoreContract,
  auditLogContract,
  cartStoreContract,
  connectedStoresContract,
  contactFieldStoreContract,
  contactLockContract,
  contactStoreContract,
  contactTouchContract,
  dailyCountsContract,
  differentialContract,
  domainStoreContract,
  erasureContract,
  eventStoreContract,
  exportStoreContract,
  flowStoreContract,
  importStoreContract,
  inboxStoreContract,
  installationStoreContract,
  itemStoreContract,
  jobQueueContract,
  jobQueueModelContract,
  notificationStoreContract,
  orderStoreContract,
  rateLimitsContract,
  runStoreContract,
  segmentStoreContract,
  sendQuotaContract,
  storeErasureContract,
  storageHealthContract,
  submissionJobsContract,
  submissionLifecycleContract,
  submissionStoreContract,
  suppressionStoreContract,
  syncStoreContract,
  templateStoreContract,
  timelineStoreContract,
  topicStoreContract,
  transactionContract,
  webhookStoreContract
}

const suites: ReadonlyArray<(it: StorageTest) => void> = [
  storageHealthContract,
  installationStoreContract,
  transactionContract,
  accountStoreContract,
  apiKeyStoreContract,
  rateLimitsContract,
  auditLogContract,
  contactStoreContract,
  contactTouchContract,
  contactLockContract,
  contactFieldStoreContract,
  topicStoreContract,
  suppressionStoreContract,
  templateStoreContract,
  segmentStoreContract,
  domainStoreContract,
  acceptanceLookupContract,
  submissionStoreContract,
  submissionJobsContract,
  submissionLifecycleContract,
  attemptStoreContract,
  sendQuotaContract,
  flowStoreContract,
  runStoreContract,
  importStoreContract,
  inboxStoreContract,
  connectedStoresContract,
  syncStoreContract,
  cartStoreContract,
  orderStoreContract,
  timelineStoreContract,
  itemStoreContract,
  webhookStoreContract,
  notificationStoreContract,
  eventStoreContract,
  dailyCountsContract,
  erasureContract,
  storeErasureContract,
  exportStoreContract,
  jobQueueContract,
  jobQueueModelContract
]

/**
 * Registers the suites of all storage ports.
 *
 * @param name the adapter's name
 * @param storage provides every storage port; built once for all suites
 */
export const storageContract = <E>(name: string, storage: Layer.Layer<StoragePorts, E>): void =>
  layer(storage, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    for (const suite of suites) suite(it)
  })
