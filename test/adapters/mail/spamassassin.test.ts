/**
 * Tests messages with a spam filter: SpamAssassin's local rules give every kind of message with ordinary content at most 0.2
 * points.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { start, type Embedded } from "../../../runtimes/embedded/index.ts"
import { makeCapturingTransport } from "../../../runtimes/embedded/CapturingTransport.ts"
import { goodPassword, openBrowser } from "../../support/browser.ts"
import { type Domain, publish } from "../../support/liveDomain.ts"
import type { Page } from "../../support/shapes.ts"
import { startEmbedded } from "../../support/targets.ts"
import { manage as manageOf } from "../../support/workspace.ts"
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

/** Ordinary content: two words, and two pages of text. */
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

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const pdf = {
  filename: "invoice.pdf",
  contentType: "application/pdf",
  content: base64("%PDF-1.4\n%%EOF\n")
}

const invitation = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//shop.example//EN",
  "METHOD:REQUEST",
  "BEGIN:VEVENT",
  "UID:1@shop.example",
  "DTSTAMP:20260105T090000Z",
  "DTSTART:20260112T100000Z",
  "DTEND:20260112T120000Z",
  "SUMMARY:Pottery course",
  "END:VEVENT",
  "END:VCALENDAR",
  ""
].join("\r\n")

/** Products as a store lists them, with pictures, prices, a table and a button. */
const products = `<h1>Still thinking about it?</h1><table>${["Mug", "Tea towel", "Teapot"]
  .map(
    (name, index) =>
      `<tr><td><img src="https://shop.example/${index}.png" alt="${name}" width="120" height="120"></td>` +
      `<td><a href="https://shop.example/products/${index}">${name}</a></td><td>£${index + 8}.50</td></tr>`
  )
  .join("")}</table><p><a href="https://shop.example/basket" style="padding:12px">Back to the basket</a></p>`

/** Ordinary content in other languages and scripts, with a picture, with attachments, very short and very long. */
const others = {
  German: {
    subject: "Ihre Bestellung ist unterwegs",
    html: "<p>Schönen Dank für Ihre Bestellung über 20 €.</p>"
  },
  Japanese: { subject: "ご注文の品を発送しました", html: "<p>ご注文いただき、ありがとうございます。</p>" },
  Arabic: { subject: "طلبك في الطريق", html: "<p>شكرًا لك على طلبك.</p>" },
  "Hebrew, text alone": { subject: "ההזמנה שלך בדרך", text: "תודה על ההזמנה שלך." },
  "a letter": { subject: "Hello", text: "A" },
  "a letter as subject": { subject: "A", html: "<p>Your parcel is on its way.</p>" },
  emoji: { subject: "Your parcel is on its way 📦🎉", html: "<p>Enjoy your new mugs ☕ 🙂</p>" },
  French: {
    subject: "Votre commande a été expédiée",
    html: "<p>Merci pour votre commande de 20 €. Elle arrivera d’ici à trois jours.</p>"
  },
  Spanish: {
    subject: "¡Tu pedido está en camino!",
    html: "<p>Gracias por tu compra. ¿Falta algo? Responde a este mensaje.</p>"
  },
  Chinese: { subject: "您的订单已发货", html: "<p>感谢您的订购，包裹将在三天内送达。</p>" },
  products: {
    subject: "You left something in your basket",
    html: products
  },
  "30,000 characters of text": { subject: "Your parcel is on its way", text: contents.long.text.repeat(9) },
  "attachments and one word": {
    subject: "Your invoices",
    text: "Attached.",
    attachments: [
      pdf,
      { filename: "orders.csv", contentType: "text/csv", content: base64("id,total\n1,20.00\n") },
      { filename: "photo.png", contentType: "image/png", content: base64("\u0089PNG\r\n") }
    ]
  },
  "an invitation": {
    subject: "Pottery course on Monday",
    html: "<p>We look forward to seeing you in the workshop on Monday at ten.</p>",
    attachments: [{ filename: "invite.ics", contentType: "text/calendar", content: base64(invitation) }]
  },
  picture: {
    subject: "Your parcel is on its way",
    html: `${contents.long.html}<p><img src="https://shop.example/mugs.png" alt="Two mugs" width="300"></p>`
  }
}

/** A document written by the author, which is not changed. */
const own = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Your parcel</title></head><body>${contents.short.html}</body></html>`

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

/** Keeps the newest message of the inbox as it would have been sent. */
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

let everyone: { readonly id: string }

beforeAll(async () => {
  if (!isInstalled) return
  service = await start({ smtp: true })
  everyone = await manage<{ id: string }>("POST", "/segments", {
    name: "Everyone",
    definition: { join: "All", rules: [{ fieldKey: "email", operator: "EndsWith", value: "@example.org" }] }
  })
  await keepOthers()
  for (const tracked of [true, false]) {
    const tracking = { opens: tracked, clicks: tracked }
    await manage("PATCH", "/settings", {
      defaultSender: { email: "hello@example.com", name: "Little Shop" },
      tracking,
      flowTracking: tracking,
      // The hidden trap link must not cost points either.
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
      const campaign = await manage<{ id: string }>("POST", "/campaigns", {
        name,
        content: { subject, html },
        audience: { segments: [everyone.id] }
      })
      await manage("POST", `/campaigns/${campaign.id}/launch`, {})
      await service.settle()
      await service.advance("1 minute")
      await keep(`campaign, ${name}`)
      const linked = `<p><a href="{{ webVersionUrl }}">View in browser</a></p>${html}${products}`
      const variant = (id: string) => ({ id, content: { subject: `Two new mugs (${id})`, html: linked } })
      const tested = await manage<{ id: string }>("POST", "/campaigns", {
        name: `${name}, tested`,
        test: { variants: [variant("a"), variant("b")], share: 100 },
        audience: { segments: [everyone.id] }
      })
      await manage("POST", `/campaigns/${tested.id}/launch`, {})
      await service.settle()
      await service.advance("1 minute")
      await keep(`campaign, a variant with a web version, ${name}`)
    }
  }
  await keepSystemMail()
}, 240_000)

/** Other kinds of ordinary content: other languages, ready-made templates, and a double opt-in request. */
const keepOthers = async () => {
  const to = { email: "ada@example.org", name: "Ada" }
  await manage("PATCH", "/settings", { defaultSender: { email: "hello@example.com", name: "Little Shop" } })
  const post = (body: object) =>
    ask("POST", "/api/v1/sending/emails", service.sandbox.apiKey, { to, ...body })
  for (const [language, content] of Object.entries(others)) {
    await post(content)
    await keep(`REST, ${language}`)
  }
  const starters = await manage<
    ReadonlyArray<{ key: string; name: string; subject: string; sample: object; description: string }>
  >("GET", "/template-starters")
  for (const { description: _, key, sample, ...starter } of starters) {
    const { id } = await manage<{ id: string }>("POST", "/templates", starter)
    await post({ templateId: id, variables: sample })
    await keep(`template, ${key}`)
  }
  for (const language of ["en", "de"]) {
    const { contact } = await ask<{ contact: { id: string } }>(
      "POST",
      "/api/v1/contacts",
      service.sandbox.apiKey,
      { email: "ada@example.org", language }
    )
    await manage("POST", `/contacts/${contact.id}/double-opt-in/email`)
    await keep(`double opt-in, ${language}`)
  }
}

/** The installation's email to its users: an invitation, and a link to set a new password. */
const keepSystemMail = async () => {
  const { messages: sent, transport } = makeCapturingTransport()
  const target = await startEmbedded({
    store: "memory",
    transport,
    systemSender: "Little Shop <people@shop.example>"
  })
  try {
    const { value } = await manageOf<Page<{ id: string; live: { accountId: string } }>>(
      target,
      "GET",
      "/companies"
    )
    const { id: companyId, live } = value.items[0]!
    const path = `/accounts/${live.accountId}/domains`
    const added = await manageOf<Domain>(target, "POST", path, { json: { domain: "shop.example" } })
    publish(target.dns, added.value)
    await manageOf(target, "POST", `${path}/${added.value.id}/verify`)
    const email = "ada@example.org"
    await manageOf(target, "POST", `/companies/${companyId}/members`, { json: { email, role: "Viewer" } })
    await target.advance!("1 minute")
    const token = /welcome#([\w-]+)/.exec(sent()[0]!.text ?? "")![1]!
    const browser = openBrowser(target)
    await browser.send("POST", "/welcome/complete", { token, name: "Ada", password: goodPassword })
    await openBrowser(target).send("POST", "/password-resets", { email })
    await target.advance!("1 minute")
    for (const { raw, subject: about } of sent()) messages.push([`system mail, ${about}`, raw])
  } finally {
    await target.stop()
  }
}

afterAll(() => (isInstalled ? service.close() : undefined))

/** SpamAssassin's results for messages, in order. */
const scored = (raws: ReadonlyArray<Uint8Array>) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-spamassassin-"))
  try {
    const files = raws.map((raw, index) => {
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
    expect(found).toHaveLength(raws.length)
    return found.map(([, score, tests]) => ({
      score: Number(score),
      tests: tests!.replaceAll(/\s+/g, "").split(",")
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it.runIf(isInstalled)(
  "SpamAssassin gives no kind of message more than 0.2 points",
  () => {
    const scores = scored(messages.map(([, raw]) => raw)).map((one, index) => ({
      kind: messages[index]![0],
      ...one
    }))
    expect(scores.filter(({ score }) => score > 0.2)).toEqual([])
    const kinds = new Set(scores.map(({ kind }) => kind.split(",")[0]))
    expect(kinds).toEqual(
      new Set(["REST", "SMTP", "flow", "campaign", "template", "double opt-in", "system mail"])
    )
    expect(scores.filter(({ kind }) => kind.startsWith("system mail")).length).toBeGreaterThan(1)
  },
  240_000
)

it.runIf(isInstalled)(
  "what SpamAssassin names in content, the preview of a template names too",
  async () => {
    const { html, text } = contents.long
    const wrong = {
      SUBJ_ALL_CAPS: { subject: "BUY TWO MUGS NOW", html },
      PLING_QUERY: { subject: "Two mugs? Yes!", html },
      HTML_IMAGE_ONLY: {
        subject,
        html: own.replace("</p>", '</p><img src="https://shop.example/a.png" alt="">')
      },
      NORMAL_HTTP_TO_IP: { subject, html: html.replace("shop.example/help", "192.0.2.7/help") },
      MPART_ALT_DIFF: { subject, html, text: "Zwei Becher" },
      nothing: { subject, html, text }
    }
    await manage("PATCH", "/settings", { tracking: { opens: false, clicks: false }, trapLink: false })
    const first = messages.length
    const previewed: Array<ReadonlyArray<string>> = []
    for (const [kind, content] of Object.entries(wrong)) {
      await ask("POST", "/api/v1/sending/emails", service.sandbox.apiKey, {
        to: "ada@example.org",
        ...content
      })
      await keep(kind)
      const { findings } = await manage<{ findings: ReadonlyArray<{ rule: string }> }>(
        "POST",
        "/templates/preview",
        content
      )
      // SpamAssassin has no rule for a missing unsubscribe link, which transactional email does not need.
      previewed.push(findings.map(({ rule }) => rule).filter((rule) => rule !== "NO_UNSUBSCRIBE_LINK"))
    }
    const rules = Object.keys(wrong).filter((rule) => rule !== "nothing")
    const found = scored(messages.splice(first).map(([, raw]) => raw)).map(({ tests }) =>
      rules.filter((rule) => tests.some((test) => test.startsWith(rule)))
    )
    expect(found).toEqual([...rules.map((rule) => [rule]), []])
    // The preview reports more than a filter does, including what readers would miss.
    expect(previewed.map((names) => names.filter((name) => rules.includes(name)))).toEqual(found)
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
      const isMarketing = kind.startsWith("flow, Marketing") || kind.startsWith("campaign")
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
