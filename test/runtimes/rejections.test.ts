/**
 * Tests the consequences of servers' replies for recipients, in direct delivery.
 *
 * @module
 */
import { afterEach, describe, expect, it } from "vitest"
import { type Account, type DirectService, eventually, startDirectService } from "../support/directService.ts"

const running: Array<DirectService> = []

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop()
})

interface Sent {
  readonly id: string
  readonly status: string
  readonly recipients: ReadonlyArray<{ readonly status: string; readonly reason: string | null }>
}

const start = async (...parameters: Parameters<typeof startDirectService>) => {
  const service = await startDirectService(...parameters)
  running.push(service)
  const account = await service.openAccount("shop.test")
  return { ...service, account }
}

type Started = Awaited<ReturnType<typeof start>>

/** Sends an email and waits for its final status. */
const statusAfter = async ({ account, request, send }: Started, recipient: string): Promise<Sent> => {
  const { id } = await send(account, recipient)
  const found = () => request<Sent>(account.apiKey, "GET", `/api/v1/sending/emails/${id}`)
  let sent = await found()
  await eventually(async () => {
    sent = await found()
    expect(["Queued", "HandingOff"]).not.toContain(sent.status)
  })
  return sent
}

const suppressionsOf = async ({ manage }: Started, { accountId }: Account) =>
  (
    await manage<{ items: ReadonlyArray<{ email: string }> }>("GET", `/accounts/${accountId}/suppressions`)
  ).items.map(({ email }) => email)

describe("a recipient's server that rejects", () => {
  for (const store of ["memory", "pglite"] as const) {
    it(`suppresses an unknown person, and no person for a block list or a full mailbox, on ${store}`, async () => {
      const service = await start(store)
      const { account, manage, names, request, send, servers } = service
      const replies = [
        "550 1.2.3.4 blacklisted see spamhaus",
        "550 5.2.1 1.2.3.4 blacklisted",
        "550 5.1.1 rejected by policy",
        "550 5.7.1",
        "530 5.1.1 authentication required"
      ]
      for (const [index, rcpt] of replies.entries()) {
        // Each has its own server, because mail to a server that rejects the sender is held.
        const server = `127.0.0.${10 + index}`
        names.set(`server${index}.test`, server)
        servers.behave(server, { rcpt })
        const email = `person@server${index}.test`
        await request(account.apiKey, "POST", "/api/v1/contacts", { email })
        const { id } = await send(account, email)
        await eventually(async () => {
          const { recipients } = await request<Sent>(account.apiKey, "GET", `/api/v1/sending/emails/${id}`)
          expect([rcpt, recipients[0]]).toMatchObject([
            rcpt,
            { status: "Queued", reason: expect.stringMatching(/^sending\.(provider|sender)_held$/) }
          ])
        })
        const shown = await manage<{ recipients: ReadonlyArray<Record<string, unknown>> }>(
          "GET",
          `/accounts/${account.accountId}/emails/${id}`
        )
        expect([rcpt, shown.recipients[0]]).toMatchObject([
          rcpt,
          {
            provider: null,
            heldSince: expect.stringMatching(/^\d{4}-/),
            nextAttemptAt: expect.stringMatching(/^\d{4}-/),
            words: rcpt
          }
        ])
        const { consentStatus } = await request<{ consentStatus: string }>(
          account.apiKey,
          "GET",
          `/api/v1/contacts/email:${encodeURIComponent(email)}`
        )
        expect([rcpt, consentStatus]).toEqual([rcpt, "Unknown"])
      }
      names.set("server.test", "127.0.0.2")
      for (const rcpt of ["552 5.2.2 mailbox full", "550 5.2.2 over quota"]) {
        servers.behave("127.0.0.2", { rcpt })
        const { recipients, status } = await statusAfter(service, "full@server.test")
        expect([status, recipients[0]?.reason]).toEqual(["Failed", "sending.mailbox_full"])
      }
      servers.behave("127.0.0.2", { rcpt: "452 4.2.2 mailbox full" })
      const { id } = await send(account, "full@server.test")
      await eventually(async () => {
        const { recipients } = await request<Sent>(account.apiKey, "GET", `/api/v1/sending/emails/${id}`)
        expect(recipients[0]).toMatchObject({ status: "Queued", reason: "sending.retrying" })
      })
      const { items } = await manage<{
        items: ReadonlyArray<{ emails: { failed: number }; softBounces: number }>
      }>("GET", `/accounts/${account.accountId}/stats?days=2`)
      const sum = (counts: ReadonlyArray<number>) => counts.reduce((total, count) => total + count, 0)
      expect(sum(items.map(({ emails }) => emails.failed))).toBe(2)
      expect(sum(items.map(({ softBounces }) => softBounces))).toBe(2)
      expect(await suppressionsOf(service, account)).toEqual([])
      servers.behave("127.0.0.2", { rcpt: "550 5.1.1 no such user" })
      expect((await statusAfter(service, "gone@server.test")).status).toBe("Bounced")
      expect(await suppressionsOf(service, account)).toEqual(["gone@server.test"])
      // The company sees what servers said about its own sending domain, and that others accept no mail from anyone.
      const notices = await manage<{ items: ReadonlyArray<{ domain: string | null; words: string | null }> }>(
        "GET",
        `/accounts/${account.accountId}/notices?state=Open&limit=100`
      )
      expect(notices.items).toHaveLength(replies.length)
      expect(notices.items.map(({ domain }) => domain ?? "all").toSorted()).toEqual(
        notices.items.map(({ words }) => (words === null ? "all" : "shop.test")).toSorted()
      )
      expect(notices.items.map(({ words }) => words)).toContain("550 5.1.1 rejected by policy")
      expect(JSON.stringify(notices)).not.toMatch(/1\.2\.3\.4/)
    })
  }
})

describe("a recipient's server in a private network", () => {
  /** Among the loopback addresses of the test, 127.0.0.3 counts as one of a private network. */
  const isPublic = (address: string) => address !== "127.0.0.3"
  const attemptsOf = async ({ account, manage }: Started, id: string) =>
    (
      await manage<{
        recipients: ReadonlyArray<{
          attempts: ReadonlyArray<{ replies: ReadonlyArray<string>; error: string | null }>
        }>
      }>("GET", `/accounts/${account.accountId}/emails/${id}`)
    ).recipients.flatMap(({ attempts }) => attempts)
  const reply = "550 5.1.1 secret.internal has no such user"

  it("is refused where the operator says so, and a public one of the domain is used", async () => {
    const service = await start("memory", { isPublic, allowPrivate: false })
    const { names, servers } = service
    servers.behave("127.0.0.2", "accepts")
    names.set("private.test", "127.0.0.3")
    names.set("both.test", "127.0.0.3", "127.0.0.2")
    const refused = await statusAfter(service, "ada@private.test")
    expect([refused.status, refused.recipients[0]?.reason]).toEqual(["Failed", "sending.refused"])
    expect(await attemptsOf(service, refused.id)).toMatchObject([{ replies: [], error: "mx_private" }])
    expect(await suppressionsOf(service, service.account)).toEqual([])
    expect((await statusAfter(service, "ada@both.test")).status).toBe("Delivered")
    expect(servers.peak("127.0.0.3")).toBe(0)
  })

  it("shows no text of its replies otherwise, in no attempt and no event", async () => {
    const service = await start("memory", { isPublic })
    const { account, names, request, servers } = service
    names.set("private.test", "127.0.0.3")
    names.set("public.test", "127.0.0.2")
    for (const address of ["127.0.0.2", "127.0.0.3"]) servers.behave(address, { rcpt: reply })
    const email = "ada@private.test"
    const { contact } = await request<{ contact: { id: string } }>(
      account.apiKey,
      "POST",
      "/api/v1/contacts",
      {
        email
      }
    )
    const hidden = await statusAfter(service, email)
    expect(hidden.status).toBe("Bounced")
    const [attempt] = await attemptsOf(service, hidden.id)
    expect(attempt?.replies.at(-1)).toBe("550 5.1.1")
    const whole = [
      await service.manage("GET", `/accounts/${account.accountId}/emails/${hidden.id}`),
      await request(account.apiKey, "GET", `/api/v1/sending/emails/${hidden.id}`),
      await service.manage("GET", `/accounts/${account.accountId}/contacts/${contact.id}/timeline`)
    ]
    expect(JSON.stringify(whole)).not.toMatch(/secret|silent/)
    const shown = await statusAfter(service, "ada@public.test")
    expect((await attemptsOf(service, shown.id))[0]?.replies.at(-1)).toBe(reply)
  })
})
