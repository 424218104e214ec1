/**
 * Tests failed logins to the SMTP relay (docs/contributing/public-api.md "Authentication"), on services with virtual clocks.
 *
 * @module
 */
import { expect, it } from "vitest"
import { type Embedded, type Options, start } from "../../runtimes/embedded/index.ts"
import { freshDatabase } from "../support/postgres.ts"
import { loggedIn, openSmtp, plainToken } from "../support/smtpClient.ts"

const fail = async ({ smtp }: Embedded, from: string, times: number): Promise<ReadonlyArray<string>> => {
  const client = await openSmtp(smtp[1]!, { from })
  await client.read()
  await client.say("EHLO test.example")
  const answers: Array<string> = []
  for (let count = 0; count < times; count++) {
    answers.push(await client.say(`AUTH PLAIN ${plainToken("wrong")}`))
  }
  client.close()
  return answers
}

const nodes: ReadonlyArray<readonly [string, () => Promise<ReadonlyArray<Options>>]> = [
  ["one node over memory", async () => [{}]],
  ["one node over PGlite", async () => [{ store: "pglite" }]],
  [
    "two nodes over one Postgres",
    async () => {
      const url = await freshDatabase()
      const secretKey = "a secret key that both nodes are given"
      return [
        { store: { url }, secretKey },
        { store: { url }, secretKey }
      ]
    }
  ]
]

it.each(nodes)("10 failures in 10 minutes lock an address out for 15, by %s", async (_name, options) => {
  const services: Array<Embedded> = []
  const startAt = Date.now()
  try {
    for (const one of await options()) services.push(await start({ smtp: true, startAt, ...one }))
    // The clock of a node that started later is behind.
    const latest = Math.max(...services.map((service) => service.now()))
    for (const service of services) await service.advance(Math.max(0, latest - service.now()))
    const [first] = services
    const last = services.at(-1)!
    const login = async (service: Embedded, from: string) => {
      try {
        const client = await loggedIn(service.smtp[1]!, last.sandbox.apiKey, { from })
        client.close()
        return "in"
      } catch (error) {
        return /535 5\.7\.8 Too many failed logins/.test(String(error)) ? "locked out" : String(error)
      }
    }
    const advance = async (time: "9 minutes" | "11 minutes" | "14 minutes" | "15 seconds" | "70 seconds") => {
      for (const service of services) await service.advance(time)
    }
    await fail(first!, "127.0.0.41", 9)
    await advance("11 minutes")
    await fail(last, "127.0.0.41", 9)
    expect(await login(first!, "127.0.0.41")).toBe("in")
    await advance("9 minutes")
    await fail(first!, "127.0.0.41", 1)
    // Each node takes a different time to move its clock, and failures are counted in intervals of ten seconds.
    await advance("15 seconds")
    for (const service of services) {
      expect(await login(service, "127.0.0.41")).toBe("locked out")
      expect(await login(service, "127.0.0.42")).toBe("in")
    }
    await advance("14 minutes")
    for (const service of services) expect(await login(service, "127.0.0.41")).toBe("locked out")
    // Failures during the lockout do not extend it.
    expect(new Set(await fail(last, "127.0.0.41", 10))).toEqual(
      new Set(["535 5.7.8 Too many failed logins from this address; refused for 15 minutes"])
    )
    await advance("70 seconds")
    for (const service of services) expect(await login(service, "127.0.0.41")).toBe("in")
  } finally {
    for (const service of services) await service.close()
  }
})
