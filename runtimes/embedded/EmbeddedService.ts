/**
 * Composes the service that runs in another program's process. It keeps that process alive only while a call is in progress.
 *
 * @module
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import {
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  Latch,
  Layer,
  Random,
  Redacted,
  References,
  Result,
  Scope
} from "effect"
import { randomBytes } from "node:crypto"
import { SegmentInterval } from "../../core/automation/runs/SegmentStarts.ts"
import { systemActor } from "../../core/model/Actor.ts"
import * as LocalCrypto from "../../adapters/crypto/Crypto.ts"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import * as SecureDns from "../../adapters/dns/SecureDns.ts"
import { app } from "../../adapters/http/index.ts"
import { SessionCookies } from "../../adapters/http/edge/cookies.ts"
import { serve as serveHttp } from "../../adapters/http/server/NodeServer.ts"
import { makeWebHandler } from "../../adapters/http/server/Web.ts"
import { selfSigned } from "../../adapters/smtp/Certificate.ts"
import type { Limits as RelayLimits } from "../../adapters/smtp/relay/Limits.ts"
import { serveRelay } from "../../adapters/smtp/relay/RelayServer.ts"
import * as Memory from "../../adapters/memory/index.ts"
import * as Postgres from "../../adapters/postgres/index.ts"
import { Accounts } from "../../core/accounts/Accounts.ts"
import { ApiKeys } from "../../core/accounts/ApiKeys.ts"
import { Bootstrap } from "../../core/accounts/Bootstrap.ts"
import { formatKey, keyBytes, prefixes } from "../../core/accounts/KeyFormat.ts"
import { permissions } from "../../core/model/Permission.ts"
import { checkSecretKey } from "../../core/accounts/SecretCheck.ts"
import type { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { ClockControl, ProcessInfo, unknownProcess } from "../../core/kernel/ProcessInfo.ts"
import { advanceClock } from "../../core/operation/advanceClock.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { Crypto } from "../../core/ports/Crypto.ts"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import type { MachineList } from "../../core/sending/tracking/machineList.ts"
import { makeMachines, parseMachineFile } from "../../core/sending/tracking/Machines.ts"
import { RequireTwoFactors } from "../../core/users/Sessions.ts"
import { KnownMachines } from "../../core/sending/tracking/Tracking.ts"
import { Reports } from "../../core/sending/reports/Reports.ts"
import { defaultCallerLimits } from "../../core/shared/CallerLimits.ts"
import { parseDomain } from "../../core/shared/EmailAddress.ts"
import { parseMailbox } from "../../core/shared/Mailbox.ts"
import { SystemSender } from "../../core/users/SystemMail.ts"
import { type IpRange, parseOrigin, parseRange } from "../../core/shared/Network.ts"
import { maxPageSize } from "../../core/shared/Page.ts"
import { version } from "../cli/version.ts"
import { secretsLayer } from "../server/secrets.ts"
import { serviceLayer } from "../server/service.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { type SeededRandom, makeSeededRandom } from "./SeededRandom.ts"
import { createManagementClient } from "../../client/index.ts"
import type { Domain, InboxMessage } from "../../client/management.ts"
import { makeCallsInProgress } from "./CallsInProgress.ts"
import { type CapturedMessage, makeCapturingTransport } from "./CapturingTransport.ts"
import { type SignInOptions, signInEmbedded } from "./SignIn.ts"
import { makeZone } from "./Zone.ts"
import { makeVirtualClock } from "./VirtualClock.ts"

export type { InboxMessage } from "../../client/management.ts"

/** A sending domain, as the management API returns it. */
export type PublishedDomain = Domain

/** An account with a key that has every permission. */
export interface ReadyAccount {
  readonly accountId: string
  readonly apiKey: string
}

/**
 * A running service. It keeps the process alive only while one of its functions is in progress, so that a test that fails before
 * it calls `close` still ends. `await using` closes the service at the end of the scope.
 */
export interface Embedded extends AsyncDisposable {
  /** Responds to a request as the server does. The URL must begin with `baseUrl`. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly baseUrl: string
  /** The port on which it listens; null unless `port` was given. */
  readonly port: number | null
  readonly managementToken: string
  readonly live: ReadyAccount
  readonly sandbox: ReadyAccount
  /**
   * The inbox of the sandbox account, newest first, with at most 200 messages. They are the items of
   * `GET /manage/v1/accounts/{accountId}/inbox`.
   */
  readonly inbox: () => Promise<ReadonlyArray<InboxMessage>>
  /**
   * Enables the live account to send from a domain. It adds the domain if the account does not have it, publishes the DNS records
   * to this service only, and verifies the domain. Returns the domain, as the management API returns it.
   */
  readonly publish: (domain: string) => Promise<PublishedDomain>
  /**
   * Signs in the operator `operator@example.com`, or, if a role is given, a new member of the first company, without a password.
   * Returns the `Cookie` header of the session. A request that changes something also needs an `Origin` equal to `baseUrl`, and
   * `Content-Type: application/json` or `X-Svc-Request: 1`.
   */
  readonly signIn: (options?: SignInOptions) => Promise<{ readonly cookie: string }>
  /**
   * The sent mail of live accounts, newest first, with at most 1,000 messages, each with the id of the relay that it takes. Empty
   * if `transport` sends the mail.
   */
  readonly outbox: () => ReadonlyArray<CapturedMessage>
  /**
   * Processes a message as the inbound port does: a receiving server's report that was sent to a return path. Returns whether
   * reports to that address are accepted.
   */
  readonly report: (recipient: string, raw: string) => Promise<boolean>
  /**
   * Moves the clock forward and runs everything that becomes due, each job at its time. It waits for running work before it moves
   * the clock. If a `transport` itself waits on this clock, it waits until that time has passed.
   */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** Waits until no job is due. */
  readonly settle: () => Promise<void>
  /** The time of the service's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Where the SMTP relay listens, first with STARTTLS, then with TLS; empty unless `smtp` was given. */
  readonly smtp: ReadonlyArray<{ readonly host: string; readonly port: number; readonly tls: boolean }>
  /** Stops the service. Data in memory is lost. Further calls have no effect. */
  readonly close: () => Promise<void>
}

/** Options of `start`. */
export interface Options {
  /** The initial time of the clock, in epoch milliseconds; by default the current time. */
  readonly startAt?: number
  /**
   * Where data is stored: in memory (the default), in PostgreSQL in this process (`pglite` in memory, or a directory), on a
   * PostgreSQL server, or in ports of your own. Existing data is kept.
   */
  readonly store?:
    | "memory"
    | "pglite"
    | { readonly directory: string }
    | { readonly url: string }
    | { readonly ports: Layer.Layer<StoragePorts> }
  /**
   * The key that seals secrets, with at least 32 characters. It is required to open the data of a PostgreSQL server again. A
   * directory keeps a key of its own unless one is given.
   */
  readonly secretKey?: string
  /**
   * A port of 127.0.0.1 on which the service also listens, or 0 for any free one, so that a browser can use the API and the
   * dashboard. By default, `baseUrl` is then `http://localhost` with the port. The process stays alive until `close`.
   */
  readonly port?: number
  /** The base URL of links, without a path; by default `http://svc.test`, which counts as local. */
  readonly baseUrl?: string
  /** The previous secret key, while it is being replaced. */
  readonly previousSecretKey?: string
  /**
   * Sends the mail of live accounts. By default no mail is sent: it counts as delivered and is kept in `outbox`. A layer is built
   * within the service, with its names, its clock, and its shares of the limits of lanes.
   */
  readonly transport?: MailTransport["Service"] | Layer.Layer<MailTransport, never, PublicEndpoint | Dns>
  /**
   * Whether the SMTP relay listens, on two free ports of 127.0.0.1 and with a self-signed certificate. An object sets its limits.
   */
  readonly smtp?: boolean | Partial<RelayLimits>
  /**
   * Resolves names. By default only the names of `publish` have records, so no webhook host can be resolved.
   */
  readonly dns?: Dns["Service"]
  /**
   * Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted; by default none. The address of calls is 127.0.0.1.
   */
  readonly trustedProxies?: ReadonlyArray<string>
  /** User agents and networks of programs, in addition to the known ones: the content of SVC_MACHINE_FILE. */
  readonly machines?: Partial<MachineList>
  /** Whether webhooks may go to private addresses and over http, for example to a test's receiver; by default false. */
  readonly webhookAllowPrivate?: boolean
  /** Whether each user must have a second factor, as with SVC_REQUIRE_TWO_FACTORS; by default false. */
  readonly requireTwoFactors?: boolean
  /**
   * The sender of mail to users, as in SVC_SYSTEM_SENDER. The live account sends it once the domain is verified, as by `publish`.
   */
  readonly systemSender?: string
  /** Ports that replace the default ones, for example a test's own WebhookClient or KeyMaker. */
  readonly replaced?: Layer.Layer<never>
  /**
   * Makes the service deterministic: with data in memory, two services with the same seed and the same calls do the same. All
   * random values except key pairs follow from the seed, so secrets are not secret. The clock does not run, and jobs run only in
   * `advance` and `settle`.
   */
  readonly seed?: string
}

const defaultBaseUrl = "http://svc.test"

const mailHost = "svc.test"

const keyName = "Embedded"

const secretKeyBytes = 32

const missing = (name: string) => Effect.fail(new DnsMissing({ name }))

/** A DNS in which no name exists. */
const noDns: Dns["Service"] = { txt: missing, mx: missing, addresses: missing }

/** How often flows on segments check who entered and left, in milliseconds. */
const segmentInterval = 900_000

/** The programs that visits are compared with. Throws if an entry is invalid, in which case a server does not start either. */
const machinesOf = ({ machines }: Options): Layer.Layer<never> => {
  if (machines === undefined) return Layer.empty
  const parsed = parseMachineFile(JSON.stringify(machines))
  if (Result.isFailure(parsed)) throw new Error(`machines: ${parsed.failure}`)
  return Layer.succeed(KnownMachines, makeMachines(parsed.success))
}

/** The sender of mail to users. Throws if it is not an address, in which case a server does not start either. */
const senderOf = ({ systemSender }: Options) => {
  if (systemSender === undefined) return null
  const from = parseMailbox(systemSender)
  if (from === null) throw new Error(`systemSender: "${systemSender}" is no address`)
  return { from, accountId: null }
}

const transportLayer = (transport: NonNullable<Options["transport"]>) =>
  "send" in transport ? Layer.succeed(MailTransport, transport) : transport

const secretsOf = ({ previousSecretKey, secretKey, store }: Options, random: SeededRandom | null) => {
  if (random !== null) return SecretBox.layer(random.bytes(secretKeyBytes), { random: random.bytes })
  const directory = typeof store === "object" && "directory" in store ? store.directory : null
  return secretsLayer({
    dataDir: directory ?? "",
    secretKey: secretKey === undefined ? null : Redacted.make(secretKey),
    previousSecretKey: previousSecretKey === undefined ? null : Redacted.make(previousSecretKey),
    store: { _tag: directory === null ? "Memory" : "Embedded" }
  })
}

const storageOf = (store: NonNullable<Options["store"]>): Layer.Layer<StoragePorts, unknown> => {
  if (store === "memory") return Memory.layer
  if (store === "pglite") return Postgres.layerEmbedded(null)
  if ("ports" in store) return store.ports
  return "url" in store
    ? Postgres.layerServer(Redacted.make(store.url), "store.url", false)
    : Postgres.layerEmbedded(store.directory)
}

/** Creates a key for the account, and revokes the key of an earlier start with the same data. */
const readyKey = Effect.fnUntraced(function* (accountId: string) {
  const keys = yield* ApiKeys
  for (const { id, name, revokedAt } of yield* keys.list(accountId)) {
    if (name === keyName && revokedAt === null) yield* keys.revoke(accountId, id, systemActor)
  }
  const { key } = yield* keys.create(
    accountId,
    { name: keyName, permissions, expiresInDays: null },
    systemActor
  )
  return { accountId, apiKey: key } satisfies ReadyAccount
})

/** The accounts of the company that the first start created. */
const firstCompany = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { totalCount } = yield* accounts.companies({ page: 1, pageSize: 1 })
  const { items } = yield* accounts.companies({ page: totalCount, pageSize: 1 })
  return items[0]!
})

const smtpHost = "127.0.0.1"
const httpHost = "127.0.0.1"

/** No limits, because calls in this process have no connections. */
const limitsInProcess = {
  ...defaultCallerLimits,
  maxConnections: Number.POSITIVE_INFINITY,
  maxConnectionsPerNetwork: Number.POSITIVE_INFINITY
}

/** The address from which calls come. */
const callerAddress = "127.0.0.1"

const trustedRange = (text: string): IpRange => {
  const range = parseRange(text)
  if (range === null) throw new Error(`trustedProxies: "${text}" is no IP address and no CIDR range`)
  return range
}

const relayOf = Effect.fnUntraced(function* ({ smtp = false }: Options) {
  if (smtp === false) return []
  const { ports } = yield* serveRelay({
    host: smtpHost,
    ports: [
      { port: 0, implicitTls: false },
      { port: 0, implicitTls: true }
    ],
    mailHost,
    certificate: yield* Effect.promise(() => selfSigned(mailHost, Date.now())),
    keepsAlive: false,
    limits: smtp === true ? {} : smtp
  })
  return ports.map(({ implicitTls, port }) => ({ host: smtpHost, port, tls: implicitTls }))
})

/** The Crypto port with seeded random bytes. */
const deterministicCrypto = (random: SeededRandom) =>
  Layer.effect(
    Crypto,
    Effect.map(Crypto, (crypto) => Crypto.of({ ...crypto, randomBytes: random.bytes }))
  ).pipe(Layer.provide(LocalCrypto.layer))

/** The files of the documentation site. */
const filesLayer = Layer.merge(NodeFileSystem.layer, NodePath.layer)

const originOf = (baseUrl: string): string => {
  const origin = parseOrigin(baseUrl)
  if (origin === null) throw new Error(`baseUrl: "${baseUrl}" is no http or https URL without a path`)
  return origin
}

/** The app of all routes. It is made at the first call, because tests without calls do not need it. */
const appMadeWhenCalled = Effect.gen(function* () {
  const context = yield* Effect.context<Effect.Services<typeof app>>()
  const making = Effect.uninterruptible(Effect.provideContext(app, context))
  return Effect.flatten(yield* Effect.cached(making))
})

/** Starts a service with a live and a sandbox account ready to use. If it fails, it leaves nothing open. */
export const startService = async (options: Options): Promise<Embedded> => {
  const scope = Scope.makeUnsafe()
  const inProgress = makeCallsInProgress()
  return inProgress(async () => {
    try {
      return await startIn(scope, inProgress, options)
    } catch (error) {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      throw error
    }
  })
}

/**
 * Turns off stack traces until the promise is returned. `Effect.fn` records where each function is defined, for its traces, which
 * takes a third of a start.
 */
const withoutStacks = <A>(make: () => Promise<A>): Promise<A> => {
  const { stackTraceLimit } = Error
  Reflect.set(Error, "stackTraceLimit", 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit)
  }
}

const startIn = async (
  scope: Scope.Closeable,
  inProgress: ReturnType<typeof makeCallsInProgress>,
  options: Options
): Promise<Embedded> => {
  const random = options.seed === undefined ? null : makeSeededRandom(options.seed)
  const clock = makeVirtualClock(options.startAt ?? Date.now(), random !== null)
  const trustedProxies = (options.trustedProxies ?? []).map(trustedRange)
  const managementToken = formatKey(prefixes.admin, (random?.bytes ?? randomBytes)(keyBytes))
  // Storage uses real time, because database time-outs do not depend on the service's clock.
  const storage = await Effect.runPromise(
    Layer.build(Layer.fresh(storageOf(options.store ?? "memory"))).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(Clock.Clock, makeVirtualClock(Date.now()))
    )
  )
  let baseUrl = originOf(options.baseUrl ?? defaultBaseUrl)
  const base = Context.merge(
    storage,
    Context.make(Clock.Clock, clock).pipe(
      Context.add(References.MinimumLogLevel, "None"),
      random === null ? (context) => context : Context.add(Random.Random, random)
    )
  )
  const run = Effect.runPromiseWith(base)
  const outbox = makeCapturingTransport()
  const zone = makeZone(options.dns ?? noDns)
  const service = serviceLayer({
    adminToken: Redacted.make(managementToken),
    publicEndpoint: {
      baseUrl: () => baseUrl,
      ...(options.baseUrl === undefined && options.port === undefined ? { isLocal: true } : {}),
      mailHost,
      takesReports: true
    },
    secrets: secretsOf(options, random),
    dns: Layer.succeed(Dns, zone.dns),
    secureDns: SecureDns.layer({ servers: [], validates: false }),
    transport: transportLayer(options.transport ?? outbox.transport),
    webhookAllowPrivate: options.webhookAllowPrivate ?? false,
    replaced: Layer.mergeAll(
      options.replaced ?? Layer.empty,
      machinesOf(options),
      Layer.succeed(SegmentInterval, segmentInterval),
      Layer.succeed(RequireTwoFactors, options.requireTwoFactors ?? false),
      Layer.succeed(SystemSender, senderOf(options)),
      Layer.succeed(ProcessInfo, {
        ...unknownProcess,
        node: { ...unknownProcess.node, version, startedAt: clock.currentTimeMillisUnsafe() }
      }),
      Layer.succeed(ClockControl, (options.store ?? "memory") === "memory" ? clock : null),
      random === null ? Layer.empty : deterministicCrypto(random)
    )
  })
  const built = await withoutStacks(() =>
    run(Effect.provideService(Layer.build(Layer.fresh(service)), Scope.Scope, scope))
  )
  const files = await run(Effect.provideService(Layer.build(filesLayer), Scope.Scope, scope))
  const context = Context.merge(Context.merge(base, files), built)
  const within = Effect.runPromiseWith(context)

  const setUp = Effect.gen(function* () {
    const bootstrap = yield* Bootstrap
    const secrets = yield* bootstrap.prepare(0)
    if (secrets !== null) yield* bootstrap.markShown(secrets)
    yield* checkSecretKey
    const { id: companyId, liveAccountId, sandboxAccountId } = yield* firstCompany
    const live = yield* readyKey(liveAccountId)
    const sandbox = yield* readyKey(sandboxAccountId)
    if (random === null) {
      // Idle workers sleep in real time. Work that becomes due while the clock is moved is processed by the code that moves it.
      const { sleep } = makeVirtualClock(clock.currentTimeMillisUnsafe())
      const working = Effect.provideService((yield* Worker).run, Clock.Clock, { ...clock, sleep })
      yield* Effect.forkIn(working, scope)
    }
    const smtp = yield* Effect.provideService(relayOf(options), Scope.Scope, scope)
    const served = yield* appMadeWhenCalled
    let port: number | null = null
    if (options.port !== undefined) {
      const listening = { host: httpHost, port: options.port, trustedProxies, limits: defaultCallerLimits }
      port = yield* Effect.provideService(serveHttp(served, listening), Scope.Scope, scope)
      if (options.baseUrl === undefined) baseUrl = `http://localhost:${port}`
    }
    return { companyId, live, sandbox, smtp, served, port }
  })
  const { companyId, live, port, sandbox, served, smtp } = await within(setUp)
  const closing = Latch.makeUnsafe(false)
  await run(Scope.addFinalizer(scope, closing.open))
  const handle = await within(
    makeWebHandler(served, { limits: limitsInProcess, trustedProxies }, closing.await)
  )
  const fetch = (request: Request) =>
    inProgress(() => {
      const [url = "", fragment] = request.url.split("#")
      // Clients do not send the fragment of a URL.
      return handle(fragment === undefined ? request : new Request(url, request), callerAddress)
    })
  const management = createManagementClient({
    baseUrl,
    token: managementToken,
    fetch: (request) => {
      // Given, so that reading takes no random value from the seed.
      request.headers.set("x-request-id", "embedded")
      return fetch(request)
    }
  })

  const drain = Effect.flatMap(Worker, (worker) => worker.drain)

  const during: typeof within = (effect) => inProgress(() => within(effect))
  const close = () => inProgress(() => run(Scope.close(scope, Exit.void)))
  return {
    fetch,
    baseUrl,
    port,
    managementToken,
    live,
    sandbox,
    smtp,
    inbox: async () => {
      const { items } = await management.emails.inbox(sandbox.accountId, { pageSize: maxPageSize })
      return items
    },
    publish: async (name) => {
      // In the stored form: names of other scripts in ASCII.
      const wanted = parseDomain(name)
      const { items } = await management.domains.list(live.accountId, { pageSize: maxPageSize })
      const known = items.find(({ domain }) => domain === wanted)
      const { id, records } = known ?? (await management.domains.add(live.accountId, { domain: name }))
      zone.publish(records)
      return management.domains.verify(live.accountId, id)
    },
    signIn: (given = {}) => during(Effect.provide(signInEmbedded(companyId, given), SessionCookies.layer)),
    outbox: outbox.messages,
    report: (recipient, raw) =>
      during(
        Effect.gen(function* () {
          const reports = yield* Reports
          if (!(yield* reports.accepts(recipient))) return false
          yield* reports.take([{ recipients: [recipient], raw: new TextEncoder().encode(raw) }])
          return true
        })
      ),
    advance: (duration) =>
      during(advanceClock(clock, Duration.toMillis(Duration.fromInputUnsafe(duration)))).then(
        () => undefined
      ),
    settle: () => during(drain).then(() => undefined),
    now: () => clock.currentTimeMillisUnsafe(),
    close,
    [Symbol.asyncDispose]: close
  }
}
