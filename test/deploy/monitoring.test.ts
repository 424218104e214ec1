/**
 * Tests monitoring: Prometheus's configuration and alerts, and the dashboard. Each expression must parse by Prometheus's grammar,
 * and use metrics and labels of a real response of GET /metrics.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parser } from "@prometheus-io/lezer-promql"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { api } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { freshDatabase } from "../support/postgres.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { useServers } from "../support/servers.ts"
import { loggedIn } from "../support/smtpClient.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"
import { fileOf, missing, outputOf, root } from "./kit.ts"

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly type: string
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
  readonly templating: {
    readonly list: ReadonlyArray<{ readonly query: string | { readonly query: string } }>
  }
}

interface Alerts {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{
      readonly alert: string
      readonly expr: string
      readonly annotations: { readonly runbook: string; readonly summary: string }
    }>
  }>
}

const dashboard = JSON.parse(fileOf("deploy/grafana/svc-dashboard.json")) as Dashboard
const alerts = parse(fileOf("deploy/prometheus/alerts.yml")) as Alerts

/** Replaces Grafana's variables by values. */
const filledIn = (expression: string): string => expression.replaceAll("$__rate_interval", "1m")

const expressions: ReadonlyArray<string> = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => filledIn(expr))),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
]

/** Labels of accounts that are late; there are none in the test. */
const accountLabels = ["account", "name", "mode"]

/** Labels that Prometheus adds. */
const scraped: ReadonlyArray<string> = ["job", "instance"]

/** The metrics of an expression with the labels by which it selects, and the labels by which it groups. */
const asked = (expression: string) => {
  const metrics: Array<{ readonly name: string; readonly labels: ReadonlyArray<string> }> = []
  const grouped: Array<string> = []
  let labels: Array<string> = []
  parser.parse(expression).iterate({
    enter: ({ from, name, to, type }) => {
      const text = expression.slice(from, to)
      if (type.isError) throw new Error(`${expression} does not parse at ${from}`)
      if (name === "VectorSelector") {
        labels = []
        metrics.push({ name: /^[\w:]+/.exec(text)?.[0] ?? "", labels })
      }
      if (name === "UnquotedLabelMatcher") labels.push(/^\w+/.exec(text)![0])
      if (name === "GroupingLabels") grouped.push(...(text.match(/\w+/g) ?? []))
    }
  })
  return { metrics, grouped }
}

/** The names of a response's metrics, and the labels of each. */
const shown = (text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const metrics = new Map<string, Set<string>>()
  for (const line of text.split("\n")) {
    // A metric without a current value is still declared by its type.
    const [, typed] = /^# TYPE ([\w:]+) /.exec(line) ?? []
    if (typed !== undefined) metrics.set(typed, metrics.get(typed) ?? new Set())
    const [, name, labels = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined) continue
    const known = metrics.get(name) ?? new Set()
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label!)
    metrics.set(name, known)
  }
  return metrics
}

const token = "management-token-of-the-test-0123456789"

describe("metrics", () => {
  const servers = useServers()
  let sink: SmtpSink
  let dns: DnsServer
  let receiver: Receiver
  beforeEach(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer()
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await Promise.all([sink.stop(), dns.stop(), receiver.stop()])
  })

  it("exist for everything monitored, without personal data", { timeout: 180_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-backup-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const backup = join(folder, "made")
    await writeFile(backup, "")
    const server = servers.start("node", {
      SVC_STORE: await freshDatabase(),
      SVC_ADMIN_TOKEN: token,
      SVC_SMTP_URL: sink.url,
      SVC_DNS_SERVERS: dns.address,
      SVC_SMTP_PORTS: "0",
      SVC_BACKUP_FILE: backup,
      SVC_WEBHOOK_ALLOW_PRIVATE: "true"
    })
    const { baseUrl, smtp } = await server.ready()
    const { accountId, apiKey } = await openLive(baseUrl, token, dns, "shop.example")
    const webhook = { url: `${receiver.url}/hook`, events: [] }
    await api(baseUrl, token, `/manage/v1/accounts/${accountId}/webhooks`, webhook)
    await api(baseUrl, token, "/manage/v1/sources", { address: "192.0.2.7" })
    const email = { to: "ada@example.org", subject: "Hello", html: "<p>It works.</p>" }
    for (let count = 0; count < 3; count++) {
      expect((await api(baseUrl, apiKey, "/api/v1/sending/emails", email)).status).toBe(201)
    }
    const client = await loggedIn(smtp[0]!, apiKey)
    const message = "From: hello@shop.example\r\nTo: ada@example.org\r\nSubject: Hello\r\n\r\nIt works.\r\n"
    expect(await client.send(["ada@example.org"], message)).toMatch(/^250/)
    const relay = await api<{ readonly id: string }>(baseUrl, token, "/manage/v1/relays", {
      name: "Relay",
      kind: "Postmark",
      url: sink.url,
      feedback: { username: "reports", password: "words" }
    })
    const reported = await fetch(`${baseUrl}/ingest/v1/relays/${relay.value.id}/feedback`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("reports:words")}`, "content-type": "application/json" },
      body: JSON.stringify({ RecordType: "Inbound" })
    })
    expect(reported.status).toBe(200)
    await fetch(`${baseUrl}/nowhere`, { method: "PROPFIND" })
    const read = async () => {
      const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })
      expect(answer.status).toBe(200)
      return answer.text()
    }
    const text = await eventually(
      read,
      (seen) => /svc_webhook_attempts_total\{answer="2xx"\} 4/.test(seen) && seen.includes('"Sent"} 4')
    )

    const counts = (line: string) => expect(text.split("\n")).toContain(line)
    counts('svc_http_requests_total{method="POST",route="/api/v1/sending/emails",status="201"} 3')
    counts('svc_http_requests_total{method="_OTHER",route="unknown",status="404"} 1')
    counts('svc_http_request_duration_seconds_count{route="/api/v1/sending/emails"} 3')
    counts("svc_emails_accepted_total 4")
    counts('svc_deliveries_total{status="Sent"} 4')
    counts('svc_smtp_attempts_total{outcome="Sent"} 4')
    counts("svc_smtp_attempt_duration_seconds_count 4")
    counts('svc_webhook_attempts_total{answer="2xx"} 4')
    counts('svc_relay_reports_total{kind="Postmark",result="Ignored"} 1')
    counts("svc_relay_connections 1")
    counts('svc_relay_steps_total{step="message",class="2xx"} 1')
    counts('svc_jobs_buried{queue="deliveries"} 0')
    counts('svc_jobs_overdue_seconds{queue="deliveries"} 0')
    const valueOf = (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1])
    expect(valueOf("process_resident_memory_bytes")).toBeGreaterThan(30_000_000)
    expect(valueOf("process_cpu_seconds_total")).toBeGreaterThan(0.1)
    expect(Math.abs(Date.now() / 1000 - valueOf("process_start_time_seconds"))).toBeLessThan(120)
    expect(valueOf("svc_store_ping_seconds")).toBeLessThan(1)
    expect(valueOf("svc_store_size_bytes")).toBeGreaterThan(1_000_000)
    expect(valueOf("svc_heap_used_bytes")).toBeGreaterThan(5_000_000)
    expect(valueOf("svc_heap_limit_bytes")).toBeGreaterThan(valueOf("svc_heap_used_bytes"))
    expect(valueOf('svc_event_loop_delay_seconds\\{quantile="0.99"\\}')).toBeGreaterThanOrEqual(0)
    expect(Math.abs(Date.now() / 1000 - valueOf("svc_last_backup_timestamp_seconds"))).toBeLessThan(120)
    expect(valueOf("svc_certificate_expiry_timestamp_seconds")).toBeGreaterThan(Date.now() / 1000 + 86_400)
    counts('svc_domains{status="Failing"} 0')
    counts('svc_webhooks{status="Stopped"} 0')
    counts('svc_relays{state="Failing"} 0')
    counts('svc_webhooks{status="Active"} 1')
    client.close()
    await expect
      .poll(async () => /^svc_relay_connections 0$/m.test(await read()), { timeout: 30_000 })
      .toBe(true)

    for (const word of [accountId, apiKey, token, "ada@", "shop.example", "127.0.0.1"]) {
      expect(text).not.toContain(word)
    }

    // The dashboard and the alerts use nothing else.
    const metrics = shown(text)
    const labels = new Set([...accountLabels, ...[...metrics.values()].flatMap((names) => [...names])])
    expect(expressions.length).toBeGreaterThan(30)
    const absent = expressions.flatMap((expression) => {
      const { grouped, metrics: named } = asked(expression)
      const known = named.filter(({ name }) => name !== "up")
      return [
        ...known.filter(({ name }) => !metrics.has(name)).map(({ name }) => name),
        ...known.flatMap(({ labels: picked, name }) =>
          picked.filter((label) => !scraped.includes(label) && metrics.get(name)?.has(label) !== true)
        ),
        ...grouped.filter((label) => !scraped.includes(label) && !labels.has(label))
      ].map((what) => [what, expression])
    })
    expect(absent).toEqual([])
    for (const { query } of dashboard.templating.list) {
      const [, metric] = /label_values\((\w+)/.exec(typeof query === "string" ? query : query.query) ?? []
      if (metric !== undefined) expect(metrics.has(metric)).toBe(true)
    }
  })

  it("that do not exist are found in expressions", () => {
    expect(asked('sum by (queue) (rate(svc_made_up{queue="x"}[5m])) / up')).toEqual({
      metrics: [
        { name: "svc_made_up", labels: ["queue"] },
        { name: "up", labels: [] }
      ],
      grouped: ["queue"]
    })
    expect(() => asked("sum(rate(")).toThrow("does not parse")
  })
})

describe("deploy/prometheus", () => {
  const promtool = missing("promtool", "--version")
  const check = (...args: ReadonlyArray<string>) =>
    outputOf("promtool", ["check", ...args], join(root, "deploy/prometheus"))

  it.skipIf(promtool !== null)(`is valid${promtool === null ? "" : ` (${promtool})`}`, () => {
    expect(check("rules", "alerts.yml")).toContain("SUCCESS")
    expect(check("config", "--syntax-only", "prometheus.yml")).toContain("SUCCESS")
  })

  it("has a section of the runbook for each alert, with its meaning and what to do, and no other", () => {
    const runbook = fileOf("deploy/RUNBOOK.md")
    const sections = new Map(
      runbook
        .split(/^## /m)
        .slice(1)
        .map((section) => [section.slice(0, section.indexOf("\n")), section] as const)
    )
    const rules = alerts.groups.flatMap((group) => group.rules)
    expect([...sections.keys()].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`deploy/RUNBOOK.md#${alert.toLowerCase()}`)
      for (const part of ["Meaning", "Look at", "Do"]) {
        expect(sections.get(alert)).toMatch(new RegExp(`^- \\*\\*${part}:\\*\\* \\S`, "m"))
      }
    }
  })

  it("scrapes the service of the compose file, with the token of its secret, and reads the alerts", () => {
    const config = parse(fileOf("deploy/prometheus/prometheus.yml")) as {
      readonly rule_files: ReadonlyArray<string>
      readonly scrape_configs: ReadonlyArray<{
        readonly job_name: string
        readonly authorization: { readonly credentials_file: string }
        readonly static_configs: ReadonlyArray<{ readonly targets: ReadonlyArray<string> }>
      }>
    }
    const [scrape] = config.scrape_configs
    expect(scrape!.static_configs[0]!.targets).toEqual(["svc:3000"])
    const { secrets, services } = parse(fileOf("deploy/compose.yaml")) as {
      readonly secrets: object
      readonly services: object
    }
    expect(Object.keys(services)).toContain("svc")
    expect(Object.keys(secrets).map((name) => `/run/secrets/${name}`)).toContain(
      scrape!.authorization.credentials_file
    )
    for (const file of config.rule_files) expect(existsSync(join(root, "deploy/prometheus", file))).toBe(true)
    for (const { expr } of alerts.groups.flatMap(({ rules }) => rules)) {
      for (const [, job] of expr.matchAll(/job="(\w+)"/g)) expect(job).toBe(scrape!.job_name)
    }
  })
})
