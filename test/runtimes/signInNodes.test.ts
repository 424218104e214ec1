/**
 * Tests two nodes on one PostgreSQL: sessions, links, codes and tokens that one node ends or uses up are invalid on the other
 * from the next call on, and both count guesses together.
 *
 * @module
 */
import { Secret, TOTP } from "otpauth"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Browser, goodPassword, invite, joinCompany, openBrowser, tokenOf } from "../support/browser.ts"
import { call } from "../support/client.ts"
import { freshDatabase } from "../support/postgres.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { manage, openWorkspace } from "../support/workspace.ts"

let one: Target
let other: Target
let companyId: string
beforeAll(async () => {
  const options = {
    store: { url: await freshDatabase() },
    secretKey: "0123456789abcdef0123456789abcdef"
  }
  one = await startEmbedded(options)
  other = await startEmbedded(options)
  companyId = (await openWorkspace(one, "Nodes")).companyId
})
afterAll(() => Promise.all([one.stop(), other.stop()]))

/** The same browser, whose calls go to the other node. */
const atOther = (browser: Browser): Browser => {
  const moved = openBrowser(other)
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
  return moved
}
const signIn = (target: Target, email: string, password = goodPassword, code?: string, from?: string) =>
  openBrowser(target, from === undefined ? {} : { "x-forwarded-for": from }).send(
    "POST",
    "/session/password",
    { email, password, ...(code === undefined ? {} : { code }) }
  )
const seen = async (browser: Browser) => (await browser.send("GET", "/session")).status

it("agree at once on what ended, changed or was used up", { timeout: 120_000 }, async () => {
  const email = "ada@nodes.example"
  const { browser, userId } = await joinCompany(one, companyId, email, "Admin")
  await joinCompany(one, companyId, "owner@nodes.example")
  const moved = atOther(browser)
  expect(await seen(moved)).toBe(200)

  const members = `/companies/${companyId}/members`
  expect((await moved.send("GET", `/companies/${companyId}/tokens`)).status).toBe(200)
  await manage(one, "PATCH", `${members}/${userId}`, { json: { role: "Viewer" } })
  expect((await moved.send("GET", `/companies/${companyId}/tokens`)).codes).toEqual(["users.right_missing"])

  const issued = (
    await moved.send<{ id: string; token: string }>("POST", "/me/tokens", { name: "Mine", expiresInDays: 1 })
  ).value
  const byToken = async (target: Target) =>
    (await call(target, "GET", `/manage/v1/companies/${companyId}`, { token: issued.token })).status
  expect([await byToken(one), await byToken(other)]).toEqual([200, 200])
  expect((await moved.send("DELETE", `/me/tokens/${issued.id}`)).status).toBe(200)
  expect([await byToken(one), await byToken(other)]).toEqual([401, 401])

  const { link } = await invite(one, companyId, "grace@nodes.example", "Viewer")
  const complete = (target: Target) =>
    openBrowser(target).send("POST", "/welcome/complete", {
      token: tokenOf(link!),
      name: "Grace",
      password: goodPassword
    })
  const both = await Promise.all([complete(one), complete(other)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 410])

  const setup = (await moved.send<{ secret: string }>("POST", "/me/totp", {})).value
  const codes = new TOTP({ secret: Secret.fromBase32(setup.secret) })
  const codeAt = (steps: number) => codes.generate({ timestamp: one.now() + steps * 30_000 })
  expect((await moved.send("POST", "/me/totp", { code: codeAt(-1) })).status).toBe(200)
  // The factors changed, so the browser's other session id has ended on both nodes.
  expect(await seen(browser)).toBe(401)
  const code = codeAt(0)
  const twice = await Promise.all([one, other].map((target) => signIn(target, email, goodPassword, code)))
  expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 401])

  expect(await seen(moved)).toBe(200)
  expect((await manage(one, "POST", `/users/${userId}/sign-out`)).status).toBe(200)
  expect(await seen(moved)).toBe(401)
})

it("count guesses together, of an address and of a network", { timeout: 120_000 }, async () => {
  const nodes = [one, other]
  const guess = async (index: number, email: string, from: string) =>
    (await signIn(nodes[index % 2]!, email, "wrong", undefined, from)).status
  const ofAddress = []
  for (let index = 0; index < 7; index++) {
    ofAddress.push(await guess(index, "guessed@nodes.example", `2001:db8:1:${index}::1`))
  }
  expect(ofAddress).toEqual([401, 401, 401, 401, 401, 429, 429])
  const ofNetwork = []
  for (let index = 0; index < 32; index++) {
    ofNetwork.push(await guess(index, `guessed-${index}@nodes.example`, `2001:db8:2:2::${index + 1}`))
  }
  expect(ofNetwork.slice(0, 30).every((status) => status === 401)).toBe(true)
  expect(ofNetwork.slice(30)).toEqual([429, 429])
})
