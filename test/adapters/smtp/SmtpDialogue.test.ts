/**
 * Tests the commands for a message, its bytes on the wire, and the parsing of replies, with any input.
 *
 * @module
 */
import * as fc from "fast-check"
import { SMTPStream } from "smtp-server/lib/smtp-stream.js"
import { describe, expect, it } from "vitest"
import DataStream from "../../../node_modules/nodemailer/dist/esm/smtp-connection/data-stream.js"
import { type Envelope, envelopeOf } from "../../../adapters/smtp/transport/Envelope.ts"
import { MessageData } from "../../../adapters/smtp/transport/MessageData.ts"
import { ReplyReader } from "../../../adapters/smtp/transport/ReplyReader.ts"
import { messageTo } from "./transport.ts"

describe("envelopeOf", () => {
  const offered = (recipient: string, returnPath: string, extensions: Readonly<Record<string, string>>) =>
    envelopeOf(
      messageTo(recipient, { returnPath, raw: new Uint8Array(100) }),
      (name) => extensions[name] ?? null
    )
  const lines = (envelope: Envelope) =>
    envelope._tag === "Commands" ? envelope.commands.map(({ line }) => line) : envelope.error

  it("uses the extensions that the server announced", () => {
    const rest = ["RCPT TO:<a@b.example>", "DATA"]
    expect(lines(offered("a@b.example", "r@s.example", {}))).toEqual(["MAIL FROM:<r@s.example>", ...rest])
    expect(lines(offered("a@b.example", "", { SIZE: "" }))).toEqual(["MAIL FROM:<> SIZE=100", ...rest])
    expect(lines(offered("a@b.example", "", { SIZE: "0", SMTPUTF8: "" }))).toEqual([
      "MAIL FROM:<> SIZE=100",
      ...rest
    ])
    expect(lines(offered("ä@b.example", "", { SIZE: "100", SMTPUTF8: "" }))).toEqual([
      "MAIL FROM:<> SMTPUTF8 SIZE=100",
      "RCPT TO:<ä@b.example>",
      "DATA"
    ])
    expect(lines(offered("ä@b.example", "", { SIZE: "100" }))).toBe("no_smtputf8")
    expect(lines(offered("a@b.example", "", { SIZE: "99" }))).toBe("message_too_large")
    expect(lines(offered("", "", {}))).toBe("address_unsendable")
  })

  it("returns three lines, whatever an address contains", () => {
    const piece = fc.oneof(
      fc.constantFrom("\r\n", "\n", "\r", "\0", ">", "<", "DATA", "\u2028", "\u0085"),
      fc.string()
    )
    const address = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(address, address, (recipient, returnPath) => {
        const envelope = offered(recipient, returnPath, { SMTPUTF8: "" })
        if (envelope._tag === "Impossible") return
        const written = Buffer.from(envelope.commands.map(({ line }) => line).join("\r\n")).toString("latin1")
        expect(written).not.toMatch(/[\0-\x09\x0b\x0c\x0e-\x1f\x7f]/)
        expect(written.match(/\r\n|\r|\n/g)).toEqual(["\r\n", "\r\n"])
        expect(written).toMatch(/^MAIL FROM:<[^<>\r\n]*>( SMTPUTF8)?\r\nRCPT TO:<[^<>\r\n]+>\r\nDATA$/)
      })
    )
  })
})

describe("MessageData", () => {
  const written = (raw: Uint8Array): Buffer => {
    const data = new MessageData(raw)
    const parts: Array<Uint8Array> = []
    for (let part = data.next(); part !== null; part = data.next()) parts.push(part)
    return Buffer.concat([...parts, data.end()])
  }
  const byNodemailer = async (raw: Uint8Array): Promise<Buffer> => {
    const stream = new DataStream()
    stream.end(raw)
    return Buffer.concat(await stream.toArray())
  }
  const content = fc
    .array(fc.constantFrom("\r\n", "\r", "\n", ".", "..", "a", "\r\n.\r\n", "ä"), { maxLength: 40 })
    .map((parts) => parts.join(""))
  /** Some messages are longer than a chunk, with line ends at the boundary. */
  const raw = fc
    .tuple(fc.constantFrom(0, 0, 65_515, 131_050), content)
    .map(([before, text]) => Buffer.from("x".repeat(before) + text))

  it("writes the bytes that nodemailer would send", async () => {
    await fc.assert(
      fc.asyncProperty(raw, async (bytes) => {
        expect(written(bytes).equals(await byNodemailer(bytes))).toBe(true)
      }),
      { numRuns: 300 }
    )
  })

  it("writes what a server reads as the message, and ends where the message ends", async () => {
    await fc.assert(
      fc.asyncProperty(raw, async (bytes) => {
        const server = new SMTPStream()
        const stream = server.startDataMode()
        const chunks = stream.toArray()
        const commands: Array<string> = []
        server.oncommand = (command, next) => {
          commands.push(command.toString())
          next?.()
        }
        stream.on("end", () => server.continue())
        server.write(Buffer.concat([written(bytes), Buffer.from("NOOP\r\n")]))
        const whole = bytes.toString("latin1").replaceAll(/\r\n|\r|\n/g, "\r\n")
        const message = whole.endsWith("\r\n") ? whole : `${whole}\r\n`
        expect(Buffer.concat(await chunks).toString("latin1")).toBe(message)
        await new Promise((resolve) => setImmediate(resolve))
        expect(commands).toEqual(["NOOP"])
      }),
      { numRuns: 300 }
    )
  })
})

describe("ReplyReader", () => {
  const maxBytes = 1000
  const readAll = (chunks: ReadonlyArray<Uint8Array>) => {
    const reader = new ReplyReader(maxBytes)
    const replies: Array<string> = []
    for (const chunk of chunks) {
      if (!reader.read(chunk)) return { replies, reader, failed: true }
      for (let reply = reader.take(); reply !== null; reply = reader.take()) replies.push(reply)
    }
    return { replies, reader, failed: false }
  }
  const bytes = (text: string) => Buffer.from(text, "latin1")

  it("joins the lines of a reply", () => {
    const { reader, replies } = readAll([
      bytes("250-a\r\n250-b\r\n25"),
      bytes("0 c\r"),
      bytes("\n\r\n354 go\n550 1\r\nwhat?\r\n"),
      Buffer.from("250 grün\r\n"),
      bytes("250 gr\xfcn\r\n5")
    ])
    expect(replies).toEqual(["250-a\n250-b\n250 c", "354 go", "550 1", "what?", "250 grün", "250 grün"])
    expect([reader.isEmpty, reader.hasReply]).toEqual([false, false])
  })

  it("returns a rejection without its line end when the connection closes, and no other fragment", () => {
    for (const [text, taken] of [
      ["550 5.1.1 no", "550 5.1.1 no"],
      ["421-bye", "421-bye"],
      ["55", null],
      ["250 ok", null],
      ["", null]
    ] as const) {
      const { reader } = readAll([bytes(text)])
      reader.close()
      expect(reader.take()).toBe(taken)
    }
  })

  it("rejects a reply that does not end, and too many replies", () => {
    expect(readAll([bytes("2".repeat(maxBytes + 1))]).failed).toBe(true)
    expect(readAll(Array.from({ length: 200 }, () => bytes("250-more\r\n"))).failed).toBe(true)
    expect(readAll([bytes(`250-a\r\n${"x".repeat(maxBytes)}`)]).failed).toBe(true)
    expect(readAll([bytes("250 a\r\n".repeat(100))]).failed).toBe(true)
    expect(readAll([bytes(`250 ${"x".repeat(maxBytes - 10)}\r\n`)]).failed).toBe(false)
  })

  it("reads the same replies from any chunks, and never fails", () => {
    const piece = fc.oneof(
      fc.constantFrom("250 ok\r\n", "250-", "354 go\r\n", "550 5.1.1 no\n", "\r\n", "\r", "\n", "-", "421"),
      fc.string({ unit: "binary", maxLength: 20 })
    )
    const text = fc.array(piece, { maxLength: 6 }).map((parts) => bytes(parts.join("")))
    fc.assert(
      fc.property(text, fc.array(fc.nat(40), { maxLength: 8 }), (whole, sizes) => {
        const chunks: Array<Buffer> = []
        let at = 0
        for (const size of sizes) chunks.push(whole.subarray(at, (at += size)))
        chunks.push(whole.subarray(at))
        const inPieces = readAll(chunks)
        const atOnce = readAll([whole])
        expect(inPieces.replies).toEqual(atOnce.replies)
        expect(inPieces.reader.isEmpty).toBe(atOnce.reader.isEmpty)
        for (const reply of atOnce.replies) expect(reply.trim()).not.toBe("")
      }),
      { numRuns: 1000 }
    )
  })
})
