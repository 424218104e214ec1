/**
 * Measures how many messages per second the SMTP relay accepts durably, on both runtimes, with one process and with one per CPU.
 * Compares it in the same run with Haraka, which has one process, and Postfix, which has many: with small and large messages,
 * over open connections and with a new connection for each message. Also measures where the relay's time goes.
 *
 * @module
 */
import { parseMail } from "../../adapters/smtp/relay/MailParser.ts"
import { startPostfix, withoutPostfix } from "../support/postfix.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freePort } from "../support/freePort.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { type Haraka, startHaraka, withoutHaraka } from "./haraka.ts"
import { millis, ratio, rounds, type Taken, takenLine, taking } from "./measure.ts"
import { runSmtpLoad } from "./smtpLoad.ts"

const connections = 32
const admin = "token-of-the-benchmark-0123456789abcdef"

/** A server that accepts mail. */
interface Peer {
  readonly name: string
  readonly port: number
  readonly user: string
  /** Empty for no login. */
  readonly password: string
  readonly pid: number | null
  readonly stop: () => Promise<void>
}

/** Starts a node of one installation. `key` was printed by an earlier node. */
const startSvc = async (
  runtime: Runtime,
  processes: "1" | "auto",
  url: string,
  key: string | null
): Promise<Peer> => {
  const folder = await freshFolder()
  // Processes can only share ports with given numbers.
  const [port, smtpPort] = processes === "1" ? [0, 0] : [await freePort(), await freePort()]
  // Without a worker, because Haraka delivers nothing either.
  const server = startServer(runtime, folder.path, {
    SVC_STORE: url,
    SVC_ADMIN_TOKEN: admin,
    SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    SVC_LOG_LEVEL: "error",
    SVC_ROLES: "api,smtp",
    SVC_PROCESSES: processes,
    SVC_PORT: String(port),
    SVC_SMTP_PORTS: `${smtpPort}/tls`
  })
  const { baseUrl, sandbox, smtp } = await server.ready()
  if (sandbox !== null) {
    await fetch(`${baseUrl}/manage/v1/accounts/${sandbox.accountId}/settings`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      body: JSON.stringify({ rateLimitPerMinute: 1_000_000 })
    })
  }
  return {
    name: `svc on ${runtime}, ${processes === "1" ? "one process" : "all processors"}`,
    port: smtp[0]!.port,
    user: "svc",
    password: sandbox?.apiKey ?? key ?? "",
    pid: server.pid,
    stop: async () => {
      server.signal(processes === "1" ? "SIGKILL" : "SIGTERM")
      await server.ended
      await folder.remove()
    }
  }
}

/** Starts a Postfix that accepts mail without a login and puts it on hold: it writes and syncs a queue file for each message. */
const startHolding = async (): Promise<Peer> => {
  const { port, stop } = await startPostfix({
    nextHop: 9,
    domain: "hold.test",
    localParts: ["held"],
    relays: true,
    settings: {
      smtpd_tls_wrappermode: "yes",
      smtpd_tls_loglevel: "0",
      smtpd_recipient_restrictions: "check_recipient_access static:HOLD, permit_mynetworks, reject",
      // Nothing is delivered, so accepting need not be slowed down.
      in_flow_delay: "0"
    }
  })
  return { name: "Postfix", port, user: "", password: "", pid: null, stop }
}

const shapes = [
  { name: "1 KB, connections stay", messageBytes: 1_000, onePerConnection: false },
  { name: "1 KB, a connection each", messageBytes: 1_000, onePerConnection: true },
  { name: "100 KB, connections stay", messageBytes: 100_000, onePerConnection: false },
  { name: "100 KB, a connection each", messageBytes: 100_000, onePerConnection: true }
] as const

/** Measures only the cost of parsing messages. */
const parsing = async () => {
  for (const bytes of [1_000, 100_000]) {
    const text = `${"It works.".padEnd(74, ".")}\r\n`.repeat(Math.ceil(bytes / 76))
    const raw = Buffer.from(`From: a@b.example\r\nTo: c@d.example\r\nSubject: s\r\n\r\n${text}`)
    const began = performance.now()
    let count = 0
    while (performance.now() - began < 1_000) {
      await Promise.all(Array.from({ length: 8 }, () => parseMail(Buffer.from(raw))))
      count += 8
    }
    const millisEach = (performance.now() - began) / count
    console.log(`${`reading ${bytes / 1000} KB, on Node`.padEnd(44)} ${millisEach.toFixed(3)} ms each`)
  }
}

/** Measures and prints the results. */
export const benchSmtp = async (): Promise<void> => {
  const database = await startPostgresServer()
  const peers: Array<Peer> = []
  try {
    const first = await startSvc("node", "1", database.url, null)
    peers.push(first)
    peers.push(await startSvc("bun", "1", database.url, first.password))
    for (const runtime of ["node", "bun"] as const)
      peers.push(await startSvc(runtime, "auto", database.url, first.password))
    const own = peers.length
    if (withoutHaraka === null) {
      const haraka: Haraka = await startHaraka()
      peers.push({ name: "Haraka", ...haraka })
    } else console.log(withoutHaraka)
    if (withoutPostfix === null) peers.push(await startHolding())
    else console.log(withoutPostfix)
    for (const shape of shapes) {
      const measured = peers.map((): Array<Taken> => [])
      for (let round = 0; round <= rounds; round++) {
        for (const [index, { password, pid, port, user }] of peers.entries()) {
          const one = await taking(pid, null, () =>
            runSmtpLoad({ ...shape, port, user, password, from: "hello@example.com", connections, millis })
          )
          // The first round is a warm-up.
          if (round > 0) measured[index]!.push(one)
        }
      }
      for (const [index, { name }] of peers.entries()) takenLine(`${shape.name}: ${name}`, measured[index]!)
      for (const [index, other] of measured.entries()) {
        if (index < own) continue
        for (let mine = 0; mine < own; mine++)
          ratio(`${shape.name}: ${peers[mine]!.name} to ${peers[index]!.name}`, measured[mine]!, other)
      }
      console.log("")
    }
    await parsing()
  } finally {
    for (const peer of peers) await peer.stop()
    await database.remove()
  }
}
