/**
 * Tests mail of a live account through a relay, and receiving servers' reports to the inbound port.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { createTransport } from "nodemailer"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { dmarcRecord, dmarcXml, reportMessage, tlsJson } from "../contract/MailReportReader.ts"
import { eventually } from "../support/client.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { publish } from "../support/liveDomain.ts"
import type { ReadyFile, Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import type { EmailAccepted, EmailSubmission, Page } from "../support/shapes.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"
import type { Target } from "../support/targets.ts"
import { openWorkspace, type TestAccount } from "../support/workspace.ts"

const domain = "shop.example"
const mailHost = "mail.shop-service.example"

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../fixtures/reports/${name}.eml`), "utf8")

/** A complaint that quotes a header. */
const complaintAbout = (header: string): string =>
  fixture("arf-headers-only").replace(/Return-Path: <bounce-address[^]*?(?=\n\n--part1)/, () => header)

interface DomainAnswer {
  readonly id: string
  readonly status: string
  readonly records: ReadonlyArray<{ readonly type: string; readonly name: string; readonly value: string }>
}

const targetOf = ({ baseUrl, managementToken, sandbox }: ReadyFile, dns: DnsServer): Target => ({
  name: "process",
  baseUrl,
  managementToken: managementToken!,
  sandbox: sandbox!,
  smtp: { startTls: { host: "", port: 0, tls: false }, tls: { host: "", port: 0, tls: true } },
  dns,
  fetch: (path, init) => fetch(baseUrl + path, init),
  now: Date.now,
  advance: null,
  operatorCookie: null,
  stop: () => Promise.resolve()
})

/** Publishes a domain's records and has them verified. */
const verifyDomain = async (account: TestAccount, dns: DnsServer) => {
  const added = (await account.manage<DomainAnswer>("POST", "/domains", { domain })).value
  publish(dns, added)
  const verified = await account.manage<DomainAnswer>("POST", `/domains/${added.id}/verify`)
  expect(verified.value.status).toBe("Verified")
  await account.manage("PATCH", "/settings", { defaultSender: { email: `hello@${domain}`, name: "Shop" } })
}

describe.each<[Runtime, string]>([
  ["node", "embedded"],
  ["bun", "memory"]
])("reports to the inbound port on %s, store %s", (runtime, store) => {
  const servers = useServers()
  let sink: SmtpSink
  let dns: DnsServer

  beforeEach(async () => {
    sink = await startSmtpSink()
    dns = await startDnsServer()
  })
  afterEach(async () => {
    await sink.stop()
    await dns.stop()
  })

  /** Starts a server that sends through the sink, and a client of its inbound port. */
  const begin = async () => {
    const server = servers.start(runtime, {
      SVC_STORE: store,
      SVC_SMTP_URL: sink.url,
      SVC_INBOUND_PORT: "0",
      SVC_DNS_SERVERS: dns.address,
      SVC_SMTP_HOST: mailHost
    })
    const ready = await server.ready()
    const port = await eventually(
      async () => Number(/reports of mail servers on port (\d+)/.exec(server.out())?.[1] ?? 0),
      (found) => found > 0
    )
    expect(port).toBeGreaterThan(0)
    return { ready, port }
  }

  it("update deliveries and suppressions if authentic, and only then", { timeout: 240_000 }, async () => {
    const { port, ready } = await begin()
    const { live } = await openWorkspace(targetOf(ready, dns), "Reports")
    await verifyDomain(live, dns)

    const deliver = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } })
    const report = async (to: string, raw: string) => {
      const { response } = await deliver.sendMail({ envelope: { from: "", to }, raw })
      return response
    }
    const send = async (to: string) => {
      await live.api("POST", "/contacts", { email: to })
      const { id } = (
        await live.api<EmailAccepted>("POST", "/sending/emails", {
          to,
          subject: "Hello",
          text: "It works."
        })
      ).value
      const read = async () => (await live.api<EmailSubmission>("GET", `/sending/emails/${id}`)).value
      const message = await eventually(
        () => Promise.resolve(sink.messages().find((one) => one.rcptTo.includes(to))),
        (found) => found !== undefined
      )
      await eventually(read, (email) => email.status === "Accepted")
      const consent = async () =>
        (await live.api<{ consentStatus: string }>("GET", `/contacts/email:${to}`)).value.consentStatus
      return { read, consent, raw: message!.raw, returnPath: message!.mailFrom }
    }
    const listed = async () =>
      (await live.manage<Page<{ email: string; kind: string }>>("GET", "/suppressions")).value.items.map(
        ({ email, kind }) => `${kind} ${email}`
      )

    const yesterday = Math.floor(Date.now() / 1000) - 86_400
    const daily = [
      reportMessage("application/gzip", gzipSync(dmarcXml(domain, dmarcRecord(domain, 7), "a", yesterday))),
      reportMessage(
        "text/xml",
        `<!DOCTYPE a [<!ENTITY b "c">]>${dmarcXml(domain, dmarcRecord(domain, 1), "b", yesterday)}`
      )
    ]
    for (const message of daily)
      expect(await report(`dmarc@${mailHost}`, Buffer.from(message).toString("latin1"))).toContain("250")
    const range = { "start-datetime": new Date(1000 * yesterday).toISOString() }
    const tls = reportMessage("application/json", tlsJson(`bounces.${domain}`, { "date-range": range }))
    expect(await report(`tls-reports@${mailHost}`, Buffer.from(tls).toString("latin1"))).toContain("250")
    await expect(report(`dmarc@bounces.${domain}`, "Subject: a")).rejects.toMatchObject({ responseCode: 550 })
    const day = new Date(1000 * yesterday).toISOString().slice(0, 10)
    expect((await live.manage<Page<unknown>>("GET", "/reports/dmarc")).value.items).toEqual([
      {
        day,
        domain,
        network: "192.0.2.0/24",
        disposition: "None",
        dkim: "pass",
        dkimAligned: true,
        spf: "softfail",
        spfAligned: false,
        messages: 7
      }
    ])
    expect(
      (await live.manage<Page<unknown>>("GET", `/reports/tls?domain=${domain}`)).value.items
    ).toContainEqual({
      day,
      domain,
      policy: "sts",
      result: "certificate-expired",
      host: "mx.example.org",
      sessions: 2
    })

    const bounce = fixture("postfix-user-unknown")
    const gone = await send("gone@example.net")
    expect(gone.returnPath).toMatch(/^b[a-z2-7]{63}@bounces\.shop\.example$/)
    // A forged report: one character of the return path differs.
    const forged = gone.returnPath.replace(/^b(.)/, (_, first) => `b${first === "a" ? "c" : "a"}`)
    await expect(report(forged, bounce)).rejects.toMatchObject({ responseCode: 550 })
    expect(await report(`postmaster@bounces.${domain}`, bounce)).toContain("250")
    expect((await gone.read()).status).toBe("Accepted")
    expect(await report(gone.returnPath.toUpperCase(), bounce)).toContain("250")
    expect((await gone.read()).status).toBe("Bounced")
    expect(await gone.consent()).toBe("Bounced")

    const blocked = await send("blocked@example.net")
    await report(blocked.returnPath, fixture("postfix-blocklist"))
    expect(await blocked.read()).toMatchObject({ status: "Failed", reason: "sending.refused" })

    const full = await send("full@example.net")
    await report(full.returnPath, fixture("postfix-mailbox-full"))
    expect(await full.read()).toMatchObject({ status: "Failed", reason: "sending.mailbox_full" })
    expect(await full.consent()).toBe("Unknown")

    const arrived = await send("arrived@example.net")
    await report(arrived.returnPath, fixture("postfix-success"))
    expect((await arrived.read()).status).toBe("Delivered")

    // Anyone who was shown the message knows its Message-ID, which is not an address and proves nothing.
    const shown = await send("shown@example.net")
    const [, messageId = ""] = /^Message-ID:\s+<([^>]*)>/im.exec(shown.raw) ?? []
    const [token = ""] = messageId.split("@")
    expect(shown.returnPath).not.toContain(token)
    await expect(report(`${token}@bounces.${domain}`, bounce)).rejects.toMatchObject({ responseCode: 550 })
    const unsigned = fixture("arf-headers-only")
      .replace("the-token@example.com", messageId)
      .replace("bounce-address@bounces.example.com", `${token}@bounces.${domain}`)
    expect(unsigned).toContain(messageId)
    await report(`abuse@bounces.${domain}`, unsigned)
    await report(`fbl@${mailHost}`, unsigned)
    // Nor does the signature of another message that a person has, if its Message-ID is written so that readers skip it.
    const [signed = ""] = arrived.raw.split("\r\n\r\n")
    expect(signed).toContain("Message-ID:")
    const hidden = `Message-ID: <${messageId}>\r\n${signed.replace("Message-ID:", "Message-ID\f:")}`
    await report(`fbl@${mailHost}`, complaintAbout(hidden))
    expect((await shown.read()).status).toBe("Accepted")
    expect(await shown.consent()).toBe("Unknown")

    const angry = await send("angry@example.net")
    const [header = ""] = angry.raw.split("\r\n\r\n")
    const complaint = complaintAbout(header)
    expect(complaint).toContain("Message-ID")
    await report(`abuse@bounces.${domain}`, complaint)
    expect(await angry.consent()).toBe("Complained")
    expect((await angry.read()).status).toBe("Accepted")

    expect((await listed()).sort()).toEqual(["Bounced gone@example.net", "Complained angry@example.net"])
    deliver.close()
  })

  it(
    "are the only mail accepted, over TLS too; garbage gets an error reply",
    { timeout: 240_000 },
    async () => {
      const { port } = await begin()
      const deliver = createTransport({
        host: "127.0.0.1",
        port,
        requireTLS: true,
        tls: { rejectUnauthorized: false }
      })
      const send = (to: string, raw: string) =>
        deliver.sendMail({ envelope: { from: "a@b.example", to }, raw })
      await expect(send("jane@example.net", "Subject: relay me\r\n\r\n")).rejects.toMatchObject({
        responseCode: 550
      })
      await expect(
        send(`abuse@${mailHost}`, `Subject: big\r\n\r\n${"x".repeat(17 * 1024 * 1024)}`)
      ).rejects.toMatchObject({ responseCode: 552 })
      expect((await send(`abuse@${mailHost}`, "\u0000\u0001 no mail at all")).response).toContain("250")
      deliver.close()
    }
  )
})
