/**
 * Tests the SMTP relay of a server process: its addresses, its certificate, and its messages when the server ends.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { selfSigned } from "../../adapters/smtp/Certificate.ts"
import { api } from "../support/calls.ts"
import { eventually } from "../support/client.ts"
import { queuedId } from "../support/relayed.ts"
import type { ReadyFile, Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import type { EmailSubmission } from "../support/shapes.ts"
import { loggedIn, openSmtp, type SmtpAddress } from "../support/smtpClient.ts"

const hello = "From: hello@example.com\r\nTo: ada@example.org\r\nSubject: Hello\r\n\r\nIt works.\r\n"

describe.each<Runtime>(["node", "bun"])("the relay of a server on %s", (runtime) => {
  const servers = useServers()
  const env = { SVC_SMTP_PORTS: "0,0/tls", SVC_STORE: "memory" }
  const login = (address: SmtpAddress, { sandbox }: ReadyFile) => loggedIn(address, sandbox!.apiKey)

  it("is listed in the ready file and at the first start, with a warning about its self-signed certificate", async () => {
    const server = servers.start(runtime, env)
    const ready = await server.ready()
    expect(ready.smtp).toEqual([
      { host: "127.0.0.1", port: expect.any(Number), tls: false },
      { host: "127.0.0.1", port: expect.any(Number), tls: true }
    ])
    const [startTls, tls] = ready.smtp
    expect(server.out()).toContain(
      `SMTP ports        127.0.0.1:${startTls!.port} (STARTTLS), 127.0.0.1:${tls!.port} (TLS)`
    )
    await eventually(
      async () => server.out() + server.err(),
      (text) => text.includes("self-signed certificate")
    )
    expect(server.out() + server.err()).toContain("self-signed certificate")
    for (const address of ready.smtp) {
      const client = await login(address, ready)
      queuedId(await client.send(["ada@example.org"], hello))
      client.close()
    }
    await servers.stop(server)
  })

  it("does not listen where the ports are empty", async () => {
    const server = servers.start(runtime, { ...env, SVC_SMTP_PORTS: "" })
    expect((await server.ready()).smtp).toEqual([])
    expect(server.out()).toMatch(/SMTP ports +none/)
    await servers.stop(server)
  })

  it("keeps its self-signed certificate", async () => {
    const shown = async () => {
      const server = servers.start(runtime, { ...env, SVC_STORE: "embedded" })
      const client = await openSmtp((await server.ready()).smtp[1]!)
      const fingerprint = client.fingerprint()
      client.close()
      await servers.stop(server)
      return fingerprint
    }
    const first = await shown()
    expect(first).toMatch(/^[0-9A-F:]{95}$/)
    expect(await shown()).toBe(first)
  })

  it("uses the operator's certificate, and a new one after SIGHUP, but no invalid one", async () => {
    const file = (name: string) => join(servers.folder(), name)
    const publish = async () => {
      const { cert, key } = await selfSigned("mail.example", Date.now())
      await writeFile(file("cert.pem"), cert)
      await writeFile(file("key.pem"), key)
      const der = Buffer.from(cert.replaceAll(/-----[^-]+-----|\s/g, ""), "base64")
      return createHash("sha256")
        .update(der)
        .digest("hex")
        .toUpperCase()
        .replaceAll(/..(?=.)/g, "$&:")
    }
    const first = await publish()
    const server = servers.start(runtime, {
      ...env,
      SVC_TLS_CERT: file("cert.pem"),
      SVC_TLS_KEY: file("key.pem")
    })
    const ready = await server.ready()
    const [startTls, tls] = ready.smtp
    const shown = async (address: SmtpAddress) => {
      const client = await openSmtp(address)
      if (!address.tls) {
        await client.read()
        await client.say("EHLO test.example")
        await client.say("STARTTLS")
        await client.encrypt()
      }
      const fingerprint = client.fingerprint()
      client.close()
      return fingerprint
    }
    expect([await shown(startTls!), await shown(tls!)]).toEqual([first, first])
    const kept = await login(tls!, ready)
    const second = await publish()
    server.signal("SIGHUP")
    await eventually(
      () => shown(tls!),
      (fingerprint) => fingerprint === second
    )
    expect([await shown(startTls!), await shown(tls!)]).toEqual([second, second])
    queuedId(await kept.send(["ada@example.org"], hello))
    kept.close()
    await writeFile(file("key.pem"), "no key")
    server.signal("SIGHUP")
    await eventually(
      async () => server.out() + server.err(),
      (text) => text.includes("the current certificate stays in use")
    )
    expect(await shown(tls!)).toBe(second)
    await servers.stop(server)
  })

  it("does not start on a used port, or with an invalid certificate", async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) =>
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port))
    )
    const taken = servers.start(runtime, { ...env, SVC_SMTP_PORTS: String(port) })
    expect(await taken.ended).toEqual({ code: 1, signal: null })
    expect(taken.err()).toMatch(/^Cannot listen: .*(EADDRINUSE|in use).*$/m)
    other.close()
    const file = join(servers.folder(), "none.pem")
    await writeFile(file, "nothing")
    const broken = servers.start(runtime, { ...env, SVC_TLS_CERT: file, SVC_TLS_KEY: file })
    expect(await broken.ended).toEqual({ code: 1, signal: null })
    expect(broken.err()).toContain("SVC_TLS_CERT and SVC_TLS_KEY are not a certificate")
  })

  it("at SIGTERM notifies idle clients, finishes a message in progress, and ends in time", async () => {
    const server = servers.start(runtime, env)
    const ready = await server.ready()
    const [idle, sending] = [await login(ready.smtp[1]!, ready), await login(ready.smtp[0]!, ready)]
    for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<ada@example.org>", "DATA"])
      await sending.say(line)
    sending.write(hello)
    const began = Date.now()
    server.signal("SIGTERM")
    expect(await idle.read()).toMatch(/^421 4\.3\.2 /)
    await new Promise((resolve) => setTimeout(resolve, 300))
    queuedId(await sending.say("."))
    expect(await sending.read()).toMatch(/^421 4\.3\.2 /)
    sending.close()
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(Date.now() - began).toBeLessThan(9_500)
  })

  it("loses no message it accepted with 250 when it is killed", { timeout: 240_000 }, async () => {
    const durable = { ...env, SVC_STORE: "embedded" }
    const server = servers.start(runtime, durable)
    const ready = await server.ready()
    const ids: Array<string> = []
    const sender = async () => {
      const client = await login(ready.smtp[1]!, ready)
      for (;;) {
        const answer = await client.send(["ada@example.org"], hello).catch(() => "")
        if (!answer.startsWith("250")) return client.close()
        ids.push(queuedId(answer))
      }
    }
    const senders = [sender(), sender(), sender()]
    await eventually(
      () => Promise.resolve(ids.length),
      (count) => count >= 60
    )
    await servers.kill(server)
    await Promise.all(senders)
    const again = await servers.start(runtime, durable).ready()
    for (const id of ids) {
      const found = await api<EmailSubmission>(
        again.baseUrl,
        ready.sandbox!.apiKey,
        `/api/v1/sending/emails/${id}`
      )
      expect([found.status, found.value.id]).toEqual([200, id])
    }
  })
})
