/**
 * Tests that a reader of the whole database who has nothing else finds no usable secret in it: no key, no token, no link, and
 * nothing with which signatures can be made.
 *
 * @module
 */
import { Redacted } from "effect"
import type { Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { createHash, createHmac } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { layer as embedded } from "../../../adapters/postgres/engine/Embedded.ts"
import { layer as server } from "../../../adapters/postgres/engine/Server.ts"
import type { Options } from "../../../runtimes/embedded/index.ts"
import { dumpOf, forge } from "../../support/dump.ts"
import { fillAccount } from "../../support/fullAccount.ts"
import { execute, freshDatabase, query } from "../../support/postgres.ts"
import { startEmbedded, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const secretKey = "the secret key of this installation, kept elsewhere"

interface Store {
  readonly options: Options
  readonly database: Layer.Layer<SqlClient, unknown>
  /** Further secrets that must not be in the database. */
  readonly secrets: () => Promise<ReadonlyArray<string>>
  readonly remove: () => Promise<void>
}

const stores: Record<string, () => Promise<Store>> = {
  PGlite: async () => {
    const directory = await mkdtemp(join(tmpdir(), "svc-dump-"))
    return {
      options: { store: { directory } },
      database: embedded(directory),
      secrets: async () => [(await readFile(join(directory, "secret.key"), "utf8")).trim()],
      remove: () => rm(directory, { recursive: true })
    }
  },
  PostgreSQL: async () => {
    const url = await freshDatabase()
    return {
      options: { store: { url }, secretKey },
      database: server(Redacted.make(url)),
      secrets: async () => [secretKey],
      remove: async () => undefined
    }
  }
}

/** A person who was asked to confirm by an email that still waits to be sent. Returns the token of the confirmation link. */
const askToConfirm = async (target: Target, account: TestAccount): Promise<string> => {
  const email = "pending@people.example"
  const { contact } = (await account.api<{ contact: { id: string } }>("POST", "/contacts", { email })).value
  const { confirm } = (
    await account.manage<{ confirm: string }>("POST", `/contacts/${contact.id}/double-opt-in`)
  ).value
  const link = confirm.startsWith("/") ? target.baseUrl + confirm : confirm
  const sent = await account.api("POST", "/sending/emails", {
    to: email,
    subject: "Please confirm",
    html: `<a href="${link}">Confirm</a>`,
    text: `Confirm: https://shop.example/r?to=${encodeURIComponent(link)}`,
    headers: { "X-Confirm": link }
  })
  expect(sent.status).toBe(201)
  return link.slice(link.lastIndexOf("/") + 1)
}

const encodings = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret, "utf8")
  return [secret, bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")]
}

describe.each(Object.keys(stores))("a dump of %s", (name) => {
  it("holds no secret and makes no signature", { timeout: 240_000 }, async () => {
    const store = await stores[name]!()
    const target = await startEmbedded(store.options)
    const { live, sandbox } = await openWorkspace(target, "Dump")
    const full = await fillAccount(target, sandbox, "dumped")
    const token = await askToConfirm(target, live)
    const webhook = await live.manage<{ id: string; secret: string }>("POST", "/webhooks", {
      url: "http://127.0.0.1:9/dump",
      events: []
    })
    const rotated = await live.manage<{ secret: string }>(
      "POST",
      `/webhooks/${webhook.value.id}/rotate-secret`
    )
    await live.manage("POST", "/domains", { domain: "dump.example" })
    const flow = await live.manage<{ id: string }>("POST", "/flows", {
      name: "Dump",
      trigger: { kind: "Api" },
      steps: [{ id: "wait", kind: "Wait", duration: "P1D" }]
    })
    const flowSecret = await live.manage<{ secret: string }>("GET", `/flows/${flow.value.id}/webhook-secret`)
    await target.stop()

    const dump = await dumpOf(store.database)
    const secrets = [
      live.key,
      sandbox.key,
      target.managementToken,
      target.sandbox.apiKey,
      full.flowToken,
      full.store.token,
      full.store.webhookSecret,
      webhook.value.secret,
      rotated.value.secret,
      flowSecret.value.secret,
      token,
      token.slice(token.lastIndexOf(".") + 1),
      ...(await store.secrets())
    ]
    for (const secret of secrets.flatMap(encodings)) expect(dump.includes(secret)).toBe(false)
    expect(dump).not.toMatch(/PRIVATE KEY/)
    // The dump is complete: it contains what is meant to be there.
    expect(dump.includes(createHash("sha256").update(live.key).digest("hex"))).toBe(true)
    expect(dump.includes("Please confirm")).toBe(true)

    const [claim = "", signature = ""] = token.split(".")
    const right = (mac: string) => signature.endsWith(mac)
    expect(forge(dump, `confirm ${claim}`, right)).toBeNull()
    // With the right key, the same attempt succeeds.
    const plain = "a secret in clear"
    const key = createHmac("sha256", plain).update("links").digest()
    const mac = createHmac("sha256", key).update(`confirm ${claim}`).digest("base64url")
    expect(forge(JSON.stringify({ plain: plain.replaceAll(" ", "-") }), `confirm ${claim}`, right)).toBeNull()
    expect(
      forge(`x ${Buffer.from(plain).toString("base64")} y`, `confirm ${claim}`, (one) => one === mac)
    ).toBe(mac)
    await store.remove()
  })
})

describe("a database of an earlier version", () => {
  const plain = "77a3a4cf92de4a3fb2c0c3a1dd1ee0f4ac41d9a7b34b4b6a8d9a7b1c2d3e4f50"

  it("forges links until the first start, which seals its secret and keeps its links", async () => {
    const url = await freshDatabase()
    const options = { store: { url }, secretKey }
    const first = await startEmbedded(options)
    const { live } = await openWorkspace(first, "Earlier")
    const { contact } = (
      await live.api<{ contact: { id: string } }>("POST", "/contacts", { email: "ada@people.example" })
    ).value
    const links = (await live.manage<{ unsubscribe: string }>("POST", `/contacts/${contact.id}/links`)).value
    await first.stop()
    const [claim = ""] = links.unsubscribe.slice(links.unsubscribe.lastIndexOf("/") + 1).split(".")
    await execute(url, "delete from installation_secrets", `update instance set link_secret = '${plain}'`)
    const key = createHmac("sha256", plain).update("links").digest()
    const mac = createHmac("sha256", key).update(`unsubscribe ${claim}`).digest("base64url")
    const database = server(Redacted.make(url))
    const isRight = (one: string) => one === mac
    expect(forge(await dumpOf(database), `unsubscribe ${claim}`, isRight)).toBe(mac)

    const second = await startEmbedded(options)
    expect((await second.fetch(`/u/${claim}.${mac}`)).status).toBe(200)
    expect((await second.fetch(links.unsubscribe.slice(links.unsubscribe.indexOf("/u/")))).status).toBe(404)
    const rows = await query<{ plain: string | null }>(url, "select link_secret as plain from instance")
    expect(rows).toEqual([{ plain: null }])
    const dump = await dumpOf(database)
    expect(dump).not.toContain(plain)
    expect(forge(dump, `unsubscribe ${claim}`, isRight)).toBeNull()
    await second.stop()

    // With another secret key, the service does not start, and nothing can be sealed.
    await execute(url, "delete from installation_secrets", `update instance set link_secret = '${plain}'`)
    await expect(startEmbedded({ ...options, secretKey: `${secretKey}, and another` })).rejects.toThrow(
      "The secret key is not the one"
    )
    expect(await query(url, "select link_secret as plain from instance")).toEqual([{ plain }])
  })
})
