/**
 * The report server: its replies when it cannot accept a report, and its limits.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, References, type Scope } from "effect"
import { selfSigned } from "../../../adapters/smtp/Certificate.ts"
import { serveReports } from "../../../adapters/smtp/reports/ReportServer.ts"
import { type IncomingReport, Reports, StillHandingOver } from "../../../core/sending/reports/Reports.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"

type Take = (typeof Reports.Service)["take"]

/** Starts a server that accepts mail for `yes@...` and calls `take` with it; returns its port. */
const listening = (take: Take): Effect.Effect<number, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const certificate = yield* Effect.promise(() => selfSigned("mail.example", Date.now()))
    return (yield* serveReports({ host: "127.0.0.1", port: 0, mailHost: "mail.example", certificate })).port
  }).pipe(
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.provide(
      Layer.succeed(Reports, {
        accepts: (recipient) =>
          recipient.startsWith("away")
            ? Effect.fail(new Unavailable({ cause: "test" }))
            : Effect.succeed(recipient.startsWith("yes")),
        take
      })
    )
  )

/** A client that sends one command at a time. */
const conversation = (port: number) => {
  const socket: Socket = connect(port, "127.0.0.1")
  let received = ""
  let closed = false
  let wake = () => undefined as void
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1")
    wake()
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    closed = true
    wake()
  })
  /** The next reply with all its lines; `closed` for none. */
  const reply = async (): Promise<string> => {
    while (true) {
      const end = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(received)?.[0]
      if (end !== undefined) {
        received = received.slice(end.length)
        return end.trimEnd()
      }
      if (closed) return "closed"
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const say = (text: string) => {
    socket.write(`${text}\r\n`)
    return reply()
  }
  return { reply, say, write: (text: string) => socket.write(text), end: () => socket.destroy() }
}

const greet = async (port: number) => {
  const talk = conversation(port)
  const greeting = await talk.reply()
  if (greeting.startsWith("220")) await talk.say("EHLO peer.example")
  return { ...talk, greeting }
}

/** Sends a message to `yes@mail.example`; returns the last reply. */
const sendReport = async (port: number, body: string): Promise<string> => {
  const { end, say } = await greet(port)
  await say("MAIL FROM:<>")
  await say("RCPT TO:<yes@mail.example>")
  await say("DATA")
  const answer = await say(`${body}\r\n.`)
  end()
  return answer
}

const nothing: Take = () => Effect.void

describe("the report server", () => {
  it.live("passes a report on unchanged, and then replies 250", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const taken: Array<IncomingReport> = []
        const port = yield* listening((reports) => Effect.sync(() => void taken.push(...reports)))
        const answer = yield* Effect.promise(() => sendReport(port, "Subject: s\r\n\r\nü\r\n..dot"))
        expect(answer).toMatch(/^250/)
        expect(taken.map(({ recipients }) => recipients)).toEqual([["yes@mail.example"]])
        expect(Buffer.from(taken[0]!.raw).toString("utf8")).toBe("Subject: s\r\n\r\nü\r\n.dot\r\n")
      })
    )
  )

  it.live("replies 451 when the database is unavailable or the delivery is still in progress", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const failures: ReadonlyArray<Take> = [
          () => Effect.fail(new Unavailable({ cause: "test" })),
          () => Effect.fail(new StillHandingOver()),
          () => Effect.die(new Error("a secret"))
        ]
        for (const failure of failures) {
          const port = yield* listening(failure)
          expect(yield* Effect.promise(() => sendReport(port, "x"))).toBe(
            "451 4.3.0 Not now, try again later"
          )
          const { end, say } = yield* Effect.promise(() => greet(port))
          yield* Effect.promise(() => say("MAIL FROM:<>"))
          expect(yield* Effect.promise(() => say("RCPT TO:<away@mail.example>"))).toMatch(/^451 4\.3\.0/)
          end()
        }
      })
    )
  )

  it.live("closes the connection of a client that guesses recipients", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listening(nothing)
        const { say } = yield* Effect.promise(() => greet(port))
        yield* Effect.promise(() => say("MAIL FROM:<>"))
        const answers: Array<string> = []
        for (let index = 0; index < 11; index++) {
          answers.push(yield* Effect.promise(() => say(`RCPT TO:<no${index}@mail.example>`)))
        }
        expect(answers.slice(0, 9)).toEqual(new Array(9).fill("550 5.1.1 No such address here"))
        expect(answers[9]).toMatch(/^421/)
        expect(answers[10]).toBe("closed")
      })
    )
  )

  it.live("limits an address to 20 connections, and offers no login", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listening(nothing)
        const talks = yield* Effect.promise(() => Promise.all(Array.from({ length: 22 }, () => greet(port))))
        expect(talks.filter(({ greeting }) => greeting.startsWith("220"))).toHaveLength(20)
        expect(talks.filter(({ greeting }) => greeting.startsWith("421"))).toHaveLength(2)
        const open = talks.find(({ greeting }) => greeting.startsWith("220"))!
        expect(open.greeting).toContain("mail.example")
        const features = yield* Effect.promise(() => open.say("EHLO again.example"))
        expect(features).toContain("STARTTLS")
        expect(features).not.toContain("AUTH")
        expect(yield* Effect.promise(() => open.say("AUTH PLAIN AGEAYg=="))).toMatch(/^5/)
        expect(yield* Effect.promise(() => open.say("VRFY yes@mail.example"))).toMatch(/^5/)
        for (const { end } of talks) end()
      })
    )
  )

  it.live(
    "keeps the first 1 MB of a message, rejects a message of 17 MB, and cuts one that does not end",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const taken: Array<number> = []
          const port = yield* listening(([report]) => Effect.sync(() => void taken.push(report!.raw.length)))
          const line = `${"x".repeat(998)}\r\n`
          const megabytes = (count: number) => line.repeat(count * 1049)
          expect(yield* Effect.promise(() => sendReport(port, megabytes(8)))).toMatch(/^250/)
          expect(taken).toEqual([1024 * 1024])
          expect(yield* Effect.promise(() => sendReport(port, megabytes(17)))).toMatch(/^552/)
          const { reply, say, write } = yield* Effect.promise(() => greet(port))
          expect(yield* Effect.promise(() => say("MAIL FROM:<> SIZE=99999999"))).toMatch(/^552/)
          yield* Effect.promise(() => say("MAIL FROM:<>"))
          yield* Effect.promise(() => say("RCPT TO:<yes@mail.example>"))
          yield* Effect.promise(() => say("DATA"))
          write(megabytes(40))
          expect(yield* Effect.promise(reply)).toBe("closed")
          expect(taken).toHaveLength(1)
        })
      )
  )
})

describe("selfSigned", () => {
  it("makes a valid certificate for a host, with its key", async () => {
    const now = Date.UTC(2031, 0, 1)
    for (const host of ["mail.example", `${"long-label.".repeat(20)}example`]) {
      const { cert, key } = await selfSigned(host, now)
      const parsed = new X509Certificate(cert)
      expect(parsed.verify(parsed.publicKey)).toBe(true)
      expect(parsed.checkHost(host)).toBe(host)
      expect(parsed.checkHost("other.example")).toBeUndefined()
      expect(parsed.checkPrivateKey(createPrivateKey(key))).toBe(true)
      expect(new Date(parsed.validFrom).getTime()).toBeLessThan(now)
      expect(new Date(parsed.validTo).getTime()).toBeGreaterThan(now + 9 * 365 * 86_400_000)
    }
  })
})
