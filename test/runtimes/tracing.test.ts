/**
 * Tests traces and metrics of a server process as a collector receives them: related spans are in one trace, and none contains
 * content. A slow or unreachable collector does not affect the service.
 *
 * @module
 */
import { randomUUID } from "node:crypto"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "../support/otlpCollector.ts"
import { execute, freshDatabase } from "../support/postgres.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { loggedIn } from "../support/smtpClient.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"

const adminToken = "management-token-of-the-test-0123456789"
const databasePassword = "database-password-of-the-test"
const secretKey = "a secret key of at least 32 characters"
const domain = "shop.example"
const traceId = "0af7651916cd43dd8448eb211c80319c"
const parentId = "b7ad6b7169203331"

/** OTLP's numbers for kinds of spans. */
const kinds = { server: 2, client: 3, consumer: 5 }
const errorCode = 2

/** What no span may contain: recipients and content of emails, and callers' addresses. */
const people = {
  email: "grace.hopper@people.example",
  name: "Grace Hopper",
  subject: "A subject of this test",
  html: "<p>Words of this test</p>",
  relayed: "lin.relayed@people.example",
  contact: "ada.contact@people.example",
  surname: "Lovelace-of-this-test",
  tag: "tag-of-this-test",
  header: "header-of-this-test",
  agent: "agent-of-this-test/1.0",
  unknown: "path-of-this-test@people.example"
}

/** A database whose user has a unique password. */
const databaseWithPassword = async (): Promise<string> => {
  const url = new URL(await freshDatabase())
  url.username = `tracing_${randomUUID().slice(0, 8)}`
  const server = await freshDatabase()
  await execute(server, `create role ${url.username} login superuser password '${databasePassword}'`)
  url.password = databasePassword
  return url.href
}

describe.each<Runtime>(["node", "bun"])("traces of a server on %s", (runtime) => {
  const servers = useServers()
  let collector: OtlpCollector
  let sink: SmtpSink
  let dns: DnsServer
  let receiver: Receiver

  beforeEach(async () => {
    collector = await startOtlpCollector()
    sink = await startSmtpSink({ login: { user: "svc", pass: "relay-password" } })
    dns = await startDnsServer()
    receiver = await startReceiver()
  })

  afterEach(async () => {
    await Promise.all([collector.stop(), sink.stop(), dns.stop(), receiver.stop()])
  })

  const childrenOf = (parent: CollectedSpan) => (span: CollectedSpan) =>
    span.traceId === parent.traceId && span.parentSpanId === parent.spanId

  /** Whether a span is a descendant of another in its trace. */
  const isBelow = (ancestor: CollectedSpan) => (span: CollectedSpan) => {
    const spans = new Map(collector.spans().map((one) => [one.spanId, one]))
    let current: CollectedSpan | undefined = span
    while (current !== undefined && current.spanId !== ancestor.spanId) {
      current = current.parentSpanId === undefined ? undefined : spans.get(current.parentSpanId)
    }
    return current !== undefined && span !== ancestor
  }

  const isSql = (span: CollectedSpan) =>
    span.kind === kinds.client && typeof span.attributes["db.query.text"] === "string"

  it("follow an email from the request or the login to its arrival", { timeout: 180_000 }, async () => {
    const postgres = await databaseWithPassword()
    const server = servers.start(runtime, {
      SVC_STORE: postgres,
      SVC_ADMIN_TOKEN: adminToken,
      SVC_SECRET_KEY: secretKey,
      SVC_SMTP_URL: `smtp://svc:relay-password@127.0.0.1:${sink.port}`,
      SVC_DNS_SERVERS: dns.address,
      SVC_SMTP_PORTS: "0",
      SVC_WEBHOOK_ALLOW_PRIVATE: "true",
      SVC_OTLP_URL: `${collector.url}/`
    })
    const ready = await server.ready()
    const { baseUrl } = ready
    const { accountId, apiKey } = await openLive(baseUrl, adminToken, dns, domain)
    const webhook = await api<{ id: string; secret: string }>(
      baseUrl,
      adminToken,
      `/manage/v1/accounts/${accountId}/webhooks`,
      { url: `${receiver.url}/hook-of-this-test`, events: [] }
    )

    const response = await fetch(`${baseUrl}/api/v1/sending/emails?note=query-of-this-test`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": people.header,
        "user-agent": people.agent,
        traceparent: `00-${traceId}-${parentId}-01`
      },
      body: JSON.stringify({
        to: `${people.name} <${people.email}>`,
        subject: people.subject,
        html: people.html,
        tags: { campaign: people.tag }
      })
    })
    expect(await response.json()).toMatchObject({ isSuccess: true })
    expect(response.status).toBe(201)

    // The request continues the caller's trace, and so does all work that it causes.
    const request = await collector.span(({ name }) => name === "POST /api/v1/sending/emails")
    expect(request).toMatchObject({
      traceId,
      parentSpanId: parentId,
      kind: kinds.server,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/api/v1/sending/emails",
        "http.response.status_code": 201
      },
      resource: {
        "service.name": "svc",
        "service.version": expect.stringMatching(/^\d+\.\d+\.\d+/),
        "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "process.runtime.name": runtime === "bun" ? "bun" : "nodejs"
      }
    })
    expect(request.status.code).not.toBe(errorCode)
    const insertion = await collector.span((span) => isSql(span) && isBelow(request)(span))
    expect(insertion.attributes["db.system.name"]).toBe("postgresql")

    const job = await collector.span(
      (span) => span.name === "process deliveries job" && childrenOf(request)(span)
    )
    expect(job).toMatchObject({ kind: kinds.consumer, attributes: { "messaging.batch.message_count": 1 } })
    const launch = await collector.span(({ spanId }) => spanId === job.links[0]?.spanId)
    const batch = await collector.span(
      (span) => span.name === "process deliveries" && span.traceId === launch.traceId
    )
    expect(batch.kind).toBe(kinds.consumer)
    expect(batch.links.map((link) => link.traceId)).toContain(traceId)
    await collector.span((span) => isSql(span) && isBelow(batch)(span))

    const sent = await collector.span((span) => span.name === "smtp.send" && childrenOf(job)(span))
    expect(sent).toMatchObject({ kind: kinds.client, attributes: { "svc.outcome": "Sent" } })
    const hook = await collector.span((span) => span.name === "webhook POST" && span.traceId === traceId)
    expect(hook).toMatchObject({
      kind: kinds.client,
      attributes: { "http.response.status_code": 204, "svc.webhook.id": webhook.value.id }
    })
    // Internal trace ids are not sent to receivers.
    const [notified] = await receiver.awaited("/hook-of-this-test", 1)
    expect(notified!.headers).not.toHaveProperty("traceparent")

    // The session, login and message of a mail program.
    const client = await loggedIn(ready.smtp[0]!, apiKey)
    const answer = await client.send(
      [people.relayed],
      `From: hello@${domain}\r\nTo: ${people.relayed}\r\nSubject: ${people.subject}\r\n\r\nIt works.\r\n`
    )
    expect(answer).toMatch(/^250/)
    client.close()
    const session = await collector.span(({ name }) => name === "smtp.session")
    expect(session.kind).toBe(kinds.server)
    for (const name of ["smtp.login", "smtp.mail", "smtp.message"]) {
      await collector.span((span) => span.name === name && childrenOf(session)(span))
    }
    const message = await collector.span(({ name }) => name === "smtp.message")
    expect(message.attributes["smtp.response.status_code"]).toBe(250)
    await collector.span((span) => span.name === "smtp.send" && span.traceId === session.traceId)

    // Rejected requests, and paths without a route.
    const contact = { email: people.contact, lastName: people.surname }
    expect((await api(baseUrl, ready.sandbox!.apiKey, "/api/v1/contacts", contact)).status).toBe(201)
    const wrong = `svc_live_${randomUUID()}`
    expect((await api(baseUrl, wrong, "/api/v1/contacts", contact)).status).toBe(401)
    expect((await api(baseUrl, wrong, `/${people.unknown}`)).status).toBe(404)
    await collector.span((span) => span.attributes["http.response.status_code"] === 401)
    const unknown = await collector.span((span) => span.attributes["http.response.status_code"] === 404)
    expect(unknown.name).toBe("GET")
    sink.answer("rcpt", () => "550 5.1.1 refusal-of-this-test")
    const bounced = { to: people.email, subject: people.subject, html: people.html }
    await api(baseUrl, apiKey, "/api/v1/sending/emails", bounced)
    const refused = await collector.span((span) => span.attributes["svc.outcome"] === "Bounced")
    expect(refused.status.code).toBe(errorCode)

    const metrics = await eventually(
      () => Promise.resolve(collector.metrics()),
      (names) => names.has("svc_smtp_attempts_total") && names.has("svc_jobs_pending")
    )
    expect([...metrics]).toEqual(expect.arrayContaining(["svc_smtp_attempts_total", "svc_jobs_pending"]))

    await servers.stop(server)
    const everything = collector.everything()
    const secrets = [
      adminToken,
      secretKey,
      "relay-password",
      apiKey,
      ready.sandbox!.apiKey,
      wrong,
      webhook.value.secret,
      databasePassword,
      "hook-of-this-test",
      "query-of-this-test",
      "refusal-of-this-test",
      `hello@${domain}`,
      "Words of this test",
      ...Object.values(people)
    ]
    expect(secrets.filter((secret) => everything.includes(secret))).toEqual([])
    for (const { name } of collector.spans()) expect(name).not.toContain("@")
    // Each trace is complete: a span's parent was sent too, or is the caller's.
    const known = new Set([...collector.spans().map(({ spanId }) => spanId), parentId])
    const orphans = collector
      .spans()
      .filter(({ parentSpanId }) => parentSpanId !== undefined && !known.has(parentSpanId))
    expect(orphans.map(({ name }) => name)).toEqual([])
  })

  it(
    "do not disturb the service when the collector is unreachable, hangs or rejects",
    { timeout: 180_000 },
    async () => {
      const gone = await startOtlpCollector()
      await gone.stop()
      const rejecting = await startOtlpCollector()
      rejecting.answer(503)
      collector.answer("hang")
      // Concurrently, because each collector is only given up after a while.
      const testWith = async ({ url }: OtlpCollector) => {
        const server = servers.start(runtime, {
          SVC_STORE: "memory",
          SVC_ADMIN_TOKEN: adminToken,
          SVC_OTLP_URL: url
        })
        const { baseUrl, sandbox } = await server.ready()
        const email = { to: "ada@example.org", subject: "Hello", html: "<p>It works.</p>" }
        for (let round = 0; round < 40; round++) {
          const started = performance.now()
          const { status } = await api(baseUrl, sandbox!.apiKey, "/api/v1/sending/emails", email)
          expect(status).toBe(201)
          expect(performance.now() - started).toBeLessThan(2_000)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        await eventually(
          () => Promise.resolve(server.out() + server.err()),
          (log) => log.includes("SVC_OTLP_URL")
        )
        expect(server.out() + server.err()).toContain(
          "The collector of SVC_OTLP_URL is unreachable or rejects telemetry"
        )
        const dropped = /^svc_telemetry_dropped_total [1-9]/m
        const metrics = async () => {
          const response = await fetch(`${baseUrl}/metrics`, {
            headers: { authorization: `Bearer ${adminToken}` }
          })
          return response.text()
        }
        expect(await eventually(metrics, (text) => dropped.test(text))).toMatch(dropped)
        await servers.stop(server)
      }
      await Promise.all([gone, collector, rejecting].map(testWith)).finally(() => rejecting.stop())
    }
  )
})
