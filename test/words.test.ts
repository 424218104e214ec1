/**
 * Rejects words that were replaced by standard terms, as names in the code and as phrases in comments, messages and pages.
 * The glossary, `docs/glossary.md`, gives the words to use.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { describe, expect, it } from "vitest"
import { type SyntaxNode, walk } from "./support/sources.ts"

/** Retired names, separated by spaces, and what to use instead. */
const retiredNames: ReadonlyArray<readonly [names: string, instead: string]> = [
  ["Happening Happenings makeHappenings", "ContactEvent, ContactEvents"],
  ["FlowReactions makeFlowReactions", "FlowDispatcher"],
  ["Flight makeFlight flight", "JobPool"],
  ["Passenger passenger", "RunningJob"],
  ["boarding Landing Departures", "the members of JobPool"],
  ["giveUp GiveUp makeGiveUp statesGivenUp", "onBuried, FailDeliveries, statesAfterBurial"],
  ["pruneForever forgetRateWindows forgetNotifications forgetStoreEvents forgetSendCounts", "pruneEvery"],
  ["DeliveryTurns decideTurn makeTurns", "DeliveryDispatch, decideDispatch"],
  ["FlowTurns makeFlowTurns turnJob TurnFacts", "RunAdvancer, advanceRunJob, StepFacts"],
  ["takeTurn takeTurns lockTurn turnMillis", "processBatch, claimBatch, lockAccount, timeSlice"],
  ["Leaving approaching", "OutgoingDelivery, preparing"],
  ["PutOff makePutOff putOff", "BusyBackoff"],
  ["Fate Fates fates", "PlannedResult"],
  ["Carrier makeCarrier", "SmtpSender"],
  ["Handover makeHandover handover", "MailTransaction"],
  ["Impression Willing Hesitant Unwilling", "Feedback"],
  ["Resting restsUntil shortRest", "Suspended, suspendedUntil"],
  ["patience uploadPatience", "waitTimeout, uploadTimeout"],
  ["Exchange SmtpExchange", "HttpRequest, SmtpDialogue"],
  ["ListedAddresses listChanges", "SuppressedAddresses, suppressionChanges"],
  ["AddressVerdict", "AddressReports"],
  ["ConsentMover moveConsent", "ConsentUpdates.applyReports"],
  ["isUnwanted", "isConsentRevoked"],
  ["Withdrawal makeWithdrawal", "cancelUnsent"],
  ["Scanners", "Machines"],
  ["Deployment", "PublicEndpoint"],
  ["Alarm Alarms makeAlarms setAlarms", "WebhookWakeups"],
  ["makeLines", "NotificationClaims"],
  ["hungry inHand", "mayHaveMore, claimed"],
  ["Admission Admitted", "Authentication, authenticate"],
  ["Verdict judged", "AuthResult"],
  ["areLast", "isCurrent"],
  ["makeRecorder", "AuditTrail"],
  ["InstanceKeys InstanceStore", "InstallationKeys, InstallationStore"],
  ["StoreHealth", "StorageHealth"],
  ["FlowStories makeStories Story StoryEvent maxStory", "FlowScenario"],
  ["makePlans planOf", "CompiledFlow, compileFlow"],
  ["unmoved renoted", "Transition, unchanged, logged"],
  ["StepCheck PartCheck", "FlowValidator"],
  ["FlowVocabulary SegmentVocabulary", "FlowScope, SegmentScope"],
  ["FlowContents makeFlowContents", "FlowValidation"],
  ["FlowCalls makeFlowCalls callJob", "WebhookStepSender, webhookStepJob"],
  ["StoreHold makeStoreHold", "requireConnected"],
  ["ConsentDraft FieldDraft CustomerDraft", "ConsentBatch, FieldBatch, CustomerBatch"],
  ["refusable repeatable", "orConflict, orRetry"],
  ["LostClaims", "OrphanedClaims"],
  ["Silence awaitingAnswer", "withReplyTimeout"],
  ["Enqueuing makeEnqueuing", "enqueueSql"],
  ["DurableFiles", "FsyncFilesystem"],
  ["Outbox outboxOf", "SubmissionTables, CapturingTransport"],
  ["Parcel", "DeliveryRow"],
  ["OrderIndex GroupIndex", "SortedIndex, DistinctIndex"],
  ["AccountGate", "requireAccount"],
  ["isSame isEqual", "deepEqual"],
  ["SegmentDays", "DayRange"],
  ["toldPorts", "instrumentedPorts"],
  ["Measures keepMeasuring", "collectGauges"],
  ["Surroundings", "ServiceOptions"],
  ["Chance makeChance", "SeededRandom"],
  ["furnished Furnished Ledger Door DeliveriesCut ContactsCrowded", "the tests' standard terms"]
]

/** Retired phrases, and what to use instead. */
const retiredPhrases: ReadonlyArray<readonly [phrase: RegExp, instead: string]> = [
  [/\bas sent\b/, "as submitted, not yet validated"],
  [/\bvery (?:same|function|moment)\b/, "the same, exactly"],
  [/\bfor ever\b/, "indefinitely, until shutdown"],
  [/\bshall\b/, "must, will"],
  [/\b(?:is|are|was) over\b(?! (?:the|a|\d))/, "has ended, has expired"],
  [/\bwhoever\b/, "the actor: a concurrent erasure, the caller"],
  [/\b(?:is|are|was|were|been|be|being) told\b/, "is reported, notified, recorded"],
  [/\b(?:was|were|been) let in\b|\blets calls in\b/, "was accepted, authenticates"],
  [/\bcomes? to (?:an end|nothing)\b/, "ends, has no effect"],
  [/\bgives? way\b/, "is dropped in favour of"],
  [/\b(?:takes?|took|taking|in) the place of\b/, "replaces"],
  [/\b(?:takes?|took|taken|taking) back\b/, "cancels"],
  [/\b(?:nobody|somebody)\b(?![@"-])/, "no worker, another writer, a person"],
  [/\bunder way\b/, "in progress, running"],
  [/\bonce more\b/, "again"],
  [/\bout of (?:\w+ )?reach\b/, "unavailable, unreachable"],
  [/(?:\* |\/\*\* )A function that\b/, "the subject's own name and verb"],
  [/\b(?:its|their|each|whose) turn\b|\bturns? of some seconds\b/, "is processed, a time slice"],
  [/\bbut for\b/, "except"],
  [/\bthe (?:store|shop)'s word\b/, "update, payload"],
  [/\bhand(?:s|ed|ing)? over\b/, "passed to, transmitted"],
  [/\b(?:forgets?|forgotten|forgetting)\b/, "prunes, deletes"],
  [/\bknows of\b|\bknown of\b/, "stored, has"],
  [/\bgo(?:es)? (?:its|their) own way\b/, "runs independently"],
  [
    /(?:[;,]| and) answers (?:how|the|it|those|them|whether|null|false|true|what|all)\b|\* Answers\b/,
    "returns"
  ]
]

/** Files of which each line may have any word: other projects' code, generated code, the contract, and this list. */
const exempt =
  /^(?:docs\/contributing|docs\/viewer|client\/generated\.ts|test\/words\.test\.ts|test\/openapi\/.*\.json)/

/** Strings that callers or the database see, which do not change. */
const fixed = /\bautomation\.story_invalid\b|\bStillHandingOver\b|\bHandingOff\b/g

const root = join(import.meta.dirname, "..")
const folders = ["core", "adapters", "runtimes", "client", "test", "docs", "examples", "deploy"]
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]

const instead = new Map(
  retiredNames.flatMap(([names, better]) => names.split(" ").map((name) => [name, better] as const))
)

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter(
      (path) => /\.(?:ts|js|md|ya?ml|service|conf|Dockerfile)$/.test(path) && !/node_modules/.test(path)
    )

const lineOf = (source: string, at: number): number => source.slice(0, at).split("\n").length

const namesIn = (path: string, source: string): ReadonlyArray<string> => {
  const { program } = parseSync(path, source)
  const found = new Set<string>()
  for (const [node] of walk(program as unknown as SyntaxNode)) {
    const { name, start, type } = node
    if ((type !== "Identifier" && type !== "PrivateIdentifier") || typeof name !== "string") continue
    const better = instead.get(name)
    if (better !== undefined) found.add(`${path}:${lineOf(source, start)} ${name}: ${better}`)
  }
  return [...found]
}

const phrasesIn = (path: string, source: string): ReadonlyArray<string> =>
  source.split("\n").flatMap((line, index) => {
    const text = line.replaceAll(fixed, "")
    return retiredPhrases.flatMap(([phrase, better]) => {
      const [found] = phrase.exec(text) ?? []
      return found === undefined ? [] : [`${path}:${index + 1} ${found}: ${better}`]
    })
  })

const wordsIn = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths
    .filter((path) => !exempt.test(path))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), "utf8")
      return [...(path.endsWith(".ts") ? namesIn(path, source) : []), ...phrasesIn(path, source)]
    })

describe("retired words", () => {
  it.each(folders)("are not in %s", (folder) => {
    expect(wordsIn(filesOf(folder))).toEqual([])
  })

  it("are not in the pages of the repository", () => {
    expect(wordsIn(pages)).toEqual([])
  })

  it("are found as names and in phrases", () => {
    const source = "// Nobody waits, for ever.\nexport const flight = takeTurn()\n"
    expect(namesIn("core/a.ts", source).map((found) => found.split(":")[1])).toEqual([
      "2 flight",
      "2 takeTurn"
    ])
    expect(phrasesIn("core/a.ts", source)).toEqual(["core/a.ts:1 for ever: indefinitely, until shutdown"])
  })
})
