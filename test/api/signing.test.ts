/**
 * Tests signatures with independent verifiers: those by a domain's keys, using its published records, and those that a submitted
 * message already had.
 *
 * @module
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { DnsMissing, type MxRecord } from "../../core/ports/Dns.ts"
import { start } from "../../runtimes/embedded/index.ts"
import { byMailauth } from "../adapters/mail/verifiers.ts"
import { loggedIn } from "../support/smtpClient.ts"

interface Domain {
  readonly id: string
  readonly status: string
  readonly records: ReadonlyArray<{ readonly type: string; readonly name: string; readonly value: string }>
}

it("live mail is signed by both keys of its domain, and after a rotation by the new ones", async () => {
  const texts: Record<string, string> = {}
  const exchangers: Record<string, ReadonlyArray<MxRecord>> = {}
  const look = <A>(name: string, found: A | undefined) =>
    found === undefined ? Effect.fail(new DnsMissing({ name })) : Effect.succeed(found)
  const service = await start({
    dns: {
      txt: (name) => Effect.suspend(() => look(name, texts[name] === undefined ? undefined : [texts[name]])),
      mx: (name) => Effect.suspend(() => look(name, exchangers[name])),
      addresses: (name) => look<ReadonlyArray<string>>(name, undefined)
    }
  })
  const ask = async <Value>(method: string, path: string, body: object | null, token: string) => {
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === null ? {} : { body: JSON.stringify(body) })
      })
    )
    expect(response.status).toBeLessThan(300)
    return ((await response.json()) as { value: Value }).value
  }
  const manage = <Value>(method: string, path: string, body: object | null = null) =>
    ask<Value>(method, `/manage/v1/accounts/${service.live.accountId}${path}`, body, service.managementToken)
  const publish = ({ records }: Domain) => {
    for (const { name, type, value } of records) {
      if (type === "TXT") texts[name] = value
      else exchangers[name] = [{ preference: 10, exchange: value.split(" ")[1]! }]
    }
  }
  /** The signatures of the newest message that was sent, and the verifier's results. */
  const newest = async () => {
    await service.settle()
    const { raw } = service.outbox()[0]!
    const header = Buffer.from(raw)
      .toString("latin1")
      .replaceAll(/\r\n\s+/g, " ")
    const signatures = [...header.matchAll(/^DKIM-Signature:.*$/gm)].map((match) => match[0])
    return { header, signatures, results: await byMailauth(raw, texts) }
  }
  /** Sends an email, and returns the selectors of its signatures. */
  const sent = async () => {
    const email = { to: "ada@example.org", subject: "Grüße", text: "t", html: "<p>h</p>" }
    await ask("POST", "/api/v1/sending/emails", email, service.live.apiKey)
    const { results, signatures } = await newest()
    const selectors = signatures.map((signature) => /\bs=([^;]+);/.exec(signature)![1]!)
    return { selectors: selectors.toSorted(), results }
  }
  const selectorsOf = ({ records }: Domain, generation: string) =>
    records
      .map((record) => record.name.split("._domainkey.")[0]!)
      .filter((selector) => selector.startsWith(generation))
      .toSorted()

  try {
    const sender = { email: "hello@news.example", name: null }
    await manage("PATCH", "/settings", { defaultSender: sender })
    const domain = await manage<Domain>("POST", "/domains", { domain: "news.example" })
    publish(domain)
    expect((await manage<Domain>("POST", `/domains/${domain.id}/verify`)).status).toBe("Verified")
    expect(await sent()).toEqual({ selectors: selectorsOf(domain, "svc1"), results: ["pass", "pass"] })

    // RFC 8058, 4: a one-click header is valid only if a signature covers it.
    const flow = await manage<{ id: string }>("POST", "/flows", {
      name: "News",
      trigger: { kind: "Event", name: "user.signed_up" },
      steps: [{ id: "offer", kind: "SendEmail", purpose: "Marketing", subject: "Offer", html: "<p>h</p>" }]
    })
    await manage("POST", `/flows/${flow.id}/publish`)
    const contact = {
      email: "ben@example.org",
      consent: { basis: "Subscribed", proof: { text: "Yes, please." } }
    }
    const events = [{ id: "1", name: "user.signed_up", contact }]
    await ask("POST", "/api/v1/events", { events }, service.live.apiKey)
    const { header, results, signatures } = await newest()
    expect(header).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    expect(results).toEqual(["pass", "pass"])
    for (const signature of signatures) {
      const covered = /\bh=([^;]+);/
        .exec(signature)![1]!
        .toLowerCase()
        .split(/[\s:]+/)
      expect(covered).toEqual(
        expect.arrayContaining(["list-unsubscribe", "list-unsubscribe-post", "list-id", "feedback-id"])
      )
    }

    const rotating = await manage<Domain>("POST", `/domains/${domain.id}/rotate-dkim`)
    expect((await sent()).selectors).toEqual(selectorsOf(domain, "svc1"))
    publish(rotating)
    await manage("POST", `/domains/${domain.id}/verify`)
    expect(selectorsOf(rotating, "svc2")).toHaveLength(2)
    expect(await sent()).toEqual({ selectors: selectorsOf(rotating, "svc2"), results: ["pass", "pass"] })

    // The mail host's own domain also signs, so that one feedback loop registration covers all domains. A sandbox's domain proves
    // nothing.
    const sandbox = `/manage/v1/accounts/${service.sandbox.accountId}/domains`
    await ask("POST", sandbox, { domain: "svc.test" }, service.managementToken)
    await service.advance("2 minutes")
    expect((await sent()).selectors).toHaveLength(2)
    const host = await manage<Domain>("POST", "/domains", { domain: "svc.test" })
    await service.advance("2 minutes")
    expect((await sent()).selectors).toHaveLength(2)
    publish(host)
    expect((await manage<Domain>("POST", `/domains/${host.id}/verify`)).status).toBe("Verified")
    await service.advance("2 minutes")
    expect((await sent()).results).toEqual(["pass", "pass", "pass"])
    const { signatures: all } = await newest()
    expect(all.map((signature) => /\bd=([^;]+);/.exec(signature)![1])).toEqual([
      "news.example",
      "news.example",
      "svc.test"
    ])
    // Messages of that domain itself are not signed twice.
    await manage("PATCH", "/settings", { defaultSender: { email: "hello@svc.test", name: null } })
    expect((await sent()).selectors).toHaveLength(2)
  } finally {
    await service.close()
  }
})

it("the sandbox inbox shows messages as they would have left, signed by keys that its domain lists", async () => {
  const service = await start()
  const ask = (method: string, path: string, token: string, body?: object) =>
    service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
  const manage = (method: string, path: string, body?: object) =>
    ask(method, `/manage/v1/accounts/${service.sandbox.accountId}${path}`, service.managementToken, body)
  try {
    await manage("POST", "/domains", { domain: "second.example" })
    for (const from of ["hello@example.com", "hello@second.example"]) {
      const email = {
        from,
        to: "ada@example.org",
        subject: "Grüße",
        html: "<a href='https://a.example/'>h</a>"
      }
      const sent = await ask("POST", "/api/v1/sending/emails", service.sandbox.apiKey, email)
      const { id } = ((await sent.json()) as { value: { id: string } }).value
      await service.settle()
      const read = async () => new Uint8Array(await (await manage("GET", `/inbox/${id}/raw`)).arrayBuffer())
      // Read before the first domain has listed its keys.
      const raw = await read()
      const { items } = (
        (await (await manage("GET", "/domains")).json()) as {
          value: { items: ReadonlyArray<Domain & { domain: string }> }
        }
      ).value
      const domain = items.find((one) => from.endsWith(`@${one.domain}`))!
      const texts = Object.fromEntries(domain.records.map(({ name, value }) => [name, value]))
      expect(await byMailauth(raw, texts)).toEqual(["pass", "pass"])
      expect(Buffer.from(raw).toString("latin1")).toMatch(
        new RegExp(`^Return-Path: <b[a-z2-7]{63}@bounces\\.${domain.domain}>\r\nDKIM-Signature: `)
      )
      await service.advance("1 day")
      expect(await read()).toEqual(raw)
    }
  } finally {
    await service.close()
  }
})

const openssl = "/usr/bin/openssl"
if (!existsSync(openssl)) process.stderr.write("Skipped: openssl is not installed.\n")

it.runIf(existsSync(openssl))(
  "a message signed by S/MIME verifies for OpenSSL with preserveSigned",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-smime-"))
    const file = (name: string) => join(folder, name)
    const run = (...lines: ReadonlyArray<ReadonlyArray<string>>) =>
      execFileSync(openssl, lines.flat(), { stdio: ["ignore", "pipe", "pipe"], timeout: 30_000 })
    const service = await start({ smtp: true })
    try {
      const subject = "/CN=Ada/emailAddress=hello@example.com"
      const extension = "extendedKeyUsage=emailProtection"
      run(
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-addext", extension],
        ["-keyout", file("key"), "-out", file("cert")]
      )
      const body = 'Content-Type: text/html\r\n\r\n<a href="https://shop.example/">Grüße</a> \t\r\n.\r\n'
      writeFileSync(file("body"), body)
      const signed = run(
        ["cms", "-sign", "-in", file("body"), "-signer", file("cert"), "-inkey", file("key")],
        ["-from", "hello@example.com", "-to", "ada@example.org", "-subject", "Signed"]
      ).toString()
      const manage = (method: string, path: string, sent?: object) =>
        service.fetch(
          new Request(`${service.baseUrl}/manage/v1/accounts/${service.sandbox.accountId}${path}`, {
            method,
            headers: {
              authorization: `Bearer ${service.managementToken}`,
              "content-type": "application/json"
            },
            ...(sent === undefined ? {} : { body: JSON.stringify(sent) })
          })
        )
      const verify = async (preserveSigned: boolean) => {
        await manage("PATCH", "/settings", { preserveSigned, tracking: { opens: true, clicks: true } })
        const client = await loggedIn(service.smtp[1]!, service.sandbox.apiKey)
        const id = /queued as (\S+)$/.exec(await client.send(["ada@example.org"], signed))?.[1]
        client.close()
        await service.settle()
        writeFileSync(file("raw"), Buffer.from(await (await manage("GET", `/inbox/${id}/raw`)).arrayBuffer()))
        return run([
          "cms",
          "-verify",
          "-in",
          file("raw"),
          "-CAfile",
          file("cert"),
          "-purpose",
          "any"
        ]).toString()
      }
      expect(await verify(true)).toBe(body)
      await expect(verify(false)).rejects.toThrow()
    } finally {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
)
