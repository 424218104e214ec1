/**
 * Names the accounts whose work is most overdue, as lines of Prometheus's text format. They are not metrics of the registry,
 * because the registry keeps every label and the overdue accounts change with time.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"

/** The maximum number of accounts named. */
const maxAccounts = 10

const lateMetric = "svc_account_overdue_seconds"

/** An effect that returns the lines. */
export const lateAccounts = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const accounts = yield* AccountStore
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const waiting = yield* jobs.waiting(now, maxAccounts)
    const latest = waiting.toSorted((a, b) => a.dueAt - b.dueAt).slice(0, maxAccounts)
    const found = yield* accounts.find([...new Set(latest.map(({ accountId }) => accountId))])
    const byId = new Map(found.map((account) => [account.id, account]))
    const lines = latest.flatMap(({ accountId, dueAt, queue }) => {
      const account = byId.get(accountId)
      if (account === undefined) return []
      const labels = { account: accountId, name: account.name, mode: account.mode, queue }
      return [`${lateMetric}{${labelsOf(labels)}} ${Math.max(0, now - dueAt) / 1000}`]
    })
    const help = `# HELP ${lateMetric} How long the oldest due job of an account has waited, of the ten longest`
    return [help, `# TYPE ${lateMetric} gauge`, ...lines, ""].join("\n")
  })
})

/** Labels in the text format. */
const labelsOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}="${value.replace(/[\\"\n]/g, escapeOf)}"`)
    .join(",")

const escapeOf = (character: string): string => (character === "\n" ? String.raw`\n` : `\\${character}`)
