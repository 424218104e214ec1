/**
 * Tests `svc doctor` as a process: its findings and advice.
 *
 * @module
 */
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Files from "../../adapters/objects/Files.ts"
import { api } from "../support/calls.ts"
import { certificate, key } from "../support/certificate.ts"
import { linesOf, runCli } from "../support/cli.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { emptyDatabase, execute } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

interface Finding {
  readonly check: string
  readonly verdict: "ok" | "warn" | "fail"
  readonly detail: string
  readonly fix: string | null
}

interface Report {
  readonly findings: ReadonlyArray<Finding>
  readonly fail: number
}

interface Domains {
  readonly records: ReadonlyArray<{
    readonly type: string
    readonly name: string
    readonly value: string
    readonly purpose: string
  }>
}

const { folder, start } = useServers()
const login = { user: "svc", pass: "a-password-nobody-may-see" }
const token = "management-token-of-the-test-0123456789"
const secretKey = "a secret key of more than thirty-two characters"

let dns: DnsServer
let sink: SmtpSink

beforeEach(async () => {
  dns = await startDnsServer({
    "hook.test": { A: ["192.0.2.1"] },
    "1.2.0.192.in-addr.arpa": { PTR: "hook.test" }
  })
  sink = await startSmtpSink({ login })
})
afterEach(async () => {
  await sink.stop()
  await dns.stop()
})

for (const runtime of runtimes) {
  describe(`the doctor on ${runtime}`, { timeout: 240_000 }, () => {
    const examine = async (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) => {
      const common = { SVC_DNS_SERVERS: dns.address, SVC_PORT: "0", SVC_SMTP_PORTS: "" }
      const { code, err, out } = await runCli(
        runtime,
        folder(),
        ["doctor", "--json", "--probe", "no.test", ...flags],
        {
          ...common,
          ...env
        }
      )
      expect(err).toBe("")
      const report = JSON.parse(out) as Report
      expect(code).toBe(report.fail === 0 ? 0 : 1)
      for (const { fix, verdict } of report.findings) expect(fix === null).toBe(verdict === "ok")
      const of = (check: string) =>
        report.findings.filter((one) => one.check === check).map((one) => `${one.verdict} ${one.detail}`)
      return { ...report, code, of, text: out }
    }

    it("reports little about a trial that never started, line by line", async () => {
      const { code, err, out } = await runCli(runtime, folder(), ["doctor", "--probe", "no.test"], {
        SVC_DNS_SERVERS: dns.address,
        SVC_PORT: "0",
        SVC_SMTP_PORTS: ""
      })
      expect([code, err]).toEqual([0, ""])
      const lines = linesOf(out)
      expect(lines[0]).toMatch(/^ok {3}configuration: every value is valid; store embedded; /)
      expect(lines).toContain("ok   store: none yet; the first start creates it")
      expect(lines.at(-1)).toMatch(/^\d+ ok, \d+ warnings, 0 failed$/)
    })

    it("names an invalid value", async () => {
      const { code, findings } = await examine({ SVC_SMTP_PORTS: "587,x" })
      expect(code).toBe(1)
      expect(findings).toEqual([
        {
          check: "configuration",
          verdict: "fail",
          detail: expect.stringContaining("SVC_SMTP_PORTS is invalid: expected ") as string,
          fix: expect.any(String) as string
        }
      ])
    })

    it("checks directory, secret key, certificate, mail host and relay, and prints no secret", async () => {
      const data = join(folder(), "data")
      await mkdir(data, { recursive: true })
      await chmod(data, 0o755)
      await writeFile(join(data, "secret.key"), "no key\n", { mode: 0o600 })
      await writeFile(join(folder(), "cert.pem"), certificate)
      await writeFile(join(folder(), "key.pem"), key)
      const url = sink.url.replace("://", `://${login.user}:${login.pass}@`)
      const env = {
        SVC_TLS_CERT: join(folder(), "cert.pem"),
        SVC_TLS_KEY: join(folder(), "key.pem"),
        SVC_INBOUND_PORT: "0",
        SVC_SMTP_HOST: "hook.test",
        SVC_SMTP_URL: url
      }
      const content = join(folder(), "content")
      const bad = await examine({ ...env, SVC_OBJECT_STORAGE: `file:${content}` })
      expect(bad.of("object storage")).toEqual([`warn ${content} contains no content of the service yet`])
      expect(bad.of("data directory")).toEqual([`warn other users have access to ${data} (0755)`])
      expect(bad.of("secret key")).toEqual([
        `fail ${join(data, "secret.key")} does not contain a key of 64 hexadecimal digits`
      ])
      expect(bad.of("TLS certificate")).toEqual([
        expect.stringMatching(/^ok valid for hook\.test until 2126-\d\d-\d\d, \d+ days left$/)
      ])
      expect(bad.of("mail host")).toEqual(["ok hook.test resolves to 192.0.2.1"])
      expect(bad.of("reverse DNS")).toEqual(["ok 192.0.2.1 resolves to hook.test"])
      expect(bad.text).not.toContain("block list")
      expect(bad.of("DMARC reports")).toEqual([
        "warn hook.test does not declare that it accepts reports about other domains"
      ])
      expect(bad.of("mail relay")).toEqual([
        expect.stringMatching(/^ok 127\.0\.0\.1:\d+ responds, TLSv1\.3, login accepted$/)
      ])
      expect(sink.messages()).toEqual([])

      dns.set("1.2.0.192.in-addr.arpa", { PTR: "other.test" })
      dns.set("svc._report._dmarc.hook.test", { TXT: ["v=DMARC1"] })
      dns.set("1.2.0.192.zen.spamhaus.org", { A: ["127.0.0.2"] })
      dns.set("1.2.0.192.bl.spamcop.net", { A: ["127.255.255.254"] })
      const wrongEnv = {
        ...env,
        SVC_SECRET_KEY: secretKey,
        SVC_TLS_KEY: join(folder(), "cert.pem"),
        SVC_SMTP_URL: url.replace(login.pass, "the-wrong-password")
      }
      await Effect.runPromise(Files.markDirectory(content, false))
      const wrong = await examine({ ...wrongEnv, SVC_OBJECT_STORAGE: `file:${content}` }, "--blocklists")
      expect(wrong.of("object storage")).toEqual([`ok an object in ${content} was written, read and deleted`])
      expect(wrong.of("block list zen.spamhaus.org")).toEqual(["warn 192.0.2.1 is listed"])
      expect(wrong.of("block list b.barracudacentral.org")).toEqual(["ok 192.0.2.1 is not listed"])
      expect(wrong.of("block list bl.spamcop.net")).toEqual([
        "warn 192.0.2.1 could not be looked up: it refuses queries from the name server"
      ])
      expect(wrong.code).toBe(1)
      expect(wrong.of("DMARC reports")).toEqual(["ok hook.test accepts reports about other domains"])
      expect(wrong.of("secret key")).toEqual(["ok from SVC_SECRET_KEY; keep a copy with your backups"])
      expect(wrong.of("TLS certificate")).toEqual([
        expect.stringMatching(/^fail SVC_TLS_CERT and SVC_TLS_KEY are/)
      ])
      expect(wrong.of("reverse DNS")).toEqual(["warn 192.0.2.1 resolves to other.test"])
      expect(wrong.of("mail relay")).toEqual([expect.stringMatching(/ failed at Auth: 535 /)])
      dns.set("hook.test", null)
      await sink.stop()
      const gone = await examine({
        ...env,
        SVC_OBJECT_STORAGE: "s3://content?endpoint=http://127.0.0.1:1",
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: secretKey
      })
      expect(gone.of("object storage")).toEqual([expect.stringMatching(/^fail the bucket content: it /)])
      expect(gone.of("mail host")).toEqual(["fail hook.test has no address"])
      expect(gone.of("mail relay")).toEqual([expect.stringMatching(/^fail .* failed at Connect: /)])
      for (const secret of [login.pass, "the-wrong-password", secretKey]) {
        for (const { text } of [bad, wrong, gone]) expect(text).not.toContain(secret)
      }
    })

    it("checks the database and every sending domain, directly or through the server", async () => {
      const stores: ReadonlyArray<readonly [string, string]> = [
        ["Postgres", await emptyDatabase()],
        ["embedded", "embedded"]
      ]
      for (const [name, store] of stores) {
        const env = {
          SVC_STORE: store,
          SVC_SECRET_KEY: secretKey,
          SVC_ADMIN_TOKEN: token,
          SVC_SMTP_HOST: "hook.test"
        }
        const before = await examine(env)
        expect(before.of("schema")).toEqual(
          name === "Postgres" ? [expect.stringMatching(/^warn 0; this version needs \d+$/)] : []
        )
        expect(before.of("database connections")).toEqual(
          name === "Postgres"
            ? [expect.stringMatching(/^ok this node uses up to 10, and the server allows \d+/)]
            : []
        )
        if (name === "Postgres") {
          expect(
            (await examine({ ...env, SVC_PROCESSES: "64", SVC_PORT: "3999" })).of("database connections")
          ).toEqual([
            expect.stringMatching(/^warn this node may need 650, and the server allows \d+ in total$/)
          ])
        }
        const server = start(runtime, { ...env, SVC_DNS_SERVERS: dns.address })
        const { baseUrl } = await server.ready()
        const companies = await api<{ items: ReadonlyArray<{ live: { accountId: string } }> }>(
          baseUrl,
          token,
          "/manage/v1/companies"
        )
        const domains = `/manage/v1/accounts/${companies.value.items[0]!.live.accountId}/domains`
        const spring = await api<{ id: string }>(baseUrl, token, domains.replace(/domains$/, "campaigns"), {
          name: "Spring"
        })
        // The state that a lost update would leave.
        if (name === "Postgres") {
          await execute(
            store,
            `insert into campaign_counts (account_id, campaign_id, name, count)
            select account_id, id, 'r:Pending', 1 from campaigns where id = '${spring.value.id}'`
          )
        }
        await api(baseUrl, token, "/manage/v1/sources", {
          address: "192.0.2.7",
          name: "out.hook.test",
          pool: "default",
          force: true
        })
        const { value } = await api<Domains>(baseUrl, token, domains, { domain: "shop.test" })
        await api(baseUrl, token, "/manage/v1/relays", {
          name: "Ours",
          kind: "Postmark",
          url: `smtps://user:${login.pass}@relay.test`
        })
        // As added by a node whose clock is far ahead.
        if (name === "Postgres") {
          await execute(
            store,
            `insert into attempts_all select gen_random_uuid(), 'e6707a6e-b000-7000-8000-000000000000', 1, now(), now(), 'Sent',
              null, null, '[]', null`
          )
        }
        const running = { ...env, SVC_BASE_URL: baseUrl, SVC_PORT: new URL(baseUrl).port }
        const missing = await examine(running)
        expect(missing.of("API port")).toEqual([`ok ${new URL(baseUrl).port} is in use by this service`])
        expect(missing.of("store")).toEqual([
          name === "Postgres"
            ? expect.stringMatching(/^ok PostgreSQL \d+/)
            : expect.stringMatching(/^ok in use by a running process/)
        ])
        expect(missing.of("partitions")).toEqual(
          name === "Postgres"
            ? [expect.stringMatching(/^warn 1 row of attempts_all has an id from after 20/)]
            : []
        )
        expect(missing.of("campaigns")).toEqual([
          name === "Postgres"
            ? "warn the counts of Spring differ from its rows"
            : "ok the counts of the campaigns that changed last match their rows"
        ])
        const relay = ["warn reports are not set up, so bounces and complaints remain unknown"]
        expect(missing.of("relay Ours of the installation")).toEqual(relay)
        expect(missing.of("source 192.0.2.7")).toEqual([
          "warn its EHLO name is out.hook.test, but its PTR record is missing"
        ])
        expect(missing.of("SPF of the sources")).toEqual([
          "warn the SPF record of _spf.hook.test does not allow the source 192.0.2.7"
        ])
        expect(missing.of("SPF of shop.test")).toEqual([
          "warn the SPF record of bounces.shop.test does not allow the source 192.0.2.7"
        ])
        expect(missing.text).not.toContain(login.pass)
        const faults = missing.findings.filter(({ check }) => check === "domain shop.test")
        expect(faults).toHaveLength(value.records.length)
        for (const { name: record, type, value: wanted } of value.records) {
          expect(faults.some(({ fix }) => fix === `Publish ${type} ${record} "${wanted}"`)).toBe(true)
        }
        for (const { name: record } of value.records) {
          const of = value.records.filter((one) => one.name === record)
          dns.set(record, {
            TXT: of.filter(({ type }) => type === "TXT").map((one) => one.value),
            MX: of.filter(({ type }) => type === "MX").map(() => [10, "hook.test"] as const)
          })
        }
        const allowing = "v=spf1 a:hook.test ip4:192.0.2.7 ~all"
        dns.set("_spf.hook.test", { TXT: [allowing] })
        const path = value.records.find(({ purpose }) => purpose === "SPF")!.name
        const { value: exchanger } = value.records.find(({ type }) => type === "MX")!
        dns.set(path, {
          TXT: ["v=spf1 a:hook.test include:_spf.hook.test ~all"],
          MX: [[10, exchanger.slice(3)] as const]
        })
        dns.set("7.2.0.192.in-addr.arpa", { PTR: "out.hook.test" })
        dns.set("out.hook.test", { A: ["192.0.2.7"] })
        const found = await examine(running)
        expect(found.of("source 192.0.2.7")).toEqual([
          "ok its PTR record is its EHLO name out.hook.test, which resolves to it"
        ])
        expect([found.of("SPF of the sources"), found.of("SPF of shop.test")]).toEqual([[], []])
        for (const host of ["_spf.hook.test", "7.2.0.192.in-addr.arpa", "out.hook.test"]) dns.set(host, null)
        expect(found.of("domain shop.test")).toEqual([
          expect.stringMatching(
            `^ok all ${value.records.length} records are published; the status of the domain is `
          )
        ])
        for (const { name: record } of value.records) dns.set(record, null)
        server.signal("SIGTERM")
        await server.ended
        const alone = await examine(env)
        expect(alone.of("secret key fits")).toEqual(["ok it decrypts the secrets of this store"])
        expect(alone.findings.filter(({ check }) => check === "domain shop.test")).toHaveLength(
          value.records.length
        )
        expect(alone.of("relay Ours of the installation")).toEqual(relay)
        const other = await examine({ ...env, SVC_SECRET_KEY: `${secretKey}, another` })
        expect(other.of("secret key fits")).toEqual([
          "fail it is not the key with which this store was set up"
        ])
      }
    })

    it("reports a port that another program uses, and an unreachable database", async () => {
      const other = createServer((socket) => socket.end("hello\r\n"))
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
      const address = other.address()
      const port = typeof address === "object" && address !== null ? String(address.port) : ""
      const env = { SVC_STORE: "postgres://svc:hidden-password@127.0.0.1:1/none", SVC_SECRET_KEY: secretKey }
      const found = await examine({ ...env, SVC_PORT: port, SVC_SMTP_PORTS: port })
      other.close()
      expect(found.of("API port")).toEqual([`fail ${port} is in use by another program`])
      expect(found.of("SMTP port")).toEqual([`fail ${port} is in use by another program`])
      expect(found.of("store")).toEqual([expect.stringMatching(/^fail /)])
      expect(found.text).not.toContain("hidden-password")
    })
  })
}
