/**
 * Tests the SMTP relay with common mail programs.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createTransport } from "nodemailer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/client.ts"
import { startPostfix, withoutPostfix } from "../support/postfix.ts"
import { fieldOf, relayedOf } from "../support/relayed.ts"
import { freshFolder, type Runtime } from "../support/serverProcess.ts"
import { startProcess, type Target } from "../support/targets.ts"
import { openWorkspace, type TestAccount } from "../support/workspace.ts"

const missing = (path: string, name: string): string | null =>
  existsSync(path) ? null : `${name} is not installed.`
const python = ["/usr/bin/python3", "/root/.pyenv/shims/python3", "/usr/local/bin/python3"].find(existsSync)

const without = {
  swaks: missing("/usr/bin/swaks", "swaks"),
  msmtp: missing("/usr/bin/msmtp", "msmtp"),
  python: python === undefined ? "Python is not installed." : null,
  postfix: withoutPostfix ?? missing("/usr/lib/x86_64-linux-gnu/sasl2/libplain.so", "SASL's PLAIN")
}
for (const reason of new Set(Object.values(without))) {
  if (reason !== null) process.stderr.write(`Skipped: ${reason}\n`)
}

interface Ran {
  readonly code: number
  readonly output: string
}

const run = (file: string, args: ReadonlyArray<string>, input = ""): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], timeout: 30_000 })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code: code ?? -1, output }))
    child.stdin.end(input)
  })

/** A program that sends with Python's smtplib, as Django does. Its arguments are host, port, tls, key and recipient. */
const smtplib = `
import smtplib, ssl, sys
from email.message import EmailMessage
host, port, tls, key, to = sys.argv[1:]
context = ssl._create_unverified_context()
message = EmailMessage()
message["From"] = "Suite <suite@mail.example>"
message["To"] = "Ada Lovelace <" + to + ">"
message["Subject"] = "Grüße von Python"
message["X-Svc-Tags"] = "client=smtplib"
message.set_content("plain äöü\\n.\\nafter the dot\\n")
message.add_alternative("<p>html</p>", subtype="html")
message.add_attachment(b"\\x00\\x01", maintype="application", subtype="octet-stream", filename="größe.bin")
if tls == "true":
    server = smtplib.SMTP_SSL(host, int(port), context=context)
else:
    server = smtplib.SMTP(host, int(port))
    server.starttls(context=context)
server.login("svc", key)
server.send_message(message)
# Bytes are sent as they are: lines that end with LF.
server.sendmail("suite@mail.example", [to], message.as_bytes())
server.quit()
`

describe.each<[Runtime, string]>([
  ["node", "embedded"],
  ["bun", "memory"]
])("mail programs and the relay on %s, store %s", (runtime, store) => {
  let target: Target
  let account: TestAccount
  let folder: Awaited<ReturnType<typeof freshFolder>>
  beforeAll(async () => {
    target = await startProcess(runtime, store)
    account = (await openWorkspace(target, "Clients")).sandbox
    folder = await freshFolder()
  })
  afterAll(async () => {
    await target?.stop()
    await folder?.remove()
  })

  /** The messages to an address, once there are `count`. */
  const arrived = async (to: string, count = 1) => {
    const { inbox, raw } = relayedOf(target, account)
    const found = await eventually(
      async () => (await inbox()).filter((message) => message.to === to),
      (messages) => messages.length >= count
    )
    expect(found).toHaveLength(count)
    return raw(found[0]!.submissionId, to)
  }
  const ports = () => [target.smtp.startTls, target.smtp.tls]

  it("nodemailer, pooled and not", { timeout: 240_000 }, async () => {
    for (const [index, { host, port, tls }] of ports().entries()) {
      for (const pool of [true, false]) {
        const to = `nodemailer-${index}-${pool}@example.org`
        const transport = createTransport({
          pool,
          host,
          port,
          secure: tls,
          requireTLS: !tls,
          auth: { user: "svc", pass: account.key },
          tls: { rejectUnauthorized: false }
        } as Parameters<typeof createTransport>[0])
        const send = () => transport.sendMail({ from: "suite@mail.example", to, subject: "s", text: "t" })
        await Promise.all(Array.from({ length: 5 }, send))
        transport.close()
        await arrived(to, 5)
      }
    }
  })

  it.runIf(without.swaks === null)(
    "swaks, by STARTTLS and TLS, PLAIN and LOGIN",
    { timeout: 240_000 },
    async () => {
      for (const { host, port, tls } of ports()) {
        for (const method of ["PLAIN", "LOGIN"]) {
          const to = `swaks-${tls}-${method.toLowerCase()}@example.org`
          const { code, output } = await run(
            "/usr/bin/swaks",
            [
              ["--server", host, "--port", String(port), tls ? "--tls-on-connect" : "--tls"],
              ["--auth", method, "--auth-user", "svc", "--auth-password", account.key],
              ["--from", "suite@mail.example", "--to", to, "--header", "Subject: Hello from swaks"],
              ["--attach-name", "a.txt", "--attach", "attached", "--body", "A body\n.\nwith a dot"]
            ].flat()
          )
          expect(output).toContain("2.0.0 Ok: queued as ")
          expect(code).toBe(0)
          expect(fieldOf(await arrived(to), "Subject")).toBe("Hello from swaks")
        }
      }
      const { code } = await run(
        "/usr/bin/swaks",
        [
          ["--server", target.smtp.tls.host, "--port", String(target.smtp.tls.port), "--tls-on-connect"],
          ["--auth", "PLAIN", "--auth-user", "svc", "--auth-password", "wrong"],
          ["--from", "suite@mail.example", "--to", "a@example.org"]
        ].flat()
      )
      expect(code).toBe(28)
    }
  )

  it.runIf(without.python === null)("Python's smtplib", { timeout: 240_000 }, async () => {
    for (const { host, port, tls } of ports()) {
      const to = `python-${tls}@example.org`
      const { code, output } = await run(python!, [
        "-c",
        smtplib,
        host,
        String(port),
        String(tls),
        account.key,
        to
      ])
      expect(output).toBe("")
      expect(code).toBe(0)
      await arrived(to, 2)
      const { messagesOf, raw, inbox } = relayedOf(target, account)
      for (const { submissionId } of (await inbox()).filter((message) => message.to === to)) {
        const sent = await raw(submissionId, to)
        expect(fieldOf(sent, "To")).toBe(`Ada Lovelace <${to}>`)
        expect(sent).not.toMatch(/x-svc/i)
        expect(await messagesOf(submissionId)).toMatchObject([
          { text: "plain äöü\n.\nafter the dot\n", html: "<p>html</p>\n" }
        ])
      }
    }
  })

  it.runIf(without.msmtp === null)("msmtp", { timeout: 240_000 }, async () => {
    for (const { host, port, tls } of ports()) {
      const to = `msmtp-${tls}@example.org`
      const config = join(folder.path, `msmtprc-${tls}`)
      const lines = [
        ["account default", `host ${host}`, `port ${port}`, "auth on", "user svc", `password ${account.key}`],
        ["tls on", `tls_starttls ${tls ? "off" : "on"}`, "tls_certcheck off", "from suite@mail.example"]
      ].flat()
      await writeFile(config, `${lines.join("\n")}\n`)
      await chmod(config, 0o600)
      const message = `From: suite@mail.example\nTo: ${to}\nSubject: From msmtp\n\nA line\n.\nafter the dot\n`
      const { code, output } = await run("/usr/bin/msmtp", ["-C", config, "-t"], message)
      expect([code, output]).toEqual([0, ""])
      expect(fieldOf(await arrived(to), "Subject")).toBe("From msmtp")
    }
  })

  it.runIf(without.postfix === null)(
    "a Postfix that relays everything with a login",
    { timeout: 240_000 },
    async () => {
      const { host, port } = target.smtp.startTls
      const postfix = await startPostfix({
        nextHop: port,
        domain: "nowhere.test",
        localParts: [],
        relays: true,
        settings: {
          relayhost: `[${host}]:${port}`,
          smtp_sasl_auth_enable: "yes",
          smtp_sasl_password_maps: `static:svc:${account.key}`,
          smtp_sasl_security_options: "noanonymous",
          smtp_tls_security_level: "encrypt"
        }
      })
      try {
        const local = createTransport({ host: "127.0.0.1", port: postfix.port, ignoreTLS: true })
        for (const name of ["one", "two", "three"]) {
          const to = [`postfix-${name}@example.org`, "postfix-all@example.org"]
          await local.sendMail({ from: "suite@mail.example", to, subject: "Through Postfix", text: "cron\n" })
        }
        local.close()
        expect(fieldOf(await arrived("postfix-two@example.org"), "Subject")).toBe("Through Postfix")
        await arrived("postfix-all@example.org", 3)
        const sent = /status=sent \(250 2\.0\.0 Ok: queued as [0-9a-f-]{36}\)/
        expect(await eventually(postfix.log, (text) => sent.test(text))).toMatch(sent)
      } finally {
        await postfix.stop()
      }
    }
  )
})
