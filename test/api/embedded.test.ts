import { describe, expect, it } from "vitest"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"

/** Calls a route of the sandbox account. */
const call = async (service: Embedded, method: string, path: string, body?: unknown, token?: string) => {
  const response = await service.fetch(
    new Request(service.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token ?? service.sandbox.apiKey}`,
        "content-type": "application/json"
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, headers: response.headers, json: (await response.json()) as any }
}

const withService = async (use: (service: Embedded) => Promise<void>) => {
  const service = await start()
  try {
    await use(service)
  } finally {
    await service.close()
  }
}

describe("the embedded service", () => {
  it("takes an email from its key to the inbox", () =>
    withService(async (service) => {
      const email = { to: "Ada <Ada@Example.org>", subject: "Hello", html: "<p>It works.</p>" }
      const posted = await call(service, "POST", "/api/v1/sending/emails", email)
      expect(posted.status).toBe(201)
      expect(posted.json.value).toMatchObject({ status: "Queued", reason: null })
      await service.settle()
      const read = await call(service, "GET", `/api/v1/sending/emails/${posted.json.value.id}`)
      expect(read.json.value.recipients).toMatchObject([
        { id: posted.json.value.id, email: "ada@example.org", name: "Ada", kind: "To", status: "Delivered" }
      ])
      expect(await service.inbox()).toMatchObject([{ to: "ada@example.org", subject: "Hello" }])
    }))

  it("acts out bounces, complaints and retries", () =>
    withService(async (service) => {
      const send = async (to: string) =>
        (await call(service, "POST", "/api/v1/sending/emails", { to, subject: "s", text: "t" })).json.value.id
      const status = async (id: string) =>
        (await call(service, "GET", `/api/v1/sending/emails/${id}`)).json.value.status
      const [bounced, complained, deferred] = [
        await send("bounce@a.example"),
        await send("complaint@a.example"),
        await send("defer@a.example")
      ]
      await service.settle()
      expect([await status(bounced), await status(complained), await status(deferred)]).toEqual([
        "Bounced",
        "Delivered",
        "Queued"
      ])
      await service.advance("2 minutes")
      expect(await status(deferred)).toBe("Delivered")
      const again = await call(service, "POST", "/api/v1/sending/emails", {
        to: "bounce@a.example",
        subject: "s",
        text: "t"
      })
      expect(again.json.value).toMatchObject({ status: "Suppressed", reason: "sending.gate_bounced" })
    }))

  it("gives one email for fifty calls with one idempotency key", () =>
    withService(async (service) => {
      const body = { to: "a@b.example", subject: "s", text: "t", idempotencyKey: "once" }
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => call(service, "POST", "/api/v1/sending/emails", body))
      )
      expect(new Set(answers.map((answer) => answer.json.value.id)).size).toBe(1)
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
      await service.settle()
      expect(await service.inbox()).toHaveLength(1)
    }))

  it("holds a live account's email back until it has a verified sender", () =>
    withService(async (service) => {
      const posted = await call(
        service,
        "POST",
        "/api/v1/sending/emails",
        { to: "a@b.example", subject: "s", text: "t" },
        service.live.apiKey
      )
      expect(posted.json.value).toMatchObject({ status: "Queued", reason: "sending.no_verified_sender" })
    }))

  it("creates, finds and refuses contacts", () =>
    withService(async (service) => {
      const contact = { email: "a@b.example", externalId: "7", consent: { basis: "Customer" } }
      const made = await call(service, "POST", "/api/v1/contacts", contact)
      expect(made.status).toBe(201)
      expect(made.json.value.contact).toMatchObject({ email: "a@b.example", consentStatus: "SoftOptIn" })
      expect((await call(service, "POST", "/api/v1/contacts", contact)).status).toBe(200)
      for (const reference of [made.json.value.contact.id, "ext:7", "email:A@b.example"]) {
        const found = await call(service, "GET", `/api/v1/contacts/${encodeURIComponent(reference)}`)
        expect(found.json.value.id).toBe(made.json.value.contact.id)
      }
      const unproven = await call(service, "POST", "/api/v1/contacts", {
        ...contact,
        consent: { basis: "Subscribed" }
      })
      expect(unproven.status).toBe(400)
      expect(unproven.json.fieldErrors).toHaveProperty(["consent.proof.text"])
      expect((await call(service, "GET", "/api/v1/contacts/nobody")).json.errors[0].code).toBe(
        "audience.contact_reference_invalid"
      )
    }))

  it("answers in the order 401, 403, 429", () =>
    withService(async (service) => {
      const { accountId } = service.sandbox
      const manage = (method: string, path: string, body?: unknown) =>
        call(service, method, `/manage/v1/accounts/${accountId}${path}`, body, service.managementToken)
      expect((await call(service, "GET", "/api/v1/contacts/ext:1", undefined, "svc_test_none")).status).toBe(
        401
      )
      const weak = await manage("POST", "/api-keys", {
        name: "weak",
        permissions: ["emails:read"],
        expiresInDays: 30
      })
      const key = weak.json.value.key
      expect((await call(service, "POST", "/api/v1/contacts", "junk", key)).status).toBe(403)
      await manage("PATCH", "/settings", { rateLimitPerMinute: 2 })
      const reads = [1, 2, 3].map(() => call(service, "GET", "/api/v1/sending/emails/x", undefined, key))
      const answers = await Promise.all(reads)
      expect(answers.map((answer) => answer.status)).toEqual([404, 404, 429])
      expect(Number(answers[2]!.headers.get("retry-after"))).toBeGreaterThan(0)
      await service.advance("31 days")
      expect((await call(service, "GET", "/api/v1/sending/emails/x", undefined, key)).status).toBe(401)
    }))

  it("answers problem+json for what is not of the route's shape", () =>
    withService(async (service) => {
      const wrong = await call(service, "POST", "/api/v1/contacts", { email: 5 })
      expect(wrong.status).toBe(400)
      expect(wrong.headers.get("content-type")).toContain("application/problem+json")
      expect(Object.keys(wrong.json.errors)).toEqual(["email"])
      expect((await call(service, "GET", "/nowhere")).status).toBe(404)
      expect((await call(service, "PUT", "/api/v1/contacts", {})).status).toBe(405)
    }))
})
