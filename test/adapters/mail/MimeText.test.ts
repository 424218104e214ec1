/**
 * Tests that MIME trees are written like those of nodemailer's streams, except for the position of soft line breaks.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import MailComposer from "nodemailer/lib/mail-composer/index.js"
import { mimeText, withCrlf } from "../../../adapters/mail/MimeText.ts"

const words = fc
  .array(
    fc.constantFrom("It works", "ż", "🎉", "=", ".", " ", "\t", "\r", "\n", "\r\n", "From ", "x".repeat(90)),
    { maxLength: 30 }
  )
  .map((pieces) => withCrlf(pieces.join("")))

const file = fc.record({
  filename: fc.constantFrom("a.png", "ü.txt", "mail.eml"),
  contentType: fc.constantFrom("image/png", "text/plain", "message/rfc822", "application/pdf"),
  // Without CR, because nodemailer leaves a bare CR to its transport, which would change it after the message was signed.
  content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 13))),
  cid: fc.constantFrom(undefined, "logo")
})

it("mimeText writes the message that nodemailer builds", () =>
  fc.assert(
    fc.asyncProperty(
      fc.option(words, { nil: undefined }),
      fc.option(words, { nil: undefined }),
      words,
      fc.array(file, { maxLength: 3 }),
      async (html, text, subject, attachments) => {
        const compile = () =>
          new MailComposer({
            from: { address: "ada@example.com", name: subject },
            to: [{ address: "grace@example.org", name: "" }],
            subject,
            messageId: "<id@example.com>",
            date: new Date(0),
            newline: "\r\n",
            baseBoundary: "boundary",
            attachments: attachments.map(({ cid, ...rest }) => ({
              ...rest,
              ...(cid === undefined ? {} : { cid })
            })),
            ...(html === undefined ? {} : { html }),
            ...(text === undefined ? {} : { text })
          }).compile()
        const built = await compile().build()
        const written = mimeText(compile())
        const unbroken = (raw: Buffer) => raw.toString("latin1").replaceAll("=\r\n", "")
        expect(unbroken(written)).toBe(unbroken(built))
      }
    ),
    { numRuns: 300 }
  ))
