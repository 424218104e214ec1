/**
 * Tests that Chromium creates and uses passkeys of the service, with its virtual authenticator.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { chromium } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Embedded, start } from "../../../runtimes/embedded/index.ts"

const executablePath = "/usr/bin/chromium"
const isInstalled = existsSync(executablePath)
if (!isInstalled) process.stderr.write(`Skipped: ${executablePath} is not installed.\n`)

let service: Embedded
let server: Server
let baseUrl: string

/** Serves the embedded service on localhost, where browsers allow passkeys over http, and an empty page. */
const serve = async (): Promise<void> => {
  server = createServer((request, response) => {
    const answer = async () => {
      if (request.url === "/page") {
        response.setHeader("content-type", "text/html")
        return response.end("<!doctype html><title>A page</title>")
      }
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const answered = await service.fetch(
        new Request(baseUrl + request.url, {
          method: request.method ?? "GET",
          headers: Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value === "string" && name !== "host" ? [[name, value] as [string, string]] : []
          ),
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
        })
      )
      const cookies = answered.headers.getSetCookie()
      response.writeHead(answered.status, { "content-type": "application/json", "set-cookie": cookies })
      return response.end(await answered.text())
    }
    answer().catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "localhost", resolve)
  })
  baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  if (!isInstalled) return
  await serve()
  service = await start({ baseUrl })
})

afterAll(async () => {
  server?.close()
  await service?.close()
})

it.skipIf(!isInstalled)(
  "a user of Chromium adds a passkey, and signs in with it without an address",
  { timeout: 120_000 },
  async () => {
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    try {
      const context = await browser.newContext()
      const [name = "", value = ""] = (await service.signIn()).cookie.split("=")
      await context.addCookies([{ name, value, url: baseUrl }])
      const page = await context.newPage()
      const session = await context.newCDPSession(page)
      await session.send("WebAuthn.enable")
      await session.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true
        }
      })
      await page.goto(`${baseUrl}/page`)
      const signedIn = await page.evaluate(`(async () => {
        const call = async (method, path, json) => {
          const response = await fetch("/manage/v1" + path, {
            method,
            ...(json === undefined
              ? { headers: { "x-svc-request": "1" } }
              : { headers: { "content-type": "application/json" }, body: JSON.stringify(json) })
          })
          const { errors, value } = await response.json()
          if (!response.ok) throw new Error(path + ": " + response.status + " " + errors[0].code)
          return value
        }
        const { options } = await call("POST", "/me/passkeys", {})
        const made = await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)
        })
        const { passkey } = await call("POST", "/me/passkeys", { name: "Chromium", passkey: made.toJSON() })
        await call("DELETE", "/session")
        const request = await call("POST", "/session/passkey/options")
        const signature = await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request)
        })
        const { needs, user } = await call("POST", "/session/passkey", signature.toJSON())
        const session = await call("GET", "/session")
        return { name: passkey.name, needs, email: user.email, again: session.user.email }
      })()`)
      const email = "operator@example.com"
      expect(signedIn).toEqual({ name: "Chromium", needs: null, email, again: email })
    } finally {
      await browser.close()
    }
  }
)
