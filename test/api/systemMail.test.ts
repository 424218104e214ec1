/**
 * Tests the installation's email to its users (docs/contributing/people.md 5): invitations, resets and notices, in the user's
 * language, outside quotas and tracking, with links that are not valid in their stored form.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeCapturingTransport } from "../../runtimes/embedded/CapturingTransport.ts"
import { softwareAuthenticator } from "../contract/softwareAuthenticator.ts"
import {
  type Browser,
  goodPassword,
  invite,
  type MemberValue,
  openBrowser,
  tokenOf
} from "../support/browser.ts"
import { type Domain, publish } from "../support/liveDomain.ts"
import type { Page } from "../support/shapes.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { manage, openWorkspace } from "../support/workspace.ts"

const chrome = "Mozilla/5.0 (X11; Linux x86_64) <b>Chrome</b>/140.0"

const linkOf = (text: string | null): string =>
  /http:\/\/svc\.test\/app\/welcome#[\w-]+/.exec(text ?? "")?.[0] ?? ""

describe.each(["memory", "pglite"] as const)("mail to users, over %s", (store) => {
  let service: Target
  let accountId: string
  let companyId: string
  const { messages, transport } = makeCapturingTransport()

  const to = (address: string) => messages().filter(({ recipient }) => recipient === address)
  const sent = async (address: string) => {
    await service.advance!("1 minute")
    return to(address)[0]!
  }
  /** Starts a new hour, so that everything that follows is counted together. */
  const beginHour = () => service.advance!(`${3_600_000 - (service.now() % 3_600_000)} millis`)
  const ask = (email: string, headers = {}) =>
    openBrowser(service, headers).send("POST", "/password-resets", { email })
  const complete = (link: string, json: object, browser: Browser = openBrowser(service)) =>
    browser.send("POST", "/welcome/complete", { token: tokenOf(link), ...json })

  beforeAll(async () => {
    service = await startEmbedded({ store, transport, systemSender: "Example <people@mail.test>" })
    const { value } = await manage<Page<{ id: string; live: { accountId: string } }>>(
      service,
      "GET",
      "/companies"
    )
    ;({
      id: companyId,
      live: { accountId }
    } = value.items[0]!)
  })
  afterAll(() => service.stop())

  it("is none while the sender's domain is not verified: an invitation returns its link, a reset claims nothing", async () => {
    const member = await invite(service, companyId, "early@people.example")
    expect(linkOf(member.link)).toBe(member.link)
    expect((await complete(member.link!, { name: "Early", password: goodPassword })).status).toBe(200)
    const reset = await ask("early@people.example")
    expect([reset.status, reset.value]).toEqual([202, null])
    await service.advance!("1 minute")
    expect(messages()).toEqual([])
    const added = await manage<Domain>(service, "POST", `/accounts/${accountId}/domains`, {
      json: { domain: "mail.test" }
    })
    publish(service.dns, added.value)
    const path = `/accounts/${accountId}/domains/${added.value.id}/verify`
    expect((await manage<Domain>(service, "POST", path)).value.status).toBe("Verified")
    // From now on, email that counts against quotas waits, and everything that may be tracked is tracked.
    const settings = { dailySendLimit: 0, tracking: { opens: true, clicks: true } }
    const patched = await manage(service, "PATCH", `/accounts/${accountId}/settings`, { json: settings })
    expect(patched.status).toBe(200)
  })

  it("invites by a link that is valid in the message alone, outside of quotas and tracking", async () => {
    const email = "ada@people.example"
    const company = await openWorkspace(service, "<b>Lovelace & Co</b>")
    const member = await manage<MemberValue>(service, "POST", `/companies/${company.companyId}/members`, {
      json: { email, role: "Viewer" }
    })
    expect([member.status, member.value.link]).toEqual([201, null])
    const message = await sent(email)
    expect(message.from).toEqual({ email: "people@mail.test", name: "Example" })
    expect(message.subject).toBe("Your invitation to svc.test")
    expect(message.html).toContain("&lt;b&gt;Lovelace &amp; Co&lt;/b&gt;")
    expect(message.html).not.toContain("<img")
    expect(message.text).toContain("“<b>Lovelace & Co</b>”")
    const raw = Buffer.from(message.raw).toString()
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(raw).toMatch(/^DKIM-Signature: /m)
    const link = linkOf(message.text)
    expect(linkOf(message.html)).toBe(link)
    expect(tokenOf(link)).toMatch(/^[\w-]{43}$/)

    // A reader of the email in the account only finds a link that is not valid.
    const listed = await manage<Page<{ id: string }>>(
      service,
      "GET",
      `/accounts/${accountId}/emails?to=${email}`
    )
    const emailPath = `/accounts/${accountId}/emails/${listed.value.items[0]!.id}`
    const shown = await manage<{ html: string; text: string }>(service, "GET", `${emailPath}/content`)
    expect(shown.text).not.toContain(tokenOf(link))
    const stored = linkOf(shown.value.text)
    expect(stored).not.toBe("")
    expect((await complete(stored, { name: "Eve", password: goodPassword })).codes).toEqual([
      "users.link_invalid"
    ])
    const emails = await manage(service, "GET", `/accounts/${accountId}/emails?q=ada`)
    expect(emails.text).not.toContain(tokenOf(link))
    // Another email that contains the stored link does not make it valid.
    const { live } = company
    const copied = await live.api("POST", "/sending/emails", { to: email, subject: "x", text: stored })
    expect(copied.text).not.toContain(tokenOf(link))
    expect((await complete(link, { name: "Ada", password: goodPassword })).status).toBe(200)
    expect((await complete(link, { name: "Ada", password: goodPassword })).codes).toEqual([
      "users.link_invalid"
    ])
  })

  it("returns the link of an invitation that would be the fourth to an address in an hour", async () => {
    await beginHour()
    const email = "again@people.example"
    const links = []
    for (let index = 0; index < 4; index++) {
      const member = await invite(service, companyId, email, "Viewer")
      links.push(member.link)
      await manage(service, "DELETE", `/companies/${companyId}/members/${member.userId}`)
    }
    expect(links).toEqual([null, null, null, expect.stringContaining("/app/welcome#")])
  })

  it("mails a reset to users alone, in their language, and no more than three in an hour", async () => {
    await beginHour()
    const email = "ada@people.example"
    const owner = openBrowser(service, { "user-agent": chrome })
    await owner.send("POST", "/session/password", { email, password: goodPassword })
    expect((await sent(email)).subject).toBe("New sign-in: svc.test")
    expect(to(email)[0]!.html).toContain("&lt;b&gt;Chrome")
    expect((await owner.send("PATCH", "/me", { language: "de-AT", timeZone: "Europe/Vienna" })).status).toBe(
      200
    )
    const before = to(email).length
    for (const address of [email, ` ${email.toUpperCase()}`, "stranger@people.example"]) {
      expect((await ask(address)).status).toBe(202)
      await service.advance!("1 minute")
    }
    expect(to("stranger@people.example")).toEqual([])
    expect(to(email).length).toBe(before + 2)
    const [latest, former] = to(email)
    expect(latest!.subject).toBe("Neues Passwort für svc.test")
    expect(latest!.html).toContain('<html lang="de">')
    // The later link replaces the earlier one.
    expect((await complete(linkOf(former!.text), { password: `${goodPassword}-2` })).codes).toEqual([
      "users.link_invalid"
    ])
    expect((await complete(linkOf(latest!.text), { password: `${goodPassword}-2` })).status).toBe(200)
    expect((await sent(email)).subject).toBe("Ihr Passwort wurde geändert: svc.test")
    for (const again of [1, 2, 3]) expect([again, (await ask(email)).status]).toEqual([again, 202])
    await service.advance!("1 minute")
    expect(to(email).filter(({ subject }) => subject.startsWith("Neues Passwort"))).toHaveLength(3)
  })

  it("tells of a browser that was not used before, once, and of changed factors", async () => {
    const email = "grace@people.example"
    await invite(service, companyId, email, "Viewer")
    const browser = openBrowser(service, { "user-agent": chrome, "x-forwarded-for": "203.0.113.9" })
    expect(
      (await complete(linkOf((await sent(email)).text), { name: "Grace", password: goodPassword }, browser))
        .status
    ).toBe(200)
    const signIn = (by: Browser) => by.send("POST", "/session/password", { email, password: goodPassword })
    expect((await browser.send("GET", "/session")).status).toBe(200)
    await signIn(browser)
    await service.advance!("1 minute")
    expect(to(email)).toHaveLength(1)
    const other = openBrowser(service, { "user-agent": chrome, "x-forwarded-for": "203.0.113.77" })
    await signIn(other)
    const notice = await sent(email)
    expect(notice.subject).toBe("New sign-in: svc.test")
    expect(notice.text).toContain("Network: 203.0.113.77\nBrowser: Mozilla/5.0 (X11; Linux x86_64) <b>Chrome")
    expect(notice.text).toContain("UTC")
    await signIn(other)
    await service.advance!("1 minute")
    expect(to(email)).toHaveLength(2)

    const authenticator = softwareAuthenticator(service.baseUrl)
    const { options } = (await other.send<{ options: never }>("POST", "/me/passkeys", {})).value
    const made = authenticator.create(options)
    const added = await other.send<{ passkey: { id: string } }>("POST", "/me/passkeys", { passkey: made })
    expect(added.status).toBe(200)
    expect(await sent(email)).toMatchObject({ subject: "A passkey was added: svc.test" })
    expect(to(email)[0]!.text).toContain("203.0.113.77")
    // A copied authenticator.
    const challenge = async () =>
      (await openBrowser(service).send<never>("POST", "/session/passkey/options")).value
    const once = authenticator.get(await challenge())
    expect((await openBrowser(service).send("POST", "/session/passkey", once)).status).toBe(200)
    await sent(email)
    const copied = authenticator.get(await challenge(), { counter: 1 })
    const refused = await openBrowser(service).send("POST", "/session/passkey", copied)
    expect(refused.codes).toEqual(["users.passkey_invalid"])
    expect(await sent(email)).toMatchObject({ subject: "A copied passkey was refused: svc.test" })
    await other.send("DELETE", `/me/passkeys/${added.value.passkey.id}`)
    expect(await sent(email)).toMatchObject({ subject: "A passkey was removed: svc.test" })
    await other.send("PATCH", "/me", { password: `${goodPassword}-3` })
    expect(await sent(email)).toMatchObject({ subject: "Your password was changed: svc.test" })
  })

  it("names a change of standing to the members who see live data", async () => {
    const email = "early@people.example"
    const held = [
      {
        provider: "google",
        domain: "mail.test",
        day: new Date(service.now()).toISOString().slice(0, 10),
        spamRate: 0.01
      }
    ]
    const standing = `/accounts/${accountId}/standing`
    expect((await manage(service, "POST", `${standing}/observations`, { json: held })).status).toBe(201)
    const message = await sent(email)
    expect(message.subject).toBe("Marketing email is held: svc.test")
    expect(message.text).toContain(`/app/a/${accountId}/domains`)
    await manage(service, "POST", `${standing}/lift`, { json: { reason: "The list was cleaned." } })
    expect((await sent(email)).subject).toBe("Marketing email is sent again: svc.test")
  })

  it("tells who launched a campaign that it is sent, paused itself, or asks for the winner of its test", async () => {
    const { companyId: own, sandbox } = await openWorkspace(service, "Campaigners")
    const email = "marketer@people.example"
    await manage(service, "POST", `/companies/${own}/members`, { json: { email, role: "Marketer" } })
    const browser = openBrowser(service)
    const link = linkOf((await sent(email)).text)
    expect((await complete(link, { name: "Ada", password: goodPassword }, browser)).status).toBe(200)
    const people = Array.from({ length: 20 }, (_, index) => `p${index}@city.example`)
    const contacts = people.map((address) => ({ email: address, consent: { basis: "Customer" } }))
    const added = await sandbox.api<{ results: ReadonlyArray<{ id: string }> }>("POST", "/contacts/batch", {
      contacts
    })
    const segment = await sandbox.manage<{ id: string }>("POST", "/segments", {
      name: "City",
      definition: {
        join: "All",
        rules: [{ fieldKey: "email", operator: "Contains", value: "@city.example" }]
      }
    })
    const path = `/accounts/${sandbox.accountId}/campaigns`
    const launch = async (write: object) => {
      const made = await browser.send<{ id: string }>("POST", path, {
        name: "Spring <b>",
        content: { subject: "Spring", html: "<p>Spring</p>" },
        audience: { segments: [segment.value.id] },
        ...write
      })
      expect(made.codes).toEqual([])
      expect((await browser.send("POST", `${path}/${made.value.id}/launch`, {})).codes).toEqual([])
      return `/app/a/${sandbox.accountId}/campaigns/${made.value.id}`
    }
    const content = { subject: "Spring", html: "<p>Spring</p>" }
    const variants = ["a", "b"].map((id) => ({ id, content }))
    const test = { variants, share: 50, after: "PT1H", decide: "Manual" }
    const newest = async (text: string) => {
      await service.advance!("2 hours")
      const found = to(email)[0]!
      expect(found.text).toContain(text)
      return found.subject
    }

    expect(await newest(await launch({}))).toBe("Your campaign is sent: svc.test")
    expect(await newest(await launch({ content: null, test }))).toBe(
      "Pick the winner of your campaign: svc.test"
    )
    const at = new Date(service.now() + 3_600_000).toISOString()
    const paused = await launch({ schedule: { at } })
    for (const { id } of added.value.results) await sandbox.api("DELETE", `/contacts/${id}`)
    expect(await newest(paused)).toBe("Your campaign is paused: svc.test")
    expect(to(email)[0]!.text).toContain("“Spring <b>” is paused: a check did not pass when its time came.")

    // Only members who can give an approval are asked for it, once each.
    const others = { Marketer: "checker@people.example", Viewer: "viewer@people.example" }
    for (const [role, address] of Object.entries(others)) {
      await manage(service, "POST", `/companies/${own}/members`, { json: { email: address, role } })
      const accepted = await complete(
        linkOf((await sent(address)).text),
        { name: role, password: goodPassword },
        openBrowser(service)
      )
      expect(accepted.status).toBe(200)
    }
    const draft = await browser.send<{ id: string }>("POST", path, { name: "Checked", content })
    const before = [to(email).length, to(others.Viewer).length]
    for (let time = 0; time < 2; time++) {
      const asked = await browser.send("POST", `${path}/${draft.value.id}/approval`, { action: "Request" })
      expect(asked.codes).toEqual([])
      await service.advance!("1 minute")
    }
    const requests = to(others.Marketer).filter(({ subject }) => subject.includes("approval"))
    expect(requests.map(({ subject }) => subject)).toEqual(["A campaign waits for your approval: svc.test"])
    expect(requests[0]!.text).toContain(`/app/a/${sandbox.accountId}/campaigns/${draft.value.id}`)
    expect([to(email).length, to(others.Viewer).length]).toEqual(before)
  })

  it.runIf(store === "memory")(
    "reports once that 2 % of 1,000 people unsubscribed by a campaign",
    async () => {
      const { companyId: own, sandbox } = await openWorkspace(service, "Unsubscribed")
      const email = "sender@people.example"
      await manage(service, "POST", `/companies/${own}/members`, { json: { email, role: "Marketer" } })
      const browser = openBrowser(service)
      const link = linkOf((await sent(email)).text)
      expect((await complete(link, { name: "Ada", password: goodPassword }, browser)).status).toBe(200)
      const contacts = Array.from({ length: 1_000 }, (_, index) => ({
        email: `p${index}@many.example`,
        consent: { basis: "Customer" }
      }))
      await sandbox.api("POST", "/contacts/batch", { contacts })
      const segment = await sandbox.manage<{ id: string }>("POST", "/segments", {
        name: "Many",
        definition: {
          join: "All",
          rules: [{ fieldKey: "email", operator: "EndsWith", value: "@many.example" }]
        }
      })
      const path = `/accounts/${sandbox.accountId}/campaigns`
      const made = await browser.send<{ id: string }>("POST", path, {
        name: "Many <b>",
        content: { subject: "Many", html: "<p>Many</p>" },
        audience: { segments: [segment.value.id] }
      })
      expect((await browser.send("POST", `${path}/${made.value.id}/launch`, {})).codes).toEqual([])
      await service.advance!("10 minutes")
      const subjects = () => to(email).map(({ subject }) => subject)
      expect(subjects()[0]).toBe("Your campaign is sent: svc.test")
      const { items } = (await sandbox.manage<Page<{ html: string }>>("GET", "/inbox?pageSize=21")).value
      const leave = async ({ html }: { readonly html: string }) => {
        const url = /href="([^"]*\/u\/[^"]+)"/.exec(html)![1]!
        expect((await service.fetch(url.slice(service.baseUrl.length), { method: "POST" })).status).toBe(200)
        await service.advance!("10 seconds")
      }
      const report = "Many people unsubscribed by your campaign: svc.test"
      for (const message of items.slice(0, 19)) await leave(message)
      expect(subjects()).not.toContain(report)
      for (const message of items.slice(19)) await leave(message)
      await service.advance!("1 minute")
      expect(subjects().filter((subject) => subject === report)).toHaveLength(1)
      expect(to(email)[0]!.text).toContain(
        "2 % or more of those who got the campaign “Many <b>” unsubscribed"
      )
      const listed = await browser.send<
        Page<{ status: string; isUnsubscribingReported: boolean; stats: { unsubscribed: number } }>
      >("GET", path)
      expect(listed.value.items).toMatchObject([
        { status: "Sent", isUnsubscribingReported: true, stats: { unsubscribed: 21 } }
      ])
    }
  )
})
