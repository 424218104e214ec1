/**
 * The black-box suites, and the functions that run them against a service.
 *
 * @module
 */
import { afterAll, beforeAll, describe } from "vitest"
import type { Target } from "../../support/targets.ts"
import { addressSpellingsSuite } from "./addressSpellings.ts"
import { archiveSuite } from "./archive.ts"
import { auditSuite } from "./audit.ts"
import { authenticationSuite } from "./authentication.ts"
import { authorizationSuite } from "./authorization.ts"
import { bodyBoundsSuite } from "./bodyBounds.ts"
import { campaignAudiencesSuite } from "./campaignAudiences.ts"
import { campaignsSuite } from "./campaigns.ts"
import { clientSuite } from "./client.ts"
import { commerceSuite } from "./commerce.ts"
import { concurrentEditsSuite } from "./concurrentEdits.ts"
import { consentSuite } from "./consent.ts"
import { contactFieldsSuite } from "./contactFields.ts"
import { contactIdentitySuite } from "./contactIdentity.ts"
import { contactJobsSuite } from "./contactJobs.ts"
import { contactListSuite } from "./contactList.ts"
import { contactsSuite } from "./contacts.ts"
import { contactsBatchSuite } from "./contactsBatch.ts"
import { companiesSuite } from "./companies.ts"
import { conversionsSuite } from "./conversions.ts"
import { domainsSuite } from "./domains.ts"
import { emailContentSuite } from "./emailContent.ts"
import { emailFieldsSuite } from "./emailFields.ts"
import { emailScheduleSuite } from "./emailSchedule.ts"
import { emailsSuite } from "./emails.ts"
import { encodedWordsSuite } from "./encodedWords.ts"
import { envelopeSuite } from "./envelope.ts"
import { erasureSuite } from "./erasure.ts"
import { eventsSuite } from "./events.ts"
import { everyRouteSuite } from "./everyRoute.ts"
import { explainSuite } from "./explain.ts"
import { fuzzSuite } from "./fuzz.ts"
import { fuzzManagementSuite } from "./fuzzManagement.ts"
import { flowsSuite } from "./flows.ts"
import { flowRunsSuite } from "./flowRuns.ts"
import { flowSourcesSuite } from "./flowSources.ts"
import { flowStepsSuite } from "./flowSteps.ts"
import { flowSegmentsSuite } from "./flowSegments.ts"
import { flowTriggerSuite } from "./flowTrigger.ts"
import { hostedPagesSuite } from "./hostedPages.ts"
import { hostileInputSuite } from "./hostileInput.ts"
import { idempotencySuite } from "./idempotency.ts"
import { idsOfOtherTimesSuite } from "./idsOfOtherTimes.ts"
import { imagesSuite } from "./images.ts"
import { importsSuite } from "./imports.ts"
import { injectionSuite } from "./injection.ts"
import { installationSuite } from "./installation.ts"
import { itemsSuite } from "./items.ts"
import { itemsBatchSuite } from "./itemsBatch.ts"
import { managedContactsSuite } from "./managedContacts.ts"
import { savedViewsSuite } from "./savedViews.ts"
import { managementSuite } from "./management.ts"
import { managementKeysSuite } from "./managementKeys.ts"
import { managementSendingSuite } from "./managementSending.ts"
import { messagesSuite } from "./messages.ts"
import { neighboursSuite } from "./neighbours.ts"
import { operatorTokensSuite } from "./operatorTokens.ts"
import { ordersSuite } from "./orders.ts"
import { queueLimitSuite } from "./queueLimit.ts"
import { rateLimitsSuite } from "./rateLimits.ts"
import { requestLogSuite } from "./requestLog.ts"
import { reviewSuite } from "./review.ts"
import { relaysSuite } from "./relays.ts"
import { searchSuite } from "./search.ts"
import { secretsSuite } from "./secrets.ts"
import { segmentsSuite } from "./segments.ts"
import { smtpSuite } from "./smtp.ts"
import { smtpMessagesSuite } from "./smtpMessages.ts"
import { streamSuite } from "./stream.ts"
import { sourcesSuite } from "./sources.ts"
import { statsSuite } from "./stats.ts"
import { templatesSuite } from "./templates.ts"
import { topicsSuite } from "./topics.ts"
import { trackingSuite } from "./tracking.ts"
import { unknownFieldsSuite } from "./unknownFields.ts"
import { listsSuite } from "./lists.ts"
import { writtenNumbersSuite } from "./writtenNumbers.ts"
import { identityProvidersSuite } from "./identityProviders.ts"
import { personalTokensSuite } from "./personalTokens.ts"
import { passkeysSuite } from "./passkeys.ts"
import { usersSuite } from "./users.ts"
import { webhookEventsSuite } from "./webhookEvents.ts"
import { webhooksSuite } from "./webhooks.ts"

/** Registers tests of the service that `target` returns. */
type Suite = (target: () => Target) => void

/** Suites that move the clock, which is only possible for a service in the test's own process. */
const timed: ReadonlyArray<Suite> = [
  authenticationSuite,
  rateLimitsSuite,
  webhooksSuite,
  webhookEventsSuite,
  segmentsSuite,
  contactJobsSuite,
  emailContentSuite,
  streamSuite,
  commerceSuite,
  conversionsSuite,
  flowsSuite,
  flowStepsSuite,
  flowSegmentsSuite,
  flowSourcesSuite,
  campaignAudiencesSuite,
  campaignsSuite,
  emailsSuite,
  emailScheduleSuite,
  queueLimitSuite,
  installationSuite,
  itemsBatchSuite,
  operatorTokensSuite,
  secretsSuite,
  statsSuite,
  domainsSuite,
  importsSuite,
  templatesSuite,
  trackingSuite,
  injectionSuite,
  usersSuite,
  passkeysSuite,
  personalTokensSuite,
  identityProvidersSuite,
  companiesSuite
]

const timeless: ReadonlyArray<Suite> = [
  envelopeSuite,
  authorizationSuite,
  auditSuite,
  clientSuite,
  contactsSuite,
  contactIdentitySuite,
  addressSpellingsSuite,
  contactFieldsSuite,
  topicsSuite,
  contactListSuite,
  managedContactsSuite,
  savedViewsSuite,
  explainSuite,
  listsSuite,
  contactsBatchSuite,
  concurrentEditsSuite,
  requestLogSuite,
  relaysSuite,
  searchSuite,
  consentSuite,
  ordersSuite,
  eventsSuite,
  flowRunsSuite,
  flowTriggerSuite,
  emailFieldsSuite,
  encodedWordsSuite,
  messagesSuite,
  neighboursSuite,
  reviewSuite,
  idempotencySuite,
  itemsSuite,
  managementSuite,
  managementKeysSuite,
  managementSendingSuite,
  sourcesSuite,
  imagesSuite,
  archiveSuite,
  erasureSuite,
  hostedPagesSuite,
  smtpSuite,
  smtpMessagesSuite,
  hostileInputSuite,
  bodyBoundsSuite,
  unknownFieldsSuite,
  writtenNumbersSuite,
  idsOfOtherTimesSuite,
  fuzzSuite,
  fuzzManagementSuite,
  everyRouteSuite
]

/** Starts a service, runs the suites against it, and stops it. */
const run = (name: string, start: () => Promise<Target>, suites: ReadonlyArray<Suite>) =>
  describe(name, () => {
    let running: Target | undefined
    const target = () => {
      if (running === undefined) throw new Error("The service is not running.")
      return running
    }
    beforeAll(async () => {
      running = await start()
    })
    afterAll(() => running?.stop())
    for (const suite of suites) suite(target)
  })

/** Runs every suite against one service, and the suites that only this service has. */
export const blackBoxSuites = (
  name: string,
  start: () => Promise<Target>,
  others: ReadonlyArray<Suite> = []
) => run(name, start, [...timed, ...timeless, ...others])

/** Suites that move the clock but also depend on the runtime: on its sockets, streams and cryptography. */
const ofRuntime: ReadonlyArray<Suite> = [
  authenticationSuite,
  rateLimitsSuite,
  webhooksSuite,
  streamSuite,
  importsSuite,
  passkeysSuite
]

/**
 * Suites that move the clock but also depend on the language runtime: regular expressions, dates, numbers, hashes and
 * compression. In process they run on Node.
 */
export const ofLanguage: ReadonlyArray<Suite> = [
  emailContentSuite,
  emailsSuite,
  templatesSuite,
  trackingSuite,
  campaignsSuite,
  domainsSuite,
  secretsSuite,
  identityProvidersSuite
]

/** Runs the other suites against one server process, on a storage whose timed suites are run by `timedSuites`. */
export const serverSuites = (name: string, start: () => Promise<Target>, others: ReadonlyArray<Suite> = []) =>
  run(name, start, [...ofRuntime, ...others, ...timeless])

/** Runs the suites that move the clock against one service, on a storage whose other suites are run by `serverSuites`. */
export const timedSuites = (name: string, start: () => Promise<Target>) => run(name, start, timed)
