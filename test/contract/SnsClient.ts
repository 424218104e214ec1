/**
 * The contract of `core/ports/SnsClient`: to which servers it connects, and which responses it accepts.
 *
 * @module
 */
import { createServer, type Server } from "node:https"
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SnsClient } from "../../core/ports/SnsClient.ts"

/** The environment of the suite. */
export interface SnsClientEnvironment {
  /** The client with the rules of production: public addresses. */
  readonly guarded: Layer.Layer<SnsClient>
  /** The same client, allowed to connect to a port of 127.0.0.1, and trusting the certificate. */
  readonly local: (port: number) => Layer.Layer<SnsClient>
  /** A name with an address that is not public. */
  readonly privateName: string
  /** A name that resolves to 127.0.0.1, and the certificate valid for that name, PEM. */
  readonly name: string
  readonly certificate: { readonly cert: string; readonly key: string }
  /** A name that resolves to 127.0.0.1, for which the certificate is not valid. */
  readonly otherName: string
}

const failed = { _tag: "SnsUnavailable" }

/**
 * Registers the tests of the port `SnsClient`.
 *
 * @param name the adapter's name
 */
export const snsClientContract = (
  name: string,
  { certificate, guarded, local, name: host, otherName, privateName }: SnsClientEnvironment
): void => {
  const served = (reply: (path: string, response: ServerResponse) => void) =>
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer(certificate, (request, response) => reply(request.url ?? "", response))
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

  describe(`SnsClient: ${name}`, () => {
    it.live("fetches certificates and confirms subscriptions, of SNS alone", () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const port = yield* served((path, response) => {
          asked.push(path)
          if (path === "/redirect.pem") response.writeHead(302, { location: "/cert.pem" }).end()
          else if (path === "/large.pem") response.writeHead(200).end("x".repeat(65_537))
          else if (path.startsWith("/missing")) response.writeHead(404).end("none")
          else response.writeHead(200).end("PEM")
        })
        yield* Effect.gen(function* () {
          const client = yield* SnsClient
          expect(yield* client.certificate(`https://${host}/cert.pem`)).toBe("PEM")
          yield* client.confirm(`https://${host}/?Action=ConfirmSubscription&Token=1`)
          expect(asked).toEqual(["/cert.pem", "/?Action=ConfirmSubscription&Token=1"])
          for (const path of ["redirect.pem", "large.pem", "missing.pem"]) {
            expect(yield* Effect.flip(client.certificate(`https://${host}/${path}`))).toMatchObject(failed)
          }
          expect(yield* Effect.flip(client.confirm(`https://${host}/missing`))).toMatchObject(failed)
          const count = asked.length
          for (const url of [`https://${otherName}/cert.pem`, `http://${host}/cert.pem`, "no url"]) {
            expect(yield* Effect.flip(client.certificate(url))).toMatchObject(failed)
          }
          expect(asked).toHaveLength(count)
        }).pipe(Effect.provide(local(port)))
      })
    )

    it.live("connects to no address that is not public", () =>
      Effect.gen(function* () {
        const client = yield* SnsClient
        expect(yield* Effect.flip(client.certificate(`https://${privateName}/cert.pem`))).toMatchObject(
          failed
        )
        expect(yield* Effect.flip(client.certificate("https://127.0.0.1/cert.pem"))).toMatchObject(failed)
      }).pipe(Effect.provide(guarded))
    )
  })
}
