/**
 * Tests tracked links of a sandbox on a public base URL: a page shows their destination, so that a sandbox key cannot create open
 * redirects. Links of live accounts redirect.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { makeCapturingTransport } from "../../runtimes/embedded/CapturingTransport.ts"
import type { Options } from "../../runtimes/embedded/index.ts"
import { type Domain, publish } from "../support/liveDomain.ts"
import { eventually } from "../support/client.ts"
import { mailOf } from "../support/mail.ts"
import { startEmbedded } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

/** Sends an email whose only link leads to `url`. Returns the path of the tracked link. */
const linkTo = async (
  { baseUrl }: { baseUrl: string },
  account: Parameters<typeof mailOf>[0],
  url: string
): Promise<string> => {
  const mail = mailOf(account)
  const { id } = await mail.send("ada@example.org", {
    html: `<a href="${url}">A</a>`,
    tracking: { clicks: true }
  })
  await mail.settled(id, "Delivered")
  const [message] = await mail.messagesOf(id)
  const tracked = /<a href="([^"]+)">A</.exec(String(message!["html"]))![1]!
  expect(tracked.startsWith(`${baseUrl}/t/c/`)).toBe(true)
  return tracked.slice(baseUrl.length)
}

const start = (options: Options = {}) => startEmbedded(options)

describe.each(["memory", "pglite"] as const)("a tracked link, over %s", (store) => {
  const browser = {
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "accept-language": "en",
    "sec-fetch-mode": "navigate"
  }

  it("of a sandbox shows its destination on a public base URL, with one link to it, and counts the visit", async () => {
    const service = await start({ store, baseUrl: "https://mail.example.com" })
    try {
      const { sandbox } = await openWorkspace(service, "Links")
      const { contact } = (
        await sandbox.api<{ contact: { id: string } }>("POST", "/contacts", { email: "ada@example.org" })
      ).value
      const path = await linkTo(
        service,
        sandbox,
        "https://bank.example@evil.example:8443/?a=1&amp;b=%22%3Cx%3E'"
      )
      // A visit by a person: with a browser, and some time after delivery.
      await service.advance!(300_000)
      for (const method of ["HEAD", "GET"]) {
        const answer = await service.fetch(path, { method, redirect: "manual", headers: browser })
        expect([answer.status, answer.headers.get("location")]).toEqual([200, null])
        expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(answer.headers.get("cache-control")).toBe("no-store")
        expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
        expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
        if (method === "HEAD") continue
        const page = await answer.text()
        expect(page).toContain("<strong>evil.example:8443</strong>")
        expect(page.match(/<a [^>]*>/g)).toEqual([
          `<a href="https://bank.example@evil.example:8443/?a=1&amp;b=%22%3Cx%3E%27" rel="noopener nofollow">`
        ])
      }
      const read = await eventually(
        () => sandbox.api<{ lastClickAt: string | null }>("GET", `/contacts/${contact.id}`),
        ({ value }) => value.lastClickAt !== null
      )
      expect(read.value.lastClickAt).not.toBeNull()
      expect((await service.fetch(`${path}A`)).status).toBe(404)
    } finally {
      await service.stop()
    }
  })

  it("of a live account redirects on a public base URL", async () => {
    const outbox = makeCapturingTransport()
    const service = await start({ store, baseUrl: "https://mail.example.com", transport: outbox.transport })
    try {
      const { live } = await openWorkspace(service, "Links")
      const { value } = await live.manage<Domain>("POST", "/domains", { domain: "live.example" })
      publish(service.dns, value)
      await live.manage("POST", `/domains/${value.id}/verify`)
      await live.manage("PATCH", "/settings", { defaultSender: { email: "hello@live.example", name: null } })
      await live.api("POST", "/sending/emails", {
        to: "ada@example.org",
        subject: "Hello",
        html: '<a href="https://shop.example/">A</a>',
        tracking: { clicks: true }
      })
      await service.advance!("1 second")
      const [, path] = /<a href="https:\/\/mail.example.com([^"]+)">/.exec(outbox.messages()[0]!.html!)!
      const answer = await service.fetch(path!, { redirect: "manual" })
      expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://shop.example/"])
    } finally {
      await service.stop()
    }
  })

  it("of a sandbox redirects on a loopback base URL", async () => {
    const service = await start({ store, baseUrl: "http://127.0.0.1:8080" })
    try {
      const { sandbox } = await openWorkspace(service, "Links")
      const path = await linkTo(service, sandbox, "https://shop.example/")
      const answer = await service.fetch(path, { redirect: "manual" })
      expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://shop.example/"])
    } finally {
      await service.stop()
    }
  })
})
