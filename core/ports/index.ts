/**
 * Every port: the interfaces through which the core uses the outside world. An adapter needs only this module of the core.
 *
 * @module
 */
import type { AcceptanceLookup } from "./AcceptanceLookup.ts"
import type { AccessStore } from "./AccessStore.ts"
import type { AccountStore } from "./AccountStore.ts"
import type { ApiKeyStore } from "./ApiKeyStore.ts"
import type { AttemptStore } from "./AttemptStore.ts"
import type { AuditLog } from "./AuditLog.ts"
import type { BulkJobStore } from "./BulkJobStore.ts"
import type { CampaignStore } from "./CampaignStore.ts"
import type { CartStore } from "./CartStore.ts"
import type { CompanyEraser } from "./CompanyEraser.ts"
import type { ConnectedStores } from "./ConnectedStores.ts"
import type { ContactFieldStore } from "./ContactFieldStore.ts"
import type { ContactStore } from "./ContactStore.ts"
import type { ContentStore } from "./ContentStore.ts"
import type { ConversionStore } from "./ConversionStore.ts"
import type { DomainStore } from "./DomainStore.ts"
import type { EmailCountStore } from "./EmailCountStore.ts"
import type { EventStore } from "./EventStore.ts"
import type { ExportStore } from "./ExportStore.ts"
import type { FlowStore } from "./FlowStore.ts"
import type { IdentityProviderStore } from "./IdentityProviderStore.ts"
import type { ImageStore } from "./ImageStore.ts"
import type { ImportStore } from "./ImportStore.ts"
import type { InboxStore } from "./InboxStore.ts"
import type { InstallationStore } from "./InstallationStore.ts"
import type { TokenStore } from "./TokenStore.ts"
import type { ItemStore } from "./ItemStore.ts"
import type { JobQueue } from "./JobQueue.ts"
import type { LiveEntries } from "./LiveEntries.ts"
import type { MailReportStore } from "./MailReportStore.ts"
import type { NodeStore } from "./NodeStore.ts"
import type { NotificationStore } from "./NotificationStore.ts"
import type { ObjectStorage } from "./ObjectStorage.ts"
import type { OrderStore } from "./OrderStore.ts"
import type { Partitions } from "./Partitions.ts"
import type { PreviewStore } from "./PreviewStore.ts"
import type { RateLimits } from "./RateLimits.ts"
import type { RelayStore } from "./RelayStore.ts"
import type { RequestLog } from "./RequestLog.ts"
import type { RunStore } from "./RunStore.ts"
import type { SavedViewStore } from "./SavedViewStore.ts"
import type { SealStore } from "./SealStore.ts"
import type { SegmentStore } from "./SegmentStore.ts"
import type { SendQuota } from "./SendQuota.ts"
import type { SourceStore } from "./SourceStore.ts"
import type { StandingStore } from "./StandingStore.ts"
import type { PasskeyStore } from "./PasskeyStore.ts"
import type { SessionStore } from "./SessionStore.ts"
import type { SignInStepStore } from "./SignInStepStore.ts"
import type { SetupLinkStore } from "./SetupLinkStore.ts"
import type { ShapingStore } from "./ShapingStore.ts"
import type { StorageHealth } from "./StorageHealth.ts"
import type { StorageLimits } from "./StorageLimits.ts"
import type { StsPolicyStore } from "./StsPolicyStore.ts"
import type { SubmissionStore } from "./SubmissionStore.ts"
import type { SuppressionStore } from "./SuppressionStore.ts"
import type { SyncStore } from "./SyncStore.ts"
import type { TemplateStore } from "./TemplateStore.ts"
import type { TimelineStore } from "./TimelineStore.ts"
import type { TopicStore } from "./TopicStore.ts"
import type { Transaction } from "./Transaction.ts"
import type { UserStore } from "./UserStore.ts"
import type { VisitStore } from "./VisitStore.ts"
import type { WebhookStore } from "./WebhookStore.ts"

export * from "./AcceptanceLookup.ts"
export * from "./AccessStore.ts"
export * from "./AccountStore.ts"
export * from "./AddressGuard.ts"
export * from "./ApiKeyStore.ts"
export * from "./AttemptStore.ts"
export * from "./AuditLog.ts"
export * from "./BulkJobStore.ts"
export * from "./CampaignStore.ts"
export * from "./CartStore.ts"
export * from "./CompanyEraser.ts"
export * from "./ConnectedStores.ts"
export * from "./ContactFieldStore.ts"
export * from "./ContactStore.ts"
export * from "./ContentStore.ts"
export * from "./ConversionStore.ts"
export * from "./Crypto.ts"
export * from "./CsvReader.ts"
export * from "./Dns.ts"
export * from "./DomainStore.ts"
export * from "./EmailCountStore.ts"
export * from "./EventStore.ts"
export * from "./ExportStore.ts"
export * from "./FlowStore.ts"
export * from "./HtmlRewriter.ts"
export * from "./ImageFetcher.ts"
export * from "./IdentityProviderStore.ts"
export * from "./ImportStore.ts"
export * from "./OpenIdClient.ts"
export * from "./InboxStore.ts"
export * from "./InstallationStore.ts"
export * from "./TokenStore.ts"
export * from "./ItemStore.ts"
export * from "./JobQueue.ts"
export * from "./ImageStore.ts"
export * from "./LiveEntries.ts"
export * from "./KeyMaker.ts"
export * from "./MailReportReader.ts"
export * from "./MailReportStore.ts"
export * from "./MailTransport.ts"
export * from "./MessageComposer.ts"
export * from "./NodeStore.ts"
export * from "./NotificationStore.ts"
export * from "./ObjectStorage.ts"
export * from "./OneTimeCodes.ts"
export * from "./OrderStore.ts"
export * from "./Partitions.ts"
export * from "./PasswordHasher.ts"
export * from "./PasswordStrength.ts"
export * from "./PreviewStore.ts"
export * from "./RateLimits.ts"
export * from "./RelayProbe.ts"
export * from "./RelayStore.ts"
export * from "./RequestLog.ts"
export * from "./RunStore.ts"
export * from "./SandboxTransport.ts"
export * from "./SecretBox.ts"
export * from "./SavedViewStore.ts"
export * from "./SealStore.ts"
export * from "./SecureDns.ts"
export * from "./SegmentStore.ts"
export * from "./SendQuota.ts"
export * from "./SourceStore.ts"
export * from "./StandingStore.ts"
export * from "./PasskeyStore.ts"
export * from "./PasskeyVerifier.ts"
export * from "./SessionStore.ts"
export * from "./SignInStepStore.ts"
export * from "./SignatureVerifier.ts"
export * from "./SnsClient.ts"
export * from "./SetupLinkStore.ts"
export * from "./ShapingStore.ts"
export * from "./StorageHealth.ts"
export * from "./StorageLimits.ts"
export * from "./StsPolicyClient.ts"
export * from "./StsPolicyStore.ts"
export * from "./SubmissionStore.ts"
export * from "./SuppressionStore.ts"
export * from "./SyncStore.ts"
export * from "./TemplateEngine.ts"
export * from "./TemplateStore.ts"
export * from "./Threads.ts"
export * from "./TimelineStore.ts"
export * from "./TopicStore.ts"
export * from "./Transaction.ts"
export * from "./UserStore.ts"
export * from "./VisitStore.ts"
export * from "./WebhookClient.ts"
export * from "./WebhookStore.ts"

/** The ports that one storage provides together. This is the only list of them. */
export type StoragePorts =
  | AcceptanceLookup
  | AccessStore
  | AccountStore
  | ApiKeyStore
  | AttemptStore
  | AuditLog
  | BulkJobStore
  | CampaignStore
  | CartStore
  | CompanyEraser
  | ConnectedStores
  | ContactFieldStore
  | ContactStore
  | ContentStore
  | ConversionStore
  | DomainStore
  | EmailCountStore
  | EventStore
  | ExportStore
  | FlowStore
  | IdentityProviderStore
  | ImageStore
  | ImportStore
  | InboxStore
  | InstallationStore
  | TokenStore
  | ItemStore
  | JobQueue
  | LiveEntries
  | MailReportStore
  | NodeStore
  | NotificationStore
  | ObjectStorage
  | OrderStore
  | Partitions
  | PreviewStore
  | RateLimits
  | RelayStore
  | RequestLog
  | RunStore
  | SavedViewStore
  | SealStore
  | SegmentStore
  | SendQuota
  | SourceStore
  | StandingStore
  | PasskeyStore
  | SessionStore
  | SignInStepStore
  | SetupLinkStore
  | ShapingStore
  | StorageHealth
  | StorageLimits
  | StsPolicyStore
  | SubmissionStore
  | SuppressionStore
  | SyncStore
  | TemplateStore
  | TimelineStore
  | TopicStore
  | Transaction
  | UserStore
  | VisitStore
  | WebhookStore
