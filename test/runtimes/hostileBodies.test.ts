/**
 * Tests bodies that would be expensive to read without limits: a server with a heap of 512 MB rejects them after little work,
 * survives several at once, and responds on its health route meanwhile. The largest valid bodies are accepted.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { Worker } from "node:worker_threads"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { brokenBodies, hostileBodies, type LargeBody, largestBodies } from "../fixtures/hostile/bodies.ts"
import { freshDatabase } from "../support/postgres.ts"
import { freshFolder, type ReadyFile, type ServerProcess, startServer } from "../support/serverProcess.ts"

/** The CPU time that a hostile body may take, in seconds, including reading it from the socket. */
const maxSeconds = 1
/** The most memory of the process, in megabytes. */
const maxMegabytes = 700
/**
 * How long the health route may take, in milliseconds: far less than with a blocked event loop, far more than on a busy machine.
 */
const maxMillis = 5_000

/** Calls the health route repeatedly in a separate thread, and reports the response times. */
const probe = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { Agent, get } = require("node:http")
  const agent = new Agent({ keepAlive: true })
  const ask = () => {
    const asked = performance.now()
    get(workerData, { agent }, (response) => {
      response.resume()
      response.on("end", () => {
        parentPort.postMessage(performance.now() - asked)
        setTimeout(ask, 20)
      })
    }).on("error", () => {})
  }
  ask()
`

describe("bodies that are expensive to read", () => {
  let folder: Awaited<ReturnType<typeof freshFolder>>
  let server: ServerProcess
  let ready: ReadyFile
  let worker: Worker
  let slowest = 0

  beforeAll(async () => {
    folder = await freshFolder()
    const main = new URL("../../runtimes/node/main.ts", import.meta.url).pathname
    server = startServer("node", folder.path, { SVC_STORE: await freshDatabase() }, [
      "--max-old-space-size=512",
      main
    ])
    ready = await server.ready()
    worker = new Worker(probe, { eval: true, workerData: `${ready.baseUrl}/health/live` })
    worker.on("message", (millis: number) => {
      slowest = Math.max(slowest, millis)
    })
  })
  afterAll(async () => {
    await worker.terminate()
    server.signal("SIGTERM")
    await server.ended
    await folder.remove()
  })

  const send = async ({ door, path }: LargeBody, body: string) => {
    const { accountId, apiKey } = ready.sandbox!
    const isApi = door === "api"
    const response = await fetch(
      `${ready.baseUrl}${isApi ? "/api/v1" : `/manage/v1/accounts/${accountId}`}${path}`,
      {
        method: "POST",
        headers: {
          authorization: `Bearer ${isApi ? apiKey : ready.managementToken}`,
          "content-type": "application/json"
        },
        body
      }
    )
    return { status: response.status, text: await response.text() }
  }

  const secondsOf = async (): Promise<number> => {
    const fields = (await readFile(`/proc/${server.pid}/stat`, "utf8")).split(") ")[1]!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) / 100
  }

  const megabytes = async (): Promise<number> => {
    const status = await readFile(`/proc/${server.pid}/status`, "utf8")
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  it.each(hostileBodies.map((body) => [body.name, body] as const))(
    "are refused after little work: %s",
    async (_name, hostile) => {
      const body = hostile.make()
      const before = await secondsOf()
      const { status, text } = await send(hostile, body)
      expect(status).toBe(hostile.status)
      expect(text).toContain(hostile.code)
      expect(text.length).toBeLessThan(1000)
      expect((await secondsOf()) - before).toBeLessThan(maxSeconds)
    }
  )

  it.each(brokenBodies.map((body) => [body.name, body] as const))(
    "are answered briefly: %s",
    async (_name, broken) => {
      const { status, text } = await send(broken, broken.make())
      expect(status).toBe(broken.status)
      expect(text).toContain(broken.code ?? "more errors")
      expect(text.length).toBeLessThan(250_000)
    }
  )

  it("are read one after another where an account sends many at once", async () => {
    const [hostile] = hostileBodies
    const body = hostile!.make()
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(hostile!, body)))
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  })

  it("are accepted where they are valid", async () => {
    const url = `${ready.baseUrl}/manage/v1/accounts/${ready.sandbox!.accountId}/settings`
    const headers = {
      authorization: `Bearer ${ready.managementToken}`,
      "content-type": "application/json"
    }
    await fetch(url, { method: "PATCH", headers, body: JSON.stringify({ autoCreateAttributes: true }) })
    for (const largest of largestBodies) {
      const { status, text } = await send(largest, largest.make())
      expect([largest.name, status]).toEqual([largest.name, 200])
      expect(text).toMatch(/"failed":0|"rejected":\[\]/)
    }
  })

  it("leave the server answering, with bounded memory", async () => {
    expect(slowest).toBeLessThan(maxMillis)
    expect(await megabytes()).toBeLessThan(maxMegabytes)
    expect((await fetch(`${ready.baseUrl}/health/ready`)).status).toBe(200)
  })
})
