/**
 * A server process: the service, what it serves on, what it prints.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { chmod, rename, writeFile } from "node:fs/promises"
import type { App } from "../adapters/http/App.ts"
import { app } from "../adapters/http/index.ts"
import { type FirstSecrets, FirstStart } from "../core/accounts/FirstStart.ts"
import { forgetRateWindows } from "../core/accounts/RateWindows.ts"
import { Worker } from "../core/jobs/Worker.ts"
import type { Configuration } from "./config.ts"
import { serviceLayer } from "./service.ts"
import { storageLayer } from "./storage.ts"

/** Serves an app until the scope closes; answers the port. */
export type ServeHttp<E> = (
  app: App,
  options: { readonly host: string; readonly port: number }
) => Effect.Effect<number, E, Scope.Scope>

/** How long another node that starts at this moment has to show the first secrets, in milliseconds. */
const patienceWithOthers = 5000

/** Starts everything a configuration asks for, and runs until interrupted. */
export const runServer = <E>(configuration: Configuration, serveHttp: ServeHttp<E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const layer = serviceLayer(configuration.adminToken).pipe(
        Layer.provideMerge(storageLayer(configuration))
      )
      const services = yield* Layer.build(layer)
      const firstStart = Context.get(services, FirstStart)
      const shared = configuration.store._tag === "Postgres"
      const secrets = yield* firstStart.prepare(shared ? patienceWithOthers : 0)
      // At a stop all of these end at once: no new calls while the worker finishes its batch.
      const running = yield* Scope.fork(yield* Effect.scope, "parallel")
      let baseUrl = configuration.baseUrl
      if (configuration.roles.has("api")) {
        const served = yield* Effect.provideContext(app, services)
        const listening = Effect.provideContext(serveHttp(served, configuration), services)
        const port = yield* Effect.provideService(listening, Scope.Scope, running)
        baseUrl ??= urlOf(configuration.host, port)
      }
      if (configuration.roles.has("worker")) {
        yield* Effect.forkIn(Context.get(services, Worker).run, running)
        yield* Effect.forkIn(Effect.provideContext(forgetRateWindows, services), running)
      }
      yield* announce(baseUrl, configuration, secrets)
      if (secrets !== null) yield* firstStart.announced
      return yield* Effect.never
    })
  )

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Prints what a start has to say, the secrets of the first start once, and writes the ready file. */
const announce = (baseUrl: string | null, configuration: Configuration, secrets: FirstSecrets | null) =>
  Effect.promise(async () => {
    const { adminToken, readyFile } = configuration
    console.log(configuration.roles.has("api") ? `svc listens on ${baseUrl}` : "svc works in the background")
    if (secrets !== null) console.log(welcome(baseUrl, secrets, adminToken === null))
    if (readyFile === null) return
    const managementToken =
      adminToken === null ? (secrets?.managementToken ?? null) : Redacted.value(adminToken)
    await writeReadyFile(readyFile, { baseUrl, managementToken, secrets })
  })

const welcome = (baseUrl: string | null, secrets: FirstSecrets, showToken: boolean): string =>
  [
    "",
    "First start. Keep these; they are not shown again.",
    `  Base URL          ${baseUrl ?? "none: this process does not serve the API"}`,
    "  SMTP ports        none",
    `  Sandbox account   ${secrets.sandboxAccountId}`,
    `  Sandbox key       ${secrets.sandboxKey}`,
    ...(showToken ? [`  Management token  ${secrets.managementToken}`] : []),
    ...(baseUrl === null ? [] : ["", "Send an email:", "", curlLine(baseUrl, secrets.sandboxKey)]),
    ""
  ].join("\n")

const curlLine = (baseUrl: string, key: string): string =>
  `curl -sS ${baseUrl}/api/v1/sending/emails -H 'Authorization: Bearer ${key}' ` +
  `-H 'Content-Type: application/json' ` +
  `-d '{"to":"ada@example.org","subject":"Hello","html":"<p>It works.</p>"}'`

interface ReadyFacts {
  /** Null where no API is served and `SVC_BASE_URL` names none. */
  readonly baseUrl: string | null
  /** Null where only its hash is known: made at an earlier start. */
  readonly managementToken: string | null
  readonly secrets: FirstSecrets | null
}

/** For scripts and tests; appears whole or not at all, readable by its owner only. */
const writeReadyFile = async (path: string, facts: ReadyFacts): Promise<void> => {
  const { baseUrl, managementToken, secrets } = facts
  const content = {
    baseUrl,
    smtp: [],
    managementToken,
    sandbox: secrets === null ? null : { accountId: secrets.sandboxAccountId, apiKey: secrets.sandboxKey }
  }
  const partial = `${path}.${process.pid}`
  await writeFile(partial, JSON.stringify(content), { mode: 0o600 })
  await chmod(partial, 0o600)
  await rename(partial, path)
}
