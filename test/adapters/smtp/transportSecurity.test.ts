/**
 * Tests the direct transport with MTA-STS, DANE and `requireTls`: which servers get a message, over which connections.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHash, X509Certificate } from "node:crypto"
import { createServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net"
import { afterEach } from "vitest"
import * as DnsAdapter from "../../../adapters/dns/Dns.ts"
import * as Memory from "../../../adapters/memory/index.ts"
import { selfSigned } from "../../../adapters/smtp/Certificate.ts"
import * as Direct from "../../../adapters/smtp/transport/Direct.ts"
import * as StsPolicyClient from "../../../adapters/webhooks/StsPolicyClient.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { TlsObserver } from "../../../core/kernel/TransportSecurity.ts"
import type { TlsSession } from "../../../core/model/TlsTerms.ts"
import type { OutboundMessage } from "../../../core/model/Message.ts"
import type { MailTransport } from "../../../core/ports/MailTransport.ts"
import { DnsUnavailable } from "../../../core/ports/Dns.ts"
import { type PublishedTlsa, SecureDns } from "../../../core/ports/SecureDns.ts"
import { StsPolicyStore } from "../../../core/ports/StsPolicyStore.ts"
import * as DomainSecurity from "../../../core/sending/security/DomainSecurity.ts"
import { type DnsServer, startDnsServer } from "../../support/dnsServer.ts"
import { authority, expired, issued, issuedKey } from "../../support/issuedCertificates.ts"
import { type SinkOptions, type SmtpSink, startSmtpSink } from "../../support/smtpSink.ts"
import { errorOf, messageTo, send, shortLimits } from "./transport.ts"

const running: Array<{ readonly stop: () => Promise<void> }> = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const ofItself = await selfSigned("mx.example.org", Date.now())
const valid = { cert: issued + authority, key: issuedKey }

/** The connections counted for reports. */
const sessions: Array<TlsSession> = []

/** The reply of the policy's web server. */
interface Published {
  text: string
  status: number
  type: string
  asked: number
}

const enforce = "version: STSv1\nmode: enforce\nmx: mx.example.org\nmax_age: 604800\n"

const startPolicyServer = async (published: Published) => {
  const server = createServer({ cert: issued, key: issuedKey }, (_request, response) => {
    published.asked++
    response.writeHead(published.status, { "content-type": published.type, location: "/elsewhere" })
    response.end(published.text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  running.push({
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  })
  return (server.address() as AddressInfo).port
}

/** The records that a validating resolver would return. */
type Tlsa = "bogus" | "insecure" | ReadonlyArray<PublishedTlsa> | null

const secureDns = (tlsa: Tlsa) =>
  Layer.succeed(SecureDns, {
    validates: Effect.succeed(tlsa !== null),
    query: (name, type) =>
      type === "TLSA" && tlsa === "bogus"
        ? Effect.fail(new DnsUnavailable({ name, reason: "servfail" }))
        : Effect.succeed({
            isAuthentic: tlsa !== "insecure",
            alias: null,
            exists: true,
            tlsa: type === "TLSA" && typeof tlsa === "object" && tlsa !== null ? tlsa : []
          })
  })

interface Environment {
  readonly dns: DnsServer
  readonly sink: SmtpSink
  readonly published: Published
  /** Sends a message through a new transport; all of them share one storage. */
  readonly attempt: (
    changes?: Partial<OutboundMessage>,
    tlsa?: Tlsa
  ) => Effect.Effect<{
    readonly tag: string
    readonly error: string | null
    readonly tls: string | null | undefined
  }>
  /** Runs with one transport. */
  readonly through: <A>(use: Effect.Effect<A, never, MailTransport>) => Effect.Effect<A>
  /** The port of the policy servers. */
  readonly policyPort: number
}

const withServers = <A, E>(
  use: (environment: Environment) => Effect.Effect<A, E, StsPolicyStore>,
  options: SinkOptions = { certificate: valid },
  policy: Partial<Published> = {}
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    sessions.length = 0
    const published: Published = { text: enforce, status: 200, type: "text/plain", asked: 0, ...policy }
    const sink = yield* Effect.promise(() => startSmtpSink(options))
    const dns = yield* Effect.promise(() =>
      startDnsServer({
        "example.org": { MX: [[10, "mx.example.org"]] },
        "mx.example.org": { A: ["127.0.0.1"] },
        "mta-sts.example.org": { A: ["127.0.0.1"] },
        "_mta-sts.example.org": { TXT: ["v=STSv1; id=1;"] }
      })
    )
    running.push(sink, dns)
    const port = yield* Effect.promise(() => startPolicyServer(published))
    const names = DnsAdapter.layer({ servers: [dns.address] })
    const layerOf = (tlsa: Tlsa) =>
      Direct.layer({ port: sink.port, allowLocal: true, limits: shortLimits, ca: authority }).pipe(
        Layer.provide(
          DomainSecurity.layer.pipe(
            Layer.provide([
              secureDns(tlsa),
              StsPolicyClient.layer({ allowPrivate: true, port, ca: authority }).pipe(Layer.provide(names)),
              names
            ])
          )
        ),
        Layer.provide([
          Layer.succeed(TlsObserver, (session: TlsSession) => void sessions.push(session)),
          Layer.succeed(PublicEndpoint, {
            baseUrl: () => "http://svc.test",
            mailHost: "mail.svc.test",
            takesReports: true
          }),
          names
        ])
      )
    const attempt: (
      ...given: Parameters<Environment["attempt"]>
    ) => Effect.Effect<
      { readonly tag: string; readonly error: string | null; readonly tls: string | null | undefined },
      never,
      StsPolicyStore
    > = (changes = {}, tlsa = null) =>
      send(messageTo("ada@example.org", changes)).pipe(
        Effect.map((outcome) => ({
          tag: outcome._tag,
          error: errorOf(outcome),
          tls: "conversation" in outcome ? outcome.conversation?.tls : undefined
        })),
        Effect.provide(layerOf(tlsa), { local: true })
      )
    const store = yield* Effect.context<StsPolicyStore>()
    return yield* use({
      dns,
      sink,
      published,
      policyPort: port,
      through: (of) =>
        Effect.provideContext(Effect.provide(of, layerOf(null), { local: true }), store) as Effect.Effect<
          Effect.Success<typeof of>
        >,
      attempt: (...given) => Effect.provideContext(attempt(...given), store)
    })
  }).pipe(Effect.provide(Memory.layer)) as Effect.Effect<A, E>

const delivered = { tag: "Delivered", error: null, tls: "TLSv1.3" }
const deferred = (error: string) => ({ tag: "Deferred", error })

describe("a domain that enforces its MTA-STS policy", () => {
  it.live("gets mail at the hosts it names, under a certificate valid for them, and its policy is kept", () =>
    withServers(({ attempt, dns, published, sink }) =>
      Effect.gen(function* () {
        expect(yield* attempt()).toEqual(delivered)
        // Another process finds the policy, although the domain's records and its web server are gone.
        published.status = 500
        dns.set("_mta-sts.example.org", null)
        dns.set("example.org", { MX: [[10, "mx.attacker.test"]] })
        dns.set("mx.attacker.test", { A: ["127.0.0.1"] })
        expect(yield* attempt()).toMatchObject(deferred("sts_mx_mismatch"))
        expect(sink.messages()).toHaveLength(1)
        expect(published.asked).toBe(1)
        expect(yield* (yield* StsPolicyStore).find("example.org")).toMatchObject({
          policyId: "1",
          mode: "enforce",
          maxAge: 604_800
        })
      })
    )
  )

  it.live("gets no byte of a message in plaintext, or under another certificate", () =>
    Effect.forEach(
      [
        [{ startTls: "off" }, "sts_no_tls"],
        [{ startTls: "broken" }, "sts_no_tls"],
        [{ certificate: { cert: expired + authority, key: issuedKey } }, "sts_certificate"],
        [{ certificate: ofItself }, "sts_certificate"],
        [{}, "sts_certificate"]
      ] as ReadonlyArray<readonly [SinkOptions, string]>,
      ([options, error]) =>
        withServers(
          ({ attempt, sink }) =>
            Effect.gen(function* () {
              sink.answer("mail", "550 5.7.1 not reached")
              expect(yield* attempt()).toMatchObject(deferred(error))
              expect(sink.messages()).toEqual([])
            }),
          options
        ),
      { discard: true }
    )
  )

  it.live("has its other hosts skipped", () =>
    withServers(({ attempt, dns, sink }) =>
      Effect.gen(function* () {
        dns.set("example.org", {
          MX: [
            [5, "mx.example.net"],
            [10, "mx.example.org"]
          ]
        })
        dns.set("mx.example.net", { A: ["127.0.0.1"] })
        expect(yield* attempt()).toEqual(delivered)
        expect(sink.connections().made).toBe(1)
      })
    )
  )

  it.live("is followed to a new policy when its record has another id", () =>
    withServers(({ attempt, dns, published }) =>
      Effect.gen(function* () {
        expect(yield* attempt()).toEqual(delivered)
        published.text = enforce.replace("mx.example.org", "mx.other.test")
        dns.set("_mta-sts.example.org", { TXT: ["v=STSv1; id=2;"] })
        expect(yield* attempt()).toMatchObject(deferred("sts_mx_mismatch"))
        expect(published.asked).toBe(2)
      })
    )
  )
})

describe("domains whose policy servers never reply", () => {
  it.live("wait, and delay no mail to others, with a policy or without", () =>
    withServers(({ dns, policyPort, sink, through }) =>
      Effect.gen(function* () {
        const sockets = new Set<Socket>()
        const silent = createTcpServer((socket) => {
          sockets.add(socket.on("error", () => socket.destroy()))
        })
        yield* Effect.promise(
          () => new Promise<void>((resolve) => silent.listen(policyPort, "127.0.0.2", () => resolve()))
        )
        running.push({
          stop: () =>
            new Promise((resolve) => {
              for (const socket of sockets) socket.destroy()
              silent.close(() => resolve())
            })
        })
        const count = 15
        const slow = Array.from({ length: 40 }, (_, index) => `slow${index}.test`)
        const plain = Array.from({ length: count }, (_, index) => `plain${index}.test`)
        for (const domain of [...slow, ...plain]) dns.set(domain, { MX: [[10, "mx.example.org"]] })
        for (const domain of slow) {
          dns.set(`_mta-sts.${domain}`, { TXT: ["v=STSv1; id=1;"] })
          dns.set(`mta-sts.${domain}`, { A: ["127.0.0.2"] })
        }
        const began = performance.now()
        const sendTo = (domain: string, accountId: string) =>
          Effect.map(send(messageTo(`ada@${domain}`, { accountId })), ({ _tag }) => ({
            tag: _tag,
            isSoon: performance.now() - began < 5_000
          }))
        const sendAll = (domains: ReadonlyArray<string>, accountId: string) =>
          Effect.forEach(domains, (domain) => sendTo(domain, accountId), { concurrency: "unbounded" })
        const again = (domain: string): ReturnType<typeof sendTo> =>
          Effect.flatMap(sendTo(domain, "one"), (sent) =>
            sent.tag === "Busy" && sent.isSoon ? Effect.delay(again(domain), 100) : Effect.succeed(sent)
          )
        const [waiting, sent, known] = yield* through(
          Effect.all(
            [
              sendAll(slow, "two"),
              // By then, all fetches are in use.
              Effect.delay(sendAll(plain, "one"), 200),
              Effect.delay(again("example.org"), 200)
            ],
            { concurrency: "unbounded" }
          )
        )
        expect(sockets.size).toBeGreaterThan(0)
        expect(new Set(waiting.map(({ tag }) => tag))).toEqual(new Set(["Busy"]))
        expect([...sent, known]).toEqual(
          Array.from({ length: count + 1 }, () => ({ tag: "Delivered", isSoon: true }))
        )
        expect(sink.messages()).toHaveLength(count + 1)
      })
    )
  )
})

describe("a domain whose policy asks for nothing", () => {
  it.live("gets mail as one without a policy: testing, none, invalid, redirected, not text, not there", () =>
    Effect.forEach(
      [
        { text: enforce.replace("enforce", "testing").replace("mx.example.org", "mx.other.test") },
        { text: "version: STSv1\nmode: none\nmax_age: 1\n" },
        { text: "version: STSv1" },
        { status: 302 },
        { type: "text/html" },
        { text: `${enforce}${"x: y\n".repeat(20_000)}` }
      ],
      (policy) =>
        withServers(
          ({ attempt, sink }) =>
            Effect.gen(function* () {
              expect(yield* attempt()).toMatchObject({ tag: "Delivered" })
              expect(sink.messages()).toMatchObject([{ secure: false }])
            }),
          { startTls: "off" },
          policy
        ),
      { discard: true }
    )
  )
})

const digest = (pem: string, selector: 0 | 1): string => {
  const certificate = new X509Certificate(pem)
  const content =
    selector === 0 ? certificate.raw : certificate.publicKey.export({ type: "spki", format: "der" })
  return createHash("sha256").update(content).digest("hex")
}
const other = "00".repeat(32)
const record = (usage: number, selector: 0 | 1, data: string): PublishedTlsa => ({
  usage,
  selector,
  matching: 1,
  data
})

describe("a host with TLSA records", () => {
  it.live("gets mail under a certificate that one of them names, whatever its MTA-STS policy says", () =>
    withServers(
      ({ attempt }) =>
        Effect.gen(function* () {
          for (const records of [
            [record(3, 1, digest(issued, 1))],
            // While the certificate is replaced there are two records.
            [record(3, 1, other), record(3, 0, digest(issued, 0))],
            [record(2, 0, digest(authority, 0))],
            [record(2, 1, other), record(2, 1, digest(authority, 1))],
            [
              { usage: 2, selector: 0, matching: 0, data: new X509Certificate(authority).raw.toString("hex") }
            ],
            // None of them is usable, so the connection is encrypted with any certificate.
            [record(1, 1, other), record(3, 7 as 1, other)]
          ])
            expect(yield* attempt({}, records)).toEqual(delivered)
        }),
      { certificate: valid },
      { text: enforce.replace("mx.example.org", "mx.other.test") }
    )
  )

  it.live("gets none under another, in plaintext, or while the records cannot be proven", () =>
    Effect.gen(function* () {
      yield* withServers(({ attempt, sink }) =>
        Effect.gen(function* () {
          expect(yield* attempt({}, [record(3, 1, other)])).toMatchObject(deferred("dane_mismatch"))
          expect(yield* attempt({}, [record(2, 1, digest(issued, 1))])).toMatchObject(
            deferred("dane_mismatch")
          )
          expect(yield* attempt({}, "bogus")).toMatchObject(deferred("dane_unavailable"))
          expect(sink.messages()).toEqual([])
          // An insecure zone has no DANE, so the policy applies.
          expect(yield* attempt({}, "insecure")).toEqual(delivered)
        })
      )
      yield* withServers(
        ({ attempt, sink }) =>
          Effect.gen(function* () {
            for (const records of [[record(3, 1, digest(issued, 1))], [record(1, 1, other)]])
              expect(yield* attempt({}, records)).toMatchObject(deferred("dane_no_tls"))
            expect(sink.messages()).toEqual([])
          }),
        { startTls: "off" }
      )
    })
  )

  it.live("may have an expired certificate of another name with DANE-EE, and with DANE-TA not", () =>
    withServers(
      ({ attempt }) =>
        Effect.gen(function* () {
          expect(yield* attempt({}, [record(3, 0, digest(expired, 0))])).toEqual(delivered)
          expect(yield* attempt({}, [record(2, 0, digest(authority, 0))])).toMatchObject(
            deferred("dane_mismatch")
          )
        }),
      { certificate: { cert: expired + authority, key: issuedKey } }
    )
  )
})

describe("a report of encryption", () => {
  it.live("goes whatever the policy of the domain says, and is not reported itself", () =>
    Effect.forEach(
      [{ startTls: "off" }, { startTls: "broken" }, { certificate: ofItself }] as ReadonlyArray<SinkOptions>,
      (options) =>
        withServers(
          ({ attempt, published, sink }) =>
            Effect.gen(function* () {
              for (const tlsa of [null, "bogus", [record(3, 1, other)]] as const)
                expect(yield* attempt({ ignoresTlsPolicy: true }, tlsa)).toMatchObject({ tag: "Delivered" })
              expect(sink.messages()).toHaveLength(3)
              expect(published.asked).toBe(0)
              expect(sessions).toEqual([])
              expect(yield* attempt()).toMatchObject({ tag: "Deferred" })
              expect(sessions).not.toEqual([])
            }),
          options
        ),
      { discard: true }
    )
  )
})

describe("a message of an account that requires encryption", () => {
  it.live("waits where the server offers none, while that of another account is sent", () =>
    withServers(
      ({ attempt, sink }) =>
        Effect.gen(function* () {
          expect(yield* attempt({ requireTls: true })).toMatchObject(deferred("tls_required"))
          expect(yield* attempt({ requireTls: false })).toMatchObject({ tag: "Delivered" })
          expect(sink.messages()).toMatchObject([{ secure: false }])
        }),
      { startTls: "off" },
      { status: 404 }
    )
  )

  it.live("is sent under any certificate where encryption works", () =>
    withServers(
      ({ attempt }) =>
        Effect.map(attempt({ requireTls: true }), (outcome) => expect(outcome).toEqual(delivered)),
      {},
      { status: 404 }
    )
  )
})
