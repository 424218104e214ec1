/**
 * Services for the black-box suites, in this process or as a server process.
 *
 * @module
 */
import { Context, type Duration, Effect, Layer } from "effect"
import * as LocalDns from "../../adapters/dns/Dns.ts"
import { Dns } from "../../core/ports/Dns.ts"
import { PasswordHasher } from "../../core/ports/PasswordHasher.ts"
import { type Options, start } from "../../runtimes/embedded/index.ts"
import { type DnsServer, startDnsServer } from "./dnsServer.ts"
import { quickHasher } from "./quickHasher.ts"
import type { SmtpAddress } from "./smtpClient.ts"
import { freshFolder, type Runtime, startServer } from "./serverProcess.ts"

/** A running service. */
export interface Target {
  readonly name: string
  readonly baseUrl: string
  readonly managementToken: string
  /** The account of the first start, with a key that has every permission. */
  readonly sandbox: { readonly accountId: string; readonly apiKey: string }
  /** The addresses of its SMTP relay, with STARTTLS and with implicit TLS. */
  readonly smtp: { readonly startTls: SmtpAddress; readonly tls: SmtpAddress }
  /** The only name server of the service. A name without records there does not exist. */
  readonly dns: DnsServer
  /** Sends a request; the path begins with a slash. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The service's current time, epoch milliseconds. */
  readonly now: () => number
  /** Advances the service's clock and runs the jobs that become due; null if the service uses the system clock. */
  readonly advance: ((duration: Duration.Input) => Promise<void>) | null
  /** The `Cookie` header of a new operator session; null if the service only has one after a person's set-up. */
  readonly operatorCookie: (() => Promise<string>) | null
  /** Stops the service and removes its data. */
  readonly stop: () => Promise<void>
}

/** The part of a service that calls need. */
export type EntryPoint = Pick<Target, "fetch" | "managementToken">

/** Gives background work time to finish, for tests that expect nothing to happen. */
export const settled = async ({ advance }: Pick<Target, "advance">): Promise<void> => {
  if (advance === null) await new Promise((resolve) => setTimeout(resolve, 300))
  else await advance("300 millis")
}

/** The addresses of a relay, as the service lists them. */
export const smtpOf = ([startTls, tls]: ReadonlyArray<SmtpAddress>): Target["smtp"] => {
  if (startTls === undefined || tls === undefined) throw new Error("The relay does not listen on two ports.")
  return { startTls, tls }
}

/** Sends DNS queries to a name server. */
const dnsOf = async (server: DnsServer): Promise<Dns["Service"]> => {
  const layer = LocalDns.layer({ servers: [server.address] })
  return Context.get(await Effect.runPromise(Effect.scoped(Layer.build(layer))), Dns)
}

/**
 * Starts the service in this process. Its calls come from a trusted proxy, so that network limits apply only to calls with an
 * X-Forwarded-For header. Its passwords are hashed at the lowest cost; those of server processes at the normal cost.
 */
export const startEmbedded = async (options: Options = {}): Promise<Target> => {
  const dns = await startDnsServer()
  const service = await start({
    dns: await dnsOf(dns),
    smtp: true,
    webhookAllowPrivate: true,
    trustedProxies: ["127.0.0.1"],
    ...options,
    replaced: Layer.merge(Layer.succeed(PasswordHasher, quickHasher), options.replaced ?? Layer.empty)
  })
  return {
    name: "embedded",
    baseUrl: service.baseUrl,
    managementToken: service.managementToken,
    sandbox: service.sandbox,
    smtp: smtpOf(service.smtp),
    dns,
    fetch: (path, init) => service.fetch(new Request(service.baseUrl + path, init)),
    now: service.now,
    advance: service.advance,
    operatorCookie: async () => (await service.signIn()).cookie,
    stop: async () => {
      await service.close()
      await dns.stop()
    }
  }
}

const stopMillis = 10_000

/** Starts a server process. `store` is a value of `SVC_STORE`: `memory`, `embedded` or a Postgres URL. */
export const startProcess = async (
  runtime: Runtime,
  store: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Target> => {
  const folder = await freshFolder()
  const dns = await startDnsServer()
  const server = startServer(runtime, folder.path, {
    SVC_STORE: store,
    SVC_DNS_SERVERS: dns.address,
    SVC_SMTP_PORTS: "0,0/tls",
    SVC_WEBHOOK_ALLOW_PRIVATE: "true",
    SVC_TRUSTED_PROXIES: "127.0.0.1",
    ...env
  })
  const stop = async () => {
    server.signal("SIGTERM")
    const killing = setTimeout(() => server.signal("SIGKILL"), stopMillis)
    await server.ended
    clearTimeout(killing)
    await folder.remove()
    await dns.stop()
  }
  try {
    const { baseUrl, managementToken, sandbox, smtp } = await server.ready()
    if (managementToken === null || sandbox === null) throw new Error("The database was not empty.")
    return {
      name: runtime,
      baseUrl,
      managementToken,
      sandbox,
      smtp: smtpOf(smtp),
      dns,
      fetch: async (path, init) => {
        try {
          return await fetch(baseUrl + path, init)
        } catch (cause) {
          const output = `${server.out()}\n${server.err()}`
          throw new Error(`${init?.method ?? "GET"} ${path} got no response.\n${output}`, { cause })
        }
      },
      now: Date.now,
      advance: null,
      operatorCookie: null,
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}
