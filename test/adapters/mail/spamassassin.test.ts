/**
 * What a filter sees: SpamAssassin's local rules give every kind of message at most 0.2 points for ordinary content.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { start, type Embedded } from "../../../runtimes/embedded/index.ts"
import { loggedIn } from "../../support/smtpClient.ts"

const spamassassin = "/usr/bin/spamassassin"
const isInstalled = existsSync(spamassassin)
if (!isInstalled) process.stderr.write("Skipped: SpamAssassin is not installed.\n")

const sentences = [
  "Thank you for your order from our little shop in Leeds.",
  "We packed the two mugs and the tea towel this morning, and the parcel is now with the carrier.",
  "It usually takes three working days to arrive.",
  "If you are out, the driver leaves a card with the address of the depot.",
  "The invoice is in your account, together with the care instructions for the glaze.",
  "Reply to this message if something is missing or broken, and Anna or Tom will answer the same day."
]

/** Ordinary content: two words, and two pages. */
const contents = {
  short: { text: "Hello Ada", html: "<p>Hello Ada</p>" },
  long: {
    text: sentences.join("\n\n").repeat(6),
    html:
      "<h1>Your parcel</h1>" +
      sentences
        .map((sentence) => `<p>${sentence}</p>`)
        .join("")
        .repeat(6) +
      '<p><a href="https://shop.example/orders/1234">See the order</a> or <a href="https://shop.example/help">ask us</a>.</p>'
  }
}

/** An author's own document, which stays as it is. */
const own = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your parcel</title></head><body>${contents.short.html}</body></html>`

const pdf = {
  filename: "invoice.pdf",
  contentType: "application/pdf",
  content: Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64")
}

let service: Embedded
const messages: Array<readonly [kind: string, raw: Uint8Array]> = []

const ask = async <Value>(method: string, path: string, token: string, body?: object): Promise<Value> => {
  const response = await service.fetch(
    new Request(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  expect(response.status).toBeLessThan(300)
  return ((await response.json()) as { value: Value }).value
}

const manage = <Value>(method: string, path: string, body?: object) =>
  ask<Value>(method, `/manage/v1/accounts/${service.sandbox.accountId}${path}`, service.managementToken, body)

/** The newest message of the inbox, as it would have left. */
const keep = async (kind: string): Promise<void> => {
  await service.settle()
  const { items } = await manage<{ items: ReadonlyArray<{ id: string }> }>("GET", "/inbox?pageSize=1")
  const path = `/manage/v1/accounts/${service.sandbox.accountId}/inbox/${items[0]!.id}/raw`
  const raw = await service.fetch(
    new Request(service.baseUrl + path, { headers: { authorization: `Bearer ${service.managementToken}` } })
  )
  messages.push([kind, new Uint8Array(await raw.arrayBuffer())])
}

const subject = "Your parcel is on its way"

beforeAll(async () => {
  if (!isInstalled) return
  service = await start({ smtp: true })
  for (const tracked of [true, false]) {
    const tracking = { opens: tracked, clicks: tracked }
    await manage("PATCH", "/settings", {
      defaultSender: { email: "hello@example.com", name: "Little Shop" },
      tracking,
      flowTracking: tracking,
      // The link that people cannot see costs nothing either.
      trapLink: tracked
    })
    for (const [size, { html, text }] of Object.entries(contents)) {
      const name = `${size}${tracked ? ", tracked" : ""}`
      for (const [kind, body] of Object.entries({
        "html alone": { html },
        "html without a text part": { html, text: "" },
        "text alone": { text },
        "html and text": { html, text },
        "an attachment": { html, attachments: [pdf] },
        "a document of its own": { html: own }
      })) {
        const to = { email: "ada@example.org", name: kind === "html alone" ? null : "Ada" }
        await ask("POST", "/api/v1/sending/emails", service.sandbox.apiKey, { to, subject, ...body })
        await keep(`REST, ${kind}, ${name}`)
      }
      const parts =
        `--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll("\n", "\r\n")}\r\n` +
        `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><body>${html.replaceAll("><", ">\r\n<")}</body></html>\r\n--b--\r\n`
      const client = await loggedIn(service.smtp[1]!, service.sandbox.apiKey)
      await client.send(
        ["ada@example.org"],
        `From: Little Shop <hello@example.com>\r\nTo: ada@example.org\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\n` +
          `Content-Type: multipart/alternative; boundary=b\r\n\r\n${parts}`
      )
      client.close()
      await keep(`SMTP, html and text, ${name}`)
      for (const purpose of ["Marketing", "Transactional"]) {
        const id = `${purpose}-${size}-${tracked}`.toLowerCase().replaceAll("-", "_")
        const confirmed =
          purpose === "Transactional"
            ? '<p>Please <a href="https://shop.example/confirm/1" data-no-track>confirm your subscription</a>.</p>'
            : ""
        const flow = await manage<{ id: string }>("POST", "/flows", {
          name: id,
          trigger: { kind: "Event", name: id },
          steps: [{ id: "mail", kind: "SendEmail", purpose, subject, html: html + confirmed }]
        })
        await manage("POST", `/flows/${flow.id}/publish`)
        const contact = {
          email: "ada@example.org",
          language: "en-GB",
          consent: { basis: "Subscribed", proof: { text: "Yes, please." } }
        }
        await ask("POST", "/api/v1/events", service.sandbox.apiKey, { events: [{ id, name: id, contact }] })
        await keep(`flow, ${purpose}, ${name}`)
      }
    }
  }
}, 120_000)

afterAll(() => (isInstalled ? service.close() : undefined))

it.runIf(isInstalled)(
  "SpamAssassin gives no kind of message more than 0.2 points",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-spamassassin-"))
    try {
      const files = messages.map(([, raw], index) => {
        const file = join(folder, `${String(index).padStart(3, "0")}.eml`)
        writeFileSync(file, raw)
        return file
      })
      const { stdout } = spawnSync(spamassassin, ["-L", "-t", ...files], {
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, HOME: folder }
      })
      const found = [
        ...stdout.matchAll(/^X-Spam-Status: \w+, score=(-?[\d.]+) [^]*?tests=([^]*?)\s+autolearn/gm)
      ]
      const scores = found.map(([, score, tests], index) => ({
        kind: messages[index]![0],
        score: Number(score),
        tests: tests!.replaceAll(/\s+/g, "")
      }))
      expect(scores).toHaveLength(messages.length)
      expect(scores.filter(({ score }) => score > 0.2)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  240_000
)

it.runIf(isInstalled)("messages have brackets, one Date, and headers of their list", () => {
  const seen = messages.map(([kind, raw]) => {
    const text = Buffer.from(raw).toString("latin1")
    const header = text.slice(0, text.indexOf("\r\n\r\n"))
    const plain = text.indexOf("\r\nContent-Type: text/plain")
    const html = text.indexOf("\r\nContent-Type: text/html")
    return {
      kind,
      hasBrackets: /^To: (?:Ada )?<ada@example\.org>\r$/m.test(header),
      onces: [/^Date: /gm, /^MIME-Version: /gm].map((field) => header.match(field)?.length),
      isNarrow: text.split("\r\n").every(({ length }) => length <= 998),
      isOrdered: plain === -1 || html === -1 || plain < html,
      hasText: plain !== -1,
      ofList: [
        /^List-Id: <[0-9a-f]{12}\.[0-9a-f]{12}\.example\.com>\r$/im,
        /^Feedback-ID: [0-9a-f]{12}:[0-9a-f]{12}:marketing:svc\r$/im
      ].map((field) => field.test(header))
    }
  })
  expect(seen).toEqual(
    seen.map(({ kind }) => {
      const isMarketing = kind.startsWith("flow, Marketing")
      return {
        kind,
        hasBrackets: true,
        onces: [1, 1],
        isNarrow: true,
        isOrdered: true,
        hasText: !kind.includes("without a text part"),
        ofList: [isMarketing, isMarketing]
      }
    })
  )
})
