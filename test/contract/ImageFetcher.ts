/**
 * The contract of `core/ports/ImageFetcher`: to which addresses it connects, and which responses count as images.
 *
 * @module
 */
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { ImageFetcher } from "../../core/ports/ImageFetcher.ts"
import { privateHosts } from "./WebhookClient.ts"

/** The environment of the suite. */
export interface ImageFetcherEnvironment {
  /** The port with the rules of production: public addresses. */
  readonly guarded: Layer.Layer<ImageFetcher>
  /** The same port, allowed to connect to 127.0.0.1. */
  readonly local: Layer.Layer<ImageFetcher>
  /** Names that resolve to an address that is not public, alone or together with public ones. */
  readonly privateNames: ReadonlyArray<string>
}

/** The first bytes of images, by type. */
export const imageBytes: Readonly<Record<string, Buffer>> = {
  "image/png": Buffer.from("\u0089PNG\r\n\u001a\nrest", "latin1"),
  "image/jpeg": Buffer.from("\u00ff\u00d8\u00ff\u00e0rest", "latin1"),
  "image/gif": Buffer.from("GIF89arest", "latin1"),
  "image/webp": Buffer.from("RIFF\0\0\0\0WEBPrest", "latin1"),
  "image/avif": Buffer.from("\0\0\0\u001cftypavifrest", "latin1")
}

const maxBytes = 5_000_000

/** The server's reply at each path. */
const replies: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/svg": (response) => {
    response.setHeader("content-type", "image/png")
    response.end('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  },
  "/text": (response) => response.end("no image"),
  "/missing": (response) => {
    response.statusCode = 404
    response.end(imageBytes["image/png"])
  },
  "/large": (response) => {
    response.write(imageBytes["image/png"])
    response.end(Buffer.alloc(maxBytes))
  },
  "/broken": (response) => {
    response.setHeader("content-length", "100")
    response.write(imageBytes["image/png"])
    response.destroy()
  },
  "/loop": (response) => {
    response.writeHead(302, { location: "/loop" })
    response.end()
  },
  "/moved": (response) => {
    response.writeHead(301, { location: "image/png" })
    response.end()
  },
  "/inside": (response) => {
    response.writeHead(302, { location: "file:///etc/passwd" })
    response.end()
  }
}

const served = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const listening = createServer((request, response) => {
      const path = request.url ?? ""
      const reply = replies[path]
      if (reply !== undefined) reply(response)
      else response.end(imageBytes[path.slice(1)])
    })
    listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
  }),
  (open) =>
    Effect.callback<void>((resume) => {
      open.closeAllConnections()
      open.close(() => resume(Effect.void))
    })
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

/**
 * Registers the tests of the port `ImageFetcher`.
 *
 * @param name the adapter's name
 */
export const imageFetcherContract = (
  name: string,
  { guarded, local, privateNames }: ImageFetcherEnvironment
): void => {
  describe(`ImageFetcher: ${name}`, () => {
    layer(guarded, { excludeTestServices: true })("with the rules of production", (it) => {
      it.effect("connects to no address that is not public", () =>
        Effect.gen(function* () {
          const { fetch } = yield* ImageFetcher
          const base = yield* served
          const { port } = new URL(base)
          const hosts = [...privateHosts, ...privateNames]
          const urls = hosts.flatMap((host) => [
            `http://${host}:${port}/image/png`,
            `http://${host}/image/png`
          ])
          for (const url of [
            ...urls,
            base,
            "ftp://a.example/",
            "data:image/png;base64,",
            "https://u:p@a.example/",
            "x",
            ""
          ]) {
            expect([url, yield* fetch(url)]).toEqual([url, null])
          }
        })
      )
    })

    layer(local, { excludeTestServices: true })("allowed to connect to this machine", (it) => {
      it.effect("returns images of the types that are shown, by their bytes", () =>
        Effect.gen(function* () {
          const { fetch } = yield* ImageFetcher
          const base = yield* served
          for (const [type, bytes] of Object.entries(imageBytes)) {
            const found = yield* fetch(`${base}/${type}`)
            expect(found?.type).toBe(type)
            expect(Buffer.from(found!.bytes)).toEqual(bytes)
          }
          expect((yield* fetch(`${base}/moved`))?.type).toBe("image/png")
        })
      )

      it.effect("returns nothing else: SVG, what is too large, breaks off, or leads away", () =>
        Effect.gen(function* () {
          const { fetch } = yield* ImageFetcher
          const base = yield* served
          for (const path of ["/svg", "/text", "/missing", "/large", "/broken", "/loop", "/inside"]) {
            expect([path, yield* fetch(base + path)]).toEqual([path, null])
          }
        })
      )
    })
  })
}
