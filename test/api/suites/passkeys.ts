/**
 * Tests passkeys (docs/contributing/people.md 2): created through a set-up link and by a signed-in user, used to sign in and to
 * confirm, and rejected for another challenge or origin, or as copies.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { softwareAuthenticator } from "../../contract/softwareAuthenticator.ts"
import {
  type Browser,
  goodPassword,
  invite,
  joinCompany,
  openBrowser,
  tokenOf
} from "../../support/browser.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface Options {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string }
}

interface PasskeyValue {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

interface Setup {
  readonly options: Options | null
  readonly passkey: PasskeyValue | null
}

type Authenticator = ReturnType<typeof softwareAuthenticator>

let last = 0
const newAddress = (): string => `key-${Date.now().toString(36)}-${++last}@people.example`

const invalid = [401, "users.passkey_invalid"]

/** Tests of passkeys. */
export const passkeysSuite = (target: () => Target): void => {
  describe("passkeys", () => {
    let workspace: Workspace
    let owner: Browser
    let ownerId: string
    let key: Authenticator
    let passkeyId: string
    const email = newAddress()

    const requestOptions = async (): Promise<Options> =>
      (await openBrowser(target()).send<Options>("POST", "/session/passkey/options")).value

    const signIn = async (browser: Browser, response: unknown) => {
      const { codes, status } = await browser.send("POST", "/session/passkey", response)
      return [status, ...codes]
    }

    /** Adds a passkey of a new authenticator to the user signed in in a browser. */
    const addKey = async (browser: Browser, name: string | null = null) => {
      const authenticator = softwareAuthenticator(target().baseUrl)
      const { options } = (await browser.send<Setup>("POST", "/me/passkeys", {})).value
      const added = await browser.send<Setup>("POST", "/me/passkeys", {
        name,
        passkey: authenticator.create(options!)
      })
      return { authenticator, added }
    }

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Passkeys")
      ;({ browser: owner, userId: ownerId } = await joinCompany(target(), workspace.companyId, email))
      const { added, authenticator } = await addKey(owner, " My phone ")
      key = authenticator
      passkeyId = added.value.passkey!.id
    })

    it("are made by a set-up link, which a refused one does not use up", async () => {
      const member = await invite(target(), workspace.companyId, newAddress(), "Viewer")
      const token = tokenOf(member.link!)
      const browser = openBrowser(target())
      const authenticator = softwareAuthenticator(target().baseUrl)
      const optionsOf = async (given: object) => {
        const { codes, envelope, status } = await browser.send<Options>(
          "POST",
          "/welcome/passkey-options",
          given
        )
        return { status, codes, value: envelope?.value }
      }
      expect(await optionsOf({ token: "x".repeat(43), name: "Eve" })).toMatchObject({ status: 410 })
      expect(await optionsOf({ token })).toMatchObject({ status: 400, codes: ["validation.required"] })
      const options = (await optionsOf({ token, name: "Eve" })).value!
      expect(options).toMatchObject({
        rp: { id: new URL(target().baseUrl).hostname },
        user: { name: member.email, displayName: "Eve" },
        authenticatorSelection: { residentKey: "required", userVerification: "required" }
      })
      const complete = async (passkey: unknown) => {
        const { codes, status } = await browser.send("POST", "/welcome/complete", {
          token,
          name: "Eve",
          passkey
        })
        return [status, ...codes]
      }
      // Another origin, options of another signed-in user, and the same challenge again.
      const { options: others } = (await owner.send<Setup>("POST", "/me/passkeys", {})).value
      expect(await complete(authenticator.create(others!))).toEqual(invalid)
      expect(await complete(authenticator.create(options, { origin: "https://evil.example" }))).toEqual(
        invalid
      )
      expect(await complete(authenticator.create(options))).toEqual(invalid)
      const again = (await optionsOf({ token, name: "Eve" })).value!
      expect((await browser.send("POST", "/welcome/complete", { token, name: "Eve" })).codes).toEqual([
        "validation.required"
      ])
      expect(await complete(authenticator.create(again))).toEqual([200])
      expect((await browser.send("GET", "/me")).value).toMatchObject({
        email: member.email,
        factors: ["Passkey"]
      })
      expect(await complete(authenticator.create(again))).toEqual([410, "users.link_invalid"])
      const listed = await manage<Page<object>>(
        target(),
        "GET",
        `/companies/${workspace.companyId}/members?pageSize=200`
      )
      expect(listed.value.items).toContainEqual(
        expect.objectContaining({ userId: member.userId, status: "Active", factors: ["Passkey"] })
      )
    })

    it("sign in without address and password, and confirm a session", async () => {
      const { advance } = target()
      const browser = openBrowser(target())
      const options = await requestOptions()
      expect(options).toMatchObject({
        rpId: new URL(target().baseUrl).hostname,
        userVerification: "required"
      })
      const answer = key.get(options)
      const signed = await browser.send("POST", "/session/passkey", answer)
      expect(signed.value).toMatchObject({ user: { email, factors: ["Passkey", "Password"] }, needs: null })
      expect((await browser.send("GET", "/session")).value).toMatchObject({ user: { email } })
      // Each challenge can be answered only once.
      expect(await signIn(openBrowser(target()), answer)).toEqual(invalid)
      const [listed] = (await browser.send<ReadonlyArray<PasskeyValue>>("GET", "/me/passkeys")).value
      expect(listed).toMatchObject({ id: passkeyId, name: "My phone", lastUsedAt: expect.any(String) })
      if (advance === null) return
      await advance("16 minutes")
      expect((await browser.send("DELETE", `/me/passkeys/${passkeyId}`)).envelope!.errors[0]).toMatchObject({
        code: "users.confirmation_required",
        details: { factors: "Passkey,Password" }
      })
      const before = browser.cookies.get("svc_session")
      const confirmed = await browser.send("POST", "/session/confirm", {
        passkey: key.get(await requestOptions())
      })
      expect([confirmed.status, browser.cookies.get("svc_session") === before]).toEqual([200, false])
      expect((await browser.send("POST", "/me/passkeys", {})).status).toBe(200)
      await owner.send("POST", "/session/confirm", { passkey: key.get(await requestOptions()) })
    })

    it("are refused for another origin, challenge, party or user, all alike", async () => {
      const { advance } = target()
      const browser = openBrowser(target())
      for (const varied of [
        { origin: "https://evil.example" },
        { origin: `${target().baseUrl}.evil.example` },
        { rpId: "evil.example" },
        { challenge: "A".repeat(43) },
        { isUnverified: true },
        { type: "webauthn.create" }
      ]) {
        expect([varied, ...(await signIn(browser, key.get(await requestOptions(), varied)))]).toEqual([
          varied,
          ...invalid
        ])
      }
      // A credential that is not stored, and one signed by another key.
      const stranger = softwareAuthenticator(target().baseUrl)
      expect(await signIn(browser, stranger.get(await requestOptions()))).toEqual(invalid)
      const forged = {
        ...stranger.get(await requestOptions()),
        id: key.credentialId,
        rawId: key.credentialId
      }
      expect(await signIn(browser, forged)).toEqual(invalid)
      // The options for creating a passkey are not a challenge for signing in.
      const { options } = (await owner.send<Setup>("POST", "/me/passkeys", {})).value
      expect(
        await signIn(browser, key.get({ challenge: options!.challenge, rpId: options!.rp!.id }))
      ).toEqual(invalid)
      for (const response of [
        {},
        { clientDataJSON: "" },
        { clientDataJSON: "e30" },
        { clientDataJSON: "_w" }
      ]) {
        expect(await signIn(browser, { ...stranger.get(await requestOptions()), response })).toEqual(invalid)
      }
      expect((await browser.send("POST", "/session/passkey", { id: "x" })).status).toBe(400)
      expect(browser.cookies.size).toBe(0)
      const foreign = await browser.send("POST", "/session/passkey", key.get(await requestOptions()), {
        headers: { origin: "https://evil.example" }
      })
      expect(foreign.codes).toEqual(["users.request_forged"])
      // Another user's passkey does not confirm.
      const { browser: other } = await joinCompany(target(), workspace.companyId, newAddress(), "Viewer")
      const confirmed = await other.send("POST", "/session/confirm", {
        passkey: key.get(await requestOptions())
      })
      expect([confirmed.status, ...confirmed.codes]).toEqual(invalid)
      if (advance === null) return
      const late = key.get(await requestOptions())
      await advance("5 minutes")
      expect(await signIn(browser, late)).toEqual(invalid)
    })

    it("are refused where the authenticator was copied, which the audit log shows", async () => {
      const { added, authenticator } = await addKey(owner)
      expect(added.value.passkey).toMatchObject({ name: expect.stringMatching(/^Passkey \d+$/) })
      const browser = openBrowser(target())
      const count = async (counter: number) =>
        signIn(browser, authenticator.get(await requestOptions(), { counter }))
      expect(await count(7)).toEqual([200])
      for (const counter of [7, 6, 0])
        expect([counter, ...(await count(counter))]).toEqual([counter, ...invalid])
      expect(await count(8)).toEqual([200])
      const { items } = (
        await manage<Page<object>>(target(), "GET", `/audit-log?action=user.passkey_copied&target=${ownerId}`)
      ).value
      expect(items).toHaveLength(3)
    })

    it("are at most twenty of a user, each with its name, and no other's", async () => {
      const { browser } = await joinCompany(target(), workspace.companyId, newAddress(), "Viewer")
      const session = browser.cookies.get("svc_session")
      for (let index = 0; index < 20; index++) expect((await addKey(browser)).added.status).toBe(200)
      expect(browser.cookies.get("svc_session")).not.toBe(session)
      const { added } = await addKey(browser)
      expect([added.status, ...added.codes]).toEqual([400, "users.passkey_limit_reached"])
      const { options } = (await browser.send<Setup>("POST", "/me/passkeys", {})).value
      const twice = await browser.send("POST", "/me/passkeys", { passkey: key.create(options!) })
      expect(twice.status).toBeGreaterThanOrEqual(400)
      const listed = (await browser.send<ReadonlyArray<PasskeyValue>>("GET", "/me/passkeys")).value
      expect(listed).toHaveLength(20)
      const [newest] = listed
      const renamed = await browser.send("PATCH", `/me/passkeys/${newest!.id}`, { name: "Key ring" })
      expect(renamed.value).toMatchObject({ id: newest!.id, name: "Key ring" })
      expect((await browser.send("PATCH", `/me/passkeys/${newest!.id}`, { name: "" })).fields).toEqual([
        "name"
      ])
      for (const [method, json] of [
        ["PATCH", { name: "x" }],
        ["DELETE", undefined]
      ] as const) {
        expect((await browser.send(method, `/me/passkeys/${passkeyId}`, json)).codes).toEqual([
          "common.not_found"
        ])
      }
      expect((await browser.send("DELETE", `/me/passkeys/${newest!.id}`)).status).toBe(200)
      expect((await addKey(browser)).added.status).toBe(200)
    })

    it("sign in no one who is disabled, and end other sessions when they are removed", async () => {
      const address = newAddress()
      const { browser, userId } = await joinCompany(target(), workspace.companyId, address, "Viewer")
      const { added, authenticator } = await addKey(browser)
      const other = openBrowser(target())
      expect(await signIn(other, authenticator.get(await requestOptions()))).toEqual([200])
      await manage(target(), "PATCH", `/users/${userId}`, { json: { status: "Disabled" } })
      expect(await signIn(other, authenticator.get(await requestOptions()))).toEqual(invalid)
      await manage(target(), "PATCH", `/users/${userId}`, { json: { status: "Active" } })
      expect(await signIn(other, authenticator.get(await requestOptions()))).toEqual([200])
      const password = { email: address, password: goodPassword }
      expect((await browser.send("POST", "/session/password", password)).status).toBe(200)
      expect((await browser.send("DELETE", `/me/passkeys/${added.value.passkey!.id}`)).status).toBe(200)
      expect((await other.send("GET", "/session")).status).toBe(401)
      expect(await signIn(other, authenticator.get(await requestOptions()))).toEqual(invalid)
    })
  })
}
