/**
 * Tests replacing the secret key of a running installation with two nodes, starting again after the key is lost, and management
 * tokens that are too short.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { runCli } from "../support/cli.ts"
import { execute, freshDatabase, query } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const { folder, start, stop } = useServers()

const admin = "token-of-the-operator-0123456789abcdef"
const oldKey = "the old secret key of the installation"
const newKey = "the new secret key of the installation"

interface Rotated {
  readonly resealed: number
  readonly unreadable: number
}

/** An account with a webhook, a store and a domain, each with its own secret. */
const fill = async (baseUrl: string, account: string, name: string): Promise<void> => {
  const made = async (path: string, json: object) => {
    const answer = await api(baseUrl, admin, `/manage/v1/accounts/${account}${path}`, json)
    expect([path, answer.status]).toEqual([path, 201])
  }
  await made("/webhooks", { url: `https://${name}.example/hook`, events: [] })
  await made("/stores", { platform: "WooCommerce", name, domain: `${name}.example`, consentMode: "None" })
  await made("/domains", { domain: `${name}.example` })
}

/** The secrets of a webhook, a store and the two keys of a domain. */
const secretsOfFill = 4
/** The signing secret and the secret for hashes. The check is sealed too but not counted. */
const ownSecrets = 2

const liveAccount = async (baseUrl: string): Promise<string> => {
  interface Companies {
    readonly items: ReadonlyArray<{ readonly live: { readonly accountId: string } }>
  }
  const { value } = await api<Companies>(baseUrl, admin, "/manage/v1/companies")
  return value.items[0]!.live.accountId
}

const contactLinks = async (baseUrl: string, account: string): Promise<ReadonlyArray<string>> => {
  const { value } = await api<{ id: string; key: string }>(
    baseUrl,
    admin,
    `/manage/v1/accounts/${account}/api-keys`,
    { name: "Links", permissions: ["contacts:write"], expiresInDays: 30 }
  )
  const written = await api<{ contact: { id: string } }>(baseUrl, value.key, "/api/v1/contacts", {
    email: "ada@people.example"
  })
  const links = await api<Record<string, string>>(
    baseUrl,
    admin,
    `/manage/v1/accounts/${account}/contacts/${written.value.contact.id}/links`,
    {}
  )
  return Object.values(links.value).map((link) => link.replace(/^https?:\/\/[^/]+/, ""))
}

/** Erases the person with an address, and holds people out of the account's marketing. */
const eraseWithHoldout = async (baseUrl: string, account: string, email: string) => {
  const send = async (method: string, path: string, json: object) => {
    const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" }
    const answer = await fetch(`${baseUrl}/manage/v1/accounts/${account}${path}`, {
      method,
      headers,
      body: JSON.stringify(json)
    })
    expect([path, answer.ok]).toEqual([path, true])
    return (await answer.json()) as { readonly value: { readonly contact: { readonly id: string } } }
  }
  const { value } = await send("POST", "/contacts", { email })
  await send("DELETE", `/contacts/${value.contact.id}`, {})
  await send("PATCH", "/settings", { holdoutPercent: 10 })
}

const expectValid = async (baseUrl: string, links: ReadonlyArray<string>) => {
  for (const link of links) expect([link, (await fetch(baseUrl + link)).status]).toEqual([link, 200])
}

describe("the secret key", { timeout: 240_000 }, () => {
  it("is replaced on two running nodes, with an overlap in which each opens what the other seals", async () => {
    const SVC_STORE = await freshDatabase()
    const env = { SVC_STORE, SVC_ADMIN_TOKEN: admin, SVC_SMTP_HOST: "mx.svc.example" }
    const [one, other] = [
      start("node", { ...env, SVC_SECRET_KEY: oldKey }),
      start("bun", { ...env, SVC_SECRET_KEY: oldKey })
    ]
    const { baseUrl } = await one.ready()
    await other.ready()
    const account = await liveAccount(baseUrl)
    await fill(baseUrl, account, "before")
    const links = await contactLinks(baseUrl, account)

    // The nodes are restarted one after another with both keys. What one seals, the other can still open.
    await stop(other)
    const both = { ...env, SVC_SECRET_KEY: newKey, SVC_SECRET_KEY_PREVIOUS: oldKey }
    const otherAgain = start("bun", both)
    const second = (await otherAgain.ready()).baseUrl
    await fill(second, account, "between")
    const early = await api<Rotated>(baseUrl, admin, "/manage/v1/secrets/rotate", {})
    expect(early.value).toMatchObject({ resealed: 0, unreadable: 0 })
    await stop(one)
    const oneAgain = start("node", both)
    const first = (await oneAgain.ready()).baseUrl

    const rotated = await runCli("node", folder(), ["secrets", "rotate"], {
      SVC_BASE_URL: first,
      SVC_ADMIN_TOKEN: admin,
      SVC_SMTP_HOST: "mx.svc.example"
    })
    expect(rotated.out).toMatch(
      /^New signing secret\. Links signed with the old one are accepted until \d{4}-/
    )
    expect(rotated.out).toContain(`: ${2 * secretsOfFill + ownSecrets + 1} secrets`)
    expect(rotated.code).toBe(0)
    await expectValid(second, links)
    const fresh = await contactLinks(first, account)
    await expectValid(second, fresh)
    // The other node now seals with the new key, without a restart.
    await fill(second, account, "after")
    await stop(oneAgain)
    await stop(otherAgain)

    const alone = start("node", { ...env, SVC_SECRET_KEY: newKey })
    const last = (await alone.ready()).baseUrl
    await expectValid(last, [...links, ...fresh])
    const again = await api<Rotated>(last, admin, "/manage/v1/secrets/rotate", {})
    expect(again.value).toMatchObject({ resealed: 0, unreadable: 0 })
    await stop(alone)
    const refused = start("node", { ...env, SVC_SECRET_KEY: oldKey })
    expect((await refused.ended).code).toBe(1)
  })

  it.each<[Runtime, boolean]>([
    ["node", true],
    ["bun", false]
  ])("is given up by a reset that says what is lost: on %s, on a server: %s", async (runtime, onServer) => {
    const directory = await mkdtemp(join(tmpdir(), "svc-reset-"))
    const env = {
      SVC_STORE: onServer ? await freshDatabase() : "embedded",
      SVC_DATA_DIR: directory,
      SVC_ADMIN_TOKEN: admin,
      SVC_SMTP_HOST: "mx.svc.example"
    }
    const first = start(runtime, { ...env, SVC_SECRET_KEY: oldKey })
    const { baseUrl } = await first.ready()
    const account = await liveAccount(baseUrl)
    await fill(baseUrl, account, "lost")
    const url = "smtps://user:password@relay.example:465"
    const relay = await api<{ id: string }>(baseUrl, admin, "/manage/v1/relays", {
      name: "Relay",
      kind: "Smtp",
      url
    })
    const links = await contactLinks(baseUrl, account)
    const complained = { email: "gone@people.example", kind: "Complained" }
    await api(baseUrl, admin, `/manage/v1/accounts/${account}/suppressions`, complained)
    await eraseWithHoldout(baseUrl, account, complained.email)
    await stop(first)

    const lost = { ...env, SVC_SECRET_KEY: newKey }
    const refused = start(runtime, lost)
    expect((await refused.ended).code).toBe(1)
    expect(refused.err()).toContain("svc secrets reset")
    const reset = (secretKey: string, ...args: ReadonlyArray<string>) =>
      runCli(runtime, folder(), ["secrets", "reset", ...args], { ...env, SVC_SECRET_KEY: secretKey })
    const fits = await reset(oldKey, "--yes")
    expect([fits.code, fits.err]).toEqual([
      1,
      "svc: The secret key matches this installation, so there is nothing to reset\n"
    ])
    const told = await reset(newKey)
    expect(told.code).toBe(1)
    for (const line of [
      "1 sending domains",
      "1 webhooks",
      "1 stores",
      "1 mail relays",
      "0 identity providers",
      "0 users with one-time codes",
      "0 sealed days of audit logs",
      "0 flows",
      "1 addresses of erased people",
      "1 suppressions of erased people",
      "1 accounts with a holdout",
      "Nothing was changed"
    ]) {
      expect(told.out).toContain(line)
    }
    expect((await start(runtime, lost).ended).code).toBe(1)
    const done = await reset(newKey, "--yes")
    expect([done.err, done.code]).toEqual(["", 0])
    expect(done.out).toContain(
      "Reset: 1 domains have new records to publish, and 1 webhooks and 1 stores have new secrets"
    )

    const again = start(runtime, lost)
    const last = (await again.ready()).baseUrl
    for (const link of links) expect((await fetch(last + link)).status).toBe(404)
    await expectValid(last, await contactLinks(last, account))
    const domains = await api<{ items: ReadonlyArray<{ status: string; records: ReadonlyArray<object> }> }>(
      last,
      admin,
      `/manage/v1/accounts/${account}/domains`
    )
    expect(domains.value.items.map(({ status }) => status)).toEqual(["Pending"])
    const set = await fetch(`${last}/manage/v1/relays/${relay.value.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ url })
    })
    expect(set.status).toBe(200)
    const rotated = await api<Rotated>(last, admin, "/manage/v1/secrets/rotate", {})
    expect(rotated.value).toMatchObject({ resealed: 0, unreadable: 0 })
    await stop(again)
    await rm(directory, { recursive: true })
  })
})

describe("a management token of fewer than 32 characters", { timeout: 240_000 }, () => {
  const short = "thirty-one-characters-are-a-few"

  it("is refused in a new installation, which is not set up, and accepted for 30 days in an earlier one", async () => {
    const SVC_STORE = await freshDatabase()
    const env = { SVC_STORE, SVC_SECRET_KEY: oldKey }
    const refusal = "SVC_ADMIN_TOKEN is invalid: expected at least 32 visible ASCII characters"
    const refused = start("node", { ...env, SVC_ADMIN_TOKEN: short })
    expect((await refused.ended).code).toBe(1)
    expect(refused.err()).toContain(refusal)
    expect(await query(SVC_STORE, "select 1 from instance")).toEqual([])
    const first = start("node", { ...env, SVC_ADMIN_TOKEN: admin })
    await first.ready()
    await stop(first)
    expect((await start("node", { ...env, SVC_ADMIN_TOKEN: short }).ended).code).toBe(1)

    await execute(SVC_STORE, "update instance set short_token_until = now() + interval '30 days'")
    const accepted = start("node", { ...env, SVC_ADMIN_TOKEN: short })
    const { baseUrl } = await accepted.ready()
    expect((await api(baseUrl, short, "/manage/v1/companies")).status).toBe(200)
    expect(accepted.out() + accepted.err()).toMatch(
      /SVC_ADMIN_TOKEN has fewer than 32 characters: from \d{4}-\d\d-\d\d on the service does not start with it/
    )
    await stop(accepted)
    await execute(SVC_STORE, "update instance set short_token_until = now()")
    const late = start("node", { ...env, SVC_ADMIN_TOKEN: short })
    expect((await late.ended).code).toBe(1)
    expect(late.err()).toContain(refusal)
  })
})
