/**
 * Tests of the alerts at their thresholds, and that each has a rule and a section in the runbook.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type AlertFacts, alertsOf } from "../../../core/operation/AlertRules.ts"

const now = Date.UTC(2031, 0, 1)
const day = 86_400_000
const node = {
  id: "n",
  host: "h",
  version: "1",
  runtime: "node",
  roles: [],
  startedAt: now,
  addresses: [],
  seenAt: now,
  eventLoopDelayMs: 250,
  memoryBytes: 1,
  heapUsedBytes: 85,
  heapLimitBytes: 100
}
/** Facts exactly at the thresholds, at which no alert fires. */
const calm: AlertFacts = {
  now,
  depths: [{ queue: "events", pending: 1, buried: 0, nextRunAt: now - 300_000 }],
  waiting: [{ queue: "events", accountId: "a", dueAt: now - 900_000 }],
  nodes: [node],
  pingMs: 250,
  backup: { at: now - 1.5 * day },
  certificates: [{ validTo: now + 14 * day }],
  failingDomains: 0,
  partitions: [{ until: now + 50 * day }],
  suspensions: [{ lane: "google", since: now - 1_800_000 }],
  held: [{ lane: "google@192.0.2.1", count: 1_000, since: now - 14_400_000 }],
  heldAccounts: 0
}
const firing = (facts: Partial<AlertFacts>) =>
  alertsOf({ ...calm, ...facts }).flatMap(({ name, state }) => (state === "Firing" ? [name] : []))

describe("alertsOf", () => {
  it("holds nothing at the thresholds, and each alert beyond its own", () => {
    expect(firing({})).toEqual([])
    for (const [name, facts] of [
      ["SvcJobsOverdue", { depths: [{ ...calm.depths[0]!, nextRunAt: now - 300_001 }] }],
      ["SvcJobsBuried", { depths: [{ ...calm.depths[0]!, buried: 1 }] }],
      ["SvcAccountOverdue", { waiting: [{ ...calm.waiting[0]!, dueAt: now - 900_001 }] }],
      ["SvcStoreSlow", { pingMs: 251 }],
      ["SvcEventLoopBlocked", { nodes: [{ ...node, eventLoopDelayMs: 251 }] }],
      ["SvcHeapNearLimit", { nodes: [{ ...node, heapUsedBytes: 86 }] }],
      ["SvcBackupOld", { backup: { at: now - 1.5 * day - 1 } }],
      ["SvcBackupOld", { backup: { at: null } }],
      ["SvcCertificateExpires", { certificates: [{ validTo: now + 14 * day - 1 }] }],
      ["SvcDomainsFail", { failingDomains: 1 }],
      ["SvcPartitionsMissing", { partitions: [{ until: now + 50 * day - 1 }] }],
      ["SvcProviderSuspended", { suspensions: [{ lane: "google", since: now - 1_800_001 }] }],
      ["SvcMailHeld", { held: [...calm.held, { lane: "google", count: 1, since: null }] }],
      ["SvcMailHeld", { held: [{ lane: "google", count: 1, since: now - 14_400_001 }] }],
      ["SvcMarketingHeld", { heldAccounts: 1 }]
    ] as const) {
      expect([name, firing(facts)]).toEqual([name, [name]])
    }
    const many = { ...calm, held: [{ lane: "google", count: 10_001, since: null }] }
    expect(alertsOf(many).find(({ name }) => name === "SvcMailHeld")!.summary).toContain(
      "More than 10000 emails to google are held"
    )
  })

  it("does not know of what is not watched, and leaves out nodes that are gone", () => {
    const unknown = alertsOf({ ...calm, backup: null, certificates: [], partitions: [] })
    expect(unknown.flatMap(({ name, state }) => (state === "Unknown" ? [name] : []))).toEqual([
      "SvcBackupOld",
      "SvcCertificateExpires",
      "SvcPartitionsMissing"
    ])
    expect(firing({ nodes: [{ ...node, seenAt: now - 60_001, eventLoopDelayMs: 9_999 }] })).toEqual([])
  })

  it("names rules of Prometheus and sections of the runbook", () => {
    const deploy = join(import.meta.dirname, "../../../deploy")
    const rules = readFileSync(join(deploy, "prometheus/alerts.yml"), "utf8")
    const runbook = readFileSync(join(deploy, "RUNBOOK.md"), "utf8").toLowerCase()
    for (const alert of alertsOf(calm)) {
      expect(rules).toContain(`alert: ${alert.name}\n`)
      expect(rules).toContain(`runbook: ${alert.runbook}\n`)
      expect(runbook).toContain(`## ${alert.name.toLowerCase()}`)
    }
  })
})
