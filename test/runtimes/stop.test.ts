/**
 * Tests a server that is stopped with SIGTERM, and clients that hang up.
 *
 * @module
 */
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const { start } = useServers()

/** A POST whose body is sent in two parts, the second one by `finish`. */
const slowPost = (baseUrl: string, path: string, key: string, body: string) => {
  const half = Math.floor(body.length / 2)
  const sending = request(baseUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body)
    }
  })
  const answered = new Promise<number>((resolve, reject) => {
    sending.once("response", (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    sending.once("error", reject)
  })
  const begun = new Promise<void>((resolve) => sending.write(body.slice(0, half), () => resolve()))
  return { begun, finish: () => sending.end(body.slice(half)), abort: () => sending.destroy(), answered }
}

for (const runtime of runtimes) {
  describe(`a server on ${runtime} at SIGTERM`, () => {
    it("accepts no new connections, finishes requests in progress, and exits 0 within 10 seconds", async () => {
      const server = start(runtime)
      const { baseUrl, sandbox } = await server.ready()
      const body = JSON.stringify({ email: "ada@example.org", firstName: "A".repeat(50) })
      const post = slowPost(baseUrl, "/api/v1/contacts", sandbox!.apiKey, body)
      await post.begun
      await api(baseUrl, sandbox!.apiKey, "/health/live")
      const from = performance.now()
      server.signal("SIGTERM")
      await expect
        .poll(
          () =>
            fetch(`${baseUrl}/health/live`).then(
              () => true,
              () => false
            ),
          { timeout: 6000 }
        )
        .toBe(false)
      post.finish()
      expect(await post.answered).toBe(201)
      expect(await server.ended).toEqual({ code: 0, signal: null })
      expect(performance.now() - from).toBeLessThan(10_000)
    })

    it("exits within 10 seconds even when a client never finishes", async () => {
      const server = start(runtime, { SVC_STORE: "memory" })
      const { baseUrl, sandbox } = await server.ready()
      const post = slowPost(
        baseUrl,
        "/api/v1/contacts",
        sandbox!.apiKey,
        JSON.stringify({ email: "a@example.org" })
      )
      post.answered.catch(() => {})
      await post.begun
      const from = performance.now()
      server.signal("SIGTERM")
      expect(await server.ended).toEqual({ code: 0, signal: null })
      expect(performance.now() - from).toBeLessThan(10_000)
    })

    it("stores whole writes or none of clients that hang up", async () => {
      const server = start(runtime, { SVC_STORE: "memory" })
      const { baseUrl, managementToken, sandbox } = await server.ready()
      const posts = Array.from({ length: 60 }, (_, index) => {
        const email = `p${index}@example.org`
        const consent = { basis: "Subscribed", proof: { text: "Yes, send me mail" } }
        const abort = new AbortController()
        setTimeout(() => abort.abort(), index / 3)
        return api(baseUrl, sandbox!.apiKey, "/api/v1/contacts", { email, consent })
          .then(() => email)
          .catch(() => email)
          .finally(() => abort.abort())
      })
      const half = slowPost(
        baseUrl,
        "/api/v1/contacts",
        sandbox!.apiKey,
        JSON.stringify({ email: "half@example.org" })
      )
      half.answered.catch(() => {})
      await half.begun
      half.abort()
      for (const email of await Promise.all(posts)) {
        const found = await api<{ id: string }>(baseUrl, sandbox!.apiKey, `/api/v1/contacts/email:${email}`)
        if (found.status !== 200) continue
        const history = await api<{ totalCount: number }>(
          baseUrl,
          managementToken!,
          `/manage/v1/accounts/${sandbox!.accountId}/contacts/${found.value.id}/consent-history`
        )
        expect(history.value.totalCount).toBe(1)
      }
      expect((await api(baseUrl, sandbox!.apiKey, "/api/v1/contacts/email:half@example.org")).status).toBe(
        404
      )
    })
  })
}
