/**
 * Tests of the pure rules of relays: URLs, references passed to and returned by providers, and ids in replies.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { relayKinds } from "../../../../core/model/MailRelay.ts"
import { providerIdOf } from "../../../../core/sending/relays/ProviderIds.ts"
import { isCommand, referenceHeaders } from "../../../../core/sending/relays/RelayHeaders.ts"
import { conditionAfter } from "../../../../core/sending/relays/RelayRules.ts"
import { parseRelayUrl } from "../../../../core/sending/relays/RelayUrl.ts"

describe("the URL of a relay", () => {
  it("states server, encryption and credentials", () => {
    expect(parseRelayUrl("smtps://us%40er:pa%3Ass@Relay.Example.com?pool=5", "Company")).toEqual({
      endpoint: {
        host: "relay.example.com",
        port: 465,
        tls: "Implicit",
        verify: true,
        credentials: { user: "us@er", pass: "pa:ss" },
        pool: 5
      },
      shown: "smtps://us%40er:***@Relay.Example.com?pool=5"
    })
    const endpointOf = (text: string) => parseRelayUrl(text, "Installation")?.endpoint
    expect(endpointOf("smtp://u:p@relay.example.com")).toMatchObject({
      port: 587,
      tls: "Required",
      verify: true
    })
    expect(endpointOf("smtp://relay.example.com:25")).toMatchObject({
      port: 25,
      tls: "Offered",
      verify: false
    })
    expect(endpointOf("smtp://u:p@127.0.0.1:2525")).toMatchObject({ tls: "Offered", verify: false })
    expect(endpointOf("smtp://u:p@relay.example.com?verify=false")).toMatchObject({
      tls: "Required",
      verify: false
    })
    expect(endpointOf("smtp://[2001:db8::1]")).toMatchObject({ host: "2001:db8::1" })
  })

  it("requires a verified encryption of a company's before credentials leave", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("smtp", "smtps"),
        fc.domain(),
        fc.stringMatching(/^[a-z0-9]{1,10}$/),
        fc.stringMatching(/^[a-z0-9]{1,10}$/),
        (scheme, host, user, pass) => {
          const parsed = parseRelayUrl(`${scheme}://${user}:${pass}@${host}`, "Company")
          if (parsed === null) return
          expect(parsed.endpoint).toMatchObject({ verify: true })
          expect(parsed.endpoint.tls).not.toBe("Offered")
          expect(parsed.shown).not.toContain(`:${pass}@`)
        }
      )
    )
  })

  it("is null for anything else, whatever it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => {
        const parsed = parseRelayUrl(text, "Company")
        if (parsed !== null) expect(text).toMatch(/^\s*smtps?:/i)
      })
    )
  })
})

describe("the headers of relays", () => {
  it("hold the reference on one line, and are those that mail of tenants must not have", () => {
    const reference = `b${"a2".repeat(31)}c`
    for (const kind of relayKinds) {
      for (const header of referenceHeaders(kind, reference, "all")) {
        expect(isCommand(header)).toBe(true)
        expect(`${header.name}: ${header.value}`).toMatch(/^[\x20-\x7e]{1,500}$/)
      }
      const held = referenceHeaders(kind, reference).some(({ value }) => value.includes(reference))
      expect([kind, held]).toEqual([kind, !["Smtp", "Resend", "Mailgun"].includes(kind)])
    }
    const names = ["x-smtpapi", "X-Mailjet-DeduplicateCampaign", "Resend-Idempotency-Key", "sender.ip"]
    expect(names.filter((name) => !isCommand({ name, value: "" }))).toEqual([])
    const others = ["X-Campaign", "X-Entity-Ref-ID", "Resent-From", "Sender"]
    expect(others.filter((name) => isCommand({ name, value: "" }))).toEqual([])
  })
})

describe("the id in a provider's reply", () => {
  it.each([
    [
      "250 Ok 0102018f1a2b3c4d-11111111-2222-3333-4444-555555555555-000000",
      "0102018f1a2b3c4d-11111111-2222-3333-4444-555555555555-000000"
    ],
    ["250 Ok: queued as 3Jd81QxPTfKzO5u0vV9X2w", "3Jd81QxPTfKzO5u0vV9X2w"],
    [
      "250 2.0.0 OK: queued as <202602031020.12345@smtp-relay.mailin.fr>",
      "202602031020.12345@smtp-relay.mailin.fr"
    ],
    ["250 2.0.0 Ok: queued as 7C8DBAE2-7A0C-4F2D-9E0B-1F2A3B4C5D6E", "7c8dbae2-7a0c-4f2d-9e0b-1f2a3b4c5d6e"],
    ["250 2.0.0 Ok", null],
    ["250 Great success", null],
    ["", null]
  ])("in %s is %s", (reply, id) => {
    expect(providerIdOf(reply)).toBe(id)
  })

  it("is read of any reply in bounded time", () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (reply) => void providerIdOf(reply)))
    expect(providerIdOf(`250 ${"a".repeat(100_000)}`)).toBeNull()
  })
})

it("a check decides the condition by the step that failed", () => {
  const step = (name: "Connect" | "Tls" | "Authenticate", ok: boolean) => ({
    step: name,
    ok,
    words: "words",
    ms: 1
  })
  expect(conditionAfter([step("Connect", true)])).toEqual({ state: "Active", stateReason: null, words: null })
  expect(conditionAfter([step("Connect", true), step("Tls", false)])).toEqual({
    state: "Failing",
    stateReason: "relays.tls_failed",
    words: "words"
  })
})
