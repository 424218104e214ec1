import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DkimKey, DomainRecord } from "../../../../core/model/Domain.ts"
import {
  asksForReports,
  exchangersMatch,
  exchangerValue,
  isRecordOf,
  isShortEnough,
  keptValues,
  nextGeneration,
  recordsOf,
  selectorOf,
  textsMatch
} from "../../../../core/sending/domains/DomainRecords.ts"
import { anyText } from "../../arbitraries.ts"

const domain = "news.example.com"
const mailHost = "mail.svc.example"
const receiver = { mailHost, takesReports: false }
const domainId = "0198c0de-0000-7000-8000-0123456789ab"

const keyOf = (algorithm: DkimKey["algorithm"], publicKey: string, generation = 1): DkimKey => ({
  selector: selectorOf(domainId, generation, algorithm),
  algorithm,
  publicKey,
  sealedKey: "sealed",
  state: "Active",
  createdAt: 0,
  retiredAt: null
})

const rsa = keyOf("rsa", `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${"Ab+/".repeat(90)}==`)
const ed25519 = keyOf("ed25519", "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
const records = recordsOf(domain, [rsa, ed25519], receiver)
const [dkim, dkimEd, mx, spf, dmarc] = records as [
  DomainRecord,
  DomainRecord,
  DomainRecord,
  DomainRecord,
  DomainRecord
]

const found = (record: DomainRecord, ...texts: ReadonlyArray<string>) => textsMatch(record, texts)

describe("DomainRecords", () => {
  it("consist of DKIM for each key, MX and SPF of the return path, and DMARC", () => {
    expect(records).toEqual([
      {
        type: "TXT",
        name: "svc1r-23456789ab._domainkey.news.example.com",
        value: `v=DKIM1; k=rsa; p=${rsa.publicKey}`,
        purpose: "DKIM",
        found: false
      },
      {
        type: "TXT",
        name: "svc1e-23456789ab._domainkey.news.example.com",
        value: `v=DKIM1; k=ed25519; p=${ed25519.publicKey}`,
        purpose: "DKIM",
        found: false
      },
      {
        type: "MX",
        name: "bounces.news.example.com",
        value: "10 mail.svc.example",
        purpose: "ReturnPath",
        found: false
      },
      {
        type: "TXT",
        name: "bounces.news.example.com",
        value: "v=spf1 a:mail.svc.example ~all",
        purpose: "SPF",
        found: false
      },
      {
        type: "TXT",
        name: "_dmarc.news.example.com",
        value: "v=DMARC1; p=none",
        purpose: "DMARC",
        found: false
      }
    ])
    expect(records.map((record) => isRecordOf(record, rsa, domain))).toEqual([
      true,
      false,
      false,
      false,
      false
    ])
  })

  it("have DMARC reports sent to the mail host where it takes reports", () => {
    const advised = recordsOf(domain, [], { ...receiver, takesReports: true }).find(
      ({ purpose }) => purpose === "DMARC"
    )!
    expect(advised.value).toBe("v=DMARC1; p=none; rua=mailto:dmarc@mail.svc.example")
    expect(textsMatch(advised, ["v=DMARC1; p=reject"])).toBe(true)
    const asks = (text: string) => asksForReports(text, mailHost)
    expect(asks(advised.value)).toBe(true)
    expect(asks("v=DMARC1; p=reject; rua=mailto:a@b.example, mailto:DMARC@mail.svc.example!10m")).toBe(true)
    expect(asks("v=DMARC1; p=reject; rua=mailto:dmarc@mail.svc.example.com")).toBe(false)
    expect(asks("v=DMARC1; p=none")).toBe(false)
  })

  it("have TLS reports of the return path sent to the mail host where it takes reports", () => {
    const advised = recordsOf(domain, [], { ...receiver, takesReports: true }).find(
      ({ purpose }) => purpose === "TLS"
    )!
    expect(advised).toMatchObject({
      type: "TXT",
      name: "_smtp._tls.bounces.news.example.com",
      value: "v=TLSRPTv1; rua=mailto:tls-reports@mail.svc.example"
    })
    const matches = (...texts: ReadonlyArray<string>) => textsMatch(advised, texts)
    expect(matches(advised.value)).toBe(true)
    expect(matches("v=TLSRPTv1;rua=https://a.example/,mailto:TLS-Reports@mail.svc.example;")).toBe(true)
    expect(matches()).toBe(false)
    expect(matches("v=TLSRPTv1; rua=mailto:reports@mail.svc.example")).toBe(false)
    expect(matches(advised.value, advised.value)).toBe(false)
  })

  it("differ between two accounts with the same domain", () => {
    fc.assert(
      fc.property(
        fc.uuid({ version: 7 }),
        fc.uuid({ version: 7 }),
        fc.integer({ min: 1, max: 9999 }),
        (a, b, n) => {
          fc.pre(a.slice(-10) !== b.slice(-10))
          const selectors = [a, b].flatMap((id) => [selectorOf(id, n, "rsa"), selectorOf(id, n, "ed25519")])
          expect(new Set(selectors).size).toBe(4)
          for (const selector of selectors) expect(selector).toMatch(/^[a-z0-9-]{1,19}$/)
          expect(nextGeneration(selectors.map((selector) => ({ selector })))).toBe(n + 1)
        }
      )
    )
    expect(nextGeneration([])).toBe(1)
    expect(nextGeneration([{ selector: "svc10r-0" }, { selector: "svc9e-0" }])).toBe(11)
  })

  it("fit the limits when the domain is short enough", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 253 }), (length) => {
        const name = `${"a.".repeat(126)}com`.slice(-length)
        if (!isShortEnough(name)) return
        for (const record of recordsOf(name, [keyOf("rsa", "x", 9999)], receiver)) {
          expect(record.name.length).toBeLessThanOrEqual(253)
        }
        expect(64 + 1 + `bounces.${name}`.length).toBeLessThanOrEqual(254)
      })
    )
    expect(isShortEnough("a".repeat(60) + ".example.com")).toBe(true)
    expect(isShortEnough(`${"a".repeat(60)}.`.repeat(3) + "com")).toBe(false)
  })
})

describe("a DKIM record is found", () => {
  const space = fc.stringMatching(/^[ \t]{0,3}$/)

  it("with any spacing and order of tags after the version, and any other tags", () => {
    const extra = fc.subarray(["t=s", "n=a note", "h=sha1:sha256", "s=email", "s=*", "x_1=", "g=*"])
    fc.assert(
      fc.property(
        fc.constantFrom({ record: dkim, key: rsa }, { record: dkimEd, key: ed25519 }),
        extra.filter((tags) => new Set(tags.map((tag) => tag[0])).size === tags.length),
        fc.boolean(),
        fc.infiniteStream(space),
        fc.nat(),
        fc.nat(),
        ({ key, record }, others, hasVersion, spaces, cut, shift) => {
          const next = () => spaces.next().value!
          const at = cut % key.publicKey.length
          const p = `${key.publicKey.slice(0, at)}${next()}${key.publicKey.slice(at)}`
          const tags = [`k=${key.algorithm}`, `p=${p}`, ...others]
          const rotated = [...tags.slice(shift % tags.length), ...tags.slice(0, shift % tags.length)]
          const text = [...(hasVersion ? ["v=DKIM1"] : []), ...rotated]
            .map((tag) => next() + tag.replace("=", `${next()}=${next()}`) + next())
            .join(";")
          expect(found(record, text)).toBe(true)
          expect(found(record, `${text};`)).toBe(true)
          expect(found(record, "some-other-verification=1", text, text)).toBe(true)
        }
      )
    )
  })

  it("as RSA when it names no algorithm", () => {
    expect(found(dkim, `p=${rsa.publicKey}`)).toBe(true)
    expect(found(dkimEd, `p=${ed25519.publicKey}`)).toBe(false)
  })

  it.each([
    ["another key", `v=DKIM1; k=rsa; p=${ed25519.publicKey}`],
    ["a key cut off", `v=DKIM1; k=rsa; p=${rsa.publicKey.slice(0, 200)}`],
    ["a key in lower case", `v=DKIM1; k=rsa; p=${rsa.publicKey.toLowerCase()}`],
    ["a key withdrawn", "v=DKIM1; k=rsa; p="],
    ["another algorithm", `v=DKIM1; k=ed25519; p=${rsa.publicKey}`],
    ["another version", `v=DKIM2; k=rsa; p=${rsa.publicKey}`],
    ["the version not first", `k=rsa; v=DKIM1; p=${rsa.publicKey}`],
    ["tag names in upper case", `V=DKIM1; K=rsa; P=${rsa.publicKey}`],
    ["a tag twice", `v=DKIM1; k=rsa; p=${rsa.publicKey}; p=${rsa.publicKey}`],
    ["only SHA-1", `v=DKIM1; k=rsa; h=sha1; p=${rsa.publicKey}`],
    ["another service", `v=DKIM1; k=rsa; s=tlsrpt; p=${rsa.publicKey}`],
    ["quotes a panel kept", `"v=DKIM1; k=rsa; p=${rsa.publicKey}"`],
    ["backslashes a panel kept", `v=DKIM1\\; k=rsa\\; p=${rsa.publicKey}`],
    ["nothing", ""]
  ])("not with %s, which receivers reject", (_, text) => {
    expect(found(dkim, text)).toBe(false)
  })

  it("not beside another key at the same name, since a receiver may use either", () => {
    expect(found(dkim, dkim.value, dkimEd.value)).toBe(false)
    expect(found(dkim)).toBe(false)
  })
})

describe("the return path's MX is found", () => {
  const at = (...list: ReadonlyArray<readonly [number, string]>) =>
    exchangersMatch(
      mx,
      list.map(([preference, exchange]) => ({ preference, exchange }))
    )

  it("when the most preferred exchanger is the mail host, in upper or lower case", () => {
    expect(at([10, mailHost])).toBe(true)
    expect(at([0, "MAIL.svc.Example."])).toBe(true)
    expect(at([20, "other.example"], [5, mailHost])).toBe(true)
    expect(at([5, "other.example"], [5, mailHost])).toBe(true)
  })

  it("not when another exchanger is preferred", () => {
    expect(at()).toBe(false)
    expect(at([0, ""])).toBe(false)
    expect(at([10, `${mailHost}.news.example.com`])).toBe(false)
    expect(at([10, "example"])).toBe(false)
    expect(at([1, "other.example"], [5, mailHost])).toBe(false)
  })
})

describe("an SPF record is found", () => {
  it.each([
    spf.value,
    "v=spf1 mx -all",
    "V=SPF1  +A:MAIL.SVC.EXAMPLE  -ALL",
    "v=spf1 include:spf.example.net mx ~all",
    `v=spf1 a:${mailHost}`
  ])("when it lets the mail host pass: %s", (text) => {
    expect(found(spf, text)).toBe(true)
    expect(found(spf, text, "other=1")).toBe(true)
    expect(found(spf, text, text)).toBe(false)
  })

  it.each([
    "v=spf1 -all",
    "v=spf1 ~all mx",
    "v=spf1 -mx ~all",
    "v=spf1 a:other.example ~all",
    `v=spf10 a:${mailHost} ~all`,
    `"${spf.value}"`,
    `a:${mailHost}`,
    ""
  ])("not for %j", (text) => {
    expect(found(spf, text)).toBe(false)
  })
})

describe("a DMARC record is found", () => {
  it("with any policy, when there is exactly one", () => {
    expect(found(dmarc, dmarc.value)).toBe(true)
    expect(found(dmarc, "v=DMARC1;p=reject;rua=mailto:a@b.example", "other")).toBe(true)
    expect(found(dmarc, "v = DMARC1 ; p=none")).toBe(true)
    expect(found(dmarc, "v=DMARC1; p=none", "v=DMARC1; p=reject")).toBe(false)
    expect(found(dmarc, "p=none; v=DMARC1")).toBe(false)
    expect(found(dmarc, "v=DMARC10; p=none")).toBe(false)
    expect(found(dmarc)).toBe(false)
  })
})

describe("any content of the DNS", () => {
  it("is checked without a defect, and random strings never match", () => {
    fc.assert(
      fc.property(
        fc.array(anyText, { maxLength: 4 }),
        fc.constantFrom(dkim, dkimEd, spf),
        (texts, record) => {
          expect(textsMatch(record, texts)).toBe(false)
        }
      )
    )
    fc.assert(
      fc.property(
        fc.array(fc.record({ preference: fc.integer(), exchange: anyText }), { maxLength: 4 }),
        (exchangers) => {
          expect(exchangersMatch(mx, exchangers)).toBe(false)
        }
      )
    )
    const long = `v=DKIM1;${"a=;".repeat(200_000)}`
    expect(found(dkim, long)).toBe(false)
  })

  it("is kept as printable text of a bounded length, and unchanged where it is so", () => {
    expect(keptValues(records.map(({ value }) => value))).toEqual(records.map(({ value }) => value))
    expect(exchangerValue({ preference: 10, exchange: mailHost })).toBe(mx.value)
    expect(exchangerValue({ preference: 0, exchange: "" })).toBe("0 .")
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 2_000 }), { maxLength: 20 }), (values) => {
        const kept = keptValues(values)
        expect(kept.length).toBe(Math.min(values.length, 10))
        for (const value of kept) {
          expect(value.length).toBeLessThanOrEqual(1_000)
          expect(value).not.toMatch(/\p{Cc}/u)
          expect(value.isWellFormed()).toBe(true)
        }
      })
    )
  })
})
