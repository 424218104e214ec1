/**
 * Measures emails of a live account from the submitting call to a relay: how many are accepted and how many arrive per second, on
 * both runtimes, in memory and in PostgreSQL, compared with the number of signatures that the CPUs can make. Also measures where
 * a sender's time goes.
 *
 * @module
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { availableParallelism } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { startDnsServer } from "../support/dnsServer.ts"
import { openLive } from "../support/liveDomain.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { runLoad } from "./load.ts"
import { line, median, millis, rounds } from "./measure.ts"
import { measureShares } from "./sendingShares.ts"
import { startSink } from "./sink.ts"

const connections = 64
const admin = "token-of-the-benchmark-0123456789abcdef"
const stores = ["memory", "postgres"] as const

/** How many RSA-2048 signatures all CPUs make per second. No sender that signs can deliver more. */
const signaturesPerSecond = async (): Promise<number> => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const content = randomBytes(500)
  const signing = promisify(sign)
  let count = 0
  const from = performance.now()
  // Uses more threads of the runtime than there are CPUs.
  await Promise.all(
    Array.from({ length: 2 * availableParallelism() }, async () => {
      while (performance.now() - from < 2000) {
        await signing("sha256", content, privateKey)
        count++
      }
    })
  )
  return (count * 1000) / (performance.now() - from)
}

/** Measures and prints the results. */
export const benchSending = async (): Promise<void> => {
  const database = await startPostgresServer()
  const dns = await startDnsServer()
  try {
    const signatures = await signaturesPerSecond()
    console.log(`${"RSA-2048 signatures, all processors".padEnd(44)} ${signatures.toFixed(0).padStart(7)} /s`)
    for (const store of stores) {
      for (const runtime of ["node", "bun"] satisfies ReadonlyArray<Runtime>) {
        const folder = await freshFolder()
        const sink = await startSink()
        const server = startServer(runtime, folder.path, {
          SVC_STORE: store === "memory" ? "memory" : database.url,
          SVC_ADMIN_TOKEN: admin,
          SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef",
          SVC_LOG_LEVEL: "error",
          SVC_MAIL_TRANSPORT: "smtp",
          SVC_SMTP_URL: sink.url,
          SVC_DNS_SERVERS: dns.address
        })
        try {
          const { baseUrl } = await server.ready()
          const { apiKey } = await openLive(baseUrl, admin, dns, `${runtime}-${store}.example`)
          const load = () =>
            runLoad({
              url: new URL("/api/v1/sending/emails", baseUrl),
              headers: { authorization: `Bearer ${apiKey}` },
              body: (index) =>
                JSON.stringify({
                  to: `person-${index}@example.org`,
                  subject: `Hello ${index}`,
                  html: "<p>It works.</p>",
                  text: "It works."
                }),
              connections,
              millis
            })
          const arrived = async (from: number) => {
            let before = -1
            // Waits until no more arrive.
            while (sink.count() !== before) {
              before = sink.count()
              await delay(300)
            }
            return before - from
          }
          await load()
          await arrived(0)
          const accepted = []
          const delivered: Array<number> = []
          for (let round = 0; round < rounds; round++) {
            const from = sink.count()
            const started = performance.now()
            accepted.push(await load())
            const during = (sink.count() - from) / ((performance.now() - started) / 1000)
            const loaded = performance.now()
            const left = sink.count()
            const rest = await arrived(left)
            const seconds = (performance.now() - loaded - 300) / 1000
            // With a backlog, the sender was the bottleneck; without one, it kept up.
            delivered.push(rest > 100 ? rest / seconds : during)
          }
          line(`accepted, ${store}, ${runtime}`, accepted)
          console.log(
            `${`delivered, ${store}, ${runtime}`.padEnd(44)} ${median(delivered).toFixed(0).padStart(7)} /s, ` +
              `${(median(delivered) / signatures).toFixed(2)} of the signatures`
          )
        } finally {
          // Stopped by a signal, so that it releases its share of the relay's connections, for which the next server would
          // otherwise wait.
          server.signal("SIGTERM")
          await server.ended
          sink.stop()
          await folder.remove()
        }
      }
    }
  } finally {
    await dns.stop()
    await database.remove()
  }
  await measureShares()
}
