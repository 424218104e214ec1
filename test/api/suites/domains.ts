/**
 * Tests the sending domains of live accounts: DNS records, verification, and mail that waits for it
 * (docs/contributing/management-api.md, docs/contributing/decisions.md 5).
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import {
  dateTimePattern,
  type EmailAccepted,
  type EmailSubmission,
  idPattern,
  type Page
} from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface DomainRecord {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly purpose: string
  readonly found: boolean
  readonly seen: ReadonlyArray<string>
}

interface Domain {
  readonly id: string
  readonly domain: string
  readonly status: string
  readonly records: ReadonlyArray<DomainRecord>
  readonly verifiedAt: string | null
}

interface AuditEntry {
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null }
  readonly action: string
}

export const domainsSuite = (target: () => Target) =>
  describe("sending domains", () => {
    let account: TestAccount
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Domains")).live
    })

    const add = async (domain: string, to = account) =>
      (await to.manage<Domain>("POST", "/domains", { domain })).value
    const verify = async ({ id }: Domain, of = account) =>
      (await of.manage<Domain>("POST", `/domains/${id}/verify`)).value
    const rotate = async ({ id }: Domain, of = account) =>
      (await of.manage<Domain>("POST", `/domains/${id}/rotate-dkim`)).value
    const listed = async ({ id }: Domain) =>
      (await account.manage<Page<Domain>>("GET", "/domains?pageSize=200")).value.items.find(
        (domain) => domain.id === id
      )!
    const actions = async () =>
      (await account.manage<Page<AuditEntry>>("GET", "/audit-log")).value.items.map((entry) => entry.action)
    const foundOf = (domain: Domain, purpose: string) =>
      domain.records.filter((record) => record.purpose === purpose).map((record) => record.found)

    /** Replaces the DNS records of the given names; null removes them. */
    const publish = (domain: Domain, records: ReadonlyArray<DomainRecord> | null = domain.records) => {
      for (const { name } of domain.records) target().dns.set(name, null)
      for (const [name, group] of Map.groupBy(records ?? [], (record) => record.name)) {
        target().dns.set(name, {
          TXT: group.filter((record) => record.type === "TXT").map((record) => record.value),
          MX: group
            .filter((record) => record.type === "MX")
            .map(({ value }) => [Number(value.split(" ")[0]), value.split(" ")[1]!] as const)
        })
      }
    }

    /** Waits until cached DNS responses have expired. */
    const expireDnsCache = async () => target().advance?.("1 minute")

    /** Adds the domain of the account's default sender. */
    const addAsDefault = async (name: string) => {
      await account.manage("PATCH", "/settings", { defaultSender: { email: `a@${name}`, name: null } })
      return add(name)
    }
    /** Sends an email from the default sender. */
    const send = async () => {
      const json = { to: "ada@recipient.example", subject: "s", text: "t" }
      return (await account.api<EmailAccepted>("POST", "/sending/emails", json)).value
    }
    const reasonOf = async ({ id }: EmailAccepted) => {
      const { reason, status } = (await account.api<EmailSubmission>("GET", `/sending/emails/${id}`)).value
      return status === "Queued" ? reason : null
    }
    const waits = "sending.no_verified_sender"

    /** Removes an account's domains, because each unverified one would be checked hourly when the clock is moved. */
    const clear = async (of: TestAccount) => {
      const { items } = (await of.manage<Page<Domain>>("GET", "/domains?pageSize=200")).value
      for (const { id } of items) await of.manage("DELETE", `/domains/${id}`)
    }
    afterAll(() => clear(account))

    it("list the records to publish, none of them found", async () => {
      const answer = await account.manage<Domain>("POST", "/domains", { domain: "Shown.Example" })
      expect(answer.status).toBe(201)
      const { id, records } = answer.value
      expect(answer.value).toEqual({
        id,
        domain: "shown.example",
        status: "Pending",
        records,
        verifiedAt: null
      })
      expect(id).toMatch(idPattern)
      // If the service accepts reports, reports of TLS connections to the return path are also recommended.
      const takesReports = records.some(({ value }) => value.includes("rua=mailto:dmarc@"))
      expect(records.map(({ name, purpose, type }) => [purpose, type, name])).toEqual([
        ["DKIM", "TXT", expect.stringMatching(/^svc1r-[0-9a-f]{10}\._domainkey\.shown\.example$/)],
        ["DKIM", "TXT", expect.stringMatching(/^svc1e-[0-9a-f]{10}\._domainkey\.shown\.example$/)],
        ["ReturnPath", "MX", "bounces.shown.example"],
        ["SPF", "TXT", "bounces.shown.example"],
        ["DMARC", "TXT", "_dmarc.shown.example"],
        ...(takesReports ? [["TLS", "TXT", "_smtp._tls.bounces.shown.example"]] : [])
      ])
      expect(records.map((record) => record.value)).toEqual([
        expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/),
        expect.stringMatching(/^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/),
        expect.stringMatching(/^10 [a-z0-9.-]+$/),
        expect.stringMatching(/^v=spf1 a:[a-z0-9.-]+ ~all$/),
        expect.stringMatching(/^v=DMARC1; p=none(; rua=mailto:dmarc@[a-z0-9.-]+)?$/),
        ...(takesReports
          ? [expect.stringMatching(/^v=TLSRPTv1; rua=mailto:tls-reports@[a-z0-9.-]+$/) as string]
          : [])
      ])
      expect(records.every(({ found, seen }) => !found && seen.length === 0)).toBe(true)
      expect(await listed(answer.value)).toEqual(answer.value)
      expect(await verify(answer.value)).toEqual(answer.value)
    })

    it("are verified once keys and return path are published, whatever SPF and DMARC are", async () => {
      const domain = await add("stands.example")
      const [rsa, ed25519, mx] = domain.records as [DomainRecord, DomainRecord, DomainRecord]
      publish(domain, [rsa, mx])
      const half = await verify(domain)
      expect(half).toMatchObject({ status: "Pending", verifiedAt: null })
      const allFound = ({ records }: Domain) =>
        records.flatMap(({ found, purpose }) => (purpose === "TLS" ? [] : [found]))
      expect(allFound(half)).toEqual([true, false, true, false, false])
      publish(domain, [rsa, ed25519, mx])
      await expireDnsCache()
      const verified = await verify(domain)
      expect(verified.status).toBe("Verified")
      expect(verified.verifiedAt).toMatch(dateTimePattern)
      expect(allFound(verified)).toEqual([true, true, true, false, false])
      expect(await listed(domain)).toEqual(verified)
      publish(domain)
      await expireDnsCache()
      const whole = await verify(domain)
      expect(whole.records.every((record) => record.found)).toBe(true)
      expect(whole.verifiedAt).toBe(verified.verifiedAt)
      expect(await actions()).toContain("domain.verified")
    })

    it("treat an incorrect record as missing, and show what stands in its place", async () => {
      const domain = await add("wrong.example")
      const other = await add("other.example")
      const [rsa, ed25519, mx] = domain.records as [DomainRecord, DomainRecord, DomainRecord]
      publish(domain, [
        { ...rsa, value: other.records[0]!.value },
        ed25519,
        { ...mx, value: "10 mx.example" }
      ])
      const looked = await verify(domain)
      expect(looked.status).toBe("Pending")
      expect(foundOf(looked, "DKIM")).toEqual([false, true])
      expect(foundOf(looked, "ReturnPath")).toEqual([false])
      expect(looked.records.slice(0, 4).map(({ seen }) => seen)).toEqual([
        [other.records[0]!.value],
        [ed25519.value],
        ["10 mx.example"],
        []
      ])
      expect(await listed(domain)).toEqual(looked)
    })

    it("keep their status when name servers do not respond, or an operator checks and records are missing", async () => {
      const domain = await add("silent.example")
      publish(domain)
      const verified = await verify(domain)
      expect(verified.status).toBe("Verified")
      await expireDnsCache()
      for (const { name } of domain.records) target().dns.fail(name, "servfail")
      expect(await verify(domain)).toEqual(verified)
      for (const { name } of domain.records) target().dns.fail(name, null)
      publish(domain, null)
      await expireDnsCache()
      for (let look = 0; look < 4; look++) {
        // A server process caches DNS responses for half a minute.
        if (target().advance === null) break
        const looked = await verify(domain)
        expect(looked).toMatchObject({ status: "Verified", verifiedAt: verified.verifiedAt })
        expect(looked.records.every((record) => !record.found)).toBe(true)
      }
    })

    it("are verified for each account separately", async () => {
      const other = (await openWorkspace(target(), "Domains too")).live
      const mine = await add("shared.example")
      const theirs = await add("shared.example", other)
      expect(theirs.records.slice(0, 2).map((record) => record.name)).not.toEqual(
        mine.records.slice(0, 2).map((record) => record.name)
      )
      publish(mine)
      expect((await verify(mine)).status).toBe("Verified")
      const looked = await verify(theirs, other)
      expect(looked.status).toBe("Pending")
      expect(foundOf(looked, "DKIM")).toEqual([false, false])
      expect((await account.manage("POST", `/domains/${theirs.id}/verify`)).status).toBe(404)
      expect((await account.manage("POST", `/domains/${theirs.id}/rotate-dkim`)).status).toBe(404)
      await clear(other)
    })

    it("release waiting mail once verified", async () => {
      const domain = await addAsDefault("waiting.example")
      const email = await send()
      expect(email).toMatchObject({ status: "Queued", reason: waits })
      await verify(domain)
      expect(await reasonOf(email)).toBe(waits)
      publish(domain)
      expect((await verify(domain)).status).toBe("Verified")
      expect(
        await eventually(
          () => reasonOf(email),
          (reason) => reason !== waits
        )
      ).not.toBe(waits)
    })

    it("switch to new keys once their records are published", async () => {
      const domain = await add("turning.example")
      publish(domain)
      await verify(domain)
      const rotating = await rotate(domain)
      expect(rotating.status).toBe("Verified")
      expect(foundOf(rotating, "DKIM")).toEqual([true, true, false, false])
      expect(rotating.records.slice(2, 4).map((record) => record.name)).toEqual([
        expect.stringMatching(/^svc2r-/),
        expect.stringMatching(/^svc2e-/)
      ])
      expect(await rotate(domain)).toEqual(rotating)
      const published = rotating.records.filter((_, index) => index !== 3)
      publish(rotating, published)
      await expireDnsCache()
      expect(foundOf(await verify(domain), "DKIM")).toEqual([true, true, true, false])
      expect(await actions()).not.toContain("domain.dkim_activated")
      publish(rotating)
      await expireDnsCache()
      const turned = await verify(domain)
      expect(turned.status).toBe("Verified")
      expect(foundOf(turned, "DKIM")).toEqual([true, true, true, true])
      expect(await actions()).toContain("domain.dkim_activated")
      expect((await rotate(domain)).records.slice(4, 6).map((record) => record.name)).toEqual([
        expect.stringMatching(/^svc3r-/),
        expect.stringMatching(/^svc3e-/)
      ])
    })

    it("of a sandbox are verified without their records, which they list", async () => {
      const { sandbox } = await openWorkspace(target(), "Domains of a sandbox")
      const domain = await add("sandboxed.example", sandbox)
      expect(domain.status).toBe("Verified")
      expect(domain.records.slice(0, 5).map(({ found, purpose }) => [purpose, found])).toEqual([
        ["DKIM", false],
        ["DKIM", false],
        ["ReturnPath", false],
        ["SPF", false],
        ["DMARC", false]
      ])
      const { items } = (await sandbox.manage<Page<Domain>>("GET", "/domains")).value
      expect(items.find(({ id }) => id === domain.id)).toEqual(domain)
      expect(await verify(domain, sandbox)).toEqual(domain)
      expect(await rotate(domain, sandbox)).toEqual(domain)
    })

    it("do not reveal their private keys", async () => {
      const domain = await add("secret.example")
      const texts = [
        (await account.manage("GET", "/domains?pageSize=200")).text,
        (await account.manage("GET", "/audit-log?pageSize=200")).text,
        (await account.manage("POST", `/domains/${domain.id}/rotate-dkim`)).text,
        (await account.manage("POST", `/domains/${domain.id}/verify`)).text
      ]
      for (const text of texts) expect(text).not.toMatch(/private|sealed|v1\.[A-Za-z0-9_-]{20}/i)
    })

    it("reject a name whose records would be too long", async () => {
      const label = "a".repeat(60)
      const fits = await account.manage("POST", "/domains", { domain: `${label}.${label}.example` })
      expect(fits.status).toBe(201)
      const answer = await account.manage("POST", "/domains", {
        domain: `${label}.${label}.${label}.example`
      })
      expect([answer.status, answer.codes]).toEqual([400, ["deliverability.domain_invalid"]])
    })

    it("are verified by themselves, fail after three days without records, keep mail waiting, and recover", async ({
      skip
    }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      await clear(account)
      const domain = await addAsDefault("days.example")
      publish(domain)
      await advance("2 minutes")
      expect(await listed(domain)).toMatchObject({ status: "Verified" })
      publish(domain, null)
      await advance("2 days")
      expect(await listed(domain)).toMatchObject({ status: "Verified" })
      await advance("30 hours")
      expect(await listed(domain)).toMatchObject({ status: "Failing" })
      expect(await actions()).toContain("domain.failing")
      const email = await send()
      expect(email).toMatchObject({ status: "Queued", reason: waits })
      publish(domain)
      await advance("61 minutes")
      expect(await listed(domain)).toMatchObject({ status: "Verified" })
      expect(await reasonOf(email)).not.toBe(waits)
    })
  })
