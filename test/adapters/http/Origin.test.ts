/** Tests how servers determine the origin of requests. Addresses of 127.0.0.0/8 stand for different callers. */
import { Context, Effect, Exit, Logger, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { request } from "node:http"
import { afterAll, describe, expect, it } from "vitest"
import { Origins } from "../../../adapters/http/edge/Origin.ts"
import type { App } from "../../../adapters/http/edge/router.ts"
import { serve } from "../../../adapters/http/server/NodeServer.ts"
import { makeWebHandler } from "../../../adapters/http/server/Web.ts"
import { defaultCallerLimits } from "../../../core/shared/CallerLimits.ts"
import { parseRange } from "../../../core/shared/Network.ts"

/** Responds with the origin of the request. */
const app: App = Effect.contextWith(
  (context: Context.Context<HttpServerRequest.HttpServerRequest | Origins>) =>
    Effect.succeed(
      HttpServerResponse.jsonUnsafe(
        Context.get(context, Origins).of(Context.get(context, HttpServerRequest.HttpServerRequest))
      )
    )
)

type Ask = (address: string, fields: ReadonlyArray<string>) => Promise<{ address: string; trust: string }>

const options = (trusted: ReadonlyArray<string>) => ({
  host: "127.0.0.1",
  port: 0,
  limits: defaultCallerLimits,
  trustedProxies: trusted.map((text) => parseRange(text)!)
})

const nodeAsk =
  (port: number): Ask =>
  (address, fields) =>
    new Promise((resolve, reject) => {
      const call = request(
        { port, host: "127.0.0.1", localAddress: address, agent: false },
        async (response) => resolve(JSON.parse(Buffer.concat(await response.toArray()).toString()))
      )
      if (fields.length > 0) call.setHeader("X-Forwarded-For", fields)
      call.on("error", reject).end()
    })

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const logged: Array<string> = []
const logging = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])

const starts: Record<string, (trusted: ReadonlyArray<string>) => Promise<Ask>> = {
  "the server on Node": async (trusted) =>
    nodeAsk(
      await Effect.runPromise(
        serve(app, options(trusted)).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(logging))
      )
    ),
  "the web handler": async (trusted) => {
    const handle = await Effect.runPromise(Effect.provide(makeWebHandler(app, options(trusted)), logging))
    return async (address, fields) => {
      const headers = new Headers()
      for (const field of fields) headers.append("x-forwarded-for", field)
      const response = await handle(new Request("http://svc.test/", { headers }), address)
      return (await response.json()) as { address: string; trust: string }
    }
  }
}

describe.each(Object.keys(starts))("behind %s", (name) => {
  const start = starts[name]!

  it("a forwarded address counts where the connection is trusted, and nowhere else", async () => {
    const ask = await start(["127.0.0.2", "127.0.1.0/24"])
    expect(await ask("127.0.0.1", ["198.51.100.7"])).toMatchObject({ address: "127.0.0.1", trust: "None" })
    expect(await ask("127.0.0.2", ["198.51.100.7"])).toMatchObject({
      address: "198.51.100.7",
      trust: "Forwarded"
    })
    expect(await ask("127.0.1.9", ["198.51.100.7:4711"])).toMatchObject({ address: "198.51.100.7" })
    expect(await ask("127.0.0.2", [])).toMatchObject({ address: "127.0.0.2", trust: "Proxy" })
  })

  it("several fields are one list, the last field the right-most", async () => {
    const ask = await start(["127.0.0.2"])
    expect(await ask("127.0.0.2", ["203.0.113.9", "198.51.100.7"])).toMatchObject({
      address: "198.51.100.7"
    })
    expect(await ask("127.0.0.2", ["203.0.113.9, 198.51.100.7", "127.0.0.2"])).toMatchObject({
      address: "198.51.100.7"
    })
    expect(await ask("127.0.0.2", ["203.0.113.9", "not an address"])).toMatchObject({ trust: "Proxy" })
  })

  it("a local proxy that is not trusted is logged once, with the variable that trusts it", async () => {
    logged.length = 0
    const trusting = await start(["127.0.0.2"])
    await trusting("127.0.0.2", ["198.51.100.7"])
    expect(logged).toEqual([])
    const ask = await start([])
    await ask("127.0.0.1", [])
    expect(logged).toEqual([])
    await ask("127.0.0.1", ["198.51.100.7"])
    await ask("127.0.0.3", ["198.51.100.7"])
    expect(logged).toEqual([expect.stringContaining("SVC_TRUSTED_PROXIES")])
  })
})
