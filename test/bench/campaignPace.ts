/**
 * Measures campaigns with an unreachable pace and without one, on Node over PostgreSQL, with one process and with two. With a
 * relay that accepts nothing, so that nothing else uses the CPU, it counts the emails created per second; with a relay that
 * accepts everything, those that arrive.
 *
 * @module
 */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { api } from "../support/calls.ts"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { freePort } from "../support/freePort.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, startServer } from "../support/serverProcess.ts"
import { startSink } from "./sink.ts"

const admin = "token-of-the-benchmark-0123456789abcdef"
const batch = 1_000
const pollMillis = 100
const html = `<p>Hello {{ contact.firstName }}</p>${"<p>It is spring, and the shop is open.</p>".repeat(110)}`
/** Fewer than the most emails that a campaign may have in the queue, so that all are created although none is sent. */
const people = 4_500
/** Emails per second; null for no pace. */
const paces = [null, 10_000]

interface Shown {
  readonly status: string
  readonly stats: { readonly submitted: number }
}

/** A relay that accepts connections and sends nothing. */
const startMute = async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on("error", () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => 0,
    stop: () => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    }
  }
}

const measure = async (isMute: boolean, processes: number): Promise<void> => {
  const database = await startPostgresServer()
  const dns = await startDnsServer()
  const sink = await (isMute ? startMute() : startSink())
  const folder = await freshFolder()
  const server = startServer("node", folder.path, {
    SVC_STORE: database.url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_LOG_LEVEL: "error",
    SVC_MAIL_TRANSPORT: "smtp",
    SVC_SMTP_URL: sink.url,
    SVC_DNS_SERVERS: dns.address,
    ...(processes > 1 && { SVC_PROCESSES: String(processes), SVC_PORT: String(await freePort()) })
  })
  try {
    const { baseUrl } = await server.ready()
    const { accountId } = await openLive(baseUrl, admin, dns, "campaign.example")
    const account = `/manage/v1/accounts/${accountId}`
    const key = await api<{ key: string }>(baseUrl, admin, `${account}/api-keys`, {
      name: "People",
      permissions: ["contacts:write"],
      expiresInDays: null
    })
    for (let from = 0; from < people; from += batch) {
      const contacts = Array.from({ length: Math.min(batch, people - from) }, (_, index) => ({
        email: `person-${from + index}@people.example`,
        firstName: `P${from + index}`,
        consent: { basis: "Customer" }
      }))
      await api(baseUrl, key.value.key, "/api/v1/contacts/batch", { contacts })
    }
    const segment = await api<{ id: string }>(baseUrl, admin, `${account}/segments`, {
      name: "People",
      definition: { join: "All", rules: [{ fieldKey: "firstName", operator: "StartsWith", value: "P" }] }
    })
    for (const perSecond of paces) {
      const { value } = await api<{ id: string }>(baseUrl, admin, `${account}/campaigns`, {
        name: "Paced",
        content: { subject: "Spring", html },
        audience: { segments: [segment.value.id] },
        pace: perSecond === null ? null : { emails: perSecond * 60, per: "Minute" }
      })
      const path = `${account}/campaigns/${value.id}`
      const taken = sink.count()
      await api(baseUrl, admin, `${path}/launch`, {})
      const from = performance.now()
      const isOver = ({ stats, status }: Shown) => (isMute ? stats.submitted === people : status === "Sent")
      while (!isOver((await api<Shown>(baseUrl, admin, path)).value)) await delay(pollMillis)
      const millis = performance.now() - from
      console.log(
        `${processes} process${processes === 1 ? "" : "es"}, ${perSecond === null ? "no pace" : `at most ${perSecond} /s`}:`.padEnd(
          32
        ) +
          `${((1_000 * people) / millis).toFixed(0)} /s ${isMute ? "created" : "sent"}, ${sink.count() - taken} at the relay`
      )
      if (isMute) await api(baseUrl, admin, `${path}/cancel`, {})
    }
  } finally {
    server.signal(processes === 1 ? "SIGKILL" : "SIGTERM")
    await server.ended
    sink.stop()
    await dns.stop()
    await database.remove()
    await folder.remove()
  }
}

/** Measures and prints the results. */
export const benchCampaignPace = async (): Promise<void> => {
  for (const isMute of [true, false]) for (const processes of [1, 2]) await measure(isMute, processes)
}
