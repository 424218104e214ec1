/**
 * Tests `svc listen`: the notifications of an account are posted to an address of this machine.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { afterEach, describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { EventStreamParser } from "../../runtimes/cli/listen/EventStreamParser.ts"
import { api } from "../support/calls.ts"
import { cliOf, linesOf } from "../support/cli.ts"
import { eventually } from "../support/client.ts"
import { sharedCode } from "../support/prepared.ts"
import { startReceiver, verifyWebhook } from "../support/receiver.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { startTcpProxy } from "../support/tcpProxy.ts"

const { folder, start } = useServers()

const stops: Array<() => unknown> = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Starts the command, which runs until the test ends. */
const listen = (runtime: Runtime, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const [program, script] = cliOf(runtime)
  const child = spawn(program, [script, "listen", ...args], {
    cwd: folder(),
    env: { PATH: process.env["PATH"], HOME: folder(), ...sharedCode(), ...env }
  })
  stops.push(() => child.kill("SIGKILL"))
  let [out, err] = ["", ""]
  child.stdout.on("data", (piece: Buffer) => (out += piece.toString()))
  child.stderr.on("data", (piece: Buffer) => (err += piece.toString()))
  return { lines: () => linesOf(out), err: () => err }
}

const shown = (text: string) =>
  new RegExp(`^${text} [0-9a-f-]{36} -> (\\d{3}|no answer \\(.*\\)) in \\d+ ms$`)

for (const runtime of ["node", "bun"] satisfies ReadonlyArray<Runtime>) {
  it(`posts notifications signed, and goes on behind the last one after the connection was lost, on ${runtime}`, async () => {
    const { baseUrl, managementToken, sandbox } = await start(runtime, { SVC_STORE: "memory" }).ready()
    const receiver = await startReceiver()
    const proxy = await startTcpProxy(Number(new URL(baseUrl).port))
    stops.push(receiver.stop, proxy.stop)
    const env = { SVC_BASE_URL: `http://127.0.0.1:${proxy.port}`, SVC_ADMIN_TOKEN: managementToken! }
    const listening = listen(runtime, env, "--forward-to", `${receiver.url}/hook`)
    const [first = "", second = ""] = await eventually(
      async () => listening.lines(),
      (lines) => lines.length >= 2
    )
    expect(first).toMatch(/^Secret: whsec_[A-Za-z0-9+/]{43}=$/)
    expect(second).toBe(`Notifications are posted to ${receiver.url}/hook`)
    const secret = first.slice("Secret: ".length)
    const send = (to: string) =>
      api(baseUrl, sandbox!.apiKey, "/api/v1/sending/emails", { to, subject: "Hello", text: "It works." })

    await send("ada@example.org")
    const received = await receiver.awaited("/hook", 2)
    expect(received.map(({ json }) => json.type).toSorted()).toEqual(["email.delivered", "email.sent"])
    for (const request of received) {
      expect(verifyWebhook(secret, request, request.at)).toEqual(request.json)
      expect(request.headers["webhook-id"]).toBe(request.json.id)
    }
    const posted = () => listening.lines().slice(2)
    await eventually(
      async () => posted(),
      (lines) => lines.length === 2
    )
    expect(posted().toSorted()).toEqual([
      expect.stringMatching(shown("email.delivered")),
      expect.stringMatching(shown("email.sent"))
    ])
    expect(posted()[0]).toContain("-> 204 in")

    await proxy.refuse()
    await send("grace@example.org")
    await proxy.listen()
    await receiver.awaited("/hook", 4)
    const emails = receiver.received("/hook").map(({ json }) => json.data["email"])
    expect(emails.toSorted()).toEqual([
      "ada@example.org",
      "ada@example.org",
      "grace@example.org",
      "grace@example.org"
    ])
    expect(listening.err()).toContain("Reconnected.")

    await receiver.stop()
    await send("joan@example.org")
    const failed = await eventually(
      async () => posted().slice(4),
      (lines) => lines.length === 2
    )
    for (const line of failed) expect(line).toMatch(/-> no answer \(\w+\) in /)
  })
}

describe("a stream of events", () => {
  const text =
    'retry: 2000\nid: 1\n\n: comment\nid: 2\nevent: notifications\ndata: {"a":\r\ndata:  1}\r\n\r\nid: 3\n\ndata\n\nevent: x\n\n'

  it("is parsed alike however it is divided", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const parser = new EventStreamParser()
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const events = places.slice(1).flatMap((to, index) => parser.take(text.slice(places[index], to)))
        expect(events).toEqual([
          { event: "notifications", data: '{"a":\n 1}' },
          { event: "message", data: "" }
        ])
        expect(parser.lastId).toBe("3")
      })
    )
  })
})
