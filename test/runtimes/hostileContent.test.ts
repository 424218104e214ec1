/**
 * Tests that messages which are expensive to read delay no other caller of a server, neither calls nor messages.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { api, liftRateLimit } from "../support/calls.ts"
import { queuedId } from "../support/relayed.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { loggedIn } from "../support/smtpClient.ts"
import { hostileMessages } from "../fixtures/hostile/messages.ts"

const small = "From: hello@mail.example\r\nTo: ada@example.org\r\nSubject: Hello\r\n\r\nIt works.\r\n"

/**
 * The longest wait for a server, on a machine that also runs other tests, in milliseconds. With a blocked event loop it is 2 to
 * 80 s.
 */
const waitMillis = 1_500

/** The most memory of the process, in bytes. Before it was limited, it was over 2 GB. */
const mostMemory = 1_300_000_000

const worst: ReadonlySet<string> = new Set([
  "UTF-7 in one line",
  "markup in text and html",
  "markup in many parts",
  "quoted-printable in one line",
  "base64 of padding",
  "nested groups of addresses",
  "address fields"
])

const memoryOf = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""))?.[1] ?? 0) *
  1024

/** Runs `act` and meanwhile calls a route that needs only the process. Returns the longest wait for it. */
const probing = async (baseUrl: string, pid: number, act: () => Promise<void>) => {
  const seen = { wait: 0, memory: 0 }
  const state = { isOver: false }
  const probe = async () => {
    while (!state.isOver) {
      const began = performance.now()
      expect((await fetch(`${baseUrl}/health/live`)).status).toBe(200)
      seen.wait = Math.max(seen.wait, performance.now() - began)
      seen.memory = Math.max(seen.memory, await memoryOf(pid))
      await delay(20)
    }
  }
  const probes = probe()
  await act().finally(() => {
    state.isOver = true
  })
  await probes
  return seen
}

describe.each<Runtime>(["node", "bun"])("a server on %s", (runtime) => {
  const servers = useServers()

  const begin = async () => {
    const server = servers.start(runtime, {
      SVC_SMTP_PORTS: "0/tls",
      SVC_STORE: "memory",
      NODE_OPTIONS: "--max-old-space-size=512 --max-semi-space-size=4"
    })
    const { baseUrl, managementToken, sandbox, smtp } = await server.ready()
    const token = managementToken!
    await liftRateLimit(baseUrl, token, sandbox!.accountId)
    const company = await api<{ sandbox: { accountId: string } }>(baseUrl, token, "/manage/v1/companies", {
      name: "Another"
    })
    const account = `/manage/v1/accounts/${company.value.sandbox.accountId}`
    await liftRateLimit(baseUrl, token, company.value.sandbox.accountId)
    await api(baseUrl, token, `${account}/domains`, { domain: "mail.example" })
    const key = await api<{ key: string }>(baseUrl, token, `${account}/api-keys`, {
      name: "Other",
      permissions: ["emails:send"],
      expiresInDays: null
    })
    return { server, baseUrl, token, sandbox: sandbox!, other: key.value.key, address: smtp[0]! }
  }

  it("takes another account's message while it reads hostile ones", { timeout: 240_000 }, async () => {
    const { address, baseUrl, other, sandbox, server } = await begin()
    const seen = await probing(baseUrl, server.pid, async () => {
      const client = await loggedIn(address, other)
      const hostile = hostileMessages
        .filter(({ name }) => worst.has(name))
        .map(async ({ make }) => {
          const attacker = await loggedIn(address, sandbox.apiKey)
          // Rejected for its content or its cost, or read after all.
          expect(await attacker.send(["ada@example.org"], make())).toMatch(/^(?:250|554 5\.6\.0|55[02]) /)
          attacker.close()
        })
      const all = Promise.all(hostile)
      const state = { isOver: false }
      const over = () => {
        state.isOver = true
      }
      all.then(over, over)
      let longest = 0
      while (!state.isOver) {
        const began = performance.now()
        queuedId(await client.send(["ada@example.org"], small))
        longest = Math.max(longest, performance.now() - began)
        await delay(50)
      }
      await all
      expect(longest).toBeLessThan(4 * waitMillis)
      client.close()
    })
    expect(seen.wait).toBeLessThan(waitMillis)
    expect(seen.memory).toBeLessThan(mostMemory)
    await servers.stop(server)
  })
})
