/**
 * Tests signing in by OpenID Connect (docs/contributing/people.md 2) with a real provider: who is linked, who becomes a member,
 * who is rejected, and what a company's provider may decide.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Browser, goodPassword, invite, joinCompany, openBrowser } from "../../support/browser.ts"
import { type OpenIdProvider, type Person, startOpenIdProvider } from "../../support/openIdProvider.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface ProviderValue {
  readonly id: string
  readonly redirectUri: string
}

interface SessionValue {
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
  readonly operator: boolean
  readonly memberships: ReadonlyArray<{ readonly company: { readonly id: string }; readonly role: string }>
}

let last = 0
const mark = `${Date.now().toString(36)}${Math.floor(Math.random() * 1_000_000).toString(36)}`
const domain = `idp-${mark}.example`
const newPerson = (values: Partial<Person> = {}): Person => ({
  sub: `subject-${++last}`,
  email: `person-${last}@${domain}`,
  email_verified: true,
  name: "Ada Lovelace",
  ...values
})

const failed = [401, "users.provider_failed"]

/** Tests of identity providers. */
export const identityProvidersSuite = (target: () => Target): void => {
  describe("identity providers", () => {
    let openId: OpenIdProvider
    let workspace: Workspace
    let other: Workspace
    let owner: Browser
    let provider: ProviderValue

    const path = () => `/companies/${workspace.companyId}/identity-providers`
    const settings = (values: object = {}) => ({
      name: "Our provider",
      issuer: openId.issuer,
      clientId: openId.clientId,
      clientSecret: openId.clientSecret,
      emailDomains: [domain.toUpperCase()],
      defaultRole: null,
      required: false,
      ...values
    })

    /** The response of a route to which a browser navigates. */
    const navigate = async (
      browser: Browser,
      url: string,
      headers: Readonly<Record<string, string>> = {}
    ) => {
      const response = await target().fetch(url.slice(target().baseUrl.length), {
        redirect: "manual",
        headers: {
          ...headers,
          cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
        }
      })
      for (const one of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? []
        if (value === "") browser.cookies.delete(name)
        else browser.cookies.set(name, value)
      }
      const text = await response.text()
      const codes = text.startsWith("{")
        ? (JSON.parse(text) as { errors: ReadonlyArray<{ code: string }> }).errors.map(({ code }) => code)
        : []
      return {
        outcome: [response.status, ...codes],
        location: response.headers.get("location") ?? "",
        cookies: response.headers.getSetCookie()
      }
    }

    const beginUrl = (id: string) => `${target().baseUrl}/manage/v1/session/provider/${id}`

    /** Navigates to the provider and back. Returns the URL to which the browser is redirected. */
    const goAndReturn = async (browser: Browser, person: Person, id = provider.id) => {
      const { location } = await navigate(browser, beginUrl(id))
      return openId.signIn(location, person)
    }

    /** Signs a person in. Returns the session, or the status and codes of a rejection. */
    const signIn = async (person: Person, id = provider.id) => {
      const browser = openBrowser(target())
      const { location, outcome } = await navigate(browser, await goAndReturn(browser, person, id))
      if (location !== `${target().baseUrl}/app/`) return { outcome, browser, session: null }
      const session = (await browser.send<SessionValue>("GET", "/session")).value
      return { outcome, browser, session }
    }

    /** Replaces the company's provider. */
    const replace = async (values: object) => {
      await manage(target(), "DELETE", `${path()}/${provider.id}`)
      provider = (await manage<ProviderValue>(target(), "POST", path(), { json: settings(values) })).value
      openId.register(provider.redirectUri)
    }

    beforeAll(async () => {
      openId = await startOpenIdProvider()
      workspace = await openWorkspace(target(), "With a provider")
      other = await openWorkspace(target(), "Without a provider")
      ;({ browser: owner } = await joinCompany(target(), workspace.companyId, `owner-${mark}@${domain}`))
      const added = await owner.send<ProviderValue>("POST", path(), settings())
      provider = added.value
      openId.register(provider.redirectUri)
    })
    afterAll(() => openId.stop())

    it("are added by Owners, and shown without their secrets", async () => {
      const { items } = (await owner.send<Page<object>>("GET", path())).value
      expect(items).toEqual([
        {
          id: provider.id,
          name: "Our provider",
          issuer: openId.issuer,
          clientId: "svc",
          emailDomains: [domain],
          defaultRole: null,
          required: false,
          redirectUri: `${beginUrl(provider.id)}/callback`,
          createdAt: expect.any(String)
        }
      ])
      for (const [values, field] of [
        [{ name: "" }, "name"],
        [{ issuer: "" }, "issuer"],
        [{ issuer: "ftp://idp.example" }, "issuer"],
        [{ issuer: "https://user:pass@idp.example" }, "issuer"],
        [{ issuer: `${openId.issuer}/?a=b` }, "issuer"],
        [{ clientSecret: "" }, "clientSecret"],
        [{ emailDomains: ["no domain"] }, "emailDomains[0]"],
        [{ defaultRole: "Owner" }, "defaultRole"],
        [{ defaultRole: "King" }, "defaultRole"]
      ] as const) {
        const refused = await owner.send("POST", path(), settings(values))
        expect([values, refused.status, refused.fields]).toEqual([values, 400, [field]])
      }
      const { browser: admin } = await joinCompany(
        target(),
        workspace.companyId,
        `admin-${mark}@people.example`,
        "Admin"
      )
      expect((await admin.send("POST", path(), settings())).codes).toEqual(["users.right_missing"])
      expect((await admin.send("DELETE", `${path()}/${provider.id}`)).codes).toEqual(["users.right_missing"])
      const strange = `/companies/${other.companyId}/identity-providers/${provider.id}`
      expect((await manage(target(), "DELETE", strange)).codes).toEqual(["common.not_found"])
    })

    it("are offered for addresses of their domains, known or not", async () => {
      const methods = async (email: string) =>
        (
          await openBrowser(target()).send<{ methods: ReadonlyArray<{ kind: string; id: string | null }> }>(
            "POST",
            "/session/start",
            { email }
          )
        ).value.methods.filter(({ kind }) => kind === "Provider")
      for (const email of [`owner-${mark}@${domain}`, `unknown@${domain.toUpperCase()}`]) {
        expect(await methods(email)).toEqual([{ kind: "Provider", id: provider.id, name: "Our provider" }])
      }
      expect(await methods("ada@people.example")).toEqual([])
    })

    it("link the invited user with the verified address, and know the user by the subject from then on", async () => {
      const person = newPerson()
      const { userId } = await invite(target(), workspace.companyId, person.email, "Marketer")
      for (const values of [{ email_verified: false }, { email: `else-${person.email}` }]) {
        const { outcome } = await signIn({ ...person, sub: `other-${person.sub}`, ...values })
        expect([values, ...outcome]).toEqual([values, ...failed])
      }
      const { browser, outcome, session } = await signIn(person)
      expect(outcome).toEqual([302])
      expect(session).toMatchObject({
        user: { id: userId, email: person.email, name: "Ada Lovelace" },
        operator: false,
        memberships: [{ company: { id: workspace.companyId }, role: "Marketer" }]
      })
      expect(browser.cookies.has("svc_provider")).toBe(false)
      // A changed address at the provider has no effect. A different subject with that address is not recognised.
      const again = await signIn({ ...person, email: `new-${person.email}` })
      expect(again.session?.user.id).toBe(userId)
      expect((await signIn({ ...person, email_verified: false })).outcome).toEqual(failed)
      expect((await signIn({ ...person, sub: "an impostor" })).outcome).toEqual(failed)
      await manage(target(), "PATCH", `/users/${userId}`, { json: { status: "Disabled" } })
      expect((await signIn(person)).outcome).toEqual(failed)
    })

    it("sign in each browser once that left, and no other", async () => {
      const { advance } = target()
      const person = newPerson()
      await invite(target(), workspace.companyId, person.email, "Viewer")
      const browser = openBrowser(target())
      const left = await navigate(browser, beginUrl(provider.id))
      const url = new URL(left.location)
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        response_type: "code",
        client_id: "svc",
        redirect_uri: provider.redirectUri,
        code_challenge_method: "S256",
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/)
      })
      const [cookie, ...attributes] = left.cookies[0]!.split("; ")
      expect(cookie).toMatch(/^svc_provider=[\w-]{43}$/)
      expect(attributes.map((one) => one.toLowerCase()).toSorted()).toEqual([
        "httponly",
        "max-age=600",
        "path=/",
        "samesite=lax"
      ])
      const returned = await openId.signIn(left.location, person)
      // Another browser, and a browser that left with another state.
      expect((await navigate(openBrowser(target()), returned)).outcome).toEqual(failed)
      const stranger = openBrowser(target())
      await navigate(stranger, beginUrl(provider.id))
      expect((await navigate(stranger, returned)).outcome).toEqual(failed)
      const held = new Map(browser.cookies)
      expect((await navigate(browser, returned)).outcome).toEqual([302])
      for (const [name, value] of held) browser.cookies.set(name, value)
      expect((await navigate(browser, returned)).outcome).toEqual(failed)
      for (const [name, value] of [
        ["iss", "https://evil.example"],
        ["code", "x"],
        ["state", "A".repeat(43)],
        ["error", "access_denied"]
      ] as const) {
        const changed = new URL(await goAndReturn(browser, person))
        changed.searchParams.set(name, value)
        expect([name, ...(await navigate(browser, changed.href)).outcome]).toEqual([name, ...failed])
      }
      expect((await navigate(browser, `${beginUrl(provider.id)}/callback`)).outcome).toEqual(failed)
      const unknown = beginUrl("01890a5d-ac96-774b-bcce-b302099a8057")
      expect((await navigate(browser, unknown)).outcome).toEqual([404, "common.not_found"])
      // A browser gets a page with the same message.
      for (const [address, code] of [
        [`${beginUrl(provider.id)}/callback`, "users.provider_failed"],
        [unknown, "common.not_found"]
      ] as const) {
        const shown = await navigate(browser, address, {
          accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
        })
        expect([shown.outcome, shown.location]).toEqual([
          [302],
          `${target().baseUrl}/app/sign-in?problem=${code}`
        ])
        expect(shown.cookies).toEqual([])
      }
      if (advance === null) return
      const late = await goAndReturn(browser, person)
      await advance("10 minutes")
      expect((await navigate(browser, late)).outcome).toEqual(failed)
    })

    it("create members by their role, of whom a company's provider decides nothing elsewhere", async () => {
      await replace({ defaultRole: "Support" })
      const created = await signIn(newPerson())
      expect(created.session?.memberships).toMatchObject([
        { company: { id: workspace.companyId }, role: "Support" }
      ])
      expect((await signIn(newPerson({ email: `person-${++last}@people.example` }))).outcome).toEqual(failed)
      // The company has not proven the domain, so its provider only opens this company, and sets no factor.
      const { id: userId } = created.session!.user
      await manage(target(), "POST", `/companies/${other.companyId}/members`, {
        json: { email: created.session!.user.email, role: "Admin" }
      })
      const { memberships } = (await created.browser.send<SessionValue>("GET", "/session")).value
      expect(memberships.map(({ company }) => company.id)).toEqual([workspace.companyId])
      expect((await created.browser.send("GET", `/accounts/${other.live.accountId}/emails`)).codes).toEqual([
        "common.not_found"
      ])
      for (const [method, where, json] of [
        ["PATCH", "/me", { password: goodPassword }],
        ["POST", "/me/passkeys", {}],
        ["POST", "/me/totp", {}],
        ["POST", "/me/tokens", { name: "A script", expiresInDays: 1 }]
      ] as const) {
        const { codes, status } = await created.browser.send(method, where, json)
        expect([where, status, ...codes]).toEqual([where, 403, "users.provider_required"])
      }
      const invited = newPerson()
      await invite(target(), other.companyId, invited.email, "Owner")
      expect((await signIn(invited)).outcome).toEqual(failed)
      await manage(target(), "DELETE", `/companies/${workspace.companyId}/members/${userId}`)
      expect((await created.browser.send<SessionValue>("GET", "/session")).value.memberships).toEqual([])
    })

    it("may be required of members, except Owners", async () => {
      const email = `password-${mark}@${domain}`
      const { browser } = await joinCompany(target(), workspace.companyId, email, "Admin")
      await replace({ required: true })
      const withPassword = async (address: string) => {
        const { codes, status } = await openBrowser(target()).send("POST", "/session/password", {
          email: address,
          password: goodPassword
        })
        return [status, ...codes]
      }
      expect(await withPassword(email)).toEqual([403, "users.provider_required"])
      expect(await withPassword(`owner-${mark}@${domain}`)).toEqual([200])
      // A company cannot lock users of a domain that it has not proven out of other companies.
      await manage(target(), "POST", `/companies/${other.companyId}/members`, {
        json: { email, role: "Viewer" }
      })
      expect(await withPassword(email)).toEqual([200])
      expect((await browser.send("GET", "/session")).status).toBe(200)
      const invited = newPerson()
      const { link } = await invite(target(), workspace.companyId, invited.email, "Viewer")
      const completed = await openBrowser(target()).send("POST", "/welcome/complete", {
        token: link!.slice(link!.indexOf("#") + 1),
        name: "Eve",
        password: goodPassword
      })
      expect(completed.codes).toEqual(["users.provider_required"])
      expect((await signIn(invited)).outcome).toEqual([302])
    })
  })
}
