/**
 * Tests the adapters of ports other than storage with their contracts.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { afterAll } from "vitest"
import {
  Crypto,
  KeyMaker,
  OneTimeCodes,
  PasswordHasher,
  PasswordStrength,
  SecretBox,
  SignatureVerifier
} from "../../adapters/crypto/index.ts"
import * as CsvReader from "../../adapters/csv/CsvReader.ts"
import * as DnsAdapter from "../../adapters/dns/Dns.ts"
import * as SecureDns from "../../adapters/dns/SecureDns.ts"
import * as PasskeyVerifier from "../../adapters/identity/PasskeyVerifier.ts"
import * as HtmlRewriter from "../../adapters/html/HtmlRewriter.ts"
import * as MessageComposer from "../../adapters/mail/MessageComposer.ts"
import * as MailReportReader from "../../adapters/mail/reports/MailReportReader.ts"
import * as Memory from "../../adapters/memory/index.ts"
import * as SandboxTransport from "../../adapters/sandbox/SandboxTransport.ts"
import * as TemplateEngine from "../../adapters/templates/TemplateEngine.ts"
import * as Threads from "../../adapters/threads/Threads.ts"
import * as RelayProbe from "../../adapters/smtp/smarthost/RelayProbe.ts"
import * as AddressGuard from "../../adapters/webhooks/AddressGuard.ts"
import * as ImageFetcher from "../../adapters/webhooks/ImageFetcher.ts"
import * as OpenIdClient from "../../adapters/webhooks/OpenIdClient.ts"
import * as SnsClient from "../../adapters/webhooks/SnsClient.ts"
import * as StsPolicyClient from "../../adapters/webhooks/StsPolicyClient.ts"
import * as WebhookClient from "../../adapters/webhooks/WebhookClient.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { CannotOpen, SecretBox as SecretBoxPort } from "../../core/ports/SecretBox.ts"
import { byMailauth } from "../adapters/mail/verifiers.ts"
import { directLayer, relayLayer } from "../adapters/smtp/transport.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { authority, issued, issuedKey } from "../support/issuedCertificates.ts"
import { startContractResolver, withoutUnbound } from "../support/signedZone.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"
import {
  addressGuardContract,
  cryptoContract,
  csvReaderContract,
  dnsContract,
  dnsContractZone,
  htmlRewriterContract,
  imageFetcherContract,
  keyMakerContract,
  mailReportReaderContract,
  mailTransportContract,
  messageComposerContract,
  oneTimeCodesContract,
  openIdClientContract,
  passkeyVerifierContract,
  passwordHasherContract,
  passwordStrengthContract,
  relayProbeContract,
  sandboxTransportContract,
  secretBoxContract,
  signatureVerifierContract,
  snsClientContract,
  secureDnsContract,
  stsPolicyClientContract,
  templateEngineContract,
  threadsContract,
  webhookClientContract
} from "./index.ts"

const dns = await startDnsServer({
  ...dnsContractZone.records,
  "public.test": { A: ["1.1.1.1"], AAAA: ["2606:4700:4700::1111"] },
  "private.test": { A: ["10.1.2.3"] },
  "mixed.test": { A: ["192.0.1.1"], AAAA: ["::ffff:127.0.0.1"] },
  "example.org": { MX: [[10, "mx.example.org"]] },
  "mx.example.org": { A: ["127.0.0.1"] },
  "mta-sts.example.org": { A: ["127.0.0.1"] },
  "mta-sts.example.net": { A: ["127.0.0.1"] },
  "mta-sts.private.test": { A: ["10.1.2.3"] },
  "mta-sts.mixed.test": { A: ["192.0.1.1"], AAAA: ["::ffff:127.0.0.1"] }
})
for (const [name, failure] of Object.entries(dnsContractZone.failures)) dns.fail(name, failure)
afterAll(() => dns.stop())

const dnsLayer = DnsAdapter.layer({ servers: [dns.address] })
const real = { excludeTestServices: true } as const

layer(Crypto.layer, real)("node:crypto", cryptoContract)
layer(KeyMaker.layer, real)("node:crypto", keyMakerContract)
layer(OneTimeCodes.layer, real)("otpauth", oneTimeCodesContract)
layer(PasskeyVerifier.layer, real)("SimpleWebAuthn", passkeyVerifierContract)
layer(PasswordHasher.layer.pipe(Layer.provide(Threads.layer())), real)("scrypt", passwordHasherContract)
layer(PasswordStrength.layer.pipe(Layer.provide(Threads.layer())), real)("zxcvbn", passwordStrengthContract)
layer(CsvReader.layer, real)("csv-parse", csvReaderContract)
layer(HtmlRewriter.layer.pipe(Layer.provide(Threads.layer())), real)("htmlparser2", htmlRewriterContract)
layer(TemplateEngine.layer.pipe(Layer.provide(Threads.layer())), real)(
  "liquidjs and mrml",
  templateEngineContract
)
layer(SignatureVerifier.layer, real)("node:crypto", signatureVerifierContract)
layer(MailReportReader.layer.pipe(Layer.provide(Threads.layer())), real)("threads", mailReportReaderContract)
layer(Threads.layer(), real)("node:worker_threads", threadsContract)
layer(dnsLayer, real)("c-ares", dnsContract)
if (withoutUnbound() === null) {
  const resolver = await startContractResolver()
  afterAll(() => resolver.stop())
  const options = { servers: [resolver.address], validates: "auto", bogusName: "bogus.test" } as const
  layer(SecureDns.layer(options), real)("Unbound", secureDnsContract)
} else {
  process.stderr.write(`Skipped: ${withoutUnbound()}\n`)
}
layer(Layer.provideMerge(SandboxTransport.layer, Memory.layer), real)("memory", sandboxTransportContract)

secretBoxContract("AES-256-GCM", {
  box: SecretBox.layer(randomBytes(32)),
  otherBox: SecretBox.layer(randomBytes(32))
})

messageComposerContract("nodemailer", {
  composer: MessageComposer.layer.pipe(
    Layer.provide(
      Layer.succeed(SecretBoxPort, {
        seal: (text, purpose) => Effect.succeed(`${purpose}|${text}`),
        open: (sealed, purpose) =>
          sealed.startsWith(`${purpose}|`)
            ? Effect.succeed(sealed.slice(purpose.length + 1))
            : Effect.fail(new CannotOpen()),
        reseal: () => Effect.succeed(null)
      })
    )
  ),
  seal: (privateKey, purpose) => `${purpose}|${privateKey}`,
  verify: byMailauth
})

imageFetcherContract("node:http", {
  guarded: ImageFetcher.layer({ allowPrivate: false }).pipe(Layer.provide(dnsLayer)),
  local: ImageFetcher.layer({ allowPrivate: true }).pipe(Layer.provide(dnsLayer)),
  privateNames: ["private.test", "mixed.test"]
})

openIdClientContract("openid-client", {
  guarded: OpenIdClient.layer({ allowPrivate: false }).pipe(Layer.provide(dnsLayer)),
  local: OpenIdClient.layer({ allowPrivate: true }).pipe(Layer.provide(dnsLayer)),
  privateNames: ["private.test", "mixed.test"]
})

stsPolicyClientContract("node:https", {
  guarded: StsPolicyClient.layer({ allowPrivate: false }).pipe(Layer.provide(dnsLayer)),
  local: (port) =>
    StsPolicyClient.layer({ allowPrivate: true, port, ca: authority }).pipe(Layer.provide(dnsLayer)),
  privateDomains: ["example.org", "private.test", "mixed.test"],
  domain: "example.org",
  certificate: { cert: issued + authority, key: issuedKey },
  otherDomain: "example.net"
})

const guardOf = (allowPrivate: boolean) => AddressGuard.layer({ allowPrivate }).pipe(Layer.provide(dnsLayer))

addressGuardContract("Dns", {
  guarded: guardOf(false),
  open: guardOf(true),
  privateNames: ["private.test", "mixed.test"],
  publicName: { name: "public.test", addresses: ["1.1.1.1", "2606:4700:4700::1111"] },
  unknownName: "unknown.test"
})

const probeOf = (allowPrivate: boolean) =>
  RelayProbe.layer.pipe(
    Layer.provide([
      guardOf(allowPrivate),
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "https://mail.test",
        mailHost: "mail.test",
        takesReports: false
      })
    ])
  )

relayProbeContract("SMTP", {
  guarded: probeOf(false),
  open: probeOf(true),
  start: (login, tls) =>
    startSmtpSink({ login, startTls: tls === "startTls" ? "on" : "off", implicitTls: tls === "implicit" })
})

snsClientContract("node:https", {
  guarded: SnsClient.layer({ allowPrivate: false }).pipe(Layer.provide(dnsLayer)),
  local: (port) => SnsClient.layer({ allowPrivate: true, port, ca: authority }).pipe(Layer.provide(dnsLayer)),
  privateName: "private.test",
  name: "mta-sts.example.org",
  certificate: { cert: issued + authority, key: issuedKey },
  otherName: "mta-sts.example.net"
})

webhookClientContract("node:http", {
  guarded: WebhookClient.layer({ allowPrivate: false }).pipe(Layer.provide(dnsLayer)),
  local: WebhookClient.layer({ allowPrivate: true, answerMillis: 2000 }).pipe(Layer.provide(dnsLayer)),
  answerMillis: 2000,
  privateNames: ["private.test", "mixed.test"],
  unknownName: "unknown.test"
})

/** Starts a sink, and a transport that delivers to it. */
const start = (
  transportTo: (sink: SmtpSink) => Layer.Layer<MailTransport>
): Effect.Effect<
  { readonly server: SmtpSink; readonly transport: MailTransport["Service"] },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startSmtpSink()),
      (sink) => Effect.promise(() => sink.stop())
    )
    const context = yield* Layer.build(Layer.fresh(transportTo(server)))
    return { server, transport: Context.get(context, MailTransport) }
  })

mailTransportContract("relay", {
  start: start((sink) => relayLayer(sink.url)),
  success: "Sent",
  maxConnections: 10
})

mailTransportContract("direct", {
  start: start((sink) => directLayer(dns.address, sink.port)),
  success: "Delivered",
  maxConnections: 20
})
