/**
 * Mail of a live account is signed with the keys of its domain, checked from the published records by an independent
 * verifier.
 *
 * @module
 */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { DnsMissing, type MxRecord } from "../../core/ports/Dns.ts"
import { start } from "../../runtimes/embedded/index.ts"
import { byMailauth } from "../adapters/mail/verifiers.ts"

interface Domain {
  readonly id: string
  readonly status: string
  readonly records: ReadonlyArray<{ readonly type: string; readonly name: string; readonly value: string }>
}

it("live mail is signed by both keys of its domain, and after a rotation by the new ones", async () => {
  const texts: Record<string, string> = {}
  const exchangers: Record<string, ReadonlyArray<MxRecord>> = {}
  const look = <A>(name: string, found: A | undefined) =>
    found === undefined ? Effect.fail(new DnsMissing({ name })) : Effect.succeed(found)
  const service = await start({
    dns: {
      txt: (name) => Effect.suspend(() => look(name, texts[name] === undefined ? undefined : [texts[name]])),
      mx: (name) => Effect.suspend(() => look(name, exchangers[name])),
      addresses: (name) => look<ReadonlyArray<string>>(name, undefined)
    }
  })
  const ask = async <Value>(method: string, path: string, body: object | null, token: string) => {
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === null ? {} : { body: JSON.stringify(body) })
      })
    )
    expect(response.status).toBeLessThan(300)
    return ((await response.json()) as { value: Value }).value
  }
  const manage = <Value>(method: string, path: string, body: object | null = null) =>
    ask<Value>(method, `/manage/v1/accounts/${service.live.accountId}${path}`, body, service.managementToken)
  const publish = ({ records }: Domain) => {
    for (const { name, type, value } of records) {
      if (type === "TXT") texts[name] = value
      else exchangers[name] = [{ preference: 10, exchange: value.split(" ")[1]! }]
    }
  }
  /** The signatures of the newest message that left, and a verifier's results. */
  const newest = async () => {
    await service.settle()
    const { raw } = service.outbox()[0]!
    const header = Buffer.from(raw)
      .toString("latin1")
      .replaceAll(/\r\n\s+/g, " ")
    const signatures = [...header.matchAll(/^DKIM-Signature:.*$/gm)].map((match) => match[0])
    return { header, signatures, results: await byMailauth(raw, texts) }
  }
  /** Sends an email and returns the selectors of its signatures. */
  const sent = async () => {
    const email = { to: "ada@example.org", subject: "Grüße", text: "t", html: "<p>h</p>" }
    await ask("POST", "/api/v1/sending/emails", email, service.live.apiKey)
    const { results, signatures } = await newest()
    const selectors = signatures.map((signature) => /\bs=([^;]+);/.exec(signature)![1]!)
    return { selectors: selectors.toSorted(), results }
  }
  const selectorsOf = ({ records }: Domain, generation: string) =>
    records
      .map((record) => record.name.split("._domainkey.")[0]!)
      .filter((selector) => selector.startsWith(generation))
      .toSorted()

  try {
    const sender = { email: "hello@news.example", name: null }
    await manage("PATCH", "/settings", { defaultSender: sender })
    const domain = await manage<Domain>("POST", "/domains", { domain: "news.example" })
    publish(domain)
    expect((await manage<Domain>("POST", `/domains/${domain.id}/verify`)).status).toBe("Verified")
    expect(await sent()).toEqual({ selectors: selectorsOf(domain, "svc1"), results: ["pass", "pass"] })

    // RFC 8058, 4: a one-click header counts only where a signature covers it.
    const flow = await manage<{ id: string }>("POST", "/flows", {
      name: "News",
      trigger: { kind: "Event", name: "user.signed_up" },
      steps: [{ id: "offer", kind: "SendEmail", purpose: "Marketing", subject: "Offer", html: "<p>h</p>" }]
    })
    await manage("POST", `/flows/${flow.id}/publish`)
    const contact = {
      email: "ben@example.org",
      consent: { basis: "Subscribed", proof: { text: "Yes, please." } }
    }
    const events = [{ id: "1", name: "user.signed_up", contact }]
    await ask("POST", "/api/v1/events", { events }, service.live.apiKey)
    const { header, results, signatures } = await newest()
    expect(header).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    expect(results).toEqual(["pass", "pass"])
    for (const signature of signatures) {
      const covered = /\bh=([^;]+);/
        .exec(signature)![1]!
        .toLowerCase()
        .split(/[\s:]+/)
      expect(covered).toEqual(expect.arrayContaining(["list-unsubscribe", "list-unsubscribe-post"]))
    }

    const rotating = await manage<Domain>("POST", `/domains/${domain.id}/rotate-dkim`)
    expect((await sent()).selectors).toEqual(selectorsOf(domain, "svc1"))
    publish(rotating)
    await manage("POST", `/domains/${domain.id}/verify`)
    expect(selectorsOf(rotating, "svc2")).toHaveLength(2)
    expect(await sent()).toEqual({ selectors: selectorsOf(rotating, "svc2"), results: ["pass", "pass"] })
  } finally {
    await service.close()
  }
})
