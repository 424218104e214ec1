/**
 * A program that sends messages by both transports on the runtime that runs it, and prints the outcomes. runtimes.test.ts runs it
 * on Node and Bun.
 *
 * @module
 */
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { type DkimSigner, dkimSignatures } from "../../../adapters/mail/Dkim.ts"
import { startDnsServer } from "../../support/dnsServer.ts"
import { startSmtpSink } from "../../support/smtpSink.ts"
import { directLayer, messageTo, relayLayer, send } from "./transport.ts"

const sink = await startSmtpSink({ login: { user: "svc", pass: "secret" } })
const open = await startSmtpSink()
const broken = await startSmtpSink({ startTls: "broken" })
const dns = await startDnsServer({
  "example.org": { MX: [[10, "mx.example.org"]] },
  "mx.example.org": { A: ["127.0.0.9", "127.0.0.1"] },
  "null.test": { MX: [[0, ""]] }
})

const outcomes = async () => {
  const login = relayLayer(`smtp://svc:secret@127.0.0.1:${sink.port}`)
  const relay = relayLayer(open.url)
  const direct = directLayer(dns.address, open.port)
  const dropping = await startSmtpSink()
  dropping.answer("message", "drop")
  const refusing = await startSmtpSink()
  refusing.answer("rcpt", "550 5.1.1 no such user")
  const to = (recipient: string) => send(messageTo(recipient))
  const raw = new TextEncoder().encode(`Subject: large\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(100_000)}`)
  const large = Effect.map(send(messageTo("large@example.org", { raw })), (outcome) => {
    const arrived = open.messages().find((message) => message.rcptTo.includes("large@example.org"))
    return { _tag: outcome._tag === "Sent" && arrived?.raw.length === raw.length ? "whole" : "torn" }
  })
  const many = Effect.forEach(Array.from({ length: 30 }), () => to("ada@example.org"), { concurrency: 30 })
  const ended = await Effect.runPromise(
    Effect.all({
      login: Effect.provide(to("ada@example.org"), login),
      relay: Effect.provide(to("ada@example.org"), relay),
      many: Effect.map(Effect.provide(many, relay), (all) => ({
        _tag: String(all.filter((outcome) => outcome._tag === "Sent").length)
      })),
      large: Effect.provide(large, relay),
      direct: Effect.provide(to("ada@example.org"), direct),
      nowhere: Effect.provide(to("ada@null.test"), direct),
      broken: Effect.provide(to("ada@example.org"), directLayer(dns.address, broken.port)),
      withdrawn: Effect.provide(send(messageTo("ada@example.org"), Effect.succeed(false)), relay),
      dropped: Effect.provide(to("ada@example.org"), relayLayer(dropping.url)),
      refused: Effect.provide(to("ada@example.org"), relayLayer(refusing.url))
    })
  )
  await Promise.all([dropping.stop(), refusing.stop()])
  return Object.fromEntries(
    Object.entries(ended).map(([name, outcome]) => {
      const tls = "conversation" in outcome ? outcome.conversation?.tls : undefined
      return [name, typeof tls === "string" ? `${outcome._tag} ${tls}` : outcome._tag]
    })
  )
}

const signatures = async () => {
  const signers = [
    { algorithm: "rsa", key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey },
    { algorithm: "ed25519", key: generateKeyPairSync("ed25519").privateKey }
  ].map((signer) => ({ ...signer, domain: "example.com", selector: "s" }) as DkimSigner)
  const text = await dkimSignatures(Buffer.from("From: a@example.com\r\n\r\nbody\r\n"), signers, 0)
  return text.match(/a=[a-z0-9-]+/g)
}

process.stdout.write(`${JSON.stringify({ outcomes: await outcomes(), signatures: await signatures() })}\n`)
await Promise.all([sink, open, broken, dns].map((server) => server.stop()))
process.exit(0)
