/**
 * The process of a prober: repeatedly sends requests to two servers at the same moments, and reports the measurements at the end.
 * Its arguments are the URL of the server, its process id, and the URL of an idle server.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { Agent, get } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import type { Probe } from "./prober.ts"

const [url = "", pid = "", idleUrl = ""] = process.argv.slice(2)
const everyMillis = 50
/** The most measurements that are kept. */
const most = 50000

const ask = (address: string, agent: Agent): Promise<{ millis: number; fault: string | null }> =>
  new Promise((resolve) => {
    const began = performance.now()
    const end = (fault: string | null) => resolve({ millis: performance.now() - began, fault })
    get(address, { agent }, (response) => {
      response.resume()
      response.on("end", () => end(response.statusCode === 200 ? null : `status ${response.statusCode}`))
      response.on("error", (error) => end(String(error)))
    }).on("error", (error) => end(String(error)))
  })

/** The total time that the main thread of a process has waited for a CPU, in milliseconds. */
const queuedMillis = (): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}

const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const
let probes: Array<Probe> = []
let count = 0
const faults: Array<string> = []

process.on("message", () => {
  process.send?.({ count, faults, probes }, () => process.exit(0))
})
process.on("disconnect", () => process.exit(0))

for (;;) {
  const at = Date.now()
  const queued = queuedMillis()
  const [answered, idle] = await Promise.all([ask(url, agents[0]), ask(idleUrl, agents[1])])
  count++
  if (answered.fault !== null) faults.push(answered.fault)
  probes.push({
    at,
    millis: answered.millis,
    idleMillis: idle.millis,
    queuedMillis: queuedMillis() - queued
  })
  if (probes.length > 10 * most) probes = probes.toSorted((a, b) => b.millis - a.millis).slice(0, most)
  await delay(Math.max(0, at + everyMillis - Date.now()))
}
