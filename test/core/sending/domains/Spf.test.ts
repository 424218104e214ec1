/**
 * Tests of evaluating SPF records for an address.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { type Dns, DnsMissing, DnsUnavailable } from "../../../../core/ports/Dns.ts"
import { evaluateSpf } from "../../../../core/sending/domains/Spf.ts"
import { parseIp } from "../../../../core/shared/Network.ts"

const addresses: Readonly<Record<string, ReadonlyArray<string>>> = {
  "mail.test": ["192.0.2.1", "2001:db8::1"],
  "net.test": ["198.51.100.7"]
}

const records: Readonly<Record<string, string>> = {
  "pass.test": "v=spf1 ip4:192.0.2.0/24 -all",
  "fail.test": "v=spf1 ip4:203.0.113.0/24 ~all",
  "loop.test": "v=spf1 include:loop.test -all",
  "redirect.test": "v=spf1 redirect=pass.test",
  "broken.test": "v=spf1 ip4:nowhere -all"
}

const missing = (name: string) => Effect.fail(new DnsMissing({ name }))

const dnsOf = (policy: string): Dns["Service"] => ({
  txt: (name) => {
    if (name === "down.test") return Effect.fail(new DnsUnavailable({ name, reason: "timeout" }))
    const text = name === "path.test" ? policy : records[name]
    return text === undefined ? missing(name) : Effect.succeed(["another", text])
  },
  mx: (name) =>
    name === "path.test" ? Effect.succeed([{ preference: 10, exchange: "mail.test" }]) : missing(name),
  addresses: (name) => {
    const found = addresses[name]
    return found === undefined ? missing(name) : Effect.succeed(found)
  }
})

const evaluated = (policy: string, address = "192.0.2.1") =>
  evaluateSpf(dnsOf(policy), "path.test", parseIp(address)!)

it.effect.each([
  ["v=spf1 a:mail.test ~all", "Pass"],
  ["v=spf1 A:MAIL.test -all", "Pass"],
  ["v=spf1 a:net.test -all", "Fail"],
  ["v=spf1 a:net.test/24 -all", "Fail"],
  ["v=spf1 mx ~all", "Pass"],
  ["v=spf1 ip4:192.0.2.1 -all", "Pass"],
  ["v=spf1 ip4:192.0.2.0/31", "Pass"],
  ["v=spf1 ip6:2001:db8::/32 ~all", "Fail"],
  ["v=spf1 -ip4:192.0.2.1 +all", "Fail"],
  ["v=spf1 ~a:mail.test all", "Fail"],
  ["v=spf1 all", "Pass"],
  ["v=spf1", "Fail"],
  ["v=spf1 include:pass.test ~all", "Pass"],
  ["v=spf1 include:fail.test a:mail.test ~all", "Pass"],
  ["v=spf1 include:redirect.test ~all", "Pass"],
  ["v=spf1 include:nowhere.test ~all", "Error"],
  ["v=spf1 include:broken.test all", "Error"],
  ["v=spf1 include:loop.test all", "Error"],
  ["v=spf1 redirect=fail.test", "Fail"],
  ["v=spf1 redirect=nowhere.test", "Error"],
  ["v=spf1 exists:%{i}.mail.test ptr a:mail.test", "Pass"],
  ["v=spf1 exists:mail.test", "Pass"],
  ["v=spf1 exp=why.test ip4:192.0.2.1", "Pass"],
  ["v=spf1 sends:mail.test all", "Error"],
  [`v=spf1 ${"a:net.test ".repeat(10)}ip4:192.0.2.1`, "Pass"],
  [`v=spf1 ${"a:net.test ".repeat(11)}ip4:192.0.2.1`, "Error"],
  ["v=spf10 all", "None"]
] as const)("%s is %s for 192.0.2.1", ([policy, result]) =>
  Effect.map(evaluated(policy), (found) => expect(found).toBe(result))
)

it.effect("IPv6 addresses pass by their own mechanisms, and a silent server leaves it open", () =>
  Effect.gen(function* () {
    expect(yield* evaluated("v=spf1 ip6:2001:db8::/32 -all", "2001:db8::1")).toBe("Pass")
    expect(yield* evaluated("v=spf1 a:mail.test -all", "2001:db8::1")).toBe("Pass")
    expect(yield* evaluated("v=spf1 ip4:32.1.13.184 -all", "2001:db8::1")).toBe("Fail")
    expect(yield* Effect.flip(evaluated("v=spf1 include:down.test -all"))).toBeInstanceOf(DnsUnavailable)
  })
)

it("any record has a result", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.constantFrom(
          "a",
          "mx",
          "include",
          "redirect=",
          ":",
          "/",
          "//",
          "-",
          "+",
          "all",
          "%{i}",
          "ip4",
          "9",
          " ",
          "é"
        ),
        { maxLength: 30 }
      ),
      async (parts) => {
        const result = await Effect.runPromise(evaluated(`v=spf1 ${parts.join("")}`))
        expect(["Pass", "Fail", "None", "Error"]).toContain(result)
      }
    )
  ))
