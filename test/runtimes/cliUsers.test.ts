/**
 * Tests `svc users` on the database of a running service: the first operator of an installation, links, and what takes effect at
 * once.
 *
 * @module
 */
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { PasswordHasher } from "../../core/ports/PasswordHasher.ts"
import { goodPassword, invite, openBrowser, tokenOf } from "../support/browser.ts"
import { runCli } from "../support/cli.ts"
import { freshDatabase } from "../support/postgres.ts"
import { freshFolder } from "../support/serverProcess.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { quickHasher } from "../support/quickHasher.ts"
import { openWorkspace } from "../support/workspace.ts"

const email = "ada@cli.example"

let target: Target
let folder: Awaited<ReturnType<typeof freshFolder>>
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  const url = await freshDatabase()
  const baseUrl = "http://localhost:4999"
  const quick = Layer.succeed(PasswordHasher, quickHasher)
  target = await startEmbedded({ store: { url }, baseUrl, replaced: quick })
  folder = await freshFolder()
  env = { SVC_STORE: url, SVC_BASE_URL: baseUrl, SVC_SYSTEM_SENDER: "people@mail.example" }
}, 120_000)
afterAll(async () => {
  await target.stop()
  await folder.remove()
})

const svc = (...args: ReadonlyArray<string>) => runCli("node", folder.path, ["users", ...args], env)
const linkOf = ({ out }: { readonly out: string }) =>
  /^http:\/\/localhost:4999\/app\/welcome#\S+/m.exec(out)![0]
const complete = (link: string, json: object) =>
  openBrowser(target).send("POST", "/welcome/complete", { token: tokenOf(link), ...json })

it("makes the first operator, resets the password and keeps the last one", { timeout: 240_000 }, async () => {
  const first = linkOf(await svc("invite", "--operator", email))
  const renewed = linkOf(await svc("invite", "--operator", email))
  const joining = { name: "Ada", password: goodPassword }
  expect((await complete(first, joining)).codes).toEqual(["users.link_invalid"])
  // A company that adds the address also gets a link, but that link must not make its user an operator.
  const { companyId } = await openWorkspace(target, "Hopeful")
  const { link } = await invite(target, companyId, email, "Viewer")
  expect((await complete(link!, joining)).codes).toEqual(["users.sign_in_failed"])
  expect((await complete(renewed, joining)).status).toBe(200)

  const browser = openBrowser(target)
  await browser.send("POST", "/session/password", { email, password: goodPassword })
  const session = () =>
    browser.send<{ operator: boolean; memberships: ReadonlyArray<object> }>("GET", "/session")
  expect((await session()).value).toMatchObject({
    operator: true,
    memberships: [{ role: "Owner", liveAccess: true }, { role: "Viewer" }]
  })

  const disabled = await svc("disable", email)
  expect([disabled.code, disabled.out]).toEqual([1, ""])
  expect(disabled.err).toMatch(/must keep an active/)
  expect((await session()).status).toBe(200)

  const reset = linkOf(await svc("reset", email))
  expect((await complete(reset, { password: `${goodPassword}-2` })).status).toBe(200)
  // A new password ends the earlier sessions.
  expect((await session()).status).toBe(401)
  await browser.send("POST", "/session/password", { email, password: `${goodPassword}-2` })
  expect((await session()).status).toBe(200)
  expect((await svc("sign-out", email)).code).toBe(0)
  expect((await session()).status).toBe(401)
  expect((await svc("reset", "stranger@cli.example")).code).toBe(1)
})
