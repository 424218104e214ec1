/**
 * The contract of `core/ports/StsPolicyClient`: to which servers it connects, and which responses it accepts as a policy.
 *
 * @module
 */
import { createServer, type Server } from "node:https"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, type Layer, type Scope } from "effect"
import { StsPolicyClient } from "../../core/ports/StsPolicyClient.ts"

/** The environment of the suite. */
export interface StsPolicyClientEnvironment {
  /** The client with the rules of production: public addresses. */
  readonly guarded: Layer.Layer<StsPolicyClient>
  /** The same client, allowed to connect to a port of 127.0.0.1, and trusting the certificate. */
  readonly local: (port: number) => Layer.Layer<StsPolicyClient>
  /** Domains whose `mta-sts` host has an address that is not public, alone or together with public ones. */
  readonly privateDomains: ReadonlyArray<string>
  /** A domain whose `mta-sts` host is 127.0.0.1, and the certificate valid for that name, PEM. */
  readonly domain: string
  readonly certificate: { readonly cert: string; readonly key: string }
  /** A domain whose `mta-sts` host is 127.0.0.1, for which the certificate is not valid. */
  readonly otherDomain: string
}

const policy = "version: STSv1\r\nmode: enforce\r\nmx: *.example.org\r\nmax_age: 604800\r\n"

type Reply = (response: ServerResponse) => void

const withType =
  (type: string, text = policy): Reply =>
  (response) =>
    void response.writeHead(200, { "content-type": type }).end(text)

/** Replies that are not a policy. */
const refused: Readonly<Record<string, Reply>> = {
  redirect: (response) => void response.writeHead(302, { location: "/.well-known/mta-sts.txt?" }).end(),
  missing: (response) => void response.writeHead(404, { "content-type": "text/plain" }).end(policy),
  created: (response) => void response.writeHead(201, { "content-type": "text/plain" }).end(policy),
  html: withType("text/html"),
  untyped: (response) => void response.writeHead(200).end(policy),
  "similar type": withType("text/plainer"),
  large: withType("text/plain", "x".repeat(65_537)),
  endless: (response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    const more = (): void => {
      while (response.write("x".repeat(16_384)));
    }
    response.on("drain", more)
    more()
  },
  broken: (response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "100" })
    response.write(policy)
    response.destroy()
  }
}

/** Serves policies on 127.0.0.1 until the scope closes. Provides the requests received, and a way to set the reply. */
const served = (
  certificate: StsPolicyClientEnvironment["certificate"]
): Effect.Effect<
  {
    readonly port: number
    readonly asked: Array<string>
    readonly replyWith: (next: Reply) => void
  },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    let reply: Reply = withType("text/plain")
    const asked: Array<string> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const listening = createServer({ ...certificate }, (request, response) => {
          response.on("error", () => response.destroy())
          asked.push(`${request.method} ${request.headers.host?.split(":")[0]}${request.url}`)
          reply(response)
        })
        listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
      }),
      (open) =>
        Effect.callback<void>((resume) => {
          open.closeAllConnections()
          open.close(() => resume(Effect.void))
        })
    )
    return {
      port: (server.address() as AddressInfo).port,
      asked,
      replyWith: (next) => {
        reply = next
      }
    }
  })

const failed = { _tag: "StsFetchFailed" }

/**
 * Registers the tests of the port `StsPolicyClient`.
 *
 * @param name the adapter's name
 */
export const stsPolicyClientContract = (
  name: string,
  { certificate, domain, guarded, local, otherDomain, privateDomains }: StsPolicyClientEnvironment
): void => {
  describe(`StsPolicyClient: ${name}`, () => {
    layer(guarded, { excludeTestServices: true })("with the rules of production", (test) => {
      test.effect("connects to no address that is not public", () =>
        Effect.gen(function* () {
          const { fetch } = yield* StsPolicyClient
          for (const at of privateDomains) expect(yield* Effect.flip(fetch(at))).toMatchObject(failed)
        })
      )
    })

    it.live("returns the text at the well-known path of the domain's policy host", () =>
      Effect.gen(function* () {
        const { asked, port, replyWith } = yield* served(certificate)
        yield* Effect.gen(function* () {
          const { fetch } = yield* StsPolicyClient
          for (const type of ["text/plain", "Text/Plain; charset=utf-8", "text/plain ;charset=us-ascii"]) {
            replyWith(withType(type))
            expect(yield* fetch(domain)).toBe(policy)
          }
          const longest = "x".repeat(65_536)
          replyWith(withType("text/plain", longest))
          expect(yield* fetch(domain)).toBe(longest)
        }).pipe(Effect.provide(local(port)))
        expect(new Set(asked)).toEqual(new Set([`GET mta-sts.${domain}/.well-known/mta-sts.txt`]))
      })
    )

    it.live(
      "fails for another status, a redirect, another type, more than 64 KB, and a wrong certificate",
      () =>
        Effect.gen(function* () {
          const { asked, port, replyWith } = yield* served(certificate)
          yield* Effect.gen(function* () {
            const { fetch } = yield* StsPolicyClient
            for (const [what, reply] of Object.entries(refused)) {
              replyWith(reply)
              expect([what, yield* Effect.flip(fetch(domain))]).toMatchObject([what, failed])
            }
            expect(asked).toHaveLength(Object.keys(refused).length)
            replyWith(withType("text/plain"))
            expect(yield* Effect.flip(fetch(otherDomain))).toMatchObject(failed)
            expect(asked).toHaveLength(Object.keys(refused).length)
          }).pipe(Effect.provide(local(port)))
        })
    )

    it.live("closes the connection of a fetch that is interrupted", () =>
      Effect.gen(function* () {
        const { port, replyWith } = yield* served(certificate)
        yield* Effect.gen(function* () {
          const { fetch } = yield* StsPolicyClient
          const arrived = new Promise<ServerResponse>((resolve) => replyWith(resolve))
          const running = yield* Effect.forkChild(fetch(domain))
          const response = yield* Effect.promise(() => arrived)
          const closed = new Promise<void>((resolve) => response.once("close", resolve))
          yield* Fiber.interrupt(running)
          yield* Effect.promise(() => closed)
          replyWith(withType("text/plain"))
          expect(yield* fetch(domain)).toBe(policy)
        }).pipe(Effect.provide(local(port)))
      })
    )
  })
}
