/**
 * Tests mail servers that never respond, in direct delivery: what they delay, and what they do not.
 *
 * @module
 */
import { afterEach, describe, expect, it } from "vitest"
import type { Options } from "../../runtimes/embedded/index.ts"
import { type Account, type DirectService, eventually, startDirectService } from "../support/directService.ts"
import { freshDatabase } from "../support/postgres.ts"
import { type Behaviour, loopbackAddress } from "../support/silentServers.ts"

const closers: Array<() => Promise<unknown>> = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** 600 recipients at 600 different names. */
const recipients = Array.from({ length: 600 }, (_, index) => `x@d${index}.evil.test`)

const numberOf = (name: string): number => Number(/d(\d+)\./.exec(name)?.[1] ?? 0)

/** A separate address for each name. */
const ownAddress = (name: string): string => loopbackAddress(numberOf(name))

const sendToAll = async ({ openAccount, send }: DirectService): Promise<void> => {
  const attacker = await openAccount("attacker.test")
  for (let call = 0; call < 12; call++) {
    const [first, ...others] = recipients.slice(call * 50, call * 50 + 50)
    await send(attacker, first!, others)
  }
}

/** Signs all of them up through a company's form, which sends each of them a confirmation email. */
const signUpAll = async (service: DirectService, { accountId }: Account): Promise<void> => {
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
    const service = await startDirectService(store)
    closers.push(service.stop)
    service.servers.behave("127.0.0.2", "accepts")
    service.names.set("customer.test", "127.0.0.2")
    return service
  }

  const expectPrompt = async ({ timeToArrive }: DirectService, account: Account) => {
    for (let round = 0; round < 3; round++) {
      expect(await timeToArrive(account, `ada${round}-${account.accountId}@customer.test`)).toBeLessThan(
        5_000
      )
    }
  }

  for (const store of ["memory", "pglite", "postgres"] as const) {
    it(`delay no mail of another account by 5 s, on ${store}`, { timeout: 120_000 }, async () => {
      const service = await prepare(store === "postgres" ? { url: await freshDatabase() } : store)
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
