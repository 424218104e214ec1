/**
 * The operator's use cases for companies, accounts and the accounts' settings.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result } from "effect"
import type { Actor } from "../model/Actor.ts"
import { editedBy } from "../model/Edited.ts"
import { unitMillis, unitOf } from "../model/EmailCount.ts"
import { AccountStore, type CompanyFilter, type ListedCompany } from "../ports/AccountStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactFieldStore } from "../ports/ContactFieldStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { RelayStore } from "../ports/RelayStore.ts"
import { campaignJob, wakeSending } from "../jobs/definitions/CampaignJobs.ts"
import { allConversionsJob } from "../jobs/definitions/ConversionJobs.ts"
import { releaseJob } from "../jobs/definitions/DomainJobs.ts"
import { makeRetentionWakeup, movesRetention } from "../jobs/definitions/RetentionJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { Ids } from "../kernel/Ids.ts"
import { isTimeZone, parseTimeOfDay } from "../kernel/TimeOfDay.ts"
import { parseLanguage } from "../shared/Locale.ts"
import { expectUnedited } from "../kernel/Precondition.ts"
import { deepEqual, type Json } from "../shared/Json.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { isDisplayName } from "../shared/Mailbox.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { checkText, foldCase, formats } from "../shared/Validate.ts"
import {
  type Account,
  type Company,
  defaultPolicy,
  defaultSettings,
  type DeliveryWays,
  maxCapEmails,
  type Mode,
  type Settings,
  type StreamPools
} from "../model/Account.ts"
import { clockReasons } from "../model/Campaign.ts"
import { defaultPool } from "../model/Source.ts"
import { SourceStore } from "../ports/SourceStore.ts"
import { AuditTrail } from "./AuditTrail.ts"

/** The most characters of a company's or sender's name. */
const maxName = 100

/** A change of settings. Absent settings keep their values. */
export type SettingsPatch = { readonly [Key in keyof Settings]?: Settings[Key] | undefined }

/** The number of days of a company's volume, including today. */
export const volumeDays = 30

/** The start of the first day of a volume, epoch milliseconds. */
export const volumeBegin = (now: number): number => unitOf("Day", now) - (volumeDays - 1) * unitMillis.Day

/** The operator's use cases for companies, accounts and settings. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Creates a company with its live and its sandbox account. validation.*. */
    readonly createCompany: (name: string, actor: Actor) => Effect.Effect<Company, Problem | Unavailable>
    /** Companies, newest first; with `ids`, only these. */
    readonly companies: (
      page: PageRequest,
      ids?: ReadonlyArray<string>
    ) => Effect.Effect<Page<Company>, Unavailable>
    /** Companies with their volume in the last {@link volumeDays}, sorted like `AccountStore.browse`; `q` is case-insensitive. */
    readonly browse: (
      page: PageRequest,
      filter: Omit<CompanyFilter, "volumeSince">
    ) => Effect.Effect<Page<ListedCompany>, Unavailable>
    /** A company; common.not_found. */
    readonly company: (companyId: string) => Effect.Effect<Company, Problem | Unavailable>
    /** An account; common.not_found. */
    readonly get: (accountId: string) => Effect.Effect<Account, Problem | Unavailable>
    /**
     * Changes the given settings and returns the account. With `isArchive`, a contact field that they name may be added later.
     * validation.*; audience.attribute_unknown, audience.attribute_type_mismatch; relays.unknown, shaping.pool_unknown;
     * common.not_found, common.edited_meanwhile.
     */
    readonly changeSettings: (
      accountId: string,
      patch: SettingsPatch,
      actor: Actor,
      options?: { readonly isArchive: boolean }
    ) => Effect.Effect<Account, Problem | Unavailable>
  }
>()("svc/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const campaigns = yield* CampaignStore
      const fields = yield* ContactFieldStore
      const relays = yield* RelayStore
      const sources = yield* SourceStore
      const atomically = yield* Atomically
      const jobs = yield* JobQueue
      const ids = yield* Ids
      const { record } = yield* AuditTrail
      const wakeRetention = yield* makeRetentionWakeup

      /** Makes campaigns decide again about people who wait because of settings that were changed. */
      const decideAgain = Effect.fnUntraced(function* (
        { id: accountId, settings: before }: Account,
        now: Settings
      ) {
        const isZoned = now.timeZone !== before.timeZone || now.timeZoneAttribute !== before.timeZoneAttribute
        const isQuiet = !deepEqual(now.quietHours, before.quietHours)
        const reasons = isZoned ? [null, ...clockReasons] : isQuiet ? (["sending.quiet_hours"] as const) : []
        const waiting = yield* Effect.forEach(reasons, (reason) => campaigns.withWaiting(accountId, reason))
        const campaignIds = [...new Set(waiting.flat().map(({ id }) => id))]
        const newIds = yield* ids.many(campaignIds.length)
        const runAt = yield* Clock.currentTimeMillis
        yield* jobs.enqueue(
          campaignIds.map((campaignId, index) =>
            campaignJob.job({
              id: newIds[index]!,
              accountId,
              payload: { campaignId, ...(isZoned ? { zones: true } : { reason: "sending.quiet_hours" }) },
              runAt
            })
          )
        )
      })

      /** relays.unknown unless the company may use every relay in the setting for its stream. */
      const requireWays = Effect.fnUntraced(function* (companyId: string, ways: DeliveryWays) {
        const named = waysOf(ways)
        const wanted = named.flatMap(({ relayId }) => relayId ?? [])
        const found = new Map((yield* relays.find(wanted)).map((relay) => [relay.id, relay]))
        const issues = new Issues()
        for (const { field, relayId, stream } of named) {
          const relay = relayId === null ? undefined : found.get(relayId)
          const isUsable =
            relay !== undefined &&
            (relay.companyId === null ? relay.shared : relay.companyId === companyId) &&
            relay.streams.includes(stream)
          if (relayId !== null && !isUsable) issues.add("relays.unknown", field)
        }
        const { problem } = issues
        if (problem !== undefined) return yield* problem
      })

      /** shaping.pool_unknown unless a pool exists for each key in the setting. */
      const requirePools = Effect.fnUntraced(function* (wanted: StreamPools) {
        const { pools } = yield* sources.all
        const issues = new Issues()
        for (const stream of ["transactional", "marketing"] as const) {
          const key = wanted[stream]
          if (key !== defaultPool && !pools.some((pool) => pool.key === key))
            issues.add("shaping.pool_unknown", `pools.${stream}`)
        }
        const { problem } = issues
        if (problem !== undefined) return yield* problem
      })

      /** audience.attribute_unknown, audience.attribute_type_mismatch unless the account has a Text field with the key. */
      const requireTextField = Effect.fnUntraced(function* (accountId: string, key: string) {
        const field = (yield* fields.list(accountId)).find((one) => one.key === key)
        if (field === undefined)
          return yield* Problem.of("audience.attribute_unknown", "timeZoneAttribute", null, { key })
        if (field.type !== "Text") {
          const detail = { key, expected: "a field of the type Text" }
          return yield* Problem.of("audience.attribute_type_mismatch", "timeZoneAttribute", null, detail)
        }
      })

      return Accounts.of({
        createCompany: Effect.fn("Accounts.createCompany")(function* (given, actor) {
          const name = yield* Effect.fromResult(parseName(given))
          const { accounts, company } = yield* Effect.provideService(newCompany(name), Ids, ids)
          yield* atomically(
            Effect.gen(function* () {
              yield* store.insert([company], accounts)
              yield* record(
                actor,
                ...accounts.map((account) => ({
                  accountId: account.id,
                  action: "account.created",
                  target: account.id,
                  before: null,
                  after: { companyId: company.id, mode: account.mode, name }
                }))
              )
            })
          )
          return company
        }),
        companies: store.companies,
        browse: Effect.fn("Accounts.browse")(function* (page, filter) {
          const volumeSince = volumeBegin(yield* Clock.currentTimeMillis)
          const q = filter.q === null ? null : foldCase(filter.q)
          return yield* store.browse(page, { ...filter, q, volumeSince })
        }),
        company: Effect.fn("Accounts.company")(function* (companyId) {
          const [company] = yield* store.findCompanies([companyId])
          return company ?? (yield* Problem.of("common.not_found"))
        }),
        get: Effect.fn("Accounts.get")(function* (accountId) {
          const [account] = yield* store.find([accountId])
          return account ?? (yield* Problem.of("common.not_found"))
        }),
        changeSettings: Effect.fn("Accounts.changeSettings")(function* (accountId, patch, actor, options) {
          const changes = yield* Effect.fromResult(parseSettings(patch))
          return yield* atomically(
            Effect.gen(function* () {
              const [account] = yield* store.lock([accountId])
              if (account === undefined) return yield* Problem.of("common.not_found")
              yield* expectUnedited(account)
              const settings: Settings = { ...account.settings, ...changes }
              if (deepEqual(settings, account.settings)) return account
              if (changes.delivery != null) yield* requireWays(account.companyId, changes.delivery)
              if (changes.pools !== undefined) yield* requirePools(changes.pools)
              const key = settings.timeZoneAttribute
              if (key !== null && key !== account.settings.timeZoneAttribute && options?.isArchive !== true)
                yield* requireTextField(accountId, key)
              const now = yield* Clock.currentTimeMillis
              const edited = editedBy(actor, now, account)
              yield* store.saveSettings(accountId, settings, edited)
              yield* record(actor, {
                accountId,
                action: "settings.changed",
                target: accountId,
                before: pick(account.settings, changes),
                after: pick(settings, changes)
              })
              // A higher limit may release emails that the lower limit held.
              const isLimit =
                changes.dailySendLimit !== undefined || changes.transactionalReservePercent !== undefined
              if (changes.defaultSender != null || isLimit) {
                const id = yield* ids.next
                yield* jobs.enqueue([
                  releaseJob.job({ id, accountId, payload: { kind: "release" }, runAt: now })
                ])
              }
              // Wakes the campaigns, which check rarely once the day's limit is used up.
              if (isLimit) yield* wakeSending(campaigns, jobs, ids, accountId, now)
              if (settings.conversionWindowDays !== account.settings.conversionWindowDays) {
                const [id, runAt] = [yield* ids.next, yield* Clock.currentTimeMillis]
                yield* jobs.enqueue([
                  allConversionsJob.job({ id, accountId, payload: { after: null }, runAt })
                ])
              }
              if (movesRetention(changes)) yield* wakeRetention(accountId)
              yield* decideAgain(account, settings)
              return { ...account, settings, ...edited }
            })
          )
        })
      })
    })
  )
}

/** A new company with its two accounts, not yet stored. */
export const newCompany = Effect.fnUntraced(function* (name: string) {
  const ids = yield* Ids
  const createdAt = yield* Clock.currentTimeMillis
  const [companyId, liveAccountId, sandboxAccountId] = (yield* ids.many(3)) as [string, string, string]
  const account = (id: string, mode: Mode): Account => ({
    id,
    companyId,
    mode,
    name,
    settings: defaultSettings,
    deletedAt: null,
    createdAt,
    updatedAt: createdAt,
    updatedBy: null
  })
  return {
    company: {
      id: companyId,
      name,
      liveAccountId,
      sandboxAccountId,
      ...defaultPolicy,
      createdAt
    } satisfies Company,
    accounts: [account(liveAccountId, "Live"), account(sandboxAccountId, "Sandbox")] as const
  }
})

/** The settings with the given keys, as JSON for the audit log. */
const pick = (settings: Settings, keys: object): Json =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key in keys))

/** Validates the name of a company. */
export const checkCompanyName = (given: string, issues: Issues): string => {
  const name = checkText(given, "name", maxName, issues)
  if (name === "") issues.add("validation.required", "name")
  return name
}

const parseName = (given: string): Result.Result<string, Problem> => {
  const issues = new Issues()
  return issues.result(checkCompanyName(given, issues))
}

const maxInt = 2_147_483_647

/** The ranges of the numeric settings. */
const ranges = {
  contactLimit: [0, maxInt],
  dailySendLimit: [0, maxInt],
  retentionDays: [1, 3650],
  recipientRetentionDays: [1, 3650],
  conversionWindowDays: [1, 90],
  rateLimitPerMinute: [1, 1_000_000],
  reviewFirst: [0, 10_000],
  requestLogDays: [0, 30],
  holdoutPercent: [0, 20],
  transactionalReservePercent: [0, 50]
} as const

const maxWays = 5

/** The entries of a setting `delivery`. The id is null for `Direct`, and empty for an invalid entry. */
const waysOf = (ways: DeliveryWays) =>
  (["transactional", "marketing"] as const).flatMap((name) =>
    (ways[name] ?? []).map((way, index) => ({
      field: `delivery.${name}[${index}]`,
      stream: name === "transactional" ? ("Transactional" as const) : ("Marketing" as const),
      relayId: way === "Direct" ? null : (/^relay:(.+)$/.exec(way)?.[1]?.toLowerCase() ?? "")
    }))
  )

const checkWays = (ways: DeliveryWays, issues: Issues): void => {
  for (const name of ["transactional", "marketing"] as const) {
    const given = ways[name]
    if (
      given !== null &&
      (given.length < 1 || given.length > maxWays || new Set(given).size < given.length)
    ) {
      issues.add("relays.unknown", `delivery.${name}`)
    }
  }
  for (const { field, relayId } of waysOf(ways)) {
    if (relayId !== null && !isUuid(relayId)) issues.add("relays.unknown", field)
  }
}
/** The most frequency caps of an account, and the ranges of their numbers. */
export const maxCaps = 3
export const capRanges = { emails: [1, maxCapEmails], days: [1, 31] } as const
/** The highest number of people up to which campaigns can be launched without approval. */
export const maxApprovalAbove = 100_000_000
/** Validates and normalizes settings; absent ones stay absent. */
const parseSettings = (patch: SettingsPatch): Result.Result<Partial<Settings>, Problem> => {
  const issues = new Issues()
  for (const [field, [min, max]] of Object.entries(ranges)) {
    const value = patch[field as keyof typeof ranges]
    if (value != null && !(Number.isInteger(value) && value >= min && value <= max)) {
      issues.add("validation.range", field, { min, max })
    }
  }
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as {
    -readonly [Key in keyof Settings]?: Settings[Key]
  }
  if (given.language !== undefined) {
    const language = parseLanguage(given.language)
    if (language === null) issues.add("validation.format", "language", null, { expected: formats.language })
    else given.language = language
  }
  if (given.delivery != null) checkWays(given.delivery, issues)
  checkMarketing(given, issues)
  if (given.testAddresses !== undefined) given.testAddresses = checkAddresses(given.testAddresses, issues)
  if (given.archive !== undefined) {
    const { description, enabled, title } = given.archive
    const text = (value: string | null, field: string, max: number) =>
      value === null ? null : checkText(value, `archive.${field}`, max, issues) || null
    given.archive = {
      enabled,
      title: text(title, "title", maxArchiveTitle),
      description: text(description, "description", maxArchiveText)
    }
  }
  const sender = given.defaultSender
  if (sender == null) return issues.result(given)
  const email = parseEmail(sender.email)
  if (email === null) issues.add("validation.email", "defaultSender.email")
  const name =
    sender.name === null ? null : checkText(sender.name, "defaultSender.name", maxName, issues) || null
  if (name !== null && !isDisplayName(name))
    issues.add("validation.format", "defaultSender.name", null, { expected: formats.displayName })
  return issues.result({ ...given, defaultSender: { email: email ?? "", name } })
}

/** The most characters of titles in an archive, and of the descriptions of the archive and of a campaign. */
export const maxArchiveTitle = 200
export const maxArchiveText = 500

/** The most entries in `testAddresses`. */
export const maxTestAddressList = 50

/** Normalizes addresses and removes duplicates. */
const checkAddresses = (given: ReadonlyArray<string>, issues: Issues): ReadonlyArray<string> => {
  if (given.length > maxTestAddressList) {
    issues.add(
      "validation.max_length",
      "testAddresses",
      { max: maxTestAddressList },
      { expected: "addresses" }
    )
    return []
  }
  const parsed = given.map((text, index) => {
    const email = parseEmail(text)
    if (email === null) issues.add("validation.email", `testAddresses[${index}]`)
    return email ?? ""
  })
  return [...new Set(parsed)]
}

/** Checks the settings of marketing email. */
const checkMarketing = (given: Partial<Settings>, issues: Issues): void => {
  const { campaignApproval, campaignLimits, marketingCaps, quietHours, timeZone } = given
  const format = (field: string, expected: string) =>
    issues.add("validation.format", field, null, { expected })
  if (timeZone !== undefined && !isTimeZone(timeZone)) format("timeZone", formats.timeZone)
  if (quietHours != null) {
    const { from, to } = quietHours
    for (const [name, value] of [
      ["from", from],
      ["to", to]
    ] as const) {
      if (parseTimeOfDay(value) === null) format(`quietHours.${name}`, formats.timeOfDay)
    }
    if (from === to) format("quietHours.to", "a time of day other than from")
  }
  if (marketingCaps !== undefined && marketingCaps.length > maxCaps) {
    issues.add("validation.max_length", "marketingCaps", { max: maxCaps }, { expected: "caps" })
  }
  for (const [index, cap] of (marketingCaps ?? []).entries()) {
    for (const name of ["emails", "days"] as const) {
      const [min, max] = capRanges[name]
      if (!Number.isInteger(cap[name]) || cap[name] < min || cap[name] > max) {
        issues.add("validation.range", `marketingCaps[${index}].${name}`, { min, max })
      }
    }
  }
  const above = campaignApproval?.above ?? 0
  if (!Number.isInteger(above) || above < 0 || above > maxApprovalAbove) {
    issues.add("validation.range", "campaignApproval.above", { min: 0, max: maxApprovalAbove })
  }
  for (const [name, value] of Object.entries(campaignLimits ?? {})) {
    if (value !== null && !(value >= 0 && value <= 100)) {
      issues.add("validation.range", `campaignLimits.${name}`, { min: 0, max: 100 })
    }
  }
}
