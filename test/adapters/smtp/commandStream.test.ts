import * as fc from "fast-check"
import { SMTPStream } from "smtp-server/lib/smtp-stream.js"
import { describe, expect, it } from "vitest"
import { CommandStream } from "../../../adapters/smtp/relay/CommandStream.ts"

/** What a stream reads from the chunks of a message and the commands after it. */
const read = (stream: SMTPStream, chunks: ReadonlyArray<Buffer>) =>
  new Promise((resolve) => {
    const content: Array<Buffer> = []
    const commands: Array<string> = []
    stream.oncommand = (command, next) => {
      commands.push(command.toString("latin1"))
      next?.()
    }
    const data = stream.startDataMode()
    data.on("data", (chunk: Buffer) => content.push(chunk))
    data.once("end", () => stream.continue())
    stream.once("finish", () =>
      resolve({ commands, content: Buffer.concat(content).toString("latin1"), length: data.byteLength })
    )
    for (const chunk of chunks) stream.write(chunk)
    stream.end()
  })

describe("CommandStream", () => {
  it("reads messages as smtp-server does, however they are divided", async () => {
    const piece = fc.constantFrom(
      ".",
      "..",
      "\r\n",
      "\r\n.",
      "\r\n..",
      "\n.",
      "\r",
      "a",
      "text of a line",
      "\r\n.\r\n"
    )
    const message = fc.array(piece, { maxLength: 40 })
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(message, cuts, async (pieces, places) => {
        const bytes = Buffer.from(`${pieces.join("")}\r\n.\r\nQUIT\r\n`, "latin1")
        const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].toSorted(
          (a, b) => a - b
        )
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        const options = { maxCommandLength: 2_048 }
        const ours = new CommandStream({ ...options, onBareLineFeed: () => undefined })
        // smtp-server does not check the second line of a message whose first line is only an LF.
        fc.pre(!pieces.join("").startsWith("\n.."))
        // Only `CommandStream` reports bare line feeds in commands.
        fc.pre(!/(?<!\r)\n/.test(bytes.toString("latin1").replace(/^(?:\.\r\n|[^]*?\r\n\.\r\n)/, "")))
        expect(await read(ours, chunks)).toEqual(await read(new SMTPStream(options), chunks))
      }),
      { numRuns: 2_000 }
    )
  })
})
