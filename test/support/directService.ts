/**
 * A service that delivers directly to hostile mail servers on loopback addresses, with companies that can send.
 *
 * @module
 */
import { Context, Effect, Layer, Scope } from "effect"
import { expect, vi } from "vitest"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { Dns } from "../../core/ports/Dns.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { type Options, start } from "../../runtimes/embedded/index.ts"
import { makeWildcardDns, startSilentServers } from "./silentServers.ts"

/** Waits until a check holds. */
export const eventually = <A>(check: () => A): Promise<A> =>
  vi.waitFor(check, { timeout: 60_000, interval: 20 })

/** A company's live account. */
export interface Account {
  readonly accountId: string
  readonly apiKey: string
}

/** A running service. */
export type DirectService = Awaited<ReturnType<typeof startDirectService>>

/** Starts a service with a storage and the test's options for the transport. */
export const startDirectService = async (store: Options["store"], options: Direct.Options = {}) => {
  const servers = await startSilentServers()
  const names = makeWildcardDns()
  const scope = Scope.makeUnsafe()
  const transport = Direct.layer({ port: servers.port, allowLocal: true, ...options }).pipe(
    Layer.provide([
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "http://svc.test",
        mailHost: "svc.test",
        takesReports: true
      }),
      Layer.succeed(Dns, Dns.of(names.dns))
    ])
  )
  const built = await Effect.runPromise(Effect.provideService(Layer.build(transport), Scope.Scope, scope))
  const service = await start({
    ...(store === undefined ? {} : { store }),
    dns: names.dns,
    transport: Context.get(built, MailTransport)
  })
  const stop = async () => {
    await service.close()
    await servers.stop()
  }
  const request = async <Value>(token: string, method: string, path: string, json?: unknown) => {
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
    )
    expect([path, response.status < 300 ? "" : await response.clone().text()]).toEqual([path, ""])
    return ((await response.json()) as { value: Value }).value
  }
  const manage = <Value>(method: string, path: string, json?: unknown) =>
    request<Value>(service.managementToken, method, `/manage/v1${path}`, json)
  const openAccount = async (domain: string): Promise<Account> => {
    const { live } = await manage<{ live: Account }>("POST", "/companies", { name: domain })
    const { accountId } = live
    const added = await manage<{ id: string; records: [] }>("POST", `/accounts/${accountId}/domains`, {
      domain
    })
    names.publish(added.records)
    await manage("POST", `/accounts/${accountId}/domains/${added.id}/verify`)
    await manage("PATCH", `/accounts/${accountId}/settings`, {
      defaultSender: { email: `hello@${domain}`, name: null },
      rateLimitPerMinute: 100_000
    })
    const { key } = await manage<{ key: string }>("POST", `/accounts/${accountId}/api-keys`, {
      name: "Live",
      permissions: ["emails:send", "emails:read", "contacts:read", "contacts:write"],
      expiresInDays: null
    })
    return { accountId, apiKey: key }
  }
  const send = ({ apiKey }: Account, to: string, bcc: ReadonlyArray<string> = []) =>
    request<{ id: string }>(apiKey, "POST", "/api/v1/sending/emails", {
      to,
      bcc,
      subject: "Hello",
      text: "It works."
    })
  const arrival = (recipient: string) =>
    eventually(() => {
      const found = servers.accepted().find((one) => one.recipient === recipient)
      expect([recipient, found]).not.toEqual([recipient, undefined])
      return found!
    })
  /** The time from the call until a server has accepted the message, in milliseconds. */
  const timeToArrive = async (account: Account, recipient: string) => {
    const before = Date.now()
    await send(account, recipient)
    return (await arrival(recipient)).at - before
  }
  return { arrival, manage, names, openAccount, request, send, servers, stop, timeToArrive }
}
