/**
 * Tests the logs: starts, stops, changes and lockouts at the level info, rejected calls and delivery attempts at debug, with
 * hashes instead of addresses.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { runCli } from "../support/cli.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { freshFolder, type Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { openSmtp, plainToken } from "../support/smtpClient.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"

const token = "management-token-of-the-test-0123456789"
/** The number of failed logins that lock a network out (docs/limits.md). */
const failuresToLock = 10
/** The address from which the failed logins come. */
const attacker = "127.0.0.7"

const { start, stop } = useServers()

let dns: DnsServer
let sink: SmtpSink
beforeEach(async () => {
  dns = await startDnsServer()
  sink = await startSmtpSink()
})
afterEach(() => Promise.all([dns.stop(), sink.stop()]))

describe.each<Runtime>(["node", "bun"])("the logs of %s", { timeout: 120_000 }, (runtime) => {
  it("tell what happened, and find an address by its hash", async () => {
    const server = start(runtime, {
      SVC_STORE: "memory",
      SVC_ADMIN_TOKEN: token,
      SVC_SMTP_URL: sink.url,
      SVC_DNS_SERVERS: dns.address,
      SVC_SMTP_PORTS: "0",
      SVC_LOG_LEVEL: "debug",
      SVC_SMTP_URI: "not-shown"
    })
    const { baseUrl, smtp } = await server.ready()
    const lines = () => `${server.out()}\n${server.err()}`.split("\n")
    const linesWith = (...words: ReadonlyArray<string>) =>
      lines().filter((line) => words.every((word) => line.includes(word)))
    const logged = async (...words: ReadonlyArray<string>) => {
      await expect.poll(() => linesWith(...words).length, { timeout: 30_000 }).toBe(1)
    }
    await logged("level=INFO", "started", `runtime=${runtime}`, "roles=api,smtp,worker")

    await logged("level=WARN", "SVC_SMTP_URI is no variable of the service; did you mean SVC_SMTP_URL?")
    expect(linesWith("not-shown")).toEqual([])

    const { accountId, apiKey } = await openLive(baseUrl, token, dns, "shop.example")
    await logged("level=INFO", "domain.verified", `account=${accountId}`)
    const email = { to: "Ada@Example.org", subject: "Hello", html: "<p>It works.</p>" }
    expect((await api(baseUrl, apiKey, "/api/v1/sending/emails", email)).status).toBe(201)
    const folder = await freshFolder()
    const hashOf = async (text: string) => {
      const env = { SVC_BASE_URL: baseUrl, SVC_ADMIN_TOKEN: token }
      const { code, out } = await runCli(runtime, folder.path, ["logs", "hash", text], env)
      expect(code).toBe(0)
      return out.trim()
    }
    const recipient = await hashOf("ada@example.org ")
    expect(recipient).toMatch(/^[0-9a-f]{12}$/)
    await logged("level=DEBUG", "delivery attempt", `recipient=${recipient}`, "outcome=Sent")

    expect((await api(baseUrl, apiKey, "/api/v1/sending/emails", { to: "nobody" })).status).toBe(400)
    await logged(
      "level=DEBUG",
      "call refused",
      "route=/api/v1/sending/emails",
      "status=400",
      "code=validation.email"
    )

    const misspelt = { ...email, to: "ann@example.org", htlm: "", "bob@example.org": true }
    expect((await api(baseUrl, apiKey, "/api/v1/sending/emails", misspelt)).status).toBe(201)
    await logged("level=DEBUG", "call warned", "route=/api/v1/sending/emails", "status=201", "htlm", "?")
    expect(linesWith("bob@")).toEqual([])

    for (let failures = 0; failures < failuresToLock; failures++) {
      const client = await openSmtp(smtp[0]!, { from: attacker })
      await client.read()
      await client.say("EHLO client.example")
      await client.say("STARTTLS")
      await client.encrypt()
      await client.say("EHLO client.example")
      expect(await client.say(`AUTH PLAIN ${plainToken("svc_live_wrong")}`)).toMatch(/^535/)
      client.close()
    }
    await logged("level=INFO", "network locked out", `network=${await hashOf(attacker)}`)

    await stop(server)
    expect(linesWith("level=INFO", "stopping")).toHaveLength(1)
    expect(linesWith("level=INFO", "stopped")).toHaveLength(1)
    for (const secret of ["ada@", "Ada@", attacker, apiKey, token]) {
      expect(lines().filter((line) => line.includes("level=") && line.includes(secret))).toEqual([])
    }
    await folder.remove()
  })
})
