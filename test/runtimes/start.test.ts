/**
 * Tests the first start of a server: its output, and the errors that prevent it.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { ConfigProvider, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { configuration } from "../../runtimes/config/config.ts"
import { api, delivered } from "../support/calls.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const run = promisify(execFile)
const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { start, stop } = useServers({ fresh: true })
const prepared = useServers()

for (const runtime of runtimes) {
  describe(`the first start on ${runtime}`, () => {
    it("prints once what a newcomer needs, and its curl line works unchanged", async () => {
      const first = start(runtime)
      const ready = await first.ready()
      const printed = first.out()
      expect(printed).toContain(ready.baseUrl)
      expect(printed).toContain("SMTP ports")
      expect(printed).toContain(ready.sandbox!.apiKey)
      expect(printed).toContain(ready.managementToken!)

      const line = printed.split("\n").find((text) => text.startsWith("curl "))!
      const { stdout } = await run("bash", ["-c", line])
      const sent = JSON.parse(stdout) as { isSuccess: boolean; value: { id: string } }
      expect(sent.isSuccess).toBe(true)
      const { accountId, apiKey } = ready.sandbox!
      await delivered(ready.baseUrl, apiKey, sent.value.id)
      const inbox = await api<{ items: ReadonlyArray<object> }>(
        ready.baseUrl,
        ready.managementToken!,
        `/manage/v1/accounts/${accountId}/inbox`
      )
      expect(inbox.value.items).toMatchObject([{ to: "ada@example.org", subject: "Hello" }])
      await stop(first)

      expect(first.out()).toMatch(/^ {2}Set-up link {7}http:\/\/127\.0\.0\.1:\d+\/app\/welcome#[\w-]{43}$/m)

      const second = start(runtime)
      expect(await second.ready()).toMatchObject({ managementToken: null, sandbox: null })
      expect(second.out()).not.toContain("svc_")
      expect(second.out()).not.toContain("welcome#")
      const again = await api<{ status: string }>(
        (await second.ready()).baseUrl,
        apiKey,
        `/api/v1/sending/emails/${sent.value.id}`
      )
      expect(again.value.status).toBe("Delivered")
      await stop(second)
    })

    it("uses the operator's token without printing it; the ready file is readable by its owner only", async () => {
      const token = "a-token-of-the-operator-0123456789abcdef"
      const server = start(runtime, { SVC_ADMIN_TOKEN: token, SVC_STORE: "memory" })
      const { baseUrl, managementToken } = await server.ready()
      expect(managementToken).toBe(token)
      expect((await stat(server.readyFile)).mode & 0o777).toBe(0o600)
      expect(server.out()).not.toContain(token)
      expect(server.out()).not.toContain("Management token")
      expect((await api(baseUrl, token, "/manage/v1/companies")).status).toBe(200)
      await stop(server)
    })

    it("refuses live domains without a host name for mail, and names SVC_SMTP_HOST", async () => {
      const token = "a-token-of-the-operator-0123456789abcdef"
      const addDomain = async (env: Readonly<Record<string, string>>) => {
        const server = start(runtime, { SVC_ADMIN_TOKEN: token, SVC_STORE: "memory", ...env })
        const { baseUrl } = await server.ready()
        const companies = await api<{
          items: ReadonlyArray<{ live: { accountId: string }; sandbox: { accountId: string } }>
        }>(baseUrl, token, "/manage/v1/companies")
        const { live, sandbox } = companies.value.items[0]!
        const add = ({ accountId }: { readonly accountId: string }) =>
          api<{ records: ReadonlyArray<{ type: string; value: string }> }>(
            baseUrl,
            token,
            `/manage/v1/accounts/${accountId}/domains`,
            { domain: "shop.example" }
          )
        const answers = { live: await add(live), sandbox: await add(sandbox) }
        await stop(server)
        return answers
      }
      const without = await addDomain({})
      expect(without.sandbox.status).toBe(201)
      expect(without.live.status).toBe(409)
      expect(without.live.codes).toEqual(["deliverability.mail_host_missing"])
      const { live } = await addDomain({ SVC_SMTP_HOST: "mail.example.com" })
      expect(live.status).toBe(201)
      expect(live.value.records.find(({ type }) => type === "MX")?.value).toMatch(/\bmail\.example\.com$/)
    })

    it("prints the address for a proxy beside the base URL", async () => {
      const server = start(runtime, { SVC_STORE: "memory", SVC_BASE_URL: "https://mail.example/" })
      expect((await server.ready()).baseUrl).toBe("https://mail.example")
      expect(server.out()).toMatch(
        /^svc listens on https:\/\/mail\.example, for a proxy to http:\/\/127\.0\.0\.1:\d+$/m
      )
      await stop(server)
    })

    it("says why no mail goes to users, where a sender is set whose domain is not verified", async () => {
      const server = start(runtime, {
        SVC_STORE: "memory",
        SVC_SYSTEM_SENDER: "Example <people@mail.example>"
      })
      await server.ready()
      expect(server.out() + server.err()).toContain(
        "SVC_SYSTEM_SENDER is on no verified domain of the live account"
      )
      expect(server.out() + server.err()).not.toContain("people@mail.example")
      await stop(server)
    })

    it("fails on an invalid value, with one line that names it", async () => {
      // The configuration accepts it, because an earlier version did; the start does not.
      const server = start(runtime, {
        SVC_STORE: "memory",
        SVC_ADMIN_TOKEN: "thirty-one-characters-are-a-few"
      })
      expect((await server.ended).code).toBe(1)
      expect(server.out()).toBe("")
      expect(server.err().trim().split("\n")).toEqual([
        expect.stringContaining("SVC_ADMIN_TOKEN is invalid: expected ")
      ])
    })

    it("fails on a used port, with one line", async () => {
      const first = start(runtime, { SVC_STORE: "memory" })
      const { port } = new URL((await first.ready()).baseUrl)
      const second = start(runtime, { SVC_STORE: "memory", SVC_PORT: port })
      expect((await second.ended).code).toBe(1)
      expect(second.err().trim().split("\n")).toEqual([
        expect.stringMatching(/^Cannot listen: .*\. Stop what uses the port, or set SVC_PORT to another$/)
      ])
    })

    it("fails on a directory that another process has locked, with one line", async () => {
      const first = prepared.start(runtime)
      await first.ready()
      const second = prepared.start(runtime === "node" ? "bun" : "node")
      expect((await second.ended).code).toBe(1)
      expect(second.err().trim()).toBe(
        `The data directory ${join(prepared.folder(), "data")} is in use by another process`
      )
      expect((await api((await first.ready()).baseUrl, "", "/health/ready")).status).toBe(200)
    })
  })
}

it.each([
  ["SVC_PORT", "eighty"],
  ["SVC_PORT", "65536"],
  ["SVC_STORE", "mysql://localhost/db"],
  ["SVC_BASE_URL", "not a url"],
  ["SVC_BASE_URL", "https://example.com/mail"],
  ["SVC_ROLES", "api,cook"],
  ["SVC_ADMIN_TOKEN", "short"],
  ["SVC_SECRET_KEY", "thirty-one characters are a few"],
  ["SVC_SMTP_PORTS", "587,x"],
  ["SVC_SMTP_PORTS", "2525,2525/tls"],
  ["SVC_INBOUND_PORT", "2525"],
  ["SVC_DNS_SERVERS", "1.1.1"],
  ["SVC_TRUSTED_PROXIES", "10.0.0.0/8, proxy.internal"],
  ["SVC_MAX_CONNECTIONS", "0"],
  ["SVC_MAX_CONNECTIONS_PER_NETWORK", "many"],
  ["SVC_MAX_UNKNOWN_BYTES", "64KB"],
  ["SVC_LOG_LEVEL", "loud"],
  ["SVC_READY_FILE", "/nowhere/ready.json"],
  ["SVC_MX_PORT", "0"],
  ["SVC_MX_LOCAL", "loopback"],
  ["SVC_SYSTEM_SENDER", "Example"],
  ["SVC_SYSTEM_ACCOUNT", "first"],
  ["SVC_MACHINE_FILE", "/nowhere/machines.json"],
  ["SVC_SHAPING_FILE", "/nowhere/shaping.json"],
  ["SVC_TLS_CERT", "/nowhere/cert.pem"]
])("%s is not read as %s, in one line that names it", async (name, value) => {
  const read = Effect.provide(
    configuration,
    Layer.mergeAll(
      NodeFileSystem.layer,
      NodePath.layer,
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: { [name]: value } }))
    )
  )
  const { message } = await Effect.runPromise(Effect.flip(read))
  expect(message).toMatch(new RegExp(`^${name} is invalid: expected .+$`))
})
