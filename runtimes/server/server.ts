/**
 * Starts the parts of a server process that its configuration selects, and prints where they listen.
 *
 * @module
 */
import { Context, Effect, Layer, Scope } from "effect"
import * as Dns from "../../adapters/dns/Dns.ts"
import * as SecureDns from "../../adapters/dns/SecureDns.ts"
import type { App } from "../../adapters/http/edge/router.ts"
import type { ServeOptions } from "../../adapters/http/server/NodeServer.ts"
import { app, isDashboardBuilt, OtherProcesses, ServeDashboard } from "../../adapters/http/index.ts"
import { makeLoopTurns } from "../../adapters/threads/LoopTurns.ts"
import * as Files from "../../adapters/objects/Files.ts"
import { Places } from "../../adapters/smtp/Places.ts"
import { serveRelay } from "../../adapters/smtp/relay/RelayServer.ts"
import { serveReports } from "../../adapters/smtp/reports/ReportServer.ts"
import { checkAdminToken } from "../../core/accounts/AdminTokenCheck.ts"
import { type FirstSecrets, Bootstrap } from "../../core/accounts/Bootstrap.ts"
import { Accounts } from "../../core/accounts/Accounts.ts"
import { checkSecretKey } from "../../core/accounts/SecretCheck.ts"
import { goingFirst, Turns } from "../../core/kernel/Turns.ts"
import { ClockControl, type MovableClock, ProcessInfo } from "../../core/kernel/ProcessInfo.ts"
import { Installation, reportMillis } from "../../core/operation/Installation.ts"
import { TlsCounts } from "../../core/sending/aggregates/TlsCounts.ts"
import { Worker } from "../../core/jobs/Worker.ts"
import { checkContentPlace } from "../../core/sending/contents/ContentPlace.ts"
import { maintain } from "../../core/app/maintenance.ts"
import { makeMachines } from "../../core/sending/tracking/Machines.ts"
import { InstallationStore } from "../../core/ports/InstallationStore.ts"
import { RequireTwoFactors } from "../../core/users/Sessions.ts"
import { SystemMail, SystemSender } from "../../core/users/SystemMail.ts"
import { Users } from "../../core/users/Users.ts"
import { KnownProviders, ProviderTable } from "../../core/sending/shaping/Providers.ts"
import { KnownMachines } from "../../core/sending/tracking/Tracking.ts"
import { announcementOf, type Started } from "./announce.ts"
import { certificateOf, onCertificateChange } from "./certificates.ts"
import type { Configuration } from "../config/config.ts"
import { closeDataDirectory } from "./dataDirectory.ts"
import {
  publicEndpointOf,
  mailHostWarning,
  smtpAddressOf,
  testServersWarning,
  transportOf
} from "./publicEndpoint.ts"
import { processInfo } from "./processInfo.ts"
import { signInWarning } from "./signIn.ts"
import { superuserWarning } from "./superuser.ts"
import { secretsLayer } from "./secrets.ts"
import { serviceLayer } from "./service.ts"
import { storageLayer } from "./storage.ts"
import { announce, isFirst, isSupervised, metricsOfOthers } from "../supervisor/process.ts"
import { version } from "../cli/version.ts"
import { watchBackup } from "../telemetry/backups.ts"
import { withProgress } from "../telemetry/progress.ts"
import { collectGauges } from "../telemetry/exporter.ts"

/** Serves an app until the scope closes. Returns the port. */
export type ServeHttp<E> = (app: App, options: ServeOptions) => Effect.Effect<number, E, Scope.Scope>

/** How long to wait until another starting node shows the first secrets, in milliseconds. */
const bootstrapWaitMillis = 15_000

/** Starts everything that a configuration selects, and runs until interrupted. Closing the scope stops it. */
export const runServer = Effect.fnUntraced(function* <E>(
  configuration: Configuration,
  serveHttp: ServeHttp<E>,
  clock: MovableClock | null
) {
  yield* closeDataDirectory(configuration)
  const { publicEndpoint, knownBaseUrl, listensOn, proxyTo } = publicEndpointOf(configuration)
  const turns = makeLoopTurns()
  const layer = serviceLayer({
    adminToken: configuration.adminToken,
    publicEndpoint,
    secrets: secretsLayer(configuration),
    dns: Dns.layer({ servers: configuration.dnsServers }),
    secureDns: SecureDns.layer({
      servers: configuration.dnsServers,
      validates: configuration.dnsValidates
    }),
    tlsReports: configuration.tlsReports,
    transport: transportOf(configuration),
    webhookAllowPrivate: configuration.webhookAllowPrivate,
    replaced: Layer.mergeAll(
      Layer.succeed(KnownMachines, makeMachines(configuration.machines)),
      Layer.succeed(KnownProviders, new ProviderTable(configuration.providers)),
      Layer.succeed(RequireTwoFactors, configuration.requireTwoFactors),
      Layer.succeed(SystemSender, configuration.systemSender),
      Layer.succeed(ProcessInfo, yield* processInfo(configuration)),
      Layer.succeed(ClockControl, clock),
      Layer.succeed(Turns, turns)
    )
  }).pipe(Layer.provideMerge(storageLayer(configuration)))
  const services = yield* withProgress(Layer.build(layer))
  const bootstrap = Context.get(services, Bootstrap)
  const shared = configuration.store._tag === "Postgres"
  const tokenWarning = yield* Effect.provideContext(checkAdminToken(configuration.adminToken), services)
  const secrets = yield* bootstrap.prepare(shared ? bootstrapWaitMillis : 0)
  yield* Effect.provideContext(checkSecretKey, services)
  const hasContentOutside = yield* Effect.provideContext(checkContentPlace, services)
  const { objectStorage } = configuration
  if (objectStorage._tag === "Files") yield* Files.markDirectory(objectStorage.directory, hasContentOutside)
  // A stop ends all of these at the same time, so that no calls arrive while the worker finishes its batch.
  const running = yield* Scope.fork(yield* Effect.scope, "parallel")
  if (configuration.roles.has("api")) {
    const served = yield* app.pipe(
      Effect.provideService(ServeDashboard, configuration.dashboard),
      Effect.provideService(OtherProcesses, metricsOfOthers),
      Effect.provideContext(services)
    )
    // The app already has its services. Requests run in the small context of the process, because each copies its context.
    listensOn(
      yield* Effect.provideService(
        serveHttp(goingFirst(turns, served), { ...configuration, isOneOfMany: isSupervised }),
        Scope.Scope,
        running
      )
    )
  }
  const { relayPorts, reportPort } = configuration.roles.has("smtp")
    ? yield* serveSmtp(configuration, publicEndpoint.mailHost).pipe(
        Effect.provideService(Scope.Scope, running),
        Effect.provideContext(services)
      )
    : noSmtp
  if (configuration.roles.has("worker")) {
    yield* Effect.forkIn(Context.get(services, Worker).run, running)
    yield* Effect.forkIn(Effect.provideContext(maintain, services), running)
    yield* Effect.forkIn(Context.get(services, TlsCounts).run, running)
  }
  yield* Effect.forkIn(Effect.provideContext(reportNode, services), running)
  if (configuration.otlpUrl !== null) {
    yield* Effect.forkIn(Effect.provideContext(collectGauges, services), running)
  }
  if (configuration.backupFile !== null) {
    yield* Effect.forkIn(watchBackup(configuration.backupFile), running)
  }
  yield* Effect.annotateLogs(Effect.logInfo("started"), {
    version,
    runtime: process.versions["bun"] === undefined ? "node" : "bun",
    roles: [...configuration.roles].join(","),
    store: configuration.store._tag
  })
  const warnings = !isFirst
    ? []
    : [
        tokenWarning,
        mailHostWarning(configuration),
        testServersWarning(configuration),
        configuration.roles.has("api") ? signInWarning(publicEndpoint.baseUrl()) : null,
        yield* Effect.provideContext(senderWarning(configuration), services),
        yield* dashboardWarning(configuration),
        yield* superuserWarning()
      ]
  for (const warning of warnings) {
    if (warning !== null) yield* Effect.logWarning(warning)
  }
  const shown = secrets !== null && (yield* bootstrap.isCurrent(secrets)) ? secrets : null
  const setupLink =
    shown === null || knownBaseUrl() === null
      ? null
      : yield* Effect.provideContext(firstLink(shown, configuration.operatorEmail), services)
  const announcement = announcementOf(configuration, {
    baseUrl: knownBaseUrl(),
    proxyTo: proxyTo(),
    relayPorts,
    reportPort,
    secrets: shown,
    setupLink
  })
  yield* announce(announcement, configuration.readyFile)
  if (yield* Context.get(services, InstallationStore).takeUsersNotice) console.log(usersNotice)
  if (shown !== null) yield* bootstrap.markShown(shown)
  return yield* Effect.never
})

/** A message about how to build the dashboard, if it should be served but is not built. */
const dashboardWarning = ({ dashboard, roles }: Configuration) =>
  dashboard && roles.has("api")
    ? Effect.map(isDashboardBuilt, (isBuilt) =>
        isBuilt
          ? null
          : "The dashboard is not built: run npm ci and npm run build:dashboard, or set SVC_DASHBOARD=off"
      )
    : Effect.succeed(null)

/** A message about why no mail is sent to users although a sender is configured. */
const senderWarning = Effect.fnUntraced(function* ({ systemSender }: Configuration) {
  if (systemSender === null || (yield* (yield* SystemMail).sender) !== null) return null
  const account = systemSender.accountId ?? "of the first company"
  return `SVC_SYSTEM_SENDER is on no verified domain of the live account ${account}: until it is, invitations return their links and no mail goes to users`
})

/** Reports the process at regular intervals until interrupted. A failed report is made again after the interval. */
const reportNode = Effect.flatMap(Installation, ({ report }) =>
  Effect.forever(Effect.andThen(Effect.ignore(report), Effect.sleep(reportMillis)))
)

/** The message about users when this version first starts with data of an earlier one. */
const usersNotice =
  "People can sign in from this version on: svc users invite --operator ada@example.org makes the first user"

/** The set-up link of the first operator, who also is an Owner of the first company. */
const firstLink = Effect.fnUntraced(function* ({ sandboxAccountId }: FirstSecrets, email: string | null) {
  const { companyId } = yield* (yield* Accounts).get(sandboxAccountId)
  return yield* (yield* Users).firstLink(companyId, email)
})

const noSmtp: Pick<Started, "relayPorts" | "reportPort"> = { relayPorts: [], reportPort: null }

/** Listens for programs that send mail and for servers that send reports. Returns the ports. */
const serveSmtp = Effect.fnUntraced(function* (configuration: Configuration, mailHost: string) {
  const { inboundPort, smtpPorts, tls } = configuration
  if (inboundPort === null && smtpPorts.length === 0) return noSmtp
  const certificate = yield* certificateOf(configuration, mailHost)
  const { limits } = configuration
  const places = new Places(limits)
  const common = { host: smtpAddressOf(configuration), mailHost, certificate, places }
  let reportPort: number | null = null
  if (inboundPort !== null) {
    const reports = yield* serveReports({ ...common, limits, port: inboundPort })
    yield* onCertificateChange(tls, reports.useCertificate)
    reportPort = reports.port
  }
  const relay = yield* serveRelay({ ...common, ports: smtpPorts })
  yield* onCertificateChange(tls, relay.useCertificate)
  return { relayPorts: relay.ports, reportPort }
})
