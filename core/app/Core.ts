/**
 * Wires every service of the core. It requires only ports.
 *
 * @module
 */
import { Layer } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Authentication } from "../accounts/Authentication.ts"
import { ApiKeys } from "../accounts/ApiKeys.ts"
import { Bootstrap } from "../accounts/Bootstrap.ts"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import { AuditReader } from "../users/AuditReader.ts"
import { SavedViews } from "../users/SavedViews.ts"
import { Tokens } from "../users/Tokens.ts"
import { LogHash } from "../accounts/LogHash.ts"
import { Requests } from "../accounts/Requests.ts"
import { Usage } from "../accounts/Usage.ts"
import { Stats } from "../accounts/Stats.ts"
import { TokenRate } from "../accounts/TokenRate.ts"
import { AuditSeals } from "../companies/AuditSeals.ts"
import { Companies } from "../companies/Companies.ts"
import { CompanyErasure } from "../companies/CompanyErasure.ts"
import { OperatorAccess } from "../companies/OperatorAccess.ts"
import { EventProcessing } from "../events/EventProcessing.ts"
import { Events } from "../events/Events.ts"
import { ContactEvents } from "../audience/timeline/ContactEvents.ts"
import { BulkJobs } from "../bulk/BulkJobs.ts"
import { BulkRun } from "../bulk/BulkRun.ts"
import { Explain } from "../explain/Explain.ts"
import { AccountExport } from "../archive/AccountExport.ts"
import { AccountImport } from "../archive/AccountImport.ts"
import { ContactFields } from "../audience/fields/ContactFields.ts"
import { ContactLinks } from "../audience/pages/ContactLinks.ts"
import { ContactPages } from "../audience/pages/ContactPages.ts"
import { AddressHash } from "../audience/contacts/AddressHash.ts"
import { ConsentUpdates } from "../audience/contacts/ConsentUpdates.ts"
import { ContactEdits } from "../audience/contacts/ContactEdits.ts"
import { Contacts } from "../audience/contacts/Contacts.ts"
import { SuppressedAddresses } from "../audience/contacts/SuppressedAddresses.ts"
import { DoubleOptIn } from "../audience/pages/DoubleOptIn.ts"
import { OwnPageTexts } from "../audience/pages/OwnPageTexts.ts"
import { Erasure } from "../privacy/Erasure.ts"
import { SegmentSizes } from "../audience/segments/SegmentSizes.ts"
import { Segments } from "../audience/segments/Segments.ts"
import { ImportRun } from "../audience/imports/ImportRun.ts"
import { Images } from "../images/Images.ts"
import { Imports } from "../audience/imports/Imports.ts"
import { Topics } from "../audience/topics/Topics.ts"
import { CampaignRun } from "../campaigns/CampaignRun.ts"
import { CampaignRecipients } from "../campaigns/CampaignRecipients.ts"
import { CampaignReports } from "../campaigns/CampaignReports.ts"
import { PublicArchive } from "../campaigns/PublicArchive.ts"
import { WebVersions } from "../campaigns/WebVersions.ts"
import { CampaignTrials } from "../campaigns/CampaignTrials.ts"
import { Campaigns } from "../campaigns/Campaigns.ts"
import { FlowDispatcher } from "../automation/runs/FlowDispatcher.ts"
import { RunAdvancer } from "../automation/runs/RunAdvancer.ts"
import { SegmentStarts } from "../automation/runs/SegmentStarts.ts"
import { RunRetention } from "../automation/runs/RunRetention.ts"
import { WebhookStepSender } from "../automation/runs/WebhookStepSender.ts"
import { Flows } from "../automation/flows/Flows.ts"
import { FlowTriggers } from "../automation/flows/FlowTriggers.ts"
import { RunControl } from "../automation/flows/RunControl.ts"
import { Items } from "../catalog/Items.ts"
import { ItemUses } from "../catalog/ItemUses.ts"
import { TemplateItems } from "../catalog/TemplateItems.ts"
import { Orders } from "../commerce/orders/Orders.ts"
import { Conversions } from "../commerce/conversions/Conversions.ts"
import { StoreErasure } from "../commerce/stores/StoreErasure.ts"
import { Stores } from "../commerce/stores/Stores.ts"
import { AbandonedCarts } from "../commerce/sync/AbandonedCarts.ts"
import { SecretRotation } from "../secrets/SecretRotation.ts"
import { StoreEvents } from "../commerce/sync/StoreEvents.ts"
import { StoreSync } from "../commerce/sync/StoreSync.ts"
import { Search } from "./Search.ts"
import { makeHandlers } from "./handlers.ts"
import * as LivePorts from "../live/LivePorts.ts"
import { LiveStreams } from "../live/LiveStreams.ts"
import { LostJobs } from "./LostJobs.ts"
import { Installation } from "../operation/Installation.ts"
import { Worker } from "../jobs/Worker.ts"
import { ContentSweep } from "../sending/contents/ContentSweep.ts"
import { Deliveries } from "../sending/delivery/Deliveries.ts"
import { EmailView } from "../sending/delivery/EmailView.ts"
import { Release } from "../sending/delivery/Release.ts"
import { DomainChecks } from "../sending/domains/DomainChecks.ts"
import { Alignment } from "../sending/alignment/Alignment.ts"
import { Domains } from "../sending/domains/Domains.ts"
import { Relay } from "../relay/Relay.ts"
import { EmailEvents } from "../sending/fanout/EmailEvents.ts"
import { EmailReview } from "../sending/emails/EmailReview.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { MailReportList } from "../sending/aggregates/MailReportList.ts"
import { InboxSimulation } from "../sending/reports/InboxSimulation.ts"
import { ConfirmationEmails } from "../sending/emails/ConfirmationEmails.ts"
import { TemplateTrials } from "../sending/emails/TemplateTrials.ts"
import { Reports } from "../sending/reports/Reports.ts"
import { Retention } from "../sending/retention/Retention.ts"
import { RelayFeedback } from "../sending/feedback/RelayFeedback.ts"
import { relayRoutingLayer } from "../sending/relays/RelayRouting.ts"
import { Relays } from "../sending/relays/Relays.ts"
import { unsubscribeCounts } from "../sending/standing/LaterCounts.ts"
import { Standings } from "../sending/standing/Standings.ts"
import { Sources } from "../sending/sources/Sources.ts"
import { CorrectedRecords } from "../sending/shaping/CorrectedRecords.ts"
import { ShapingControl } from "../sending/shaping/ShapingControl.ts"
import { SuppressionLookup } from "../sending/suppressions/SuppressionLookup.ts"
import { Suppressions } from "../sending/suppressions/Suppressions.ts"
import { TemplateCheck } from "../sending/templates/TemplateRules.ts"
import { TemplateRenderer } from "../sending/templates/TemplateRenderer.ts"
import { Templates } from "../sending/templates/Templates.ts"
import { SandboxInbox } from "../sending/delivery/SandboxInbox.ts"
import { Redirects } from "../sending/tracking/Redirects.ts"
import { Tracking } from "../sending/tracking/Tracking.ts"
import { Ids } from "../kernel/Ids.ts"
import * as LiveNotes from "../kernel/LiveNotes.ts"
import { TlsReports } from "../notices/TlsReports.ts"
import { UserMails } from "../notices/UserMails.ts"
import { SetupLinks } from "../users/SetupLinks.ts"
import { SystemMail } from "../users/SystemMail.ts"
import { ReadShare } from "../kernel/ReadShare.ts"
import { NotificationSender } from "../webhooks/NotificationSender.ts"
import { SigningKeys } from "../webhooks/SigningKeys.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"

/** Receives the events of stores, both from the ingest routes and from replays in the background. */
const storeEvents = StoreEvents.layer.pipe(
  Layer.provideMerge(StoreSync.layer),
  Layer.provide([Erasure.layer, Items.layer, Stores.layer])
)

const contactPages = ContactPages.layer.pipe(Layer.provide(unsubscribeCounts))

/** The use cases and the worker, which run on the ports that adapters provide. */
export const layer = Layer.mergeAll(
  Alignment.layer,
  AccountExport.layer,
  AccountImport.layer.pipe(Layer.provide(Accounts.layer)),
  Accounts.layer,
  Authentication.layer,
  ApiKeys.layer,
  AuditSeals.layer,
  Companies.layer,
  OperatorAccess.layer,
  BulkJobs.layer.pipe(Layer.provide(Segments.layer)),
  CampaignRecipients.layer,
  CampaignReports.layer,
  PublicArchive.layer,
  WebVersions.layer,
  CampaignTrials.layer,
  Campaigns.layer,
  ContactEdits.layer.pipe(Layer.provide(Contacts.layer)),
  ContactFields.layer,
  contactPages,
  Contacts.layer,
  Domains.layer,
  DoubleOptIn.layer,
  OwnPageTexts.layer,
  EmailReview.layer,
  Emails.layer,
  EmailView.layer,
  Erasure.layer,
  Events.layer,
  Explain.layer,
  Bootstrap.layer,
  Flows.layer,
  FlowTriggers.layer.pipe(Layer.provide(Contacts.layer)),
  RunControl.layer,
  Images.layer,
  Imports.layer,
  AuditReader.layer,
  Tokens.layer,
  Installation.layer,
  Items.layer,
  ItemUses.layer,
  LiveStreams.layer,
  Orders.layer,
  InboxSimulation.layer.pipe(Layer.provide([contactPages, Reports.layer, Tracking.layer])),
  MailReportList.layer,
  Reports.layer,
  RelayFeedback.layer,
  Relays.layer,
  Requests.layer,
  SandboxInbox.layer,
  Search.layer,
  SecretRotation.layer,
  SavedViews.layer,
  Segments.layer,
  CorrectedRecords.layer,
  LostJobs.layer,
  SegmentSizes.layer,
  ShapingControl.layer,
  Sources.layer,
  Standings.layer,
  Stats.layer,
  Stores.layer,
  storeEvents,
  Suppressions.layer,
  Templates.layer,
  ConfirmationEmails.layer.pipe(Layer.provide(DoubleOptIn.layer)),
  TemplateTrials.layer,
  Topics.layer,
  Redirects.layer,
  Tracking.layer,
  Usage.layer,
  Webhooks.layer,
  Relay.layer.pipe(Layer.provide(Layer.merge(Authentication.layer, Emails.layer))),
  Worker.layer(makeHandlers).pipe(
    Layer.provide([
      AbandonedCarts.layer,
      CompanyErasure.layer,
      BulkRun.layer.pipe(Layer.provide([Segments.layer, storeEvents])),
      CampaignRun.layer,
      ContentSweep.layer,
      Conversions.layer,
      Deliveries.layer.pipe(Layer.provide(relayRoutingLayer)),
      DomainChecks.layer,
      EventProcessing.layer,
      ImportRun.layer,
      NotificationSender.layer,
      Release.layer,
      Retention.layer,
      RunAdvancer.layer,
      SegmentSizes.layer,
      SegmentStarts.layer,
      RunRetention.layer,
      Standings.layer,
      StoreErasure.layer,
      TlsReports.layer,
      UserMails.layer,
      WebhookStepSender.layer
    ]),
    Layer.provide([Contacts.layer, Emails.layer, Erasure.layer])
  )
).pipe(
  Layer.provide([SigningKeys.layer, SuppressionLookup.layer, TemplateCheck.layer, TemplateRenderer.layer]),
  Layer.provideMerge(Layer.merge(ContactLinks.layer, TemplateItems.layer)),
  Layer.provideMerge(ContactEvents.layer.pipe(Layer.provideMerge(FlowDispatcher.layer))),
  Layer.provideMerge(EmailEvents.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      AuditTrail.layer,
      ConsentUpdates.layer,
      SetupLinks.layer,
      SuppressedAddresses.layer,
      SystemMail.layer,
      TokenRate.layer
    )
  ),
  Layer.provideMerge(Layer.merge(AddressHash.layer, LogHash.layer)),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, InstallationKeys.layer, ReadShare.layer)),
  Layer.provide(LivePorts.layer),
  Layer.provideMerge(LiveNotes.layer)
)
