/**
 * Tests a live email through a relay, from the request to its arrival: signed with the keys that the domain has published, and
 * with the outcome of docs/contributing/decisions.md 5 for each rejection by the relay.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { byMailauth } from "../adapters/mail/verifiers.ts"
import { api } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"

const token = "management-token-of-the-test-0123456789"
const domain = "shop.example"

interface Domains {
  readonly items: ReadonlyArray<{
    readonly records: ReadonlyArray<{ readonly type: string; readonly name: string; readonly value: string }>
  }>
}

interface Submission {
  readonly id: string
  readonly status: string
  readonly reason: string | null
}

describe.each<Runtime>(["node", "bun"])("live mail on %s", (runtime) => {
  const servers = useServers()
  let sink: SmtpSink
  let dns: DnsServer

  beforeEach(async () => {
    sink = await startSmtpSink({ login: { user: "svc", pass: "p@ss" } })
    dns = await startDnsServer()
  })

  afterEach(async () => {
    await Promise.all([sink.stop(), dns.stop()])
  })

  it(
    "leaves signed, with the relay's login, and each rejection has its own outcome",
    { timeout: 240_000 },
    async () => {
      const server = servers.start(runtime, {
        SVC_STORE: "memory",
        SVC_ADMIN_TOKEN: token,
        SVC_SMTP_URL: `smtp://svc:p%40ss@127.0.0.1:${sink.port}`,
        SVC_DNS_SERVERS: dns.address
      })
      const { baseUrl } = await server.ready()
      const { accountId, apiKey } = await openLive(baseUrl, token, dns, domain)
      sink.answer("rcpt", (address) => {
        if (address.startsWith("gone@")) return "550 5.1.1 no such user"
        return address.startsWith("policy@") ? "550 5.7.1 not from you" : null
      })

      const send = async (to: string) => {
        const email = { to, subject: "Grüße", html: "<p>It works.</p>", text: "It works." }
        const sent = await api<Submission>(baseUrl, apiKey, "/api/v1/sending/emails", email)
        const read = async () =>
          (await api<Submission>(baseUrl, apiKey, `/api/v1/sending/emails/${sent.value.id}`)).value
        return eventually(
          read,
          ({ reason, status }) =>
            (status !== "Queued" && status !== "HandingOff") || reason?.endsWith("_held") === true
        )
      }
      expect(await send("grace@example.org")).toMatchObject({ status: "Sent", reason: null })
      expect(await send("gone@example.org")).toMatchObject({ status: "Bounced" })
      expect(await send("policy@example.org")).toMatchObject({
        status: "Queued",
        reason: expect.stringMatching(/^sending\.(provider|sender)_held$/)
      })

      const [message, ...others] = sink.messages()
      expect(others).toEqual([])
      expect(message).toMatchObject({ secure: true, user: "svc", rcptTo: ["grace@example.org"] })
      const { value } = await api<Domains>(baseUrl, token, `/manage/v1/accounts/${accountId}/domains`)
      const texts = value.items.flatMap(({ records }) => records.filter((record) => record.type === "TXT"))
      const published = Object.fromEntries(texts.map((record) => [record.name, record.value]))
      expect(await byMailauth(Buffer.from(message!.raw), published)).toEqual(["pass", "pass"])
      const log = server.out() + server.err()
      expect(log).not.toMatch(/p@ss|p%40ss|grace@example|gone@example/)
    }
  )
})
