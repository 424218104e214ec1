/**
 * Mail servers that never answer, reached by direct delivery: what they hold up, and what they do not.
 *
 * @module
 */
import { Context, Effect, Layer, Scope } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Direct from "../../adapters/smtp/transport/Direct.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { Dns } from "../../core/ports/Dns.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { type Options, start } from "../../runtimes/embedded/index.ts"
import {
  type Behaviour,
  loopbackAddress,
  makeWildcardDns,
  startSilentServers
} from "../support/silentServers.ts"

/** Waits until a check holds. */
const eventually = <A>(check: () => A): Promise<A> => vi.waitFor(check, { timeout: 60_000, interval: 20 })

const closers: Array<() => Promise<unknown>> = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

interface Account {
  readonly accountId: string
  readonly apiKey: string
}

/** A service that sends directly to servers on loopback addresses, and companies that can send. */
const startService = async (store: Options["store"]) => {
  const servers = await startSilentServers()
  closers.push(servers.stop)
  const names = makeWildcardDns()
  const scope = Scope.makeUnsafe()
  const transport = Direct.layer({ port: servers.port, allowLocal: true }).pipe(
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
  closers.push(service.close)
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
      permissions: ["emails:send", "emails:read"],
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
  /** How long a message takes from the call until a server accepted it, milliseconds. */
  const timeToArrive = async (account: Account, recipient: string) => {
    const before = Date.now()
    await send(account, recipient)
    return (await arrival(recipient)).at - before
  }
  return { arrival, manage, names, openAccount, request, send, servers, timeToArrive }
}

type Service = Awaited<ReturnType<typeof startService>>

/** 600 recipients at as many names. */
const recipients = Array.from({ length: 600 }, (_, index) => `x@d${index}.evil.test`)

const numberOf = (name: string): number => Number(/d(\d+)\./.exec(name)?.[1] ?? 0)

/** An address for each name. */
const ownAddress = (name: string): string => loopbackAddress(numberOf(name))

const sendToAll = async ({ openAccount, send }: Service): Promise<void> => {
  const attacker = await openAccount("attacker.test")
  for (let call = 0; call < 12; call++) {
    const [first, ...others] = recipients.slice(call * 50, call * 50 + 50)
    await send(attacker, first!, others)
  }
}

/** Signs all of them up by a form of a company, which sends each a mail to confirm. */
const signUpAll = async (service: Service, { accountId }: Account): Promise<void> => {
  const { manage, request } = service
  const flows = `/accounts/${accountId}/flows`
  const flow = await manage<{ id: string }>("POST", flows, {
    name: "Confirm",
    trigger: { kind: "Api" },
    steps: [
      {
        id: "ask",
        kind: "SendEmail",
        purpose: "Transactional",
        subject: "Please confirm",
        html: "<p>Confirm</p>"
      }
    ]
  })
  await manage("POST", `${flows}/${flow.id}/publish`)
  const { token } = await manage<{ token: string }>("POST", `${flows}/${flow.id}/trigger-token`)
  for (const email of recipients)
    await request(token, "POST", `/flows/${flow.id}/trigger`, { id: email, email })
}

const behaviours: ReadonlyArray<Behaviour> = ["connect", "ehlo", "mail", "rcpt", "data", "drips", "endless"]

describe("600 recipients at servers that never answer", () => {
  const prepare = async (store: Options["store"]) => {
    const service = await startService(store)
    service.servers.behave("127.0.0.2", "accepts")
    service.names.set("customer.test", "127.0.0.2")
    return service
  }

  const expectPrompt = async ({ timeToArrive }: Service, account: Account) => {
    for (let round = 0; round < 3; round++) {
      expect(await timeToArrive(account, `ada${round}-${account.accountId}@customer.test`)).toBeLessThan(
        5_000
      )
    }
  }

  for (const store of ["memory", "pglite"] as const) {
    it(`delay no mail of another account by 5 s, on ${store}`, { timeout: 120_000 }, async () => {
      const service = await prepare(store)
      const { names, openAccount, servers } = service
      names.wildcard(".evil.test", ownAddress)
      const other = await openAccount("other.test")
      await sendToAll(service)
      await eventually(() => expect(servers.received()).toBeGreaterThanOrEqual(40))
      await expectPrompt(service, other)
      expect(servers.open()).toBeLessThanOrEqual(60)
    })
  }

  it("delay no mail of another account, whatever they do not answer to", { timeout: 120_000 }, async () => {
    const service = await prepare("memory")
    const { names, openAccount, servers } = service
    names.wildcard(".evil.test", ownAddress)
    for (const name of recipients) {
      servers.behave(ownAddress(name), behaviours[numberOf(name) % behaviours.length]!)
    }
    const other = await openAccount("other.test")
    await sendToAll(service)
    await eventually(() => expect(servers.open()).toBeGreaterThanOrEqual(40))
    await expectPrompt(service, other)
    expect(servers.open()).toBeLessThanOrEqual(60)
  })

  it("get no more than 20 connections at one address", { timeout: 120_000 }, async () => {
    const service = await prepare("memory")
    const { names, openAccount, servers } = service
    names.wildcard(".evil.test", () => "127.0.0.3")
    const other = await openAccount("other.test")
    await sendToAll(service)
    await expectPrompt(service, other)
    expect(servers.peak("127.0.0.3")).toBeGreaterThan(0)
    expect(servers.peak("127.0.0.3")).toBeLessThanOrEqual(20)
  })

  it(
    "delay neither others' mail nor a company's own when they sign up by its form",
    { timeout: 180_000 },
    async () => {
      const service = await prepare("memory")
      const { names, openAccount, servers, timeToArrive } = service
      names.wildcard(".evil.test", ownAddress)
      const company = await openAccount("company.test")
      const other = await openAccount("other.test")
      await timeToArrive(company, "known@customer.test")
      await signUpAll(service, company)
      await eventually(() => expect(servers.received()).toBeGreaterThanOrEqual(40))
      await expectPrompt(service, other)
      await expectPrompt(service, company)
    }
  )
})
