/**
 * Tests commands sent together to a server with PIPELINING (RFC 2920), and the meaning of its replies.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { afterEach } from "vitest"
import { open } from "../../../adapters/smtp/transport/Connection.ts"
import { type Script, type ScriptServer, startSmtpScript } from "../../support/smtpScript.ts"
import { errorOf, messageTo, relayLayer, send, shortLimits } from "./transport.ts"

const running: Array<ScriptServer> = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const announces = { ehlo: "250-script\r\n250-PIPELINING\r\n250 SIZE 10000000" }
const announcesNot = { ehlo: "250-script\r\n250 SIZE 10000000" }

/** Sends a message to a server with this script, and then another one to the same server, which then accepts. */
const sendTwice = (script: Script, message = messageTo("ada@example.org")) =>
  Effect.gen(function* () {
    const server = yield* Effect.promise(() => startSmtpScript(script))
    running.push(server)
    let runs = 0
    const point = Effect.sync(() => {
      runs++
      return true
    })
    const { first, second } = yield* Effect.gen(function* () {
      const one = yield* send(message, point)
      const before = { runs, pieces: server.pieces().length }
      server.set(script.ehlo === undefined ? {} : { ehlo: script.ehlo })
      const other = yield* send(messageTo("grace@example.org"))
      const pieces = server.pieces()
      return {
        first: { outcome: one, runs: before.runs, pieces: pieces.slice(0, before.pieces) },
        second: { outcome: other, pieces: pieces.slice(before.pieces) }
      }
    }).pipe(Effect.provide(relayLayer(`smtp://127.0.0.1:${server.port}?pool=1`)))
    const arrived = yield* Effect.promise(server.settled)
    return { first, second, arrived, commands: server.commands() }
  })

const verbs = (pieces: ReadonlyArray<string>) =>
  pieces.map((piece) =>
    /^[A-Z]{4}\b/.test(piece)
      ? piece
          .split("\r\n")
          .slice(0, -1)
          .map((line) => line.slice(0, 4))
          .join(" ")
      : piece
  )

it.live("a message takes two writes with PIPELINING", () =>
  Effect.gen(function* () {
    const message = messageTo("ada@example.org")
    const { arrived, first, second } = yield* sendTwice(announces, message)
    expect([first.outcome._tag, second.outcome._tag, arrived]).toEqual(["Sent", "Sent", 2])
    const body = new TextDecoder().decode(message.raw).replace("\r\n.dotted", "\r\n..dotted")
    expect(first.pieces).toEqual([
      "EHLO mail.svc.test\r\n",
      `MAIL FROM:<b+token@bounces.example.com> SIZE=${message.raw.length}\r\nRCPT TO:<ada@example.org>\r\nDATA\r\n`,
      `${body}.\r\n`
    ])
    expect(verbs(second.pieces).slice(0, -1)).toEqual(["RSET MAIL RCPT DATA"])
    expect(second.pieces).toHaveLength(2)
  })
)

it.live("each command is a write of its own without PIPELINING", () =>
  Effect.gen(function* () {
    const { arrived, first, second } = yield* sendTwice(announcesNot)
    expect([first.outcome._tag, second.outcome._tag, arrived]).toEqual(["Sent", "Sent", 2])
    expect(verbs(first.pieces).slice(0, 4)).toEqual(["EHLO", "MAIL", "RCPT", "DATA"])
    expect(first.pieces).toHaveLength(5)
    expect(verbs(second.pieces).slice(0, 4)).toEqual(["RSET", "MAIL", "RCPT", "DATA"])
  })
)

it.live("a message is sent whatever chunks the replies come in", () =>
  Effect.gen(function* () {
    for (const pace of ["together", "bytes"] as const) {
      for (const announced of [announces, announcesNot]) {
        const { arrived, first, second } = yield* sendTwice({ ...announced, pace })
        expect([first.outcome._tag, second.outcome._tag, arrived]).toEqual(["Sent", "Sent", 2])
        const replies = "conversation" in first.outcome ? first.outcome.conversation?.replies : []
        expect(replies?.slice(-4)).toEqual(["250 2.1.0 Ok", "250 2.1.5 Ok", "354 go ahead", "250 2.0.0 Ok"])
      }
    }
  })
)

describe("a rejection", () => {
  it.live("of the recipient and of DATA keeps the connection", () =>
    Effect.gen(function* () {
      for (const announced of [announces, announcesNot]) {
        const script = { ...announced, rcpt: "550 5.1.1 no such user", data: "503 5.5.1 no recipients" }
        const { arrived, commands, first, second } = yield* sendTwice(script)
        expect([first.outcome._tag, second.outcome._tag]).toEqual(["Bounced", "Sent"])
        expect([first.runs, arrived]).toEqual([0, 1])
        expect(verbs(second.pieces)[0]).toMatch(/^RSET/)
        expect(commands.filter((line) => line.startsWith("EHLO"))).toHaveLength(1)
      }
    })
  )

  it.live("of the recipient but not of DATA is followed by an empty message", () =>
    Effect.gen(function* () {
      for (const message of ["250 2.0.0 Ok", "554 5.5.1 no recipients"]) {
        const script = { ...announces, rcpt: "550 5.1.1 no such user", message }
        const { arrived, commands, first, second } = yield* sendTwice(script)
        expect([first.outcome._tag, second.outcome._tag]).toEqual(["Bounced", "Sent"])
        expect([first.runs, arrived]).toEqual([0, 1])
        expect(first.pieces.slice(2)).toEqual([".\r\n"])
        expect(verbs(second.pieces)[0]).toMatch(/^RSET/)
        expect(commands.filter((line) => line.startsWith("EHLO"))).toHaveLength(1)
      }
    })
  )

  it.live("of the sender but not of DATA closes the connection", () =>
    Effect.gen(function* () {
      const script = { ...announces, mail: "550 5.7.1 not you" }
      const { arrived, first, second } = yield* sendTwice(script)
      expect([first.outcome._tag, second.outcome._tag]).toEqual(["Held", "Sent"])
      expect([first.runs, arrived]).toEqual([0, 1])
      expect(verbs(first.pieces)).toEqual(["EHLO", "MAIL RCPT DATA"])
      expect(verbs(second.pieces)[0]).toBe("EHLO")
    })
  )

  it.live("of the sender and of all commands after it keeps the connection", () =>
    Effect.gen(function* () {
      const script = { ...announces, mail: "451 4.3.0 later", rcpt: "503 5.5.1 no", data: "503 5.5.1 no" }
      const { arrived, first, second } = yield* sendTwice(script)
      expect([first.outcome._tag, second.outcome._tag]).toEqual(["Deferred", "Sent"])
      expect([first.runs, arrived]).toEqual([0, 1])
      // The replies that follow from the rejection are left out.
      const replies = "conversation" in first.outcome ? first.outcome.conversation?.replies : []
      expect(replies?.at(-1)).toBe("451 4.3.0 later")
      expect(verbs(second.pieces)[0]).toMatch(/^RSET/)
    })
  )

  it.live("of DATA keeps the connection, and any other reply than 354 closes it", () =>
    Effect.gen(function* () {
      for (const announced of [announces, announcesNot]) {
        const rejected = yield* sendTwice({ ...announced, data: "451 4.3.0 later" })
        expect([rejected.first.outcome._tag, rejected.first.runs, rejected.arrived]).toEqual([
          "Deferred",
          0,
          1
        ])
        const odd = yield* sendTwice({ ...announced, data: "250 2.0.0 go on" })
        expect([odd.first.outcome._tag, odd.first.runs, odd.arrived]).toEqual(["Deferred", 0, 1])
        expect(verbs(odd.second.pieces)[0]).toBe("EHLO")
      }
    })
  )
})

describe("a server that closes", () => {
  it.live("with 421 among its replies suspends the lane", () =>
    Effect.gen(function* () {
      for (const stage of ["mail", "rcpt", "data"] as const) {
        for (const announced of [announces, announcesNot]) {
          const script = { ...announced, [stage]: "421 4.3.2 try again in 10 minutes" }
          const { arrived, first, second } = yield* sendTwice(script)
          expect(first.outcome).toMatchObject({ _tag: "Deferred", retryAfter: 600_000 })
          expect([first.runs, arrived]).toEqual([0, 0])
          expect(second.outcome._tag).toBe("Busy")
          expect(second.pieces.join("")).toBe("")
        }
      }
    })
  )

  it.live("between its replies has rejected what it rejected before", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Script, string]> = [
        [{ rcpt: "drop" }, "Deferred"],
        [{ data: "drop" }, "Deferred"],
        [{ rcpt: "550 5.1.1 no such user", data: "drop" }, "Bounced"],
        [{ rcpt: "550 5.1.1 no such user", message: "drop" }, "Bounced"],
        [{ mail: "550 5.7.1 not you", rcpt: "drop" }, "Held"],
        [{ mail: "550 5.7.1 not you", rcpt: "421 4.3.2 bye", data: "" }, "Held"],
        [{ rcpt: "550 5.1.1 no such user", data: "" }, "Bounced"],
        // Without a line end.
        [{ data: "554 5.7.1 not todaydrop" }, "Held"],
        [{ data: "35drop" }, "Deferred"]
      ]
      for (const [script, tag] of cases) {
        const { arrived, first } = yield* sendTwice({ ...announces, ...script })
        expect([script, first.outcome._tag, first.runs]).toEqual([script, tag, 0])
        expect(arrived).toBeLessThanOrEqual(1)
      }
    })
  )
})

it.live("interrupting closes the connection at any stage", () =>
  Effect.gen(function* () {
    for (const [script, pieces] of [
      [{ mail: "" }, 2],
      [{ rcpt: "550 5.1.1 no such user", data: "" }, 2],
      [{ rcpt: "550 5.1.1 no such user", message: "" }, 3],
      [{ message: "" }, 3]
    ] as const) {
      const server = yield* Effect.promise(() => startSmtpScript({ ...announces, ...script }))
      running.push(server)
      const layer = relayLayer(`smtp://127.0.0.1:${server.port}`)
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(send(messageTo("ada@example.org")))
        yield* Effect.promise(async () => {
          await expect.poll(() => server.pieces().length).toBe(pieces)
        })
        yield* Fiber.interrupt(fiber)
        expect(yield* Effect.promise(server.settled)).toBe("rcpt" in script || "mail" in script ? 0 : 1)
      }).pipe(Effect.provide(layer))
    }
  })
)

describe("a server out of step", () => {
  it.live("sends a reply too many: no message is sent", () =>
    Effect.gen(function* () {
      for (const announced of [announces, announcesNot]) {
        for (const pace of ["together", "bytes"] as const) {
          const cases: ReadonlyArray<Script> = [
            { mail: "250 2.1.0 Ok\r\n250 2.1.0 Ok" },
            { mail: "250 2.1.0 Ok\r\n250 2.1.0 Ok", rcpt: "550 5.1.1 no such user" },
            { rcpt: "250 2.1.5 Ok\r\n250 2.1.5 Ok" },
            { data: "503 5.5.1 no\r\n354 or yes" }
          ]
          for (const script of cases) {
            const { arrived, first, second } = yield* sendTwice({ ...announced, pace, ...script })
            expect([script, first.runs]).toEqual([script, 0])
            expect(first.outcome._tag).not.toBe("Sent")
            expect(["Sent", "Deferred"]).toContain(second.outcome._tag)
            expect(arrived).toBe(second.outcome._tag === "Sent" ? 1 : 0)
            // A reply that arrives after the next message has begun breaks that message.
            if (pace === "together") expect(["EHLO", undefined]).toContain(verbs(second.pieces)[0])
          }
        }
      }
    })
  )

  it.live("sends a reply too many after it accepted a message: the connection is not used again", () =>
    Effect.gen(function* () {
      const script = { ...announces, pace: "together", message: "250 2.0.0 Ok\r\n250 2.0.0 Ok" } as const
      const { arrived, first, second } = yield* sendTwice(script)
      expect([first.outcome._tag, second.outcome._tag, arrived]).toEqual(["Sent", "Sent", 2])
      expect(verbs(second.pieces)[0]).toBe("EHLO")
    })
  )

  it.live("sends a reply between messages: the connection is closed at once", () =>
    Effect.gen(function* () {
      for (const [message, later] of [
        ["250 2.0.0 Ok\r\n421 4.3.2 bye", null],
        ["250 2.0.0 Ok", "421 4.3.2 bye"],
        ["250 2.0.0 Ok", "250 2.0.0 Ok"]
      ] as const) {
        const script = { ...announces, pace: "together", message } as const
        const server = yield* Effect.promise(() => startSmtpScript(script))
        running.push(server)
        const connection = yield* open(
          {
            host: "127.0.0.1",
            address: "127.0.0.1",
            port: server.port,
            tls: "never",
            verify: false,
            showsReplies: true,
            credentials: null,
            name: "mail.svc.test"
          },
          shortLimits
        )
        const result = yield* connection.send(messageTo("ada@example.org"), {
          limits: shortLimits,
          pointOfNoReturn: Effect.succeed(true),
          park: () => null
        })
        expect(result._tag).toBe("Accepted")
        expect(connection.isOpen()).toBe(later !== null)
        if (later !== null) server.tell(later)
        yield* Effect.promise(async () => {
          await expect.poll(() => connection.isOpen(), { timeout: 3000 }).toBe(false)
        })
        expect(yield* Effect.promise(server.settled)).toBe(1)
      }
    })
  )

  it.live("sends a reply without end: the connection is closed", () =>
    Effect.gen(function* () {
      const { first } = yield* sendTwice({ ...announces, rcpt: `550-${"x".repeat(100_000)}` })
      expect([first.outcome._tag, errorOf(first.outcome), first.runs]).toEqual(["Deferred", "protocol", 0])
      const lines = yield* sendTwice({ ...announces, rcpt: "550-5.1.1 no\r\n".repeat(10_000) })
      expect([errorOf(lines.first.outcome), lines.first.runs]).toEqual(["protocol", 0])
    })
  )

  it.live("reads a large message late: whether it may leave is asked once the rest was taken", () =>
    Effect.gen(function* () {
      let read = () => {}
      const bodyAfter = new Promise<void>((resolve) => {
        read = resolve
      })
      const server = yield* Effect.promise(() => startSmtpScript({ ...announces, bodyAfter }))
      running.push(server)
      // More than the buffers of two sockets hold.
      const raw = new TextEncoder().encode(`Subject: large\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(130_000)}`)
      let asked = false
      const withdrawn = Effect.sync(() => {
        asked = true
        return false
      })
      const layer = relayLayer(`smtp://127.0.0.1:${server.port}`)
      const fiber = yield* Effect.forkChild(
        Effect.provide(send(messageTo("ada@example.org", { raw }), withdrawn), layer)
      )
      yield* Effect.promise(async () => {
        await expect.poll(server.commands).toContain("DATA")
      })
      yield* Effect.sleep(200)
      expect(asked).toBe(false)
      read()
      expect((yield* Fiber.join(fiber))._tag).toBe("Withdrawn")
      expect(yield* Effect.promise(server.settled)).toBe(0)
    })
  )

  it.live("rejects a large message before its end: no more of it is sent", () =>
    Effect.gen(function* () {
      const raw = new TextEncoder().encode(`Subject: large\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(100_000)}`)
      const script = { ...announces, body: "552 5.3.4 too much" }
      const { arrived, first } = yield* sendTwice(script, messageTo("ada@example.org", { raw }))
      expect([first.outcome._tag, first.runs, arrived]).toEqual(["Refused", 0, 1])
      expect(first.pieces.join("").length).toBeLessThan(raw.length + 1000)
      expect(first.pieces.join("")).not.toContain("\r\n.\r\n")
    })
  )
})
