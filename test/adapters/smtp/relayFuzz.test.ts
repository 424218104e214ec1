/**
 * Tests the SMTP relay with malformed messages and commands: it always replies, never crashes, and leaks no memory.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Embedded, start } from "../../../runtimes/embedded/index.ts"
import { smallShare } from "../../fixtures/hostile/Hostile.ts"
import { hostileMessages } from "../../fixtures/hostile/messages.ts"
import { loggedIn, openSmtp, type SmtpClient } from "../../support/smtpClient.ts"

const folder = join(import.meta.dirname, "../../fixtures/reports")
const real = readdirSync(folder)
  .filter((name) => name.endsWith(".eml"))
  .map((name) => readFileSync(join(folder, name), "latin1").replaceAll(/\r?\n/g, "\r\n"))
  // The relay sets the sender itself.
  .map((text) => text.replaceAll(/^(?:From|To):.*\r\n(?:[ \t].*\r\n)*/gim, ""))

/** The messages to alter: real ones, and small members of the corpus. */
const examples = [
  ...real,
  ...hostileMessages.map(({ make }) => make(smallShare).replace(/^From:.*\r\n(?:To:.*\r\n)?/, ""))
]

/** Mulberry32, so that every run uses the same bytes. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pieces = [
  "\r\n.\r\n",
  "\n.\n",
  "\r.\r",
  "\0",
  "=?utf-8?B?",
  "--",
  "\r\n\r\n",
  ";",
  "\u00ff",
  "Content-Type: multipart/mixed; boundary=x\r\n"
]

const mutated = (random: (below: number) => number, from = "hello@example.com"): string => {
  let text = `From: ${from}\r\nTo: ada@example.org\r\n${examples[random(examples.length)]!}`
  for (let count = random(6); count > 0; count--) {
    const at = random(text.length)
    const kind = random(3)
    if (kind === 0) text = text.slice(0, at) + text.slice(at + random(300))
    else if (kind === 1) text = text.slice(0, at) + pieces[random(pieces.length)]! + text.slice(at)
    else text = text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1)
  }
  return text
}

describe("the relay under malformed input", () => {
  let service: Embedded
  beforeAll(async () => {
    service = await start({ smtp: { maxErrors: 1_000_000 } })
    const settings = `${service.baseUrl}/manage/v1/accounts/${service.sandbox.accountId}/settings`
    const patched = await service.fetch(
      new Request(settings, {
        method: "PATCH",
        headers: { authorization: `Bearer ${service.managementToken}`, "content-type": "application/json" },
        body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
      })
    )
    expect(patched.status).toBe(200)
  })
  afterAll(() => service?.close())
  const open = () => loggedIn(service.smtp[1]!, service.sandbox.apiKey)

  it("replies to every message, in order", { timeout: 240_000 }, async () => {
    const random = randomOf(1)
    let client = await open()
    const kinds = new Map<string, number>()
    for (let count = 0; count < 400; count++) {
      const answer = await client.send(["ada@example.org"], mutated(random))
      expect(answer).toMatch(/^(250 2\.0\.0 Ok: queued as|55[0-4] 5\.\d\.\d |451 )/)
      kinds.set(answer.slice(0, 3), (kinds.get(answer.slice(0, 3)) ?? 0) + 1)
      // A smuggled message would cause an additional reply.
      if (count % 20 === 0) expect(await client.say("NOOP")).toBe("250 2.0.0 OK")
      if (count % 100 === 99) {
        client.close()
        client = await open()
      }
    }
    client.close()
    expect(kinds.get("250")).toBeGreaterThan(20)
    expect(kinds.get("554")).toBeGreaterThan(20)
  })

  it("survives random commands", { timeout: 240_000 }, async () => {
    const random = randomOf(2)
    const words = [
      "EHLO x",
      "MAIL FROM:<a@b.example>",
      "RCPT TO:<ada@example.org>",
      "DATA",
      "RSET",
      "NOOP",
      ".",
      "",
      "AUTH PLAIN",
      "AUTH LOGIN",
      "*",
      "STARTTLS",
      "VRFY x",
      "RCPT TO:<",
      'MAIL FROM:<"@',
      "BDAT 5 LAST",
      "HELO",
      "\u0000",
      "x".repeat(3_000),
      "MAIL FROM:<a@b.example> SIZE=x BODY=y SMTPUTF8=1"
    ]
    const ends = ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", ""]
    for (let count = 0; count < 150; count++) {
      const encrypted = random(2) === 1
      const client: SmtpClient = encrypted
        ? await open()
        : await openSmtp(service.smtp[0]!, { from: "127.0.0.31" })
      let text = ""
      for (let words_ = random(30); words_ > 0; words_--)
        text += words[random(words.length)]! + ends[random(ends.length)]!
      client.write(text)
      client.write("\r\n.\r\nQUIT\r\n")
      setTimeout(client.close, 150)
      await client.ended
    }
    const client = await open()
    expect(
      await client.send(
        ["ada@example.org"],
        "From: hello@example.com\r\nTo: ada@example.org\r\nSubject: s\r\n\r\nt"
      )
    ).toMatch(/^250 /)
    client.close()
  })

  it("keeps no memory of messages that it rejected", { timeout: 240_000 }, async () => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const random = randomOf(3)
    // A message from another sender is read completely and rejected.
    const large = () => `${mutated(random, "no@other.example")}\r\n${`${"x".repeat(76)}\r\n`.repeat(4_000)}`
    const used = async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      collect()
      const { external, heapUsed } = process.memoryUsage()
      return (external + heapUsed) / 1_048_576
    }
    const round = async () => {
      const client = await open()
      for (let count = 0; count < 60; count++) {
        // 451 if the threads that read messages use too much of this process's memory at that moment.
        expect(await client.send(["ada@example.org"], large())).toMatch(/^(?:55[0-4]|451) /)
      }
      client.close()
    }
    await round()
    await round()
    // The memory of a connection is freed some time after it was closed, so the lowest of several measurements counts.
    const looks: Array<number> = []
    while (looks.length < 5) looks.push(await used())
    const before = Math.min(...looks)
    await round()
    await round()
    await expect.poll(used, { timeout: 30_000 }).toBeLessThan(before + 20)
  })
})
