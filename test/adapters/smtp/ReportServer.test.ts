/**
 * Tests the report server: its replies when it cannot accept a report, and its limits.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { connect, type Socket } from "node:net"
import type { CallerLimits } from "../../../core/shared/CallerLimits.ts"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, References, type Scope } from "effect"
import { selfSigned } from "../../../adapters/smtp/Certificate.ts"
import { serveReports } from "../../../adapters/smtp/reports/ReportServer.ts"
import { MailReports } from "../../../core/sending/aggregates/MailReports.ts"
import { type IncomingReport, Reports, StillHandingOver } from "../../../core/sending/reports/Reports.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"

type Take = (typeof Reports.Service)["take"]

/** Starts a server that accepts mail for `yes@...` and calls `take` with it. Returns its port. */
const listening = (
  take: Take,
  limits: Partial<CallerLimits> = {}
): Effect.Effect<number, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const certificate = yield* Effect.promise(() => selfSigned("mail.example", Date.now()))
    return (yield* serveReports({
      host: "127.0.0.1",
      port: 0,
      mailHost: "mail.example",
      certificate,
      limits
    })).port
  }).pipe(
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.provide(
      Layer.merge(
        Layer.succeed(Reports, {
          accepts: (recipient) =>
            recipient.startsWith("away")
              ? Effect.fail(new Unavailable({ cause: "test" }))
              : Effect.succeed(recipient.startsWith("yes")),
          take
        }),
        Layer.succeed(MailReports, {
          kindOf: (recipient) => (recipient.startsWith("dmarc") ? "Dmarc" : null),
          take: (kind, raw) => Effect.orDie(take([{ recipients: [kind], raw }]))
        })
      )
    )
  )

/** A client that sends one command at a time. */
const conversation = (port: number, from = "127.0.0.1") => {
  const socket: Socket = connect({ port, host: "127.0.0.1", localAddress: from })
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
  /** The next reply with all its lines; `closed` if there is none. */
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

const greet = async (port: number, from?: string) => {
  const talk = conversation(port, from)
  const greeting = await talk.reply()
  if (greeting.startsWith("220")) await talk.say("EHLO peer.example")
  return { ...talk, greeting }
}

/** Sends a message to `yes@mail.example`. Returns the last reply. */
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

  it.live("rejects two addresses of one recipient", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listening(nothing)
        const { end, say } = yield* Effect.promise(() => greet(port))
        yield* Effect.promise(() => say("MAIL FROM:<>"))
        const answer = yield* Effect.promise(() => say("RCPT TO:<yes@mail.example> <no@mail.example>"))
        expect(answer).toMatch(/^501/)
        end()
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

  it.live("closes silent connections for new ones, and those that know a recipient last", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listening(nothing, { maxConnections: 8, maxConnectionsPerNetwork: 3 })
        const silent = yield* Effect.promise(() =>
          Promise.all(["127.0.0.2", "127.0.0.3"].flatMap((from) => [1, 2, 3].map(() => greet(port, from))))
        )
        for (const from of ["127.0.0.4", "127.0.0.5"]) {
          const { say } = yield* Effect.promise(() => greet(port, from))
          yield* Effect.promise(() => say("MAIL FROM:<>"))
          expect(yield* Effect.promise(() => say("RCPT TO:<yes@mail.example>"))).toMatch(/^250/)
        }
        const replies = yield* Effect.promise(() =>
          Promise.all(silent.slice(0, 3).map(({ say }) => say("NOOP")))
        )
        expect(replies.filter((reply) => reply.startsWith("250")).length).toBeLessThan(3)
        // Three clients of a network that have all named a recipient stay, and a fourth finds no place.
        const own: Array<string> = []
        for (let count = 0; count < 3; count++) {
          const { say } = yield* Effect.promise(() => greet(port, "127.0.0.9"))
          yield* Effect.promise(() => say("MAIL FROM:<>"))
          own.push(yield* Effect.promise(() => say("RCPT TO:<yes@mail.example>")))
        }
        const refused = yield* Effect.promise(() => greet(port, "127.0.0.9"))
        expect(refused.greeting).toBe("421 4.7.0 Too many connections; try again later")
        expect(own.every((reply) => reply.startsWith("250"))).toBe(true)
      })
    )
  )

  it.live("cuts a report that is too slow, and bounds the bytes of all reports", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listening(nothing, { bodyMillis: 400, maxUnknownBytes: 100_000 })
        const toData = async () => {
          const talk = await greet(port)
          for (const line of ["MAIL FROM:<>", "RCPT TO:<yes@mail.example>", "DATA"]) await talk.say(line)
          return talk
        }
        const slow = yield* Effect.promise(toData)
        slow.write("Subject: s\r\n")
        expect(yield* Effect.promise(slow.reply)).toBe("421 4.4.2 The message comes too slowly")
        const large = yield* Effect.promise(toData)
        large.write(`${"x".repeat(998)}\r\n`.repeat(80))
        yield* Effect.sleep("100 millis")
        const late = yield* Effect.promise(toData)
        late.write(`${"x".repeat(998)}\r\n`.repeat(80))
        expect(yield* Effect.promise(() => late.say("."))).toBe("451 4.3.0 Not now, try again later")
        expect(yield* Effect.promise(() => large.say("."))).toMatch(/^250/)
        expect(yield* Effect.promise(() => sendReport(port, `${"x".repeat(998)}\r\n`.repeat(80)))).toMatch(
          /^250/
        )
      })
    )
  )

  it.live("offers no login", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listening(nothing)
        const open = yield* Effect.promise(() => greet(port))
        expect(open.greeting).toContain("mail.example")
        const features = yield* Effect.promise(() => open.say("EHLO again.example"))
        expect(features).toContain("STARTTLS")
        expect(features).not.toContain("AUTH")
        expect(yield* Effect.promise(() => open.say("AUTH PLAIN AGEAYg=="))).toMatch(/^5/)
        expect(yield* Effect.promise(() => open.say("VRFY yes@mail.example"))).toMatch(/^5/)
        open.end()
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
          // A daily report may have 10 MB, any other report 16 MB.
          yield* Effect.promise(() => say("MAIL FROM:<> SIZE=10485761"))
          expect(yield* Effect.promise(() => say("RCPT TO:<dmarc@mail.example>"))).toMatch(/^552/)
          expect(yield* Effect.promise(() => say("RCPT TO:<yes@mail.example>"))).toMatch(/^250/)
          yield* Effect.promise(() => say("RSET"))
          yield* Effect.promise(() => say("MAIL FROM:<a@b.example> SIZE=10485760"))
          expect(yield* Effect.promise(() => say("RCPT TO:<dmarc@mail.example>"))).toMatch(/^250/)
          yield* Effect.promise(() => say("RSET"))
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
