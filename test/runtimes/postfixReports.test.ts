/**
 * Tests bounces by a Postfix that relayed the mail: its report about each recipient arrives at the inbound port.
 *
 * @module
 */
import { createTransport } from "nodemailer"
import { describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { startPostfix, withoutPostfix } from "../support/postfix.ts"
import { useServers } from "../support/servers.ts"
import type { EmailAccepted, EmailSubmission } from "../support/shapes.ts"
import { startSmtpSink } from "../support/smtpSink.ts"

if (withoutPostfix !== null) process.stderr.write(`Skipped: ${withoutPostfix}\n`)

/** The reply of the recipients' server to each address, and the resulting status of the email. */
const recipients: Readonly<
  Record<string, readonly [answer: string | null, status: string, reason: string | null]>
> = {
  "gone@elsewhere.test": ["550 5.1.1 no such user", "Bounced", null],
  "bare@elsewhere.test": ["550 unknown", "Bounced", null],
  "moved@elsewhere.test": ["551 5.1.6 moved away", "Bounced", null],
  "blocked@elsewhere.test": ["554 5.7.1 blocked by policy", "Failed", "sending.refused"],
  "listed@elsewhere.test": ["550 you are in our RBL", "Failed", "sending.refused"],
  "full@elsewhere.test": ["552 5.2.2 mailbox full", "Failed", "sending.mailbox_full"],
  "fine@elsewhere.test": [null, "Accepted", null]
}

describe.runIf(withoutPostfix === null)("bounces by Postfix", () => {
  const servers = useServers()

  it("change the status of the deliveries they are about", { timeout: 240_000 }, async () => {
    const sink = await startSmtpSink()
    const dns = await startDnsServer()
    const smarthost = await startPostfix({
      nextHop: sink.port,
      domain: "inbox.test",
      localParts: [],
      relays: true
    })
    try {
      sink.answer("rcpt", (address) => recipients[address]?.[0] ?? null)
      const server = servers.start("node", {
        SVC_STORE: "memory",
        SVC_SMTP_URL: `smtp://127.0.0.1:${smarthost.port}`,
        SVC_INBOUND_PORT: "0",
        SVC_DNS_SERVERS: dns.address
      })
      const { baseUrl, managementToken } = await server.ready()
      const port = await eventually(
        async () => Number(/reports of mail servers on port (\d+)/.exec(server.out())?.[1] ?? 0),
        (found) => found > 0
      )
      const { apiKey } = await openLive(baseUrl, managementToken!, dns, "shop.example")
      const ids = new Map<string, string>()
      for (const to of Object.keys(recipients)) {
        const sent = await api<EmailAccepted>(baseUrl, apiKey, "/api/v1/sending/emails", {
          to,
          subject: "Hello",
          text: "It works."
        })
        ids.set(to, sent.value.id)
      }
      // Postfix relays its bounces like all its mail.
      const bounces = await eventually(
        async () => sink.messages().filter(({ mailFrom }) => mailFrom === ""),
        (found) => found.length === Object.keys(recipients).length - 1
      )
      const inbound = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } })
      for (const { raw, rcptTo } of bounces) {
        await inbound.sendMail({ envelope: { from: "", to: [...rcptTo] }, raw })
      }
      inbound.close()
      for (const [to, [, status, reason]] of Object.entries(recipients)) {
        const email = await eventually(
          async () =>
            (await api<EmailSubmission>(baseUrl, apiKey, `/api/v1/sending/emails/${ids.get(to)!}`)).value,
          (found) => found.status === status
        )
        expect({ to, status: email.status, reason: email.reason }).toEqual({ to, status, reason })
      }
    } finally {
      await Promise.all([smarthost.stop(), sink.stop(), dns.stop()])
    }
  })
})
