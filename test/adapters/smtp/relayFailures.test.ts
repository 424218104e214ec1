/**
 * Tests the replies of the SMTP relay when the service behind it fails.
 *
 * @module
 */
import { Effect, Exit, Layer, References, Scope } from "effect"
import { afterEach, expect, it } from "vitest"
import { selfSigned } from "../../../adapters/smtp/Certificate.ts"
import { serveRelay } from "../../../adapters/smtp/relay/RelayServer.ts"
import { layer as threads } from "../../../adapters/threads/Threads.ts"
import { Relay } from "../../../core/relay/Relay.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"
import { loggedIn, openSmtp, plainToken } from "../../support/smtpClient.ts"

const hello = "From: a@x.example\r\nTo: b@x.example\r\nSubject: s\r\n\r\nt\r\n"
const admitted = { _tag: "Authenticated", accountId: "account", keyId: "key" } as const

let scope = Scope.makeUnsafe()
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  scope = Scope.makeUnsafe()
})

const begin = async (relay: Partial<Relay["Service"]>) => {
  const service = Relay.of({
    login: () => Effect.succeed(admitted),
    authenticate: () => Effect.succeed(admitted),
    accept: () => Effect.succeed("id"),
    ...relay
  })
  const { ports } = await Effect.runPromise(
    serveRelay({
      host: "127.0.0.1",
      ports: [{ port: 0, implicitTls: true }],
      mailHost: "relay.test",
      certificate: await selfSigned("relay.test", Date.now()),
      limits: { takeMillis: 300 }
    }).pipe(
      Effect.provide(Layer.merge(Layer.succeed(Relay, service), threads())),
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
  return { host: "127.0.0.1", port: ports[0]!.port, tls: true }
}

const down = new Unavailable({ cause: "down" })

it.each([
  ["the database is unavailable", () => Effect.fail(down)],
  ["the service has a defect", () => Effect.die(new Error("defect"))],
  ["the service does not respond", () => Effect.never]
])("the relay replies 451 4.3.0 when %s, and continues", async (_name, fail) => {
  let isBroken = true
  const broken =
    <A>(well: A) =>
    () =>
      Effect.suspend(() => (isBroken ? fail() : Effect.succeed(well)))
  const address = await begin({
    login: broken(admitted),
    authenticate: broken(admitted),
    accept: broken("id")
  })
  const client = await openSmtp(address)
  await client.read()
  await client.say("EHLO test.example")
  expect(await client.say(`AUTH PLAIN ${plainToken("key")}`)).toMatch(/^451 4\.3\.0 /)
  isBroken = false
  expect(await client.say(`AUTH PLAIN ${plainToken("key")}`)).toMatch(/^235 /)
  isBroken = true
  expect(await client.say("MAIL FROM:<a@x.example>")).toMatch(/^451 4\.3\.0 /)
  isBroken = false
  for (const line of ["MAIL FROM:<a@x.example>", "RCPT TO:<b@x.example>", "DATA"]) await client.say(line)
  isBroken = true
  expect(await client.say(`${hello}.`)).toMatch(/^451 4\.3\.0 /)
  isBroken = false
  expect(await client.send(["b@x.example"], hello)).toBe("250 2.0.0 Ok: queued as id")
  client.close()
})

it("the relay survives a client that disconnects while its message is processed", async () => {
  const address = await begin({ accept: () => Effect.delay(Effect.succeed("id"), 100) })
  for (let count = 0; count < 5; count++) {
    const client = await loggedIn(address, "key")
    for (const line of ["MAIL FROM:<a@x.example>", "RCPT TO:<b@x.example>", "DATA"]) await client.say(line)
    client.write(`${hello}.\r\n`)
    setTimeout(client.close, count * 30)
    await client.ended
  }
  const client = await loggedIn(address, "key")
  expect(await client.send(["b@x.example"], hello)).toBe("250 2.0.0 Ok: queued as id")
  client.close()
})
