/**
 * Tests the limits of the SMTP relay, with low values.
 *
 * @module
 */
import { afterEach, describe, expect, it } from "vitest"
import type { Limits } from "../../../adapters/smtp/relay/Limits.ts"
import { type Embedded, start } from "../../../runtimes/embedded/index.ts"
import { eventually } from "../../support/client.ts"
import { loggedIn, openSmtp, plainToken, type SmtpClient } from "../../support/smtpClient.ts"
import { openWorkspace } from "../../support/workspace.ts"

const hello = "From: hello@example.com\r\nTo: ada@example.org\r\nSubject: Hello\r\n\r\nIt works.\r\n"

describe("the relay", () => {
  const clients: Array<SmtpClient> = []
  let service: Embedded | null = null
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close()
    await service?.close()
    service = null
  })
  const begin = async (limits: Partial<Limits>) => {
    service = await start({ smtp: limits })
    const [, address] = service.smtp
    const kept = (client: SmtpClient) => {
      clients.push(client)
      return client
    }
    return {
      open: async (from?: string) => kept(await openSmtp(address!, from === undefined ? {} : { from })),
      login: async (key = service!.sandbox.apiKey) => kept(await loggedIn(address!, key))
    }
  }
  /** Connects once the relay has noticed that other connections were closed. */
  const onceFree = async (connect: () => Promise<SmtpClient>): Promise<SmtpClient> => {
    const client = await eventually(
      () => connect().catch(() => null),
      (found) => found !== null
    )
    if (client === null) throw new Error("Every connection was rejected.")
    return client
  }
  const toData = async (client: SmtpClient) => {
    for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<ada@example.org>", "DATA"])
      await client.say(line)
  }

  it("closes a connection without a login, whatever its client sends", async () => {
    const { open } = await begin({ loginMillis: 3_000 })
    const client = await open()
    expect(await client.read()).toMatch(/^220 /)
    await client.say("EHLO test.example")
    expect(await client.read()).toBe("421 4.4.2 Nobody logged in for too long")
    expect(await client.ended).toEqual([])
  })

  it("closes an idle connection, and one whose command does not end", async () => {
    const { login } = await begin({ idleMillis: 2_000 })
    const [idle, trickling] = [await login(), await login()]
    const timer = setInterval(() => trickling.write("N"), 50)
    expect(await idle.read()).toMatch(/^421 4\.4\.2 /)
    expect(await trickling.read()).toMatch(/^421 4\.4\.2 /)
    clearInterval(timer)
  })

  it("cuts a message that is too slow, and accepts one that is fast enough", async () => {
    const { login } = await begin({ messageMillis: 1_000, minBytesPerSecond: 200 })
    const [slow, steady] = [await login(), await login()]
    await toData(slow)
    await toData(steady)
    steady.write(hello)
    const timer = setInterval(() => {
      slow.write("x")
      steady.write(`${"x".repeat(990)}\r\n`)
    }, 100)
    expect(await slow.read()).toBe("421 4.4.2 The message comes too slowly")
    clearInterval(timer)
    expect(await steady.say(".")).toMatch(/^250 2\.0\.0 /)
  })

  it("limits the connections of an address, and of no other", async () => {
    const { login, open } = await begin({ maxConnectionsPerNetwork: 2 })
    await login()
    const second = await login()
    await expect(open()).rejects.toThrow()
    expect(await (await open("127.0.0.9")).read()).toMatch(/^220 /)
    await second.say("QUIT")
    await second.ended
    await onceFree(login)
    const [startTls] = service!.smtp
    const rejected = await openSmtp(startTls!)
    expect(await rejected.read()).toBe("421 4.7.0 Too many connections; try again later")
    await rejected.ended
  })

  it("closes connections without a login for new ones, the oldest of the network with the most first", async () => {
    const { login, open } = await begin({ maxConnections: 12, maxConnectionsPerNetwork: 6 })
    const known = [await login(), await login()]
    const silent: Array<SmtpClient> = []
    for (const from of ["127.0.0.2", "127.0.0.3", "127.0.0.3", "127.0.0.3", "127.0.0.2", "127.0.0.4"]) {
      const client = await open(from)
      expect(await client.read()).toMatch(/^220 /)
      silent.push(client)
    }
    // A quarter of the places is reserved for logged-in sessions.
    for (const from of ["127.0.0.5", "127.0.0.6", "127.0.0.7"]) await (await open(from)).read()
    const late = await login()
    expect(await silent[1]!.read()).toBe("421 4.7.0 Too many connections, and this one has not logged in")
    await silent[1]!.ended
    for (const client of [...known, late]) {
      expect(await client.send(["ada@example.org"], hello)).toMatch(/^250 /)
    }
    expect(await silent[0]!.say("NOOP")).toMatch(/^250 /)
  })

  it("keeps a part of the places for sessions that have logged in", async () => {
    const { login, open } = await begin({ maxConnections: 8, maxConnectionsPerNetwork: 8 })
    const first = await open("127.0.0.2")
    expect(await first.read()).toMatch(/^220 /)
    for (let count = 0; count < 5; count++) await (await open("127.0.0.2")).read()
    // The seventh client without a login replaces the first, although there are eight places.
    expect(await (await open("127.0.0.2")).read()).toMatch(/^220 /)
    expect(await first.read()).toMatch(/^421 /)
    const { baseUrl, live, managementToken, sandbox } = service!
    const workspace = await openWorkspace(
      { managementToken, fetch: (path, init) => service!.fetch(new Request(baseUrl + path, init)) },
      "Sessions"
    )
    const keys = [sandbox.apiKey, live.apiKey, workspace.sandbox.key, workspace.live.key]
    const sessions: Array<SmtpClient> = []
    for (const key of [...keys, ...keys]) sessions.push(await login(key))
    await expect(login()).rejects.toThrow()
    for (const client of sessions) expect(await client.say("NOOP")).toMatch(/^250 /)
  })

  it("gives an account a share of the places, and others theirs", async () => {
    const { login, open } = await begin({ maxConnections: 8, maxConnectionsPerNetwork: 8 })
    const { live, sandbox } = service!
    const [first, second] = [await login(), await login()]
    const late = await open()
    await late.read()
    await late.say("EHLO test.example")
    expect(await late.say(`AUTH PLAIN ${plainToken(sandbox.apiKey)}`)).toMatch(
      /^421 4\.7\.0 Too many connections of this account; /
    )
    await late.ended
    expect(await (await login(live.apiKey)).say("NOOP")).toMatch(/^250 /)
    expect(await first.send(["ada@example.org"], hello)).toMatch(/^250 /)
    await second.say("QUIT")
    await second.ended
    await onceFree(login)
  })

  it("stops counting connections that ended, however they were encrypted and however they ended", async () => {
    await begin({ maxConnectionsPerNetwork: 2 })
    for (const address of service!.smtp) {
      for (let count = 0; count < 5; count++) {
        const client = await onceFree(() => loggedIn(address, service!.sandbox.apiKey))
        if (count % 2 === 0) await client.say("QUIT")
        client.close()
      }
    }
  })

  it("closes a connection with too many errors or too many messages", async () => {
    const { login } = await begin({ maxErrors: 3, maxMessagesOfConnection: 2 })
    const wrong = await login()
    for (let count = 0; count < 2; count++) expect(await wrong.say("RCPT TO:<x>")).toMatch(/^501 /)
    expect(await wrong.say("RCPT TO:<x>")).toMatch(/^501 /)
    expect(await wrong.read()).toBe("421 4.7.0 Too many errors")
    const busy = await login()
    for (let count = 0; count < 2; count++) expect(await busy.send(["a@b.example"], hello)).toMatch(/^250 /)
    expect(await busy.send(["a@b.example"], hello)).toMatch(/^421 4\.7\.0 /)
  })

  it("limits the bytes that it holds, and cuts a message that does not end", async () => {
    const { login } = await begin({
      maxMessageBytes: 10_000,
      maxDiscardedBytes: 50_000,
      maxHeldBytes: 12_000
    })
    const endless = await login()
    await toData(endless)
    endless.write(hello)
    const timer = setInterval(() => endless.write(`${"x".repeat(998)}\r\n`.repeat(5)), 5)
    expect(await endless.read()).toMatch(/^552 5\.3\.4 /)
    await endless.ended
    clearInterval(timer)
    const [first, second] = [await login(), await login()]
    await toData(first)
    first.write(`${hello}${"x".repeat(7_000)}\r\n`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await second.send(["a@b.example"], `${hello}${"x".repeat(7_000)}`)).toMatch(/^451 4\.3\.0 /)
    expect(await first.say(".")).toMatch(/^250 /)
    expect(await second.send(["a@b.example"], `${hello}${"x".repeat(7_000)}`)).toMatch(/^250 /)
  })

  it("frees the bytes of a client that disconnected", async () => {
    const { login } = await begin({ maxHeldBytes: 12_000 })
    const gone = await login()
    await toData(gone)
    gone.write(`${hello}${"x".repeat(9_000)}\r\n`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    gone.close()
    const next = await login()
    const answer = await eventually(
      () => next.send(["a@b.example"], `${hello}${"x".repeat(9_000)}`),
      (said) => said.startsWith("250 ")
    )
    expect(answer).toMatch(/^250 /)
  })

  it("notifies idle clients when it stops, and finishes a message in progress", async () => {
    const { login } = await begin({})
    const [idle, sending] = [await login(), await login()]
    await toData(sending)
    sending.write(hello)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const closing = service!.close()
    service = null
    expect(await idle.read()).toBe("421 4.3.2 The service is stopping; connect again")
    expect(await sending.say(".")).toMatch(/^250 2\.0\.0 Ok: queued as /)
    expect(await sending.read()).toBe("421 4.3.2 The service is stopping; connect again")
    await closing
  })
})
