/**
 * Tests the check of an account's sending domain against the DNS.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../../adapters/memory/index.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import type { Account } from "../../../../core/model/Account.ts"
import type { DkimKey, SendingDomain } from "../../../../core/model/Domain.ts"
import type { MailRelay } from "../../../../core/model/MailRelay.ts"
import { newDomain } from "../../../../core/model/Domain.ts"
import { Dns, DnsMissing } from "../../../../core/ports/Dns.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import type { MailSource } from "../../../../core/model/Source.ts"
import { SourceStore } from "../../../../core/ports/SourceStore.ts"
import { RelayStore } from "../../../../core/ports/RelayStore.ts"
import { Alignment } from "../../../../core/sending/alignment/Alignment.ts"
import { refreshRecords } from "../../../../core/sending/domains/DomainRules.ts"
import { freshAccount } from "../../../contract/fixtures.ts"

const mailHost = "mail.svc.example"

const key: DkimKey = {
  selector: "svc1r-0000000001",
  algorithm: "rsa",
  publicKey: "public",
  sealedKey: "sealed",
  state: "Active",
  createdAt: 0,
  retiredAt: null
}

const within = <A, E>(
  test: (
    zone: Map<string, ReadonlyArray<string>>
  ) => Effect.Effect<A, E, Alignment | DomainStore | Layer.Success<typeof Memory.layer>>
) => {
  const zone = new Map<string, ReadonlyArray<string>>()
  const of = (type: string) => (name: string) =>
    Effect.suspend(() => {
      const found = zone.get(`${type} ${name}`)
      return found === undefined ? Effect.fail(new DnsMissing({ name })) : Effect.succeed(found)
    })
  const mx = of("MX")
  const layer = Alignment.layer.pipe(
    Layer.provide([
      Layer.succeed(Dns, {
        txt: of("TXT"),
        mx: (name) =>
          Effect.map(mx(name), (found) => found.map((exchange) => ({ preference: 10, exchange }))),
        addresses: of("A"),
        names: of("PTR")
      }),
      Layer.succeed(PublicEndpoint, { baseUrl: () => "https://svc.example", mailHost, takesReports: true })
    ]),
    Layer.provideMerge(Memory.layer)
  )
  return Effect.provide(test(zone), layer)
}

const addDomain = Effect.fnUntraced(function* (accountId: string, zone: Map<string, ReadonlyArray<string>>) {
  const store = yield* DomainStore
  const added = newDomain(
    { id: crypto.randomUUID(), accountId, domain: "news.example.com", createdAt: 0 },
    true
  )
  const domain: SendingDomain = refreshRecords({ ...added, keys: [key] }, { mailHost, takesReports: true })
  yield* Effect.orDie(store.insert(domain))
  for (const { name, purpose, type, value } of domain.records) {
    if (purpose !== "DMARC" && type === "TXT") zone.set(`TXT ${name}`, [value])
  }
  zone.set("TXT _dmarc.example.com", ["v=DMARC1; p=reject"])
  zone.set("MX news.example.com", ["mx.example.com"])
  zone.set(`A ${mailHost}`, ["192.0.2.1"])
  zone.set("PTR 192.0.2.1", [mailHost])
  return domain
})

const relayOf = (companyId: string, values: Partial<MailRelay>): MailRelay => ({
  id: crypto.randomUUID(),
  companyId,
  name: "A relay",
  kind: "Smtp",
  shownUrl: "",
  secrets: "",
  streams: ["Transactional", "Marketing"],
  maxPerSecond: null,
  dailyLimit: null,
  shared: false,
  feedback: {},
  feedbackSecrets: [],
  state: "Active",
  stateReason: null,
  words: null,
  lastRefusal: null,
  lastReportAt: null,
  createdAt: 0,
  ...values
})

const outcomes = Effect.fnUntraced(function* (account: Parameters<Alignment["Service"]["check"]>[0]) {
  const { check } = yield* Alignment
  const checks = yield* check(account, "News.example.com")
  return Object.fromEntries(checks.map((one) => [one.check, one.outcome]))
})

const everyPass = {
  Dkim: "Pass",
  Spf: "Pass",
  Dmarc: "Pass",
  Unsubscribe: "Pass",
  Mx: "Pass",
  Ptr: "Pass",
  Tls: "Pass"
}

it.effect("a domain is checked in the DNS, and checks that all pass are kept for an hour", () =>
  within((zone) =>
    Effect.gen(function* () {
      const account = yield* freshAccount()
      const { require } = yield* Alignment
      yield* addDomain(account.id, zone)
      zone.set("TXT bounces.news.example.com", ["v=spf1 ip4:198.51.100.0/24 -all"])
      zone.delete("PTR 192.0.2.1")
      expect(yield* outcomes(account)).toEqual({ ...everyPass, Spf: "Fail", Ptr: "Fail" })
      expect(yield* Effect.flip(require(account, "news.example.com"))).toMatchObject({
        issues: [{ code: "deliverability.sender_not_aligned" }]
      })

      // A failed look-up is repeated at once. A different return-path record that includes the address is also accepted.
      zone.set("TXT bounces.news.example.com", ["v=spf1 ip4:192.0.2.0/24 -all"])
      zone.set("PTR 192.0.2.1", [mailHost])
      expect(yield* outcomes(account)).toEqual(everyPass)
      yield* require(account, "news.example.com")

      zone.delete("TXT _dmarc.example.com")
      expect(yield* outcomes(account)).toEqual(everyPass)
      yield* TestClock.adjust("61 minutes")
      expect(yield* outcomes(account)).toEqual({ ...everyPass, Dmarc: "Fail" })
    })
  )
)

it.effect("the addresses of an account's pools are looked at where it has any", () =>
  within((zone) =>
    Effect.gen(function* () {
      const account = yield* freshAccount()
      const store = yield* SourceStore
      yield* addDomain(account.id, zone)
      const source = (address: string, pool: string): MailSource => ({
        id: crypto.randomUUID(),
        address,
        name: "out8.example.com",
        pool,
        mode: "Active",
        isForced: true,
        reverse: null,
        warmUp: null,
        createdAt: 0
      })
      // This source still waits for its name and sends nothing; mail is sent from the system's default address.
      yield* store.insert({ ...source("192.0.2.7", "default"), isForced: false })
      expect(yield* outcomes(account)).toEqual(everyPass)
      yield* store.insert(source("192.0.2.8", "default"))
      yield* store.insert(source("192.0.2.9", "other"))
      const { check } = yield* Alignment
      const checks = yield* check(account, "news.example.com")
      const spf = checks.find((one) => one.check === "Spf")
      expect(checks.find((one) => one.check === "Ptr")!.fix).toContain("192.0.2.8 to out8.example.com.")
      expect(spf).toMatchObject({ outcome: "Fail" })
      expect(spf!.fix).toContain(`v=spf1 a:${mailHost} include:_spf.${mailHost} ~all`)
      expect(yield* outcomes(account)).toEqual({ ...everyPass, Spf: "Fail", Ptr: "Fail" })

      zone.set("TXT bounces.news.example.com", [`v=spf1 a:${mailHost} include:_spf.${mailHost} ~all`])
      zone.set(`TXT _spf.${mailHost}`, ["v=spf1 ip4:192.0.2.8 ~all"])
      zone.set("PTR 192.0.2.8", ["out8.example.com"])
      zone.set("A out8.example.com", ["192.0.2.8"])
      expect(yield* outcomes(account)).toEqual(everyPass)

      // An IPv6 source that has no name, or that the SPF record does not authorise, sends nothing. It is checked only if there is
      // no other source.
      const six = {
        ...source("2001:db8::8", "default"),
        reverse: { names: [], isConfirmed: true, checkedAt: 0 }
      }
      yield* store.insert(six)
      yield* store.insert(source("2001:db8::9", "default"))
      expect(yield* outcomes(account)).toEqual(everyPass)
      const pools = { transactional: "default", marketing: "six" }
      yield* store.insert({ ...six, id: crypto.randomUUID(), address: "2001:db8::6", pool: "six" })
      const split: Account = { ...account, settings: { ...account.settings, pools } }
      expect(yield* outcomes(split)).toEqual({ ...everyPass, Spf: "Fail", Ptr: "Fail" })
    })
  )
)

it.effect(
  "an account whose relays take all mail needs nothing of the service's addresses, and sees what each relay needs",
  () =>
    within((zone) =>
      Effect.gen(function* () {
        const account = yield* freshAccount()
        const relays = yield* RelayStore
        const relay = relayOf(account.companyId, { name: "Ours", kind: "Postmark" })
        const foreign = relayOf(crypto.randomUUID(), { name: "Theirs" })
        yield* Effect.all([relays.insert(relay), relays.insert(foreign)])
        yield* addDomain(account.id, zone)
        zone.delete("PTR 192.0.2.1")
        const by = (...ways: ReadonlyArray<string>): Account => ({
          ...account,
          settings: { ...account.settings, delivery: { transactional: ways, marketing: ways } }
        })
        const { Ptr: _ptr, Tls: _tls, ...passed } = everyPass
        const ways = [`relay:${relay.id}`, `relay:${foreign.id}`]
        expect(yield* outcomes(by(...ways))).toEqual({ ...passed, Relay: "Pass" })
        expect(yield* outcomes(by(...ways, "Direct"))).toEqual({ ...everyPass, Ptr: "Fail", Relay: "Pass" })
        const { check } = yield* Alignment
        const shown = (yield* check(by(...ways), "news.example.com")).filter((one) => one.check === "Relay")
        expect(shown).toMatchObject([
          { seen: "Ours", fix: null, expected: expect.stringContaining("pm-bounces.news") }
        ])
        for (const name of zone.keys()) if (name.includes("_domainkey")) zone.delete(name)
        yield* TestClock.adjust("61 minutes")
        expect(yield* outcomes(by(...ways))).toMatchObject({ Dkim: "Fail", Relay: "Warn" })
      })
    )
)

it.effect("a sandbox looks nothing up, and a domain of another account is not found", () =>
  within((zone) =>
    Effect.gen(function* () {
      const { check } = yield* Alignment
      const sandbox: Account = { ...(yield* freshAccount()), mode: "Sandbox" }
      const other = yield* freshAccount()
      yield* addDomain(sandbox.id, zone)
      zone.clear()
      expect(yield* outcomes(sandbox)).toEqual(everyPass)
      expect(yield* Effect.flip(check(other, "news.example.com"))).toMatchObject({
        issues: [{ code: "common.not_found" }]
      })
      expect(yield* Effect.flip(check(other, "no domain"))).toMatchObject({
        issues: [{ code: "validation.format", field: "domain" }]
      })
    })
  )
)
