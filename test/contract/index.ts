/**
 * The contract suites of all ports. An adapter keeps the contract if its port's suite passes with the adapter's layer:
 * `layer(adapter, { excludeTestServices: true })("my adapter", csvReaderContract)`, where `layer` comes from `@effect/vitest`. A
 * suite of a storage port needs all storage ports; to test one of your own, combine it with the others in memory.
 * `storageContract` runs all of these suites one after another on one database, which may contain rows but must not be used by
 * anything else meanwhile. A suite that needs more than the layer, such as a mail server, takes a name and its environment.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import { acceptanceLookupContract } from "./AcceptanceLookup.ts"
import { accessStoreContract } from "./AccessStore.ts"
import { companyEraserContract } from "./CompanyEraser.ts"
import { sealStoreContract } from "./SealStore.ts"
import { stsPolicyStoreContract } from "./StsPolicyStore.ts"
import { accountStoreContract } from "./AccountStore.ts"
import { addressGuardContract } from "./AddressGuard.ts"
import { apiKeyStoreContract } from "./ApiKeyStore.ts"
import { attemptStoreContract } from "./AttemptStore.ts"
import { auditLogContract } from "./AuditLog.ts"
import { bulkJobStoreContract } from "./BulkJobStore.ts"
import { campaignStoreContract } from "./CampaignStore.ts"
import { cartStoreContract } from "./CartStore.ts"
import { connectedStoresContract } from "./ConnectedStores.ts"
import { contactFieldStoreContract } from "./ContactFieldStore.ts"
import { contactStoreContract } from "./ContactStore.ts"
import { contactLockContract } from "./ContactLock.ts"
import { contactTouchContract } from "./ContactTouch.ts"
import { contentStoreContract } from "./ContentStore.ts"
import { conversionsContract } from "./ConversionStore.ts"
import { dailyCountsContract } from "./DailyCounts.ts"
import { differentialContract } from "./Differential.ts"
import { domainStoreContract } from "./DomainStore.ts"
import { emailCountStoreContract } from "./EmailCountStore.ts"
import { eventStoreContract } from "./EventStore.ts"
import type { StoragePorts, StorageTest } from "./fixtures.ts"
import { flowStoreContract } from "./FlowStore.ts"
import { liveEntriesContract } from "./LiveEntries.ts"
import { relayProbeContract } from "./RelayProbe.ts"
import { relayStoreContract } from "./RelayStore.ts"
import { requestLogContract } from "./RequestLog.ts"
import { runStoreContract } from "./RunStore.ts"
import { exportStoreContract } from "./ExportStore.ts"
import { imageStoreContract } from "./ImageStore.ts"
import { importStoreContract } from "./ImportStore.ts"
import { erasureContract } from "./Erasure.ts"
import { inboxStoreContract } from "./InboxStore.ts"
import { installationStoreContract } from "./InstallationStore.ts"
import { tokenStoreContract } from "./TokenStore.ts"
import { itemStoreContract } from "./ItemStore.ts"
import { jobQueueContract } from "./JobQueue.ts"
import { jobQueueModelContract } from "./JobQueueModel.ts"
import { objectStorageContract } from "./ObjectStorage.ts"
import { orderStoreContract } from "./OrderStore.ts"
import { notificationStoreContract } from "./NotificationStore.ts"
import { partitionsContract } from "./Partitions.ts"
import { rateLimitsContract } from "./RateLimits.ts"
import { savedViewStoreContract } from "./SavedViewStore.ts"
import { segmentStoreContract } from "./SegmentStore.ts"
import { sendQuotaContract } from "./SendQuota.ts"
import { snsClientContract } from "./SnsClient.ts"
import { standingStoreContract } from "./StandingStore.ts"
import { storageHealthContract } from "./StorageHealth.ts"
import { storageLimitsContract } from "./StorageLimits.ts"
import { submissionGateContract } from "./SubmissionGate.ts"
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
import { nodeStoreContract } from "./NodeStore.ts"
import { previewStoreContract } from "./PreviewStore.ts"
import { sessionStoreContract } from "./SessionStore.ts"
import { setupLinkStoreContract } from "./SetupLinkStore.ts"
import { shapingStoreContract } from "./ShapingStore.ts"
import { sourceStoreContract } from "./SourceStore.ts"
import { userStoreContract } from "./UserStore.ts"
import { visitStoreContract } from "./VisitStore.ts"
import { webhookStoreContract } from "./WebhookStore.ts"
import { cryptoContract } from "./Crypto.ts"
import { csvReaderContract } from "./CsvReader.ts"
import { dnsContract, dnsContractZone } from "./Dns.ts"
import { htmlRewriterContract } from "./HtmlRewriter.ts"
import { keyMakerContract } from "./KeyMaker.ts"
import { mailReportStoreContract } from "./MailReportStore.ts"
import { mailReportReaderContract } from "./MailReportReader.ts"
import { mailTransportContract } from "./MailTransport.ts"
import { messageComposerContract } from "./MessageComposer.ts"
import { oneTimeCodesContract } from "./OneTimeCodes.ts"
import { identityProviderStoreContract } from "./IdentityProviderStore.ts"
import { openIdClientContract } from "./OpenIdClient.ts"
import { passkeyStoreContract } from "./PasskeyStore.ts"
import { passkeyVerifierContract } from "./PasskeyVerifier.ts"
import { signInStepStoreContract } from "./SignInStepStore.ts"
import { passwordHasherContract } from "./PasswordHasher.ts"
import { passwordStrengthContract } from "./PasswordStrength.ts"
import { sandboxTransportContract } from "./SandboxTransport.ts"
import { secretBoxContract } from "./SecretBox.ts"
import { signatureVerifierContract } from "./SignatureVerifier.ts"
import { templateEngineContract } from "./TemplateEngine.ts"
import { threadsContract } from "./Threads.ts"
import { imageFetcherContract } from "./ImageFetcher.ts"
import { secureDnsContract, secureDnsContractZone } from "./SecureDns.ts"
import { stsPolicyClientContract } from "./StsPolicyClient.ts"
import { webhookClientContract } from "./WebhookClient.ts"

export type { MailServer, MailTransportEnvironment } from "./MailTransport.ts"
export type { MessageComposerEnvironment } from "./MessageComposer.ts"
export type { SecretBoxEnvironment } from "./SecretBox.ts"
export type { ImageFetcherEnvironment } from "./ImageFetcher.ts"
export type { StsPolicyClientEnvironment } from "./StsPolicyClient.ts"
export type { WebhookClientEnvironment } from "./WebhookClient.ts"
export type { ComparedService, OpenService } from "./Differential.ts"
export type { StoragePorts, StorageTest } from "./fixtures.ts"
export {
  addressGuardContract,
  relayProbeContract,
  snsClientContract,
  acceptanceLookupContract,
  accessStoreContract,
  accountStoreContract,
  companyEraserContract,
  sealStoreContract,
  stsPolicyStoreContract,
  apiKeyStoreContract,
  attemptStoreContract,
  auditLogContract,
  bulkJobStoreContract,
  campaignStoreContract,
  cartStoreContract,
  connectedStoresContract,
  contactFieldStoreContract,
  contactLockContract,
  contactStoreContract,
  contactTouchContract,
  contentStoreContract,
  conversionsContract,
  cryptoContract,
  csvReaderContract,
  dailyCountsContract,
  differentialContract,
  dnsContract,
  domainStoreContract,
  erasureContract,
  emailCountStoreContract,
  eventStoreContract,
  exportStoreContract,
  flowStoreContract,
  htmlRewriterContract,
  imageFetcherContract,
  imageStoreContract,
  importStoreContract,
  inboxStoreContract,
  installationStoreContract,
  tokenStoreContract,
  itemStoreContract,
  jobQueueContract,
  jobQueueModelContract,
  keyMakerContract,
  mailReportReaderContract,
  mailReportStoreContract,
  mailTransportContract,
  messageComposerContract,
  notificationStoreContract,
  objectStorageContract,
  orderStoreContract,
  partitionsContract,
  rateLimitsContract,
  liveEntriesContract,
  relayStoreContract,
  requestLogContract,
  runStoreContract,
  sandboxTransportContract,
  secretBoxContract,
  signatureVerifierContract,
  secureDnsContract,
  stsPolicyClientContract,
  savedViewStoreContract,
  segmentStoreContract,
  sendQuotaContract,
  standingStoreContract,
  storageHealthContract,
  storageLimitsContract,
  storeErasureContract,
  submissionGateContract,
  submissionJobsContract,
  submissionLifecycleContract,
  submissionStoreContract,
  suppressionStoreContract,
  syncStoreContract,
  templateEngineContract,
  threadsContract,
  templateStoreContract,
  timelineStoreContract,
  topicStoreContract,
  transactionContract,
  webhookClientContract,
  visitStoreContract,
  webhookStoreContract,
  passwordStrengthContract,
  passwordHasherContract,
  oneTimeCodesContract,
  passkeyStoreContract,
  passkeyVerifierContract,
  identityProviderStoreContract,
  openIdClientContract,
  signInStepStoreContract,
  nodeStoreContract,
  previewStoreContract,
  sessionStoreContract,
  setupLinkStoreContract,
  shapingStoreContract,
  sourceStoreContract,
  userStoreContract
}

export { dnsContractZone, secureDnsContractZone }

const suites: ReadonlyArray<(it: StorageTest) => void> = [
  storageHealthContract,
  storageLimitsContract,
  nodeStoreContract,
  installationStoreContract,
  tokenStoreContract,
  sessionStoreContract,
  passkeyStoreContract,
  identityProviderStoreContract,
  signInStepStoreContract,
  setupLinkStoreContract,
  shapingStoreContract,
  sourceStoreContract,
  userStoreContract,
  transactionContract,
  accessStoreContract,
  accountStoreContract,
  companyEraserContract,
  sealStoreContract,
  stsPolicyStoreContract,
  mailReportStoreContract,
  apiKeyStoreContract,
  rateLimitsContract,
  liveEntriesContract,
  relayStoreContract,
  requestLogContract,
  auditLogContract,
  contactStoreContract,
  contactTouchContract,
  contactLockContract,
  contactFieldStoreContract,
  topicStoreContract,
  suppressionStoreContract,
  templateStoreContract,
  previewStoreContract,
  savedViewStoreContract,
  segmentStoreContract,
  domainStoreContract,
  acceptanceLookupContract,
  submissionStoreContract,
  submissionGateContract,
  submissionJobsContract,
  submissionLifecycleContract,
  contentStoreContract,
  objectStorageContract,
  attemptStoreContract,
  partitionsContract,
  sendQuotaContract,
  standingStoreContract,
  flowStoreContract,
  runStoreContract,
  imageStoreContract,
  importStoreContract,
  inboxStoreContract,
  connectedStoresContract,
  syncStoreContract,
  bulkJobStoreContract,
  campaignStoreContract,
  cartStoreContract,
  orderStoreContract,
  timelineStoreContract,
  itemStoreContract,
  visitStoreContract,
  conversionsContract,
  emailCountStoreContract,
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
