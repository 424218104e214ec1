/**
 * Tests people who sign in (docs/contributing/people.md 1 and 2): set-up links, passwords, codes, sessions and their cookies,
 * forged requests, members and operators' routes.
 *
 * @module
 */
import { Secret, TOTP } from "otpauth"
import { beforeAll, describe, expect, it } from "vitest"
import {
  type Browser,
  goodPassword,
  invite,
  joinCompany,
  type MemberValue,
  openBrowser,
  tokenOf
} from "../../support/browser.ts"
import { call } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import type { ListPage } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface SignedIn {
  readonly user: {
    readonly id: string
    readonly email: string
    readonly factors: ReadonlyArray<string>
  } | null
  readonly needs: "Code" | "Factor" | null
}

interface SessionValue {
  readonly user: { readonly email: string; readonly name: string }
  readonly operator: boolean
  readonly memberships: ReadonlyArray<{
    readonly company: { readonly id: string; readonly name: string }
    readonly role: string
    readonly liveAccess: boolean
    readonly rights: { readonly live: ReadonlyArray<string>; readonly sandbox: ReadonlyArray<string> }
  }>
  readonly confirmedUntil: string
}

interface TotpSetup {
  readonly secret: string
  readonly url: string
  readonly qr: string
  readonly recoveryCodes: ReadonlyArray<string>
}

let last = 0
const newAddress = (): string => `person-${Date.now().toString(36)}-${++last}@people.example`

/** A network that no other test uses. */
const newNetwork = (): string =>
  `2001:db8:${(++last).toString(16)}:${Math.floor(Math.random() * 65_535).toString(16)}::1`

/** Tests of users. */
export const usersSuite = (target: () => Target): void => {
  describe("users", () => {
    let workspace: Workspace
    let owner: Browser
    let ownerId: string
    const address = newAddress()

    const signIn = (browser: Browser, email: string, password = goodPassword, code?: string) =>
      browser.send<SignedIn>("POST", "/session/password", {
        email,
        password,
        ...(code === undefined ? {} : { code })
      })

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "People")
      ;({ browser: owner, userId: ownerId } = await joinCompany(target(), workspace.companyId, address))
    })

    it("join by a link that is read without using it up, kept after a weak password, and used once", async () => {
      const email = newAddress()
      const member = await invite(target(), workspace.companyId, email, "Viewer")
      expect(member).toMatchObject({
        email,
        role: "Viewer",
        status: "Invited",
        factors: [],
        lastSeenAt: null
      })
      expect(member.link).toMatch(/\/app\/welcome#[\w-]{43}$/)
      expect(member.link!.startsWith(target().baseUrl)).toBe(true)
      const token = tokenOf(member.link!)
      const browser = openBrowser(target())
      for (const again of [1, 2]) {
        const preview = await browser.send("POST", "/welcome", { token })
        expect([again, preview.value]).toEqual([
          again,
          {
            kind: "Invitation",
            email,
            name: null,
            company: { id: workspace.companyId, name: expect.any(String) }
          }
        ])
      }
      const complete = (password: string, name: string | null = "Grace") =>
        browser.send<SignedIn>("POST", "/welcome/complete", { token, name, password })
      for (const password of ["short", "password1234", `xx${email}xx-tundra`, "tundra-svc-ochre-vivid-47"]) {
        const refused = await complete(password)
        expect([password, refused.status, refused.codes]).toEqual([password, 400, ["users.password_weak"]])
      }
      expect((await complete("x".repeat(201))).codes).toEqual(["validation.max_length"])
      expect((await complete(goodPassword, null)).codes).toEqual(["validation.required"])
      expect(browser.cookies.size).toBe(0)
      const done = await complete(goodPassword)
      expect(done.value).toMatchObject({ user: { email, name: "Grace", factors: ["Password"] }, needs: null })
      const { memberships } = (await browser.send<SessionValue>("GET", "/session")).value
      expect(memberships).toMatchObject([
        { company: { id: workspace.companyId }, role: "Viewer", liveAccess: true }
      ])
      for (const rights of Object.values(memberships[0]!.rights)) {
        expect(rights).toContain("stats:read")
        expect(rights).not.toContain("contacts:read")
      }
      for (const used of [token, "x".repeat(43), "", "\u0000"]) {
        expect((await browser.send("POST", "/welcome", { token: used })).codes).toEqual([
          "users.link_invalid"
        ])
        const again = await browser.send("POST", "/welcome/complete", {
          token: used,
          name: "x",
          password: goodPassword
        })
        expect([again.status, again.codes]).toEqual([410, ["users.link_invalid"]])
      }
    })

    it("show a company that adds a user nothing of the user before a sign-in, which the link takes no part in", async () => {
      const email = newAddress()
      const { browser: known } = await joinCompany(target(), workspace.companyId, email, "Viewer")
      await known.send("PATCH", "/me", { name: "Private Name" })
      const other = await openWorkspace(target(), "Curious")
      const added = async (invited: string) => {
        const json = { email: invited, name: "Given", role: "Viewer" }
        const path = `/companies/${other.companyId}/members`
        const {
          email: _email,
          link,
          userId,
          ...shown
        } = (await manage<MemberValue>(target(), "POST", path, { json })).value
        const preview = await openBrowser(target()).send<{ email: string }>("POST", "/welcome", {
          token: tokenOf(link!)
        })
        const { email: _shown, ...welcome } = preview.value
        return { link, userId, alike: [shown, welcome] }
      }
      const [one, stranger] = [await added(email), await added(newAddress())]
      expect(one.alike).toEqual(stranger.alike)
      expect(one.alike[0]).toMatchObject({
        name: "Given",
        status: "Invited",
        factors: [],
        lastSeenAt: null
      })
      const listed = async () =>
        (
          await manage<Page<MemberValue>>(target(), "GET", `/companies/${other.companyId}/members`)
        ).value.items.find(({ userId }) => userId === one.userId)
      expect(await listed()).toMatchObject({ name: "Given", status: "Invited" })
      // Reading the link has set nothing: neither a password nor a passkey.
      const complete = (json: object) =>
        openBrowser(target()).send("POST", "/welcome/complete", { token: tokenOf(one.link!), ...json })
      expect((await complete({ password: "another-tundra-ochre-47" })).codes).toEqual([
        "users.sign_in_failed"
      ])
      expect((await complete({ passkey: { id: "x" } })).status).not.toBe(200)
      // A weak password is rejected before it is compared, as for a new user.
      expect((await complete({ password: "password1234" })).codes).toEqual(["users.password_weak"])
      const disabling = (status: string) =>
        manage(target(), "PATCH", `/users/${one.userId}`, { json: { status } })
      await disabling("Disabled")
      const token = tokenOf(one.link!)
      expect((await openBrowser(target()).send("POST", "/welcome", { token })).status).toBe(200)
      expect((await complete({ password: goodPassword })).codes).toEqual(["users.sign_in_failed"])
      await disabling("Active")
      expect((await signIn(known, email)).status).toBe(200)
      expect((await known.send("GET", "/session")).status).toBe(200)
      expect((await complete({ password: goodPassword })).status).toBe(200)
      expect(await listed()).toMatchObject({ name: "Private Name", status: "Active" })
      expect((await complete({ password: goodPassword })).codes).toEqual(["users.link_invalid"])
      expect((await signIn(openBrowser(target()), email)).status).toBe(200)
    })

    it("accept a company's invitation by its link alone, and not by a sign-in with the address", async () => {
      const { now } = target()
      const email = newAddress()
      const [first, second] = [
        await openWorkspace(target(), "First inviter"),
        await openWorkspace(target(), "Second inviter")
      ]
      const ofFirst = tokenOf((await invite(target(), first.companyId, email)).link!)
      const ofSecond = tokenOf((await invite(target(), second.companyId, email)).link!)
      const complete = (token: string, json: object = {}, browser = openBrowser(target())) =>
        browser.send<SignedIn>("POST", "/welcome/complete", { token, ...json })
      const companiesOf = async (browser: Browser) =>
        (await browser.send<SessionValue>("GET", "/session")).value.memberships.map(
          ({ company }) => company.id
        )
      // The second company has its own link, and completes it in the person's name.
      const stranger = openBrowser(target())
      expect((await complete(ofSecond, { name: "Eve", password: goodPassword }, stranger)).status).toBe(200)
      const mayRead = async (browser: Browser) => [
        await companiesOf(browser),
        (await browser.send("GET", `/companies/${first.companyId}`)).status,
        (await browser.send("GET", `/accounts/${first.live.accountId}/contacts`)).status
      ]
      expect(await mayRead(stranger)).toEqual([[second.companyId], 404, 404])
      expect((await signIn(stranger, email)).status).toBe(200)
      expect(await mayRead(stranger)).toEqual([[second.companyId], 404, 404])
      const { token } = (
        await stranger.send<{ token: string }>("POST", "/me/tokens", { name: "A script", expiresInDays: 1 })
      ).value
      const path = `/manage/v1/accounts/${first.live.accountId}/contacts`
      expect((await call(target(), "GET", path, { token })).status).toBe(404)
      const listed = await manage<Page<MemberValue>>(target(), "GET", `/companies/${first.companyId}/members`)
      expect(listed.value.items).toMatchObject([{ email, status: "Invited", name: null }])
      // The first company's link is still valid, and no one becomes the company's Owner without it.
      expect((await complete(ofFirst, { name: "Ada", password: `${goodPassword}-2` })).codes).toEqual([
        "users.sign_in_failed"
      ])
      expect((await complete(ofFirst)).codes).toEqual(["validation.required"])
      const another = await invite(target(), first.companyId, newAddress())
      expect((await complete(tokenOf(another.link!), {}, stranger)).codes).toEqual(["users.link_invalid"])
      const forged = await stranger.send(
        "POST",
        "/welcome/complete",
        { token: ofFirst },
        { headers: { origin: "https://elsewhere.example" } }
      )
      expect(forged.codes).toEqual(["users.request_forged"])
      const before = stranger.cookies.get("svc_session")
      expect((await complete(ofFirst, {}, stranger)).value).toMatchObject({ user: { email }, needs: null })
      expect(await companiesOf(stranger)).toEqual([first.companyId, second.companyId])
      expect(stranger.cookies.get("svc_session")).not.toBe(before)
      expect((await complete(ofFirst, {}, stranger)).codes).toEqual(["users.link_invalid"])
      const audited = await manage<Page<{ action: string; target: { id: string } }>>(
        target(),
        "GET",
        `/companies/${first.companyId}/audit-log?action=member.accepted`
      )
      expect(audited.value.items).toHaveLength(1)

      // With a link too, a user with one-time codes signs in with both factors.
      const setup = (await stranger.send<TotpSetup>("POST", "/me/totp", {})).value
      const codes = new TOTP({ secret: Secret.fromBase32(setup.secret) })
      const codeAt = (steps: number) => codes.generate({ timestamp: now() + steps * 30_000 })
      await stranger.send("POST", "/me/totp", { code: codeAt(-1) })
      const third = await openWorkspace(target(), "Third inviter")
      const ofThird = tokenOf((await invite(target(), third.companyId, email)).link!)
      const late = openBrowser(target())
      const withPassword = { name: "Ada", password: goodPassword }
      expect((await complete(ofThird, withPassword, late)).value).toEqual({ user: null, needs: "Code" })
      expect((await complete(ofThird, { ...withPassword, code: codeAt(0) }, late)).status).toBe(200)
      expect(await companiesOf(late)).toHaveLength(3)
    })

    it("cannot use a link that expired", async () => {
      const { advance } = target()
      if (advance === null) return
      const { link } = await invite(target(), workspace.companyId, newAddress())
      const read = () => openBrowser(target()).send("POST", "/welcome", { token: tokenOf(link!) })
      await advance("71 hours")
      expect((await read()).status).toBe(200)
      await advance("1 hour")
      expect((await read()).status).toBe(410)
      // The earlier session was idle for longer than 12 hours.
      expect((await owner.send("GET", "/session")).status).toBe(401)
      expect((await signIn(owner, address)).status).toBe(200)
    })

    it("sign in and out, with a cookie that scripts and other sites cannot use", async () => {
      const browser = openBrowser(target())
      expect((await browser.send("POST", "/session/start", { email: address })).value).toEqual({
        methods: [
          { kind: "Passkey", id: null, name: null },
          { kind: "Password", id: null, name: null }
        ]
      })
      expect((await browser.send("POST", "/session/start", { email: newAddress() })).value).toEqual({
        methods: [
          { kind: "Passkey", id: null, name: null },
          { kind: "Password", id: null, name: null }
        ]
      })
      expect((await browser.send("GET", "/session")).codes).toEqual(["auth.unauthorized"])
      const answer = await signIn(browser, ` ${address.toUpperCase()} `)
      expect(answer.value).toMatchObject({ user: { email: address }, needs: null })
      const [session, device] = browser.set()
      expect(session).toMatch(/^svc_session=[\w-]{43}; /)
      for (const cookie of [session, device]) {
        const attributes = cookie!
          .split("; ")
          .slice(1)
          .map((part) => part.toLowerCase())
        expect(attributes).toEqual(expect.arrayContaining(["path=/", "httponly", "samesite=lax"]))
        expect(attributes).not.toContain("secure")
      }
      const { value } = await browser.send<SessionValue>("GET", "/session")
      expect(value).toMatchObject({ user: { email: address, name: "Ada Lovelace" }, operator: false })
      expect(Math.abs(Date.parse(value.confirmedUntil) - target().now() - 900_000)).toBeLessThan(60_000)
      const listed = (await browser.send<ListPage<{ current: boolean }>>("GET", "/me/sessions")).value
      expect(listed.items.filter(({ current }) => current)).toHaveLength(1)
      expect(listed).toMatchObject({
        page: 1,
        next: null,
        totalCount: listed.items.length,
        totalIsExact: true
      })
      expect((await browser.send("GET", "/me/sessions?state=Open")).fields).toEqual(["state"])

      const before = new Map(browser.cookies)
      expect((await browser.send("DELETE", "/session")).status).toBe(200)
      expect(browser.cookies.has("svc_session")).toBe(false)
      for (const [name, held] of before) browser.cookies.set(name, held)
      expect((await browser.send("GET", "/session")).status).toBe(401)
    })

    it("are refused alike, whatever is wrong", async () => {
      const invited = newAddress()
      await invite(target(), workspace.companyId, invited, "Viewer")
      const answers = []
      for (const [email, password] of [
        [address, "wrong-tundra-ochre-47"],
        [newAddress(), goodPassword],
        [invited, goodPassword],
        ["no address", goodPassword],
        [address, ""]
      ] as const) {
        const browser = openBrowser(target())
        const { codes, envelope, status } = await signIn(browser, email, password)
        expect(browser.set()).toEqual([])
        answers.push([status, codes, envelope!.errors[0]!.message])
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(answers[0]).toEqual([401, ["users.sign_in_failed"], expect.any(String)])
      for (const email of [address, newAddress()]) {
        const reset = await openBrowser(target()).send("POST", "/password-resets", { email })
        expect([reset.status, reset.value]).toEqual([202, null])
      }
    })

    it("change nothing by requests of other sites", async () => {
      const { baseUrl } = target()
      const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const change = (headers: Readonly<Record<string, string>>) =>
        call(target(), "PATCH", "/manage/v1/me", {
          json: { language: "de" },
          headers: { cookie, ...headers }
        })
      const own = { origin: baseUrl }
      for (const headers of [
        {},
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: `${baseUrl}.evil.example` },
        { ...own, "sec-fetch-site": "cross-site" },
        { ...own, "sec-fetch-site": "same-site" },
        { ...own, "content-type": "text/plain" },
        { ...own, "content-type": "application/jsonp" }
      ]) {
        const refused = await change(headers)
        expect([headers, refused.status, refused.codes]).toEqual([headers, 403, ["users.request_forged"]])
        expect(refused.headers.get("access-control-allow-origin")).toBeNull()
      }
      const foreign = await openBrowser(target()).send(
        "POST",
        "/session/password",
        { email: address, password: "x" },
        {
          headers: { origin: "https://evil.example" }
        }
      )
      expect(foreign.codes).toEqual(["users.request_forged"])
      expect((await owner.send("GET", "/me")).value).toMatchObject({ language: null })
      for (const headers of [own, { ...own, "content-type": "application/json; charset=utf-8" }]) {
        expect((await change(headers)).status).toBe(200)
      }
      expect((await owner.send("GET", "/me")).value).toMatchObject({ language: "de" })
    })

    it("change their names, and nothing to what does not exist", async () => {
      const changed = await owner.send("PATCH", "/me", {
        name: " Ada K. ",
        language: null,
        timeZone: "europe/berlin"
      })
      expect(changed.value).toMatchObject({ name: "Ada K.", language: null, timeZone: "Europe/Berlin" })
      for (const [json, field] of [
        [{ name: "" }, "name"],
        [{ name: "a\nb" }, "name"],
        [{ name: "x".repeat(101) }, "name"],
        [{ language: "not a tag" }, "language"],
        [{ timeZone: "Mars/Olympus" }, "timeZone"]
      ] as const) {
        const refused = await owner.send("PATCH", "/me", json)
        expect([json, refused.status, refused.fields]).toEqual([json, 400, [field]])
      }
    })

    it("add one-time codes, each of which is accepted once", async () => {
      const { advance, now } = target()
      const email = newAddress()
      const { browser } = await joinCompany(target(), workspace.companyId, email, "Developer")
      const setup = (await browser.send<TotpSetup>("POST", "/me/totp", {})).value
      expect(setup).toMatchObject({ qr: expect.stringMatching(/^<svg/), recoveryCodes: null })
      expect(setup.url).toContain(`secret=${setup.secret}`)
      const codes = new TOTP({ secret: Secret.fromBase32(setup.secret) })
      const codeAt = (steps: number) => codes.generate({ timestamp: now() + steps * 30_000 })
      // It is not confirmed yet, so it is not a factor.
      expect((await browser.send("GET", "/me/totp")).value).toEqual({
        confirmedAt: null,
        recoveryCodesLeft: 0
      })
      const wrong = await browser.send("POST", "/me/totp", { code: codeAt(7) })
      expect([wrong.status, wrong.codes]).toEqual([401, ["users.code_invalid"]])
      const former = new Map(browser.cookies)
      const confirmed = await browser.send<TotpSetup>("POST", "/me/totp", { code: codeAt(-1) })
      const { recoveryCodes } = confirmed.value
      expect(new Set(recoveryCodes).size).toBe(10)
      // The session's id has changed because the factors changed.
      expect(browser.cookies.get("svc_session")).not.toBe(former.get("svc_session"))
      expect((await browser.send("GET", "/me")).value).toMatchObject({ factors: ["Password", "Totp"] })
      expect((await browser.send("POST", "/me/totp", {})).codes).toEqual(["users.factor_exists"])

      const other = openBrowser(target())
      expect((await signIn(other, email)).value).toEqual({ user: null, needs: "Code" })
      expect(other.set()).toEqual([])
      const used = codeAt(0)
      expect((await signIn(other, email, goodPassword, used)).value).toMatchObject({
        user: { email },
        needs: null
      })
      for (const code of [used, codeAt(-1), codeAt(5), "", "ABCD-ABCD-ABCD-ABCD"]) {
        const refused = await signIn(openBrowser(target()), email, goodPassword, code)
        expect([code, refused.status, refused.codes]).toEqual([code, 401, ["users.code_invalid"]])
      }
      if (advance === null) return
      await advance("1 minute")
      const recovery = recoveryCodes[0]!.toLowerCase().replaceAll("-", " ")
      expect((await signIn(other, email, goodPassword, recovery)).status).toBe(200)
      expect((await signIn(other, email, goodPassword, recovery)).codes).toEqual(["users.code_invalid"])
      expect((await other.send("GET", "/me/recovery-codes")).value).toEqual({ left: 9 })
      // Changing factors requires a factor given in the last 15 minutes.
      await advance("16 minutes")
      expect((await other.send("DELETE", "/me/totp")).codes).toEqual(["users.confirmation_required"])
      expect((await other.send("POST", "/session/confirm", {})).codes).toEqual(["validation.required"])
      expect((await other.send("POST", "/session/confirm", { code: "000000" })).codes).toEqual([
        "users.code_invalid"
      ])
      expect((await other.send("POST", "/session/confirm", { code: codeAt(0) })).status).toBe(200)
      expect((await other.send("DELETE", "/me/totp")).status).toBe(200)
      // Removing a factor has ended the user's other sessions.
      expect((await browser.send("GET", "/session")).status).toBe(401)
      expect((await signIn(browser, email)).value).toMatchObject({ needs: null })
    })

    it("wait after five wrong passwords for an address, known or not, but not where they signed in before", async () => {
      const { advance } = target()
      const email = newAddress()
      const { browser } = await joinCompany(target(), workspace.companyId, email, "Viewer")
      for (const guessed of [email, newAddress()]) {
        const stranger = openBrowser(target(), { "x-forwarded-for": newNetwork() })
        for (let index = 0; index < 5; index++) {
          expect([index, (await signIn(stranger, guessed, "wrong")).status]).toEqual([index, 401])
        }
        const blocked = await signIn(stranger, guessed, goodPassword)
        expect([blocked.status, blocked.codes]).toEqual([429, ["users.too_many_attempts"]])
        const wait = Number(blocked.headers.get("retry-after"))
        expect(wait).toBeGreaterThan(0)
        expect(wait).toBeLessThanOrEqual(30)
        if (advance === null) continue
        await advance(`${wait} seconds`)
        expect((await signIn(stranger, guessed, "wrong")).status).toBe(401)
        const longer = Number((await signIn(stranger, guessed, "wrong")).headers.get("retry-after"))
        expect(longer).toBeGreaterThan(30)
        expect(longer).toBeLessThanOrEqual(60)
      }
      // The user's own browser has its own count.
      expect((await signIn(browser, email)).status).toBe(200)
    })

    it("begin sign-ins from a network so often that no one keeps the service busy with it", async () => {
      const network = newNetwork()
      const calls = ["/session/passkey/options", "/device", "/welcome", "/welcome/complete"] as const
      const json = { token: "x".repeat(43), name: "x", password: "x" }
      const begin = async (path: (typeof calls)[number], from = network) => {
        const browser = openBrowser(target(), { "x-forwarded-for": from })
        return browser.send("POST", path, path.startsWith("/welcome") ? json : undefined)
      }
      const { advance } = target()
      if (advance === null) return
      // Starts at the beginning of a window, so that the test does not span two.
      await advance(`${900_000 - (target().now() % 900_000)} millis`)
      for (let round = 0; round < 15; round++) {
        await Promise.all(Array.from({ length: 20 }, () => begin("/welcome")))
      }
      for (const path of calls) {
        const refused = await begin(path)
        expect([path, refused.status, refused.codes]).toEqual([path, 429, ["users.too_many_attempts"]])
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
        expect((await begin(path, newNetwork())).status).not.toBe(429)
      }
      await advance("15 minutes")
      expect((await begin("/session/passkey/options")).status).toBe(200)
      expect((await signIn(owner, address)).status).toBe(200)
    })

    it("are members with one role, and the last Owner stays", async () => {
      const members = `/companies/${workspace.companyId}/members`
      const email = newAddress()
      const { browser, userId } = await joinCompany(target(), workspace.companyId, email, "Marketer")
      const of = async (id: string) =>
        (await manage<Page<{ userId: string }>>(target(), "GET", `${members}?pageSize=200`)).value.items.find(
          (member) => member.userId === id
        )
      expect(await of(userId)).toMatchObject({
        email,
        role: "Marketer",
        status: "Active",
        factors: ["Password"]
      })
      const roleOf = async () =>
        (await browser.send<SessionValue>("GET", "/session")).value.memberships[0]?.role
      expect(await roleOf()).toBe("Marketer")
      const patched = await manage(target(), "PATCH", `${members}/${userId}`, {
        json: { role: "Admin", liveAccess: false }
      })
      expect(patched.value).toMatchObject({ role: "Admin", liveAccess: false })
      // The session continues under another id. Calls made at the same time still send the former id.
      const former = new Map(browser.cookies)
      const parallel = openBrowser(target())
      for (const [name, value] of former) parallel.cookies.set(name, value)
      expect(await roleOf()).toBe("Admin")
      expect(browser.set()).toEqual([
        expect.stringMatching(/^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
      ])
      expect(browser.cookies.get("svc_session")).not.toBe(former.get("svc_session"))
      expect((await parallel.send("GET", "/session")).status).toBe(200)
      expect(parallel.set()).toEqual([])
      expect(await roleOf()).toBe("Admin")
      const { advance } = target()
      if (advance !== null) {
        await advance("1 minute")
        expect((await parallel.send("GET", "/session")).status).toBe(401)
        expect(await roleOf()).toBe("Admin")
      }

      const again = await manage(target(), "POST", members, { json: { email, role: "Viewer" } })
      expect([again.status, again.codes]).toEqual([409, ["users.already_member"]])
      for (const json of [{ role: "Viewer" }, { role: "King" }]) {
        const status = json.role === "King" ? 400 : 409
        expect((await manage(target(), "PATCH", `${members}/${ownerId}`, { json })).status).toBe(status)
      }
      // An invited Owner does not count before accepting.
      await invite(target(), workspace.companyId, newAddress())
      expect((await manage(target(), "DELETE", `${members}/${ownerId}`)).codes).toEqual(["users.last_owner"])
      const disabling = await manage(target(), "PATCH", `/users/${ownerId}`, { json: { status: "Disabled" } })
      expect(disabling.codes).toEqual(["users.last_owner"])

      expect((await manage(target(), "DELETE", `${members}/${userId}`)).status).toBe(200)
      expect(await roleOf()).toBeUndefined()
      const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
      for (const path of [
        `${members}/${userId}`,
        `${members}/${unknown}`,
        `/companies/${unknown}/members/${ownerId}`
      ]) {
        const gone = await manage(target(), "PATCH", path, { json: { role: "Viewer" } })
        expect([path, gone.status, gone.codes]).toEqual([path, 404, ["common.not_found"]])
      }
      expect((await manage(target(), "GET", `/companies/${unknown}/members`)).status).toBe(404)
      for (const [json, field] of [
        [{ email: "no address", role: "Viewer" }, "email"],
        [{ email: newAddress(), role: "viewer" }, "role"],
        [{ email: newAddress(), role: "Viewer", name: "" }, "name"]
      ] as const) {
        expect((await manage(target(), "POST", members, { json })).fields).toEqual([field])
      }
    })

    it("do by their sessions what their roles allow, in their companies", async () => {
      const { advance } = target()
      const other = await openWorkspace(target(), "Other people")
      const email = newAddress()
      const { browser, userId } = await joinCompany(target(), workspace.companyId, email, "Admin")
      const members = `/companies/${workspace.companyId}/members`
      const outcome = async (method: string, path: string, json?: unknown) => {
        const { codes, status } = await browser.send(method, path, json)
        return [status, ...codes]
      }
      const { accountId } = workspace.live
      expect(await outcome("GET", `/accounts/${accountId}/emails`)).toEqual([200])
      expect(await outcome("GET", "/users")).toEqual([403, "users.right_missing"])
      expect(await outcome("GET", `/accounts/${other.live.accountId}/emails`)).toEqual([
        404,
        "common.not_found"
      ])
      expect(await outcome("GET", `/companies/${other.companyId}/members`)).toEqual([404, "common.not_found"])
      const listed = async () =>
        (
          await browser.send<{ items: ReadonlyArray<{ id: string; volume: number | null }> }>(
            "GET",
            "/companies"
          )
        ).value.items.map(({ id, volume }) => [id, volume])
      expect(await listed()).toEqual([[workspace.companyId, 0]])
      // An Admin can add members, but cannot change an Owner.
      expect(await outcome("POST", members, { email: newAddress(), role: "Viewer" })).toEqual([201])
      const owners = [403, "users.right_missing"]
      expect(await outcome("POST", members, { email: newAddress(), role: "Owner" })).toEqual(owners)
      expect(await outcome("PATCH", `${members}/${userId}`, { role: "Owner" })).toEqual(owners)
      expect(await outcome("DELETE", `${members}/${ownerId}`)).toEqual(owners)
      // Live access can only be given by members who have it, and not to themselves.
      await manage(target(), "PATCH", `${members}/${userId}`, { json: { liveAccess: false } })
      expect(await listed()).toEqual([[workspace.companyId, null]])
      expect(await outcome("PATCH", `${members}/${userId}`, { liveAccess: true })).toEqual(owners)
      const viewer = { email: newAddress(), role: "Viewer" }
      expect(await outcome("POST", members, viewer)).toEqual(owners)
      expect(await outcome("POST", members, { ...viewer, liveAccess: false })).toEqual([201])
      await manage(target(), "PATCH", `${members}/${userId}`, { json: { liveAccess: true } })
      // A change of role takes effect on the next call.
      await manage(target(), "PATCH", `${members}/${userId}`, { json: { role: "Viewer" } })
      expect(await outcome("GET", `/accounts/${accountId}/emails`)).toEqual([403, "users.right_missing"])
      await manage(target(), "PATCH", `${members}/${userId}`, { json: { role: "Owner" } })
      const forged = await browser.send(
        "POST",
        members,
        { email: newAddress(), role: "Viewer" },
        {
          headers: { origin: "https://evil.example" }
        }
      )
      expect(forged.codes).toEqual(["users.request_forged"])
      if (advance === null) return
      await advance("16 minutes")
      const keys = `/accounts/${workspace.sandbox.accountId}/api-keys`
      const key = { name: "A key", permissions: ["contacts:read"], expiresInDays: 30 }
      expect(await outcome("POST", keys, key)).toEqual([403, "users.confirmation_required"])
      expect(await outcome("GET", keys)).toEqual([200])
      expect((await browser.send("POST", "/session/confirm", { password: goodPassword })).status).toBe(200)
      expect(await outcome("POST", keys, key)).toEqual([201])
    })

    it("are disabled and signed out on the next call", async () => {
      const email = newAddress()
      const { browser, userId } = await joinCompany(target(), workspace.companyId, email, "Viewer")
      const users = (await manage<Page<{ id: string }>>(target(), "GET", "/users?pageSize=200")).value.items
      expect(users.find(({ id }) => id === userId)).toMatchObject({
        email,
        operator: false,
        status: "Active"
      })
      expect((await manage(target(), "POST", `/users/${userId}/sign-out`)).value).toEqual({ ended: 1 })
      expect((await browser.send("GET", "/session")).status).toBe(401)
      expect((await signIn(browser, email)).status).toBe(200)
      const disabled = await manage(target(), "PATCH", `/users/${userId}`, { json: { status: "Disabled" } })
      const found = async (query: string) =>
        (await manage<Page<{ id: string }>>(target(), "GET", `/users?q=${email.toUpperCase()}&${query}`))
          .value.items
      expect(await found("state=Disabled&sort=name")).toMatchObject([{ id: userId }])
      expect(await found("state=Active,Invited")).toEqual([])
      for (const [query, field] of [
        ["state=Asleep", "state"],
        ["sort=email", "sort"],
        ["role=Owner", "role"]
      ]) {
        const answer = await manage(target(), "GET", `/users?${query}`)
        expect([answer.status, answer.fields]).toEqual([400, [field]])
      }
      expect(disabled.value).toMatchObject({ status: "Disabled" })
      expect((await browser.send("GET", "/session")).status).toBe(401)
      expect((await signIn(browser, email)).codes).toEqual(["users.sign_in_failed"])
      const enabled = await manage(target(), "PATCH", `/users/${userId}`, { json: { status: "Active" } })
      expect(enabled.value).toMatchObject({ status: "Active" })
      // What has ended stays ended.
      expect((await browser.send("GET", "/session")).status).toBe(401)
      expect(
        (await manage(target(), "PATCH", `/users/${userId}`, { json: { status: "Invited" } })).status
      ).toBe(400)
    })

    it("change their passwords, which ends their other sessions", async () => {
      const email = newAddress()
      const { browser } = await joinCompany(target(), workspace.companyId, email, "Viewer")
      const other = openBrowser(target())
      await signIn(other, email)
      expect((await browser.send("PATCH", "/me", { password: "password1234" })).codes).toEqual([
        "users.password_weak"
      ])
      const changed = `${goodPassword}-2`
      const racing = Array.from({ length: 4 }, () =>
        openBrowser(target(), { "x-forwarded-for": newNetwork() })
      )
      const [patched] = await Promise.all([
        browser.send("PATCH", "/me", { password: changed }),
        ...racing.map((one) => signIn(one, email))
      ])
      expect(patched.status).toBe(200)
      expect((await browser.send("GET", "/session")).status).toBe(200)
      // A sign-in with the former password that began before the change must not open a session either.
      for (const one of racing) expect((await one.send("GET", "/session")).status).toBe(401)
      expect((await other.send("GET", "/session")).status).toBe(401)
      expect((await signIn(other, email)).status).toBe(401)
      expect((await signIn(other, email, changed)).status).toBe(200)
      expect((await other.send("DELETE", "/sessions")).status).toBe(200)
      expect((await browser.send("GET", "/session")).status).toBe(401)
    })
  })
}
