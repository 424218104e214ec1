/**
 * The operator's use cases on companies, accounts and their settings.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { Transaction } from "../ports/Transaction.ts"
import { releaseJob } from "../jobs/definitions/DomainJobs.ts"
import { makeRetentionWakeup, movesRetention } from "../jobs/definitions/RetentionJobs.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Json } from "../shared/Json.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { isDisplayName } from "../shared/Mailbox.ts"
import { type Issue, issue, Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText } from "../shared/Validate.ts"
import { type Account, type Company, defaultSettings, type Mode, type Settings } from "../model/Account.ts"
import { makeRecorder } from "./AuditTrail.ts"

/** The most characters of a company's or sender's name. */
const maxName = 100

/** Any of the settings; one left out keeps its value. */
export type SettingsPatch = { readonly [Key in keyof Settings]?: Settings[Key] | undefined }

/** The operator's use cases on companies, accounts and settings. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Makes a company with its live and its sandbox account. */
    readonly createCompany: (name: string, actor: string) => Effect.Effect<Company, Problem | Unavailable>
    /** Companies, newest first. */
    readonly companies: (page: PageRequest) => Effect.Effect<Page<Company>, Unavailable>
    /** An account; common.not_found. */
    readonly get: (accountId: string) => Effect.Effect<Account, Problem | Unavailable>
    /** Changes the settings given; answers them all. */
    readonly changeSettings: (
      accountId: string,
      patch: SettingsPatch,
      actor: string
    ) => Effect.Effect<Settings, Problem | Unavailable>
  }
>()("svc/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const transaction = yield* Transaction
      const jobs = yield* JobQueue
      const ids = yield* Ids
      const record = yield* makeRecorder
      const wakeRetention = yield* makeRetentionWakeup

      const get = Effect.fn("Accounts.get")(function* (accountId: string) {
        const [account] = yield* store.find([accountId])
        return account ?? (yield* Problem.of("common.not_found"))
      })

      const createCompany = Effect.fn("Accounts.createCompany")(function* (text: string, actor: string) {
        const issues: Array<Issue> = []
        const name = checkText(text, "name", maxName, issues)
        if (name === "") issues.push(issue("validation.required", "name"))
        const problem = Problem.from(issues)
        if (problem !== undefined) return yield* problem
        const { accounts, company } = yield* Effect.provideService(draftCompany(name), Ids, ids)
        yield* retryConflicts(
          transaction.run(
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
        )
        return company
      })

      const changeSettings = Effect.fn("Accounts.changeSettings")(function* (
        accountId: string,
        patch: SettingsPatch,
        actor: string
      ) {
        const checked = checkSettings(patch)
        if (checked instanceof Problem) return yield* checked
        return yield* retryConflicts(
          transaction.run(
            Effect.gen(function* () {
              const [account] = yield* store.lock([accountId])
              if (account === undefined) return yield* Problem.of("common.not_found")
              const settings: Settings = { ...account.settings, ...checked }
              if (isSameSettings(settings, account.settings)) return settings
              yield* store.saveSettings(accountId, settings)
              yield* record(actor, {
                accountId,
                action: "settings.changed",
                target: accountId,
                before: pick(account.settings, checked),
                after: pick(settings, checked)
              })
              // A raised cap can let go what it held.
              if (checked.defaultSender != null || checked.dailySendLimit !== undefined) {
                yield* jobs.enqueue([
                  releaseJob.job({
                    id: yield* ids.next,
                    accountId,
                    payload: { kind: "release" },
                    runAt: yield* Clock.currentTimeMillis
                  })
                ])
              }
              if (movesRetention(checked)) yield* wakeRetention(accountId)
              return settings
            })
          )
        )
      })

      return Accounts.of({ createCompany, companies: store.companies, get, changeSettings })
    })
  )
}

/** A new company and its accounts, not yet stored. */
export const draftCompany = Effect.fnUntraced(function* (name: string) {
  const ids = yield* Ids
  const createdAt = yield* Clock.currentTimeMillis
  const [companyId, liveAccountId, sandboxAccountId] = (yield* ids.many(3)) as [string, string, string]
  const account = (id: string, mode: Mode): Account => ({
    id,
    companyId,
    mode,
    name,
    settings: defaultSettings,
    createdAt
  })
  return {
    company: { id: companyId, name, liveAccountId, sandboxAccountId, createdAt } satisfies Company,
    accounts: [account(liveAccountId, "Live"), account(sandboxAccountId, "Sandbox")] as const
  }
})

const isSameSettings = (a: Settings, b: Settings): boolean =>
  (Object.keys(a) as Array<keyof Settings>).every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]))

/** The settings of those keys, as JSON for the audit log. */
const pick = (settings: Settings, keys: object): Json =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key in keys))

const maxInt = 2_147_483_647

/** The ranges of the numeric settings. */
const ranges = {
  contactLimit: [0, maxInt],
  dailySendLimit: [0, maxInt],
  retentionDays: [1, 3650],
  recipientRetentionDays: [1, 3650],
  rateLimitPerMinute: [1, 1_000_000]
} as const

/** Checks and normalizes settings; what is left out stays out. */
const checkSettings = (patch: SettingsPatch): Partial<Settings> | Problem => {
  const issues: Array<Issue> = []
  for (const [field, [min, max]] of Object.entries(ranges)) {
    const value = patch[field as keyof typeof ranges]
    if (value != null && !(Number.isInteger(value) && value >= min && value <= max)) {
      issues.push(issue("validation.range", field, { min, max }))
    }
  }
  const given = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined)
  ) as Partial<Settings>
  const sender = given.defaultSender
  if (sender == null) return Problem.from(issues) ?? given
  const email = parseEmail(sender.email)
  if (email === null) issues.push(issue("validation.email", "defaultSender.email"))
  const name =
    sender.name === null ? null : checkText(sender.name, "defaultSender.name", maxName, issues) || null
  if (name !== null && !isDisplayName(name)) issues.push(issue("validation.format", "defaultSender.name"))
  return Problem.from(issues) ?? { ...given, defaultSender: { email: email ?? "", name } }
}
