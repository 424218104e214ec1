/**
 * Tests `svc shaping` and `svc sources` against a running service: their output and exit codes.
 *
 * @module
 */
import { createServer } from "node:http"
import { type AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { start } from "../../runtimes/embedded/index.ts"
import { api } from "../support/calls.ts"
import { callCli } from "../support/cli.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { useServers } from "../support/servers.ts"
import { startSmtpSink } from "../support/smtpSink.ts"

const { folder, start: startProcess } = useServers()

interface EmailDetail {
  readonly recipients: ReadonlyArray<{
    readonly attempts: ReadonlyArray<object>
    readonly reason: string
    readonly words: string | null
  }>
}

it("operators suspend, count, override and resume on the command line", { timeout: 120_000 }, async () => {
  await using service = await start()
  const http = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await service.fetch(
      new Request(service.baseUrl + request.url, {
        method: request.method!,
        headers: request.headers as Record<string, string>,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
      })
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const ask = (method: string, path: string, token: string, body: object) =>
    service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    )
  /** Makes calls in one process. Returns the exit code and output of each. */
  const svc = async (...calls: ReadonlyArray<ReadonlyArray<string>>) => {
    const server = ["--url", url, "--token", service.managementToken]
    const done = await callCli(
      "node",
      folder(),
      calls.map((args) => [...args, ...server])
    )
    return done.map(({ code, err, out }) => [code, out + err] as const)
  }
  try {
    await ask("PATCH", `/manage/v1/accounts/${service.live.accountId}/settings`, service.managementToken, {
      defaultSender: { email: "hello@shop.example", name: null }
    })
    await service.publish("shop.example")
    const domain = ["--domain", "one.example"]
    const reason = ["--reason", "They asked us to wait."]
    const [suspended, ofSource, ofNothing, lanes] = await svc(
      ["shaping", "suspend", ...domain, ...reason],
      ["shaping", "suspend", "--provider", "google", "--source", "192.0.2.1", ...reason, "--json"],
      ["shaping", "suspend", ...reason],
      ["shaping", "lanes"]
    )
    expect(suspended![1]).toMatch(/domain:one\.example +all +all +PauseSite .* 0 +They asked us to wait\./)
    const notice = JSON.parse(ofSource![1]) as { id: string; lane: string }
    expect(notice.lane).toBe("google@192.0.2.1")
    expect([ofNothing![0], ofNothing![1]]).toEqual([1, expect.stringContaining("(shaping.lane_invalid)")])
    expect([lanes![0], lanes![1]]).toEqual([0, expect.stringMatching(/^lane +limit +leased/)])

    for (const to of ["ada@one.example", "bob@one.example"])
      await ask("POST", "/api/v1/sending/emails", service.live.apiKey, { to, subject: "Hi", text: "Hi." })
    await service.settle()
    const rules = ["--start-width", "1", "--max-width", "2", "--tls", "verified", "--open-ms", "5000"]
    const results = await svc(
      ["shaping", "bounce", ...domain, ...reason],
      ["shaping", "bounce", ...domain, ...reason, "--confirm", "3"],
      ["shaping", "resume", "--notice", notice.id, "--reason", "They lifted it."],
      ["shaping", "resume", "--notice", notice.id],
      ["shaping", "override", "google", ...rules, ...reason, "--json"],
      ["shaping", "override", "google", "--open-ms", "5", ...reason],
      ["shaping", "override", "google", "--remove"],
      ["shaping", "bounce", ...domain, ...reason, "--confirm", "2"]
    )
    // A job ends the deliveries. A flush would release those that it has not ended yet.
    await service.settle()
    const [flush, warmUp] = await svc(
      ["shaping", "flush", ...domain, "--reason", "The shop is open."],
      ["sources", "warm-up", "01985e00-0000-7000-8000-000000000000", "--day", "46"]
    )
    expect(results.map(([code]) => code)).toEqual([1, 1, 0, 1, 0, 1, 0, 0])
    const [counted, , resumed, , made, wrong, , ended] = results.map(([, text]) => text)
    expect(counted).toContain("2 deliveries are held: confirm must be this number.")
    expect(resumed).toBe("Recipients whose mail is released, slowly at first: 0\n")
    const log = await service.fetch(
      new Request(`${service.baseUrl}/manage/v1/audit-log?action=shaping`, {
        headers: { authorization: `Bearer ${service.managementToken}` }
      })
    )
    const { value } = (await log.json()) as {
      value: { items: ReadonlyArray<{ action: string; after: object }> }
    }
    const reasonsOf = (wanted: string) =>
      value.items.filter(({ action }) => action === wanted).map(({ after }) => after)
    expect(reasonsOf("shaping.resumed")).toEqual([{ reason: "They lifted it." }])
    expect(reasonsOf("shaping.flushed")).toEqual([{ reason: "The shop is open." }])
    expect(JSON.parse(made!)).toMatchObject({
      startWidth: 1,
      maxWidth: 2,
      tls: "verified",
      timeouts: { openMs: 5_000 }
    })
    expect(wrong).toContain("timeouts.openMs")
    expect(ended).toBe("Recipients whose mail was given up: 2\n")
    expect(flush).toEqual([0, "Recipients whose mail is released: 0\n"])
    expect(warmUp).toEqual([1, expect.stringContaining("1 to 45")])
  } finally {
    http.close()
  }
})

it("a server sends to the servers of a test on this machine", { timeout: 120_000 }, async () => {
  const token = "management-token-of-the-test-0123456789"
  const dns = await startDnsServer({
    "one.example": { MX: [[10, "mx.one.example"]] },
    "mx.one.example": { A: ["127.0.0.1"] }
  })
  const sink = await startSmtpSink({ startTls: "off" })
  try {
    const server = startProcess("node", {
      SVC_ADMIN_TOKEN: token,
      SVC_DNS_SERVERS: dns.address,
      SVC_MX_PORT: new URL(sink.url).port,
      SVC_MX_LOCAL: "true"
    })
    const { baseUrl } = await server.ready()
    const { accountId, apiKey } = await openLive(baseUrl, token, dns, "mail.example")
    const send = (to: string) =>
      api<{ id: string }>(baseUrl, apiKey, "/api/v1/sending/emails", { to, subject: "Hi", text: "Hi." })
    await send("ada@one.example")
    await expect.poll(() => sink.messages().length, { timeout: 45_000 }).toBe(1)
    const reply = "550 5.7.1 Service unavailable; client host blocked using Spamhaus"
    sink.answer("rcpt", reply)
    const { id } = (await send("bob@one.example")).value
    const notices = () => api<{ items: ReadonlyArray<object> }>(baseUrl, token, "/manage/v1/shaping/notices")
    await expect
      .poll(async () => (await notices()).value.items, { timeout: 45_000 })
      .toEqual([expect.objectContaining({ action: "PauseSource", words: reply, state: "Open" })])
    const read = await api<EmailDetail>(baseUrl, token, `/manage/v1/accounts/${accountId}/emails/${id}`)
    expect(read.value.recipients.map(({ words }) => words)).toEqual([reply])
    // It was not tried itself, and shows what holds it.
    const { id: held } = (await send("cy@one.example")).value
    await expect
      .poll(
        async () => {
          const path = `/manage/v1/accounts/${accountId}/emails/${held}`
          const { recipients } = (await api<EmailDetail>(baseUrl, token, path)).value
          return recipients.map(({ attempts, reason, words }) => [reason, words, attempts.length])
        },
        { timeout: 45_000 }
      )
      .toEqual([["sending.provider_held", reply, 0]])
    const act = (what: string, body: object) => api(baseUrl, token, `/manage/v1/shaping/${what}`, body)
    expect((await act("suspend", { site: "mail", reason: "No site." })).codes).toEqual([
      "shaping.lane_invalid"
    ])
    const resumed = await act("resume", { domain: "one.example", reason: "They lifted the block." })
    expect([resumed.status, resumed.value]).toEqual([200, { resumed: 2 }])
    expect((await api(baseUrl, token, "/manage/v1/shaping/explain?to=@@")).codes).toEqual([
      "validation.format"
    ])
    const warned = `Live mail goes to port ${new URL(sink.url).port} of recipients' servers, which may be on this machine`
    expect(server.err() + server.out()).toContain(warned)
  } finally {
    await Promise.all([sink.stop(), dns.stop()])
  }
})
