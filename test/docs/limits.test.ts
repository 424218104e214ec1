/**
 * Tests that the numbers on the page of limits are those of the code.
 *
 * @module
 */
import { maxRowsOfDay } from "../../core/model/MailReport.ts"
import { reportBounds } from "../../core/ports/MailReportReader.ts"
import { reportsOfDay, rowMillis } from "../../core/sending/aggregates/MailReportRules.ts"
import { earlyMillis, maxEarly } from "../../core/sending/feedback/RelayReports.ts"
import { maxReportsOfAddress } from "../../core/notices/TlsReports.ts"
import { maxDestinations } from "../../core/sending/domains/TlsDestinations.ts"
import { maxReportedDomains } from "../../core/sending/aggregates/TlsReportRules.ts"
import { archivePageSize } from "../../core/campaigns/PublicArchive.ts"
import { maxCountedLinks, maxVisits } from "../../core/model/Visit.ts"
import { Context } from "effect"
import { describe, expect, it } from "vitest"
import { batchBounds } from "../../adapters/http/edge/Batch.ts"
import { bodiesHeld } from "../../adapters/http/edge/BodyReader.ts"
import { maxAudience } from "../../adapters/memory/StorageLimits.ts"
import { maxEmbeddedAudience } from "../../adapters/postgres/index.ts"
import { maxDepth } from "../../adapters/http/json/JsonScan.ts"
import { bodyBounds } from "../../adapters/http/json/StrictJson.ts"
import { BatchList, MaxBody } from "../../adapters/http/schema/Envelope.ts"
import { IngestGroup } from "../../adapters/http/schema/IngestApi.ts"
import { ContactsGroup } from "../../adapters/http/schema/public/Contacts.ts"
import { EventsGroup } from "../../adapters/http/schema/public/Events.ts"
import { maxBatchBody } from "../../adapters/http/schema/BatchResults.ts"
import { maxDays, maxSearch } from "../../adapters/http/schema/public/Orders.ts"
import { maxLinks } from "../../adapters/html/HtmlRewriter.ts"
import { maxWaitingOfConnection, maxWaitingOfNetwork } from "../../adapters/http/server/Connections.ts"
import { accountPart } from "../../adapters/smtp/Places.ts"
import { defaultLimits } from "../../adapters/smtp/relay/Limits.ts"
import { maxAddresses, maxHeadBytes, maxParts } from "../../adapters/smtp/relay/MailParser.ts"
import { maxMillis as readMillis } from "../../adapters/smtp/relay/MailReader.ts"
import { tasks } from "../../adapters/templates/TemplateTasks.ts"
import { defaultCallerLimits as callerLimits } from "../../core/shared/CallerLimits.ts"
import { maxClockSkew } from "../../core/shared/Validate.ts"
import { perAddress, perNetwork } from "../../adapters/smtp/transport/AddressSlots.ts"
import { maxUnproven } from "../../adapters/smtp/transport/Direct.ts"
import { maxMarks, renderMillis } from "../../adapters/templates/Liquid.ts"
import { defaultAnswerMillis } from "../../adapters/webhooks/WebhookClient.ts"
import { maxOwnLanguages, maxOwnText } from "../../core/audience/pages/OwnTextRules.ts"
import { auditRetentionRange, brandLimits, restorableMillis } from "../../core/companies/CompanyRules.ts"
import { maxAccessHours, maxAccessReason } from "../../core/companies/OperatorAccess.ts"
import { defaultPolicy, defaultSettings } from "../../core/model/Account.ts"
import { maxActiveKeys } from "../../core/model/ApiKey.ts"
import { keyNameLengths } from "../../core/accounts/ApiKeys.ts"
import { countsKept, maxCountKeys, maxKeptKeys } from "../../core/model/EmailCount.ts"
import { defaultSizeDays, maxSizeDays, sizesKeptMillis } from "../../core/audience/segments/SegmentSizes.ts"
import { defaultStatsDays, maxStatsDays, maxStatsUnits } from "../../core/accounts/Stats.ts"
import { readLimits } from "../../core/kernel/ReadShare.ts"
import * as Activity from "../../core/events/EventRules.ts"
import { maxFields } from "../../core/model/ContactField.ts"
import {
  maxBlockColumns,
  maxBlockLine,
  maxBlocks,
  maxBlockText,
  maxSocialLinks
} from "../../core/sending/templates/BlockDocument.ts"
import {
  maxImageBytes,
  maxImageName,
  maxImagePixels,
  maxImages,
  maxImageSide
} from "../../core/model/Image.ts"
import { maxViews } from "../../core/model/SavedView.ts"
import { maxViewName } from "../../core/users/SavedViews.ts"
import { maxIds, maxTag } from "../../core/bulk/BulkActions.ts"
import { maxKeptFailures } from "../../core/bulk/BulkRun.ts"
import { liveKeptMillis, maxLiveEntries, maxStreams } from "../../core/model/LiveEntry.ts"
import { keepReportMillis } from "../../core/model/BulkJob.ts"
import { maxColumns, maxFileBytes } from "../../core/model/ContactImport.ts"
import { maxBatch, maxName, maxPhone, maxProofText } from "../../core/audience/contacts/ContactWrite.ts"
import { maxDescription, maxKey, maxLabel } from "../../core/audience/fields/FieldRules.ts"
import { maxExternalId } from "../../core/audience/contacts/Reference.ts"
import { maxAheadMillis } from "../../core/campaigns/CampaignSchedules.ts"
import {
  maxAudienceSegments,
  maxCampaignName,
  maxCampaignTag,
  maxCampaignTags,
  maxSlug,
  capHours,
  confidenceRange,
  maxLanguages,
  maxPace,
  maxUtm,
  maxVariantName,
  testWait,
  variantRange,
  maxHoldout
} from "../../core/campaigns/CampaignWrite.ts"
import {
  capRanges,
  maxArchiveText,
  maxArchiveTitle,
  maxCaps,
  maxTestAddressList
} from "../../core/accounts/Accounts.ts"
import { comparedRange, maxBreakdown } from "../../core/campaigns/CampaignReports.ts"
import { maxTestAddresses, maxTestEmails } from "../../core/campaigns/CampaignTrials.ts"
import { maxApprovalComment, maxReason } from "../../core/campaigns/Campaigns.ts"
import { maxCampaigns, maxSending, retryMillis } from "../../core/model/Campaign.ts"
import { maxSegments } from "../../core/model/Segment.ts"
import { maxTopicName } from "../../core/audience/topics/TopicRules.ts"
import { maxDuration } from "../../core/automation/definition/Duration.ts"
import {
  maxDefinition,
  maxLevels,
  maxPaths,
  maxSteps,
  maxStopEvents
} from "../../core/automation/definition/FlowValidator.ts"
import { maxRules } from "../../core/automation/definition/PartReader.ts"
import { maxFlows, maxSegmentFlows } from "../../core/automation/flows/Flows.ts"
import { maxCallId } from "../../core/automation/flows/FlowTriggers.ts"
import { maxScenarioEvents } from "../../core/automation/simulation/Simulation.ts"
import { maxItems } from "../../core/model/Item.ts"
import * as Items from "../../core/catalog/ItemWrite.ts"
import { maxStores } from "../../core/model/Store.ts"
import { maxKeptEvent } from "../../core/commerce/sync/FailedEvents.ts"
import { maxFailedEvents } from "../../core/model/ReceivedEvent.ts"
import { maxEvents as maxStoreEvents } from "../../core/commerce/sync/StoreSync.ts"
import { tokenLimits } from "../../core/users/CallerAuthentication.ts"
import { installationOwner, maxActiveTokens } from "../../core/model/Token.ts"
import { tokenLifetimes, tokenNameLengths } from "../../core/users/Tokens.ts"
import { maxFeedback } from "../../adapters/http/schema/IngestApi.ts"
import { loginLimits } from "../../core/relay/LoginLockout.ts"
import { maxInProgress } from "../../core/sending/delivery/Deliveries.ts"
import { maxContentType } from "../../core/sending/emails/ContentType.ts"
import { maxAttachmentBytes, maxAttachments } from "../../core/sending/emails/EmailAttachments.ts"
import { maxBody, maxSubject } from "../../core/sending/emails/EmailContent.ts"
import { maxHeaders } from "../../core/sending/emails/EmailHeaders.ts"
import { maxRecipients } from "../../core/sending/emails/EmailRecipients.ts"
import {
  idempotencyKeyPattern,
  maxDaysAhead,
  maxLabels,
  maxLabelValue
} from "../../core/sending/emails/EmailRequest.ts"
import {
  maxTemplateBody,
  maxTemplatePreheader,
  maxTemplateSubject
} from "../../core/sending/templates/TemplateRules.ts"
import { maxRelays } from "../../core/sending/relays/RelayRules.ts"
import { maxTemplateVersions } from "../../core/model/Template.ts"
import { maxTemplates } from "../../core/sending/templates/Templates.ts"
import { maxExactDigits } from "../../core/shared/Decimal.ts"
import { maxErrors, maxErrorsOfAll } from "../../core/shared/Problem.ts"
import { maxPageSize } from "../../core/shared/Page.ts"
import * as guesses from "../../core/users/AttemptRules.ts"
import { anonymousLimits } from "../../core/users/signin/AnonymousCalls.ts"
import { mailedLinkLimits } from "../../core/users/SystemMail.ts"
import { networkLimits } from "../../core/users/Attempts.ts"
import { recoveryCount } from "../../core/users/Factors.ts"
import { maxPasskeys } from "../../core/model/Passkey.ts"
import { challengeMillis } from "../../core/users/passkeys/Passkeys.ts"
import { deviceMillis, deviceTokenDays } from "../../core/users/signin/DeviceSignIn.ts"
import { providerMillis } from "../../core/users/signin/ProviderSignIn.ts"
import { passwordLengths } from "../../core/users/PasswordRules.ts"
import { hashLimits } from "../../core/users/Passwords.ts"
import { confirmedMillis, maxSessions, sessionLifetimes } from "../../core/users/Sessions.ts"
import { linkLifetimes } from "../../core/users/SetupLinks.ts"
import { maxActiveWebhooks, maxLoggedAttempts } from "../../core/model/Webhook.ts"
import { maxAttempts, maxFailuresInARow } from "../../core/webhooks/WebhookRules.ts"
import { sourceOf } from "./blocks.ts"

const mega = (bytes: number): number => bytes / 1024 / 1024
const days = (millis: number): number => millis / 86_400_000
const minutes = (millis: number): number => millis / 60_000
const defaultBody = Context.get(Context.empty(), MaxBody)
const maxValuesOf = ({ annotations }: { readonly annotations: unknown }) =>
  Context.get(annotations as Context.Context<never>, BatchList)?.maxValues
const ContactsBatch = ContactsGroup.endpoints.writeBatch
const EventsBatch = EventsGroup.endpoints.accept
const StoreEventsBatch = IngestGroup.endpoints.events
const longestKey = Array.from({ length: 1000 }, (_, index) => index).findLast((length) =>
  idempotencyKeyPattern.test("k".repeat(length))
)

/** The numbers in each row, in the order of the page. */
const numbers: Readonly<Record<string, ReadonlyArray<number | undefined>>> = {
  Calls: [defaultSettings.rateLimitPerMinute],
  "SMTP messages": [defaultSettings.rateLimitPerMinute],
  Body: [mega(defaultBody), mega(maxBatchBody), mega(maxFileBytes)],
  "Values of a body": [bodyBounds.values, bodyBounds.containers, maxDepth, bodyBounds.keys],
  "Values of a batch": [batchBounds.members, batchBounds.containers],
  "Values of an entry of a batch": [ContactsBatch, EventsBatch, StoreEventsBatch].map(maxValuesOf),
  "Bodies held": [mega(bodiesHeld.perHolder), mega(bodiesHeld.total), bodiesHeld.waitMillis / 1000, 503],
  "Errors in a response": [maxErrors, maxErrorsOfAll],
  "Page size": [1, maxPageSize, 50],
  "Days of daily counts": [1, maxStatsDays, defaultStatsDays],
  "Days of segments' sizes": [1, maxSizeDays, defaultSizeDays, sizesKeptMillis / 86_400_000],
  "Statistics of emails": [
    maxStatsUnits.Day,
    maxStatsUnits.Hour,
    maxCountKeys,
    countsKept.Day / 86_400_000,
    countsKept.Hour / 86_400_000,
    maxKeptKeys
  ],
  "Expensive reads at the same time": [readLimits.perAccount, readLimits.total, 10, 503],
  "Streams of an account": [maxStreams, maxLiveEntries, minutes(liveKeptMillis)],
  "Active API keys": [maxActiveKeys, keyNameLengths.min, keyNameLengths.max],
  Passwords: [passwordLengths.min, passwordLengths.max],
  "Password hashes": [hashLimits.concurrent, hashLimits.waiting, 503],
  "Wrong passwords and codes for an address": [
    guesses.maxFailures,
    minutes(guesses.periodMillis),
    minutes(guesses.maxDelayMillis)
  ],
  "Wrong passwords and codes from a network": [
    networkLimits.maxFailures,
    minutes(networkLimits.periodMillis),
    minutes(networkLimits.lockMillis)
  ],
  "Sessions of a user": [
    maxSessions,
    minutes(sessionLifetimes.user.idleMillis) / 60,
    days(sessionLifetimes.user.totalMillis),
    minutes(sessionLifetimes.operator.idleMillis) / 60,
    minutes(sessionLifetimes.operator.totalMillis) / 60
  ],
  "A factor counts as just given": [minutes(confirmedMillis)],
  "Set-up links": [linkLifetimes.Invitation, linkLifetimes.FirstStart, linkLifetimes.Reset].map(
    (millis) => minutes(millis) / 60
  ),
  "Recovery codes": [recoveryCount],
  "Passkeys of a user": [maxPasskeys],
  "A sign-in at an identity provider": [minutes(providerMillis)],
  "Tokens of a user": [maxActiveTokens({ companyId: null, userId: "" }), tokenLifetimes.max],
  "Code of a device": [minutes(deviceMillis), deviceTokenDays],
  "Calls of a network that begin a sign-in": [anonymousLimits.calls, minutes(anonymousLimits.windowMillis)],
  "Links that are mailed": [
    mailedLinkLimits.perAddress,
    mailedLinkLimits.perAddress,
    mailedLinkLimits.perNetwork,
    mailedLinkLimits.perCompany
  ],
  "Passkey options": [minutes(challengeMillis)],
  "Open connections": [callerLimits.maxConnections],
  "Open connections of one network": [
    callerLimits.maxConnectionsPerNetwork,
    callerLimits.maxConnectionsPerNetwork
  ],
  "Open SMTP sessions of one account": [callerLimits.maxConnections / accountPart, 421],
  "Bytes held for callers that are not authenticated": [callerLimits.maxUnknownBytes / 1024 / 1024],
  "Headers of a request, or the login by SMTP": [
    callerLimits.headersMillis / 1000,
    defaultLimits.loginMillis / 1000
  ],
  "Body, or message": [callerLimits.bodyMillis / 1000, callerLimits.minBytesPerSecond],
  "Answer that the client does not read": [callerLimits.unreadMillis / 1000, callerLimits.minBytesPerSecond],
  "Between two requests of a connection": [callerLimits.idleMillis / 1000],
  "Requests of a connection in progress": [1, maxWaitingOfConnection, maxWaitingOfNetwork],
  "Contacts in a batch": [maxBatch],
  Contacts: [],
  "Contact fields": [maxFields, maxKey, maxLabel, maxDescription],
  "Names, city": [maxName, maxPhone],
  "External id": [maxExternalId],
  "Consent proof": [maxProofText, maxClockSkew / 1000],
  "Topic name": [maxTopicName],
  Segments: [maxSegments, maxRules],
  Campaigns: [maxCampaigns, maxSending],
  "Texts of a campaign": [maxCampaignName, maxCampaignTags, maxCampaignTag],
  "Segments of an audience": [maxAudienceSegments, maxAudienceSegments],
  "Archive of campaigns": [maxSlug, maxArchiveTitle, maxArchiveText, archivePageSize],
  "Schedule of a campaign": [days(maxAheadMillis)],
  "Audience of a campaign": [maxEmbeddedAudience, maxAudience],
  "Holdout of a campaign": [0, maxHoldout],
  "Test of a campaign": [
    variantRange.min,
    variantRange.max,
    maxVariantName,
    testWait.min / 3_600_000,
    testWait.max / 3_600_000,
    confidenceRange.min * 100,
    confidenceRange.max * 100
  ],
  "Languages of a content": [maxLanguages],
  "Pace of a campaign": [1, maxPace],
  "Parameters of links": [maxUtm],
  "Wait for a frequency cap": [capHours.min, capHours.max],
  "Frequency caps": [maxCaps, ...capRanges.emails, ...capRanges.days],
  "Test emails": [maxTestAddresses, maxTestEmails, maxTestAddressList],
  "Approval of a campaign": [maxApprovalComment],
  "Reason of a launch, pause, resume or cancel": [maxReason],
  "Retry of a campaign": [retryMillis / 86_400_000],
  "Compared campaigns": [comparedRange.min, comparedRange.max],
  "Links of an email whose clicks are counted apart": [maxCountedLinks],
  "Keys of a campaign's stats": [maxBreakdown],
  Import: [mega(maxFileBytes), maxColumns],
  "Blocks of a template": [maxBlocks, maxBlockColumns, maxSocialLinks, maxBlockText, maxBlockLine],
  Images: [maxImages, maxImageBytes, maxImagePixels, maxImageSide, maxImageName],
  "Saved views": [maxViews, maxViewName],
  "Reports of mail servers about a domain": [
    reportBounds.message / 1_048_576,
    reportBounds.unpacked / 1_048_576,
    reportBounds.ratio,
    reportBounds.depth,
    reportBounds.records,
    reportBounds.domains,
    reportBounds.text,
    reportBounds.millis / 1000,
    reportsOfDay.ofReporter,
    reportsOfDay.all
  ],
  "Counts of those reports": [maxRowsOfDay, Math.floor(days(rowMillis) / 30)],
  "Reports of a relay that wait for the result of their message": [maxEarly, earlyMillis / 60_000],
  "Reports of TLS connections that are sent": [maxReportedDomains, maxDestinations, maxReportsOfAddress],
  "Job on contacts": [maxIds, maxTag, maxKeptFailures, days(keepReportMillis)],
  "Events in a call": [1, Activity.maxEvents],
  "Event id, name": [Activity.maxEventId, Activity.maxEventName],
  "`occurredAt`": [days(Activity.maxEventAge)],
  Properties: [Activity.maxPropertiesBytes / 1024, Activity.maxPropertiesLevels],
  Flows: [maxFlows],
  "Published flows that segments start": [maxSegmentFlows],
  Steps: [maxSteps, maxLevels, maxDefinition / 1_000_000],
  "Stop events": [maxStopEvents],
  "Paths of a Split": [2, maxPaths],
  Wait: [days(maxDuration)],
  "Trigger call id": [1, maxCallId],
  "Events of a simulation": [maxScenarioEvents],
  Recipients: [maxRecipients],
  Subject: [maxSubject],
  "Html, text": [maxBody],
  Attachments: [maxAttachments, mega(maxAttachmentBytes), maxContentType],
  Headers: [maxHeaders],
  "Tags, metadata": [maxLabels, 64, maxLabelValue],
  Schedule: [maxDaysAhead],
  "Visits of the pixel and links": [maxVisits, 30],
  "Idempotency key": [longestKey],
  "Emails a day": [],
  "Messages sent at once": [maxInProgress, maxUnproven, perAddress, perNetwork],
  Templates: [
    maxTemplates,
    maxTemplateSubject,
    maxTemplateBody,
    maxTemplatePreheader,
    maxTemplateVersions,
    maxMarks,
    tasks.compile.maxMillis / 1000
  ],
  "Tracked links of an email": [maxLinks],
  "Whole message by SMTP": [
    mega(defaultLimits.maxMessageBytes),
    maxHeadBytes / 1024,
    maxParts,
    maxAddresses,
    readMillis / 1000
  ],
  "Relays of a company": [maxRelays.Company],
  "Relays of the installation": [maxRelays.Installation],
  "Body of a relay's report": [maxFeedback / 1024 / 1024],
  // An IPv4 address or an IPv6 /64.
  "Failed logins by SMTP": [
    loginLimits.maxFailures,
    minutes(loginLimits.periodMillis),
    4,
    6,
    64,
    minutes(loginLimits.lockMillis)
  ],
  "Active management tokens": [
    maxActiveTokens(installationOwner),
    maxActiveTokens({ companyId: "company", userId: null }),
    tokenNameLengths.min,
    tokenNameLengths.max,
    tokenLifetimes.min,
    tokenLifetimes.max
  ],
  "Own texts of hosted pages": [maxOwnText, maxOwnLanguages],
  "Texts of a brand": [brandLimits.name, brandLimits.postalAddress, brandLimits.footer],
  "Access of an operator to personal data": [1, maxAccessHours, maxAccessReason],
  "Restoring a deleted company": [restorableMillis / 86_400_000],
  "Retention of the audit log": [
    auditRetentionRange.min,
    auditRetentionRange.max,
    defaultPolicy.auditRetentionDays
  ],
  "Wrong management tokens": [
    tokenLimits.maxFailures,
    minutes(tokenLimits.periodMillis),
    minutes(tokenLimits.lockMillis)
  ],
  "Active webhooks": [maxActiveWebhooks],
  "Time to answer": [defaultAnswerMillis / 1000],
  Attempts: [maxAttempts],
  "Sent again": [maxIds, maxLoggedAttempts],
  "Stopped after": [maxFailuresInARow],
  // A limit of receivers, set by standardwebhooks; the service has none.
  "Timestamp tolerance": [5],
  Items: [maxItems, Items.maxItemBatch],
  "Item id, name, description": [Items.maxItemId, Items.maxItemName, Items.maxItemDescription],
  "Categories, attributes of an item": [Items.maxCategories, Items.maxItemAttributes],
  Price: [maxExactDigits],
  Stores: [maxStores],
  "Store events in a call": [maxStoreEvents],
  "Failed store events": [maxFailedEvents, maxKeptEvent / 1024],
  Orders: [maxSearch, 1, maxDays]
}

const rows = sourceOf("limits")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Limit |"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, name = "", value = ""]) => [name, value] as const)

describe("the page of limits", () => {
  it.each(rows)("%s: %s", (name, value) => {
    const said = Array.from(value.matchAll(/\d[\d,]*/g), ([text]) => Number(text.replaceAll(",", "")))
    expect(said).toEqual(numbers[name])
  })

  it("has every limit once", () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(Object.keys(numbers).toSorted())
    expect(sourceOf("limits")).toContain(renderMillis === 500 ? "half a second" : `${renderMillis}`)
  })
})
