/**
 * Tests several processes behind the same ports: they are restarted one by one without a refused call, replaced if they end, and
 * their metrics are merged.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { Agent, get } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { eventually } from "../support/client.ts"
import { freePort } from "../support/freePort.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

/** The longest time in which two processes start one after another on a busy machine, in milliseconds. */
const startTimeout = 120_000

const admin = "token-of-the-operator-0123456789abcdef"

/** The processes started by a process. */
const childrenOf = async (pid: number): Promise<ReadonlyArray<number>> => {
  // The program fails if there are none.
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=", "--ppid", String(pid)]).catch(() => ({
    stdout: ""
  }))
  return stdout.split("\n").flatMap((line) => (/^\s*\d+\s*$/.test(line) ? [Number(line)] : []))
}

/** Calls a URL continuously, over kept and over new connections, until stopped. */
const callContinuously = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const state = { isOver: false, calls: 0 }
  const failures: Array<string> = []
  const call = (kept: boolean): Promise<void> =>
    new Promise((resolve) => {
      const failed = (error: Error) => {
        failures.push(`${kept ? "kept" : "new"}: ${String(error)}`)
        resolve()
      }
      get(url, { agent: kept ? agent : new Agent() }, (response) => {
        state.calls++
        if (response.statusCode !== 200) failures.push(String(response.statusCode))
        response.resume().on("end", resolve).on("error", failed)
      }).on("error", failed)
    })
  // About a thousand calls per second, so that starting processes still get CPU time.
  const lane = async (kept: boolean) => {
    while (!state.isOver) await Promise.all([call(kept), delay(8)])
  }
  const lanes = Promise.all([...Array.from({ length: 6 }, () => lane(true)), lane(false), lane(false)])
  return {
    stop: async () => {
      state.isOver = true
      await lanes
      agent.destroy()
      return { calls: state.calls, failures }
    }
  }
}

describe.each<Runtime>(["node", "bun"])("processes on %s", (runtime) => {
  const servers = useServers()

  it("answer every call while they are restarted one by one, and are replaced where they end", async () => {
    const server = servers.start(runtime, {
      SVC_STORE: await freshDatabase(),
      SVC_PORT: String(await freePort()),
      SVC_SMTP_PORTS: `${await freePort()}/tls`,
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      SVC_PROCESSES: "1 api+worker, 1 api+smtp",
      SVC_LOG_LEVEL: "info"
    })
    const { baseUrl, sandbox, smtp } = await server.ready()
    expect([sandbox === null, smtp.length]).toEqual([false, 1])
    expect(server.out().match(/First start/g)).toHaveLength(1)
    const first = await childrenOf(server.pid)
    expect(first).toHaveLength(2)

    const calls = callContinuously(`${baseUrl}/health/live`)
    const restarts = runtime === "node" ? 3 : 1
    for (let restart = 1; restart <= restarts; restart++) {
      server.signal("SIGUSR2")
      await expect
        .poll(() => server.out().match(/processes restarted/g)?.length ?? 0, { timeout: startTimeout })
        .toBe(restart)
    }
    const { calls: made, failures } = await calls.stop()
    process.stdout.write(`processes on ${runtime}: ${made} calls during ${restarts} restarts`)
    // On Bun, the system resets connections that wait to be accepted when a process stops listening.
    const resets = runtime === "bun" ? failures.filter((failure) => /^new: .*ECONNRESET/.test(failure)) : []
    expect(failures.filter((failure) => !resets.includes(failure))).toEqual([])
    expect(resets.length).toBeLessThanOrEqual(6)
    expect(made).toBeGreaterThan(500)
    const second = await childrenOf(server.pid)
    expect(second).toHaveLength(2)
    expect(second.filter((pid) => first.includes(pid))).toEqual([])

    process.kill(second[0]!, "SIGKILL")
    await eventually(
      () => childrenOf(server.pid),
      (pids) => pids.length === 2 && !pids.includes(second[0]!)
    )
    await expect
      .poll(() => server.out().split("message=started").length - 1, { timeout: startTimeout })
      .toBe(2 * (1 + restarts) + 1)
    // Each process responds with the calls of both.
    const made2 = 40
    for (let call = 0; call < made2; call++) {
      await fetch(`${baseUrl}/api/v1/topics`, { headers: { connection: "close" } })
    }
    const metrics = await fetch(`${baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${admin}`, connection: "close" }
    })
    const text = await metrics.text()
    const counted = [...text.matchAll(/^svc_http_requests_total\{[^}]*401[^}]*\} (\d+)$/gm)]
    expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(made2)
    expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1)
    await servers.stop(server)
    expect(await childrenOf(server.pid)).toEqual([])
  }, 600_000)

  it("refuse what cannot be shared, and end with a process that cannot start", async () => {
    const endedBy = async (env: Readonly<Record<string, string>>) => {
      const server = servers.start(runtime, { SVC_PROCESSES: "2", ...env })
      const { code } = await server.ended
      return [code, server.err()]
    }
    expect(await endedBy({})).toEqual([1, expect.stringContaining("SVC_PROCESSES is invalid")])
    const store = await freshDatabase()
    expect(await endedBy({ SVC_STORE: store })).toEqual([1, expect.stringContaining("SVC_PORT is invalid")])
    const port = String(await freePort())
    // A program that shares its port, like processes on Bun.
    const other = createServer()
    await new Promise<void>((resolve) =>
      other.listen({ port: 0, host: "127.0.0.1", reusePort: true }, resolve)
    )
    const taken = String((other.address() as AddressInfo).port)
    const smtp = { SVC_SMTP_PORTS: String(await freePort()), SVC_SMTP_HOST: "mail.example.com" }
    for (const env of [
      { SVC_PORT: taken },
      { SVC_PORT: port, ...smtp, SVC_SMTP_PORTS: taken },
      { SVC_PORT: port, ...smtp, SVC_INBOUND_PORT: taken }
    ]) {
      const named = Object.entries(env).find(([, value]) => value === taken)![0]
      expect(await endedBy({ SVC_STORE: store, ...env })).toEqual([
        1,
        expect.stringMatching(new RegExp(`^Cannot listen: .*${taken}.*, or set ${named} to another$`, "m"))
      ])
    }
    await new Promise((resolve) => other.close(resolve))
    const closed = store.replace(/:\d+\//, ":1/")
    expect(await endedBy({ SVC_STORE: closed, SVC_PORT: port })).toEqual([
      1,
      expect.stringMatching(/Cannot use the database[^]*did not start/)
    ])
  })
})
