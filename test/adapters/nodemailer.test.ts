/**
 * Tests the internal modules of nodemailer that adapters use. Any version of nodemailer may change them.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  encodeNamesBy,
  encodeWord,
  MailComposer,
  readPart,
  toQuotedPrintable,
  wrapQuotedPrintable
} from "../../adapters/mail/Nodemailer.ts"
import { readInstead, SMTPConnection, socketOf } from "../../adapters/smtp/transport/Nodemailer.ts"
import { startSmtpSink } from "../support/smtpSink.ts"

const root = join(import.meta.dirname, "../..")

describe("nodemailer's inner modules", () => {
  it("are named in one file of each adapter", () => {
    const found = ["core", "adapters", "runtimes", "client"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `${folder}/${name}`)
        .filter((name) => readFileSync(join(root, name), "utf8").includes("nodemailer/lib/"))
    )
    expect(found.toSorted()).toEqual(["adapters/mail/Nodemailer.ts", "adapters/smtp/transport/Nodemailer.ts"])
  })

  it("have trees of parts with header, encoding, content and boundary", () => {
    const message = new MailComposer({
      from: { address: "a@example.org", name: "Shop" },
      to: { address: "b@example.org", name: "Ann" },
      subject: "Hello",
      html: "<p>ü</p>",
      text: "plain",
      baseBoundary: "base"
    }).compile()
    encodeNamesBy(message, (name) => (name === "Shop" ? "=?UTF-8?B?U2hvcA==?=" : null))
    const whole = readPart(message)
    expect(whole.header).toContain("From: =?UTF-8?B?U2hvcA==?= <a@example.org>")
    expect(whole.header).toContain("To: Ann <b@example.org>")
    expect(whole.multipart?.boundary).not.toBe("")
    expect(whole.header).toContain(`boundary="${whole.multipart!.boundary}"`)
    const parts = whole.multipart!.parts.map(readPart)
    expect(parts.map(({ content, encoding, multipart }) => [content, encoding, multipart])).toEqual([
      ["plain", "7bit", null],
      ["<p>ü</p>", "quoted-printable", null]
    ])
  })

  it("encode words and quoted-printable text", () => {
    expect(encodeWord("=?x?=", "B", 52)).toBe("=?UTF-8?B?PT94Pz0=?=")
    expect(wrapQuotedPrintable(toQuotedPrintable("ü".repeat(30)))).toMatch(/^(=C3=BC){12}=\r\n/)
  })

  it("have the socket of a connection, whose reader can be replaced", async () => {
    const sink = await startSmtpSink()
    const { hostname, port } = new URL(sink.url)
    const connection = new SMTPConnection({ host: hostname, port: Number(port), ignoreTLS: true })
    expect(socketOf(connection)).toBeNull()
    await new Promise<void>((resolve, reject) => {
      connection.once("error", reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    const socket = socketOf(connection)!
    expect(socket.listenerCount("data")).toBe(1)
    const reply = new Promise<string>((resolve) =>
      readInstead(socket, (chunk) => resolve(chunk.toString("latin1")))
    )
    socket.write("NOOP\r\n")
    expect(await reply).toMatch(/^250 /)
    expect(connection.destroyed).toBe(false)
    connection.close()
    await sink.stop()
  })
})
