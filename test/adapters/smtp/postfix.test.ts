/**
 * Tests both transports against Postfix, as a relay and as a domain's mail exchanger. Postfix forwards what it accepts to a sink,
 * where the test reads it.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import * as Composer from "../../../adapters/mail/MessageComposer.ts"
import { MessageComposer } from "../../../core/ports/MessageComposer.ts"
import { SecretBox } from "../../../core/ports/SecretBox.ts"
import { byMailauth } from "../mail/verifiers.ts"
import { eventually } from "../../support/client.ts"
import { type DnsServer, startDnsServer } from "../../support/dnsServer.ts"
import { type Postfix, startPostfix, withoutPostfix } from "../../support/postfix.ts"
import { type SmtpSink, startSmtpSink } from "../../support/smtpSink.ts"
import { directLayer, messageTo, relayLayer, send } from "./transport.ts"

if (withoutPostfix !== null) process.stderr.write(`Skipped: ${withoutPostfix}\n`)

const plainBox = Layer.succeed(SecretBox, {
  seal: Effect.succeed,
  open: Effect.succeed,
  reseal: () => Effect.succeed(null)
})

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const ed25519 = generateKeyPairSync("ed25519")

const records = {
  "r._domainkey.example.com": `v=DKIM1; k=rsa; p=${rsa.publicKey.export({ type: "spki", format: "der" }).toString("base64")}`,
  "e._domainkey.example.com": `v=DKIM1; k=ed25519; p=${ed25519.publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("base64")}`
}

const pem = (key: typeof rsa.privateKey) => key.export({ type: "pkcs8", format: "pem" }) as string

/** A signed message that contains everything a server could change. */
const signedTo = (recipient: string): Effect.Effect<Uint8Array> =>
  Effect.gen(function* () {
    const composer = yield* MessageComposer
    const [raw] = yield* composer.compose([
      {
        from: { email: "hello@example.com", name: "Ada Lovelace" },
        replyTo: null,
        to: [{ email: recipient, name: null }],
        cc: [],
        subject: "Grüße aus dem Norden",
        html: `<p>${"It works. ".repeat(300)}</p>\n.\n..\n`,
        text: "It works.  \n.\n",
        attachments: [
          {
            filename: "a.bin",
            contentType: "application/octet-stream",
            contentId: null,
            content: new Uint8Array(50_000)
          }
        ],
        headers: [{ name: "X-Mine", value: "a  b" }],
        messageId: "id-1@example.com",
        date: Date.now(),
        signWith: [
          { domain: "example.com", selector: "r", algorithm: "rsa", sealedKey: pem(rsa.privateKey) },
          { domain: "example.com", selector: "e", algorithm: "ed25519", sealedKey: pem(ed25519.privateKey) }
        ]
      }
    ])
    return raw!
  }).pipe(Effect.provide(Composer.layer.pipe(Layer.provide(plainBox))))

describe.runIf(withoutPostfix === null)("Postfix", () => {
  let sink: SmtpSink
  let dns: DnsServer
  let smarthost: Postfix
  let exchanger: Postfix

  beforeAll(async () => {
    sink = await startSmtpSink()
    sink.answer("rcpt", (address) => (address.startsWith("gone@") ? "550 5.1.1 no such user" : null))
    dns = await startDnsServer({ "inbox.test": { MX: [[10, "mx.test"]] }, "mx.test": { A: ["127.0.0.1"] } })
    const domain = { nextHop: sink.port, domain: "inbox.test", localParts: ["ada", "gone"] }
    smarthost = await startPostfix({ ...domain, relays: true })
    exchanger = await startPostfix({ ...domain, relays: false })
  })

  afterAll(async () => {
    await Promise.all([smarthost, exchanger, sink, dns].map((server) => server?.stop()))
  })

  const arrival = (recipient: string) =>
    Effect.promise(() =>
      eventually(
        async () => sink.messages().find((message) => message.rcptTo.includes(recipient)),
        (message) => message !== undefined
      )
    )

  it.live("as a relay receives an encrypted message whose signatures are valid on arrival", () =>
    Effect.gen(function* () {
      const raw = yield* signedTo("grace@elsewhere.test")
      const message = messageTo("grace@elsewhere.test", { raw })
      const layer = relayLayer(`smtp://127.0.0.1:${smarthost.port}`, true)
      const outcome = yield* Effect.provide(send(message), layer)
      expect(outcome).toMatchObject({ _tag: "Accepted", conversation: { tls: "TLSv1.3", error: null } })
      const arrived = yield* arrival("grace@elsewhere.test")
      expect(arrived?.raw).toMatch(/\(using TLSv1\.3 with cipher/)
      const results = yield* Effect.promise(() => byMailauth(Buffer.from(arrived!.raw), records))
      expect(results).toEqual(["pass", "pass"])
      const sender = /from=<b\+token@bounces\.example\.com>/
      const log = yield* Effect.promise(() => eventually(smarthost.log, (text) => sender.test(text)))
      expect(log).toMatch(sender)
    })
  )

  it.live("as a mail exchanger accepts known recipients and rejects others", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const raw = yield* signedTo("ada@inbox.test")
        const taken = yield* send(messageTo("ada@inbox.test", { raw }))
        expect(taken).toMatchObject({
          _tag: "Delivered",
          conversation: { host: "mx.test [127.0.0.1]", tls: "TLSv1.3" }
        })
        const unknown = yield* send(messageTo("nobody@inbox.test"))
        expect(unknown._tag).toBe("Bounced")
        expect(unknown).toHaveProperty(
          "conversation.replies",
          expect.arrayContaining([expect.stringMatching(/^550 5\.1\.1 /)])
        )
        dns.set("foreign.test", { MX: [[10, "mx.test"]] })
        expect((yield* send(messageTo("ada@foreign.test")))._tag).toBe("Held")
      }).pipe(Effect.provide(directLayer(dns.address, exchanger.port)))
      const arrived = yield* arrival("ada@inbox.test")
      const results = yield* Effect.promise(() => byMailauth(Buffer.from(arrived!.raw), records))
      expect(results).toEqual(["pass", "pass"])
    })
  )

  it.live("receives each of many concurrent messages once", () =>
    Effect.gen(function* () {
      const recipients = Array.from({ length: 100 }, (_, index) => `person${index}@many.test`)
      const layer = relayLayer(`smtp://127.0.0.1:${smarthost.port}?pool=5`)
      const outcomes = yield* Effect.forEach(recipients, (recipient) => send(messageTo(recipient)), {
        concurrency: 50
      }).pipe(Effect.provide(layer))
      expect(outcomes.filter((outcome) => outcome._tag === "Sent")).toHaveLength(100)
      const arrived = yield* Effect.promise(() =>
        eventually(
          async () =>
            sink.messages().flatMap((message) => message.rcptTo.filter((to) => to.endsWith("@many.test"))),
          (all) => all.length >= 100
        )
      )
      expect(arrived.toSorted()).toEqual(recipients.toSorted())
    })
  )

  it.live("returns a report to the return path for what it cannot deliver", () =>
    Effect.gen(function* () {
      const layer = relayLayer(`smtp://127.0.0.1:${smarthost.port}`, true)
      const message = messageTo("gone@inbox.test", { returnPath: "b+report@bounces.example.com" })
      expect((yield* Effect.provide(send(message), layer))._tag).toBe("Accepted")
      const report = yield* arrival("b+report@bounces.example.com")
      expect(report?.mailFrom).toBe("")
      expect(report?.raw).toContain("report-type=delivery-status")
      expect(report?.raw).toMatch(/Status: 5\.1\.1/)
      expect(report?.raw).toContain("Final-Recipient: rfc822; gone@inbox.test")
    })
  )
})
