/**
 * Tests of addresses, domains and mailboxes: any input is normalized or rejected, and a normalized one stays unchanged
 * (docs/contributing/decisions.md 2 and 5).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { needlessSpelling, parseDomain, parseEmail } from "../../../core/shared/EmailAddress.ts"
import { hasOneAddressEach, type Mailbox, parseMailbox } from "../../../core/shared/Mailbox.ts"
import { anyText, longTexts, textOf } from "../arbitraries.ts"

const addressText = textOf([
  "a",
  "Zoë",
  "B.c",
  "@",
  "@example.com",
  "@BÜCHER.example",
  "@xn--bcher-kva.example",
  ".",
  "..",
  "-",
  "+tag",
  '"',
  '"a b"',
  "\\",
  "<",
  ">",
  "Name ",
  "(c)",
  "(",
  "[127.0.0.1]",
  "127.0.0.1",
  ",",
  ";",
  "%",
  "。"
])

const hostile = fc.oneof(anyText, addressText, fc.emailAddress())

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
const domain = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), fc.stringMatching(/^[a-z]{2,6}$/))
  .map(([labels, top]) => [...labels, top].join("."))
const local = fc
  .array(fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,8}$/), { minLength: 1, maxLength: 5 })
  .map((atoms) => atoms.join("."))
const normalAddress = fc.tuple(local, domain).map(([name, host]) => `${name}@${host}`)

const randomCase = (text: string, upper: ReadonlyArray<boolean>): string =>
  [...text].map((char, index) => (upper[index % upper.length] ? char.toUpperCase() : char)).join("")

describe("parseEmail", () => {
  it.each([
    ["  Jane.DOE+tag@Example.COM ", "jane.doe+tag@example.com"],
    ["o'brien@example.com", "o'brien@example.com"],
    ["jos\u00e9@e\u0301.example", "jos\u00e9@xn--9ca.example"],
    ["jose\u0301@\u00e9.example", "jose\u0301@xn--9ca.example"],
    ["a@b.c", "a@b.c"],
    ["ZOË@Bücher.example", "zoË@xn--bcher-kva.example"],
    ["a@MÜNCHEN.de", "a@xn--mnchen-3ya.de"],
    ['"Jane Doe"@example.com', '"jane doe"@example.com'],
    ['"a\\"@\\\\b"@example.com', '"a\\"@\\\\b"@example.com'],
    ['"ada"@example.org', "ada@example.org"],
    ['"Ada.Lovelace"@example.org', "ada.lovelace@example.org"],
    ['"\\a\\d\\A"@example.org', "ada@example.org"],
    ['"a\\ b"@example.org', '"a b"@example.org'],
    ['".ada"@example.org', '".ada"@example.org'],
    ['""@example.org', '""@example.org'],
    ['"a@b"@example.org', '"a@b"@example.org'],
    ['"a(b)c"@example.org', '"a(b)c"@example.org'],
    ["a(comment)@example.com", "a@example.com"],
    ["(x (nested) \\) ) ada (home) @ (at) example.org (there)", "ada@example.org"],
    ['(c)"ada"(c)@example.org(c)', "ada@example.org"],
    [`"${"a".repeat(64)}"@example.com`, `${"a".repeat(64)}@example.com`],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`]
  ])("normalizes %j", (text, expected) => {
    expect(parseEmail(text)).toBe(expected)
  })

  it.each([
    "",
    " ",
    "a",
    "@",
    "a@",
    "@example.com",
    "a b@example.com",
    "a@exa mple.com",
    "a@ example.com",
    "a@\texample.com",
    "a@\nexample.com",
    "a@\u00a0example.com",
    "a\u2003b@example.com",
    "a @example.com",
    ".a@example.com",
    "a.@example.com",
    "a..b@example.com",
    "a@b@example.com",
    "a@example..com",
    "a@.example.com",
    "a@example.com.",
    "a@-example.com",
    "a@example-.com",
    "a@exa_mple.com",
    "a@127.0.0.1",
    "a@[127.0.0.1]",
    "a@example.com, b@example.com",
    "<a@example.com>",
    "Jane <a@example.com>",
    "a(comment@example.com",
    "a(comment\\)@example.com",
    "a(b\r\nc)@example.com",
    "a(b)c@example.com",
    "(a)@example.com",
    "a@(example.com)",
    "a.(c)b@example.com",
    '"a" "b"@example.com',
    '"a".b@example.com',
    "a (c)",
    "a\0@example.com",
    "a\n@example.com",
    "a@example.com\nBcc: b@example.com",
    "a@example.com\r\n.",
    '"a"b@example.com',
    '"a@example.com',
    '"a\\"@example.com',
    "\ud800@example.com",
    "a@\udc00.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(64)}.com`
  ])("refuses %j", (text) => {
    expect(parseEmail(text)).toBeNull()
  })

  it("accepts 254 characters and no more", () => {
    const longest = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.com`
    expect(longest.length).toBe(254)
    expect(parseEmail(longest)).toBe(longest)
    expect(parseEmail(longest.replace(".d", ".dd"))).toBeNull()
  })

  it("normalizes every spelling of a dot-atom at a host name to the same address", () => {
    fc.assert(
      fc.property(
        normalAddress,
        fc.array(fc.boolean(), { minLength: 1 }),
        fc.stringMatching(/^[ \t]{0,3}$/),
        (address, upper, space) => {
          fc.pre(address.lastIndexOf("@") <= 64)
          expect(parseEmail(`${space}${randomCase(address, upper)}${space}`)).toBe(address)
        }
      )
    )
  })

  it("returns what it accepts again: lower case, trimmed, with an ASCII domain, at most 254 characters", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const email = parseEmail(text)
        if (email === null) return
        expect(parseEmail(email)).toBe(email)
        expect(email).toBe(email.trim())
        expect(email).not.toMatch(/[A-Z]/)
        expect(email.length).toBeLessThanOrEqual(254)
        expect(email.isWellFormed()).toBe(true)
        expect(email).not.toMatch(/[\0\r\n]/)
        expect(email.slice(email.lastIndexOf("@") + 1)).toMatch(/^[a-z0-9.-]+$/)
      }),
      { numRuns: 3000 }
    )
  })

  it("gives each mailbox one spelling, however it is quoted and commented", () => {
    const content = fc.oneof(
      local,
      fc.stringMatching(/^[ -~]{0,20}$/),
      textOf(["a", ".", " ", '"', "\\", "@", "(", "ä"])
    )
    const comment = fc.constantFrom("", "(c)", " (a (b) \\( c) ", "()")
    fc.assert(
      fc.property(
        content,
        domain,
        fc.array(fc.boolean()),
        comment,
        comment,
        (text, host, escaped, one, two) => {
          const quoted = [...text]
            .map((char, index) =>
              /["\\]/.test(char) || (escaped[index] === true && char <= "~") ? `\\${char}` : char
            )
            .join("")
          const simple = `"${text.replaceAll(/["\\]/g, "\\$&")}"@${host}`
          const email = parseEmail(simple)
          expect(parseEmail(`${one}"${quoted}"${two}@${one}${host}${two}`)).toBe(email)
          if (email === null) return
          expect(parseEmail(email)).toBe(email)
          const needless = needlessSpelling(email)
          expect(needless === null).toBe(email.startsWith('"'))
          if (needless !== null) expect(parseEmail(needless)).toBe(email)
          // The mailbox of the content of a quoted local part, with case folded.
          const [name] = /^.*(?=@)/s.exec(email)!
          const shown = name.startsWith('"') ? name.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : name
          expect(shown).toBe(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
        }
      ),
      { numRuns: 2_000 }
    )
  })

  it("folds ASCII letters of the local part and no others", () => {
    expect(parseEmail("\u212Aate@example.org")).toBe("\u212Aate@example.org")
    expect(parseEmail("KATE@EXAMPLE.ORG")).toBe("kate@example.org")
    expect(parseEmail("JÖRG@BÜCHER.example")).toBe("jÖrg@xn--bcher-kva.example")
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
        (a, b) => {
          const [one, other] = [parseEmail(`${a}@example.org`), parseEmail(`${b}@example.org`)]
          if (one === null || other === null) return
          fc.pre(!/["()]/.test(a + b))
          const ascii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
          expect(one === other).toBe(ascii(a.trimStart()) === ascii(b.trimStart()))
          expect(one).toBe(`${ascii(a.trimStart())}@example.org`)
        }
      )
    )
    fc.assert(
      fc.property(fc.integer({ min: 0x80, max: 0x10ffff }), (code) => {
        const letter = String.fromCodePoint(code)
        const email = parseEmail(`${letter}@example.org`)
        if (email !== null) expect(email).toBe(`${letter}@example.org`)
      }),
      { numRuns: 2_000 }
    )
  })

  it("rejects long strings in linear time", () => {
    for (const text of longTexts) expect(parseEmail(text)).toBeNull()
  })
})

describe("parseDomain", () => {
  it("returns what it accepts again", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, domain, fc.domain()), (text) => {
        const parsed = parseDomain(text)
        if (parsed === null) return
        expect(parseDomain(parsed)).toBe(parsed)
        expect(parsed).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/)
        expect(parsed.length).toBeLessThanOrEqual(253)
        for (const part of parsed.split(".")) expect(part.length).toBeLessThanOrEqual(63)
      }),
      { numRuns: 2000 }
    )
  })

  it("accepts host names as they are", () => {
    fc.assert(
      fc.property(domain, (text) => {
        expect(parseDomain(text.toUpperCase())).toBe(text)
      })
    )
  })

  it("rejects long strings", () => {
    for (const text of longTexts) expect(parseDomain(text)).toBeNull()
  })
})

describe("parseMailbox", () => {
  it.each<[Parameters<typeof parseMailbox>[0], Mailbox]>([
    ["a@b.c", { email: "a@b.c", name: null }],
    ["Jane Doe <A@B.c>", { email: "a@b.c", name: "Jane Doe" }],
    ['"Doe, Jane \\"JD\\"" <a@b.c>', { email: "a@b.c", name: 'Doe, Jane "JD"' }],
    ["<a@b.c>", { email: "a@b.c", name: null }],
    ['"Ann <a@x.example>" <b@x.example>', { email: "b@x.example", name: "Ann <a@x.example>" }],
    ["Ann (<a@x.example>) <b@x.example>", { email: "b@x.example", name: "Ann (<a@x.example>)" }],
    ["b@x.example <B@x.example>", { email: "b@x.example", name: "b@x.example" }],
    ['"a@x.example" <b@x.example>', { email: "b@x.example", name: "a@x.example" }],
    ["Ann @ Acme <b@x.example>", { email: "b@x.example", name: "Ann @ Acme" }],
    ['Ann <"a <b>"@x.example>', { email: '"a <b>"@x.example', name: "Ann" }],
    ['Ann "x <b@x.example>', { email: "b@x.example", name: 'Ann "x' }],
    [" Jane<a@b.c> ", { email: "a@b.c", name: "Jane" }],
    [{ email: " A@b.c " }, { email: "a@b.c", name: null }],
    [
      { email: "a@b.c", name: null },
      { email: "a@b.c", name: null }
    ],
    [
      { email: "a@b.c", name: " Zoë 漢 " },
      { email: "a@b.c", name: "Zoë 漢" }
    ],
    [
      { email: "a@b.c", name: " " },
      { email: "a@b.c", name: null }
    ]
  ])("reads %j", (write, expected) => {
    expect(parseMailbox(write)).toEqual(expected)
  })

  it.each<Parameters<typeof parseMailbox>[0]>([
    "",
    "Jane",
    "Jane <>",
    "Jane <a@b.c",
    "a@b.c>",
    "Jane <a@b.c> Doe",
    "a@b.c, d@e.f",
    "Ann <a@x.example> <b@x.example>",
    "<a@x.example> <b@x.example>",
    "<a@x.example><b@x.example>",
    "Ann <a@x.example>, Bob <b@x.example>",
    "a@x.example, Bob <b@x.example>",
    "a@x.example; <b@x.example>",
    "Ann <a@x.example> b@x.example",
    "a@x.example <b@x.example>",
    "Ann a@x.example. <b@x.example>",
    "[a@x.example] <b@x.example>",
    "a@x.example (Ann) <b@x.example>",
    'Ann "<a@x.example> <b@x.example>',
    '"Ann" <a@x.example> "Bob" <b@x.example>',
    "Ann> <b@x.example>",
    "Ann <<b@x.example>",
    "Jane\r\nBcc: x@y.z <a@b.c>",
    { email: "Jane <a@b.c>" },
    { email: "a@b.c", name: "Jane\nBcc: x@y.z" },
    { email: "a@b.c", name: "Ja\0ne" },
    { email: "a@b.c", name: "\ud800" },
    { email: "a@b.c", name: "x".repeat(201) }
  ])("refuses %j", (write) => {
    expect(parseMailbox(write)).toBeNull()
  })

  it("returns what it accepts again, with a name that fits in a header", () => {
    const write = fc.oneof(
      hostile,
      fc.tuple(hostile, hostile).map(([name, email]) => `${name} <${email}>`),
      fc.tuple(hostile, normalAddress).map(([name, email]) => `${name} <${email}>`),
      fc.record({ email: fc.oneof(hostile, normalAddress), name: fc.option(hostile) })
    )
    fc.assert(
      fc.property(write, (text) => {
        const mailbox = parseMailbox(text)
        if (mailbox === null) return
        expect(parseMailbox(mailbox)).toEqual(mailbox)
        expect(parseEmail(mailbox.email)).toBe(mailbox.email)
        if (mailbox.name === null) return
        expect(mailbox.name).toBe(mailbox.name.trim())
        expect(mailbox.name).not.toBe("")
        expect(mailbox.name).not.toMatch(/[\0-\x1f\x7f]/)
        expect(mailbox.name.isWellFormed()).toBe(true)
      }),
      { numRuns: 3000 }
    )
  })

  it("rejects long strings", () => {
    for (const text of longTexts) {
      expect(parseMailbox(text)).toBeNull()
      expect(parseMailbox(`${text} <a@example.com>`)).toSatisfy(
        (mailbox: Mailbox | null) => mailbox === null || mailbox.name === null
      )
    }
  })
})

describe("hasOneAddressEach", () => {
  it.each([
    "",
    "a@x.example",
    "Ann <a@x.example>, b@x.example",
    "b@x.example <b@x.example>",
    '"a, b@x.example" <b@x.example>, B@x.example <b@X.example>',
    "Ann @ Acme <b@x.example>",
    "a@x.example (b@x.example)",
    '"Ann <a@x.example>" <b@x.example>',
    '"a@b c@d"@x.example',
    "=?utf-8?q?Ann_<a@x.example>?= <b@x.example>",
    "Team: a@x.example, Bob <b@x.example>;, c@x.example",
    "undisclosed-recipients:;"
  ])("holds for %j", (value) => {
    expect(hasOneAddressEach(value)).toBe(true)
  })

  it.each([
    "Ann <a@x.example> <b@x.example>",
    "<a@x.example> <b@x.example>",
    "<a@x.example><b@x.example>",
    "a@x.example b@x.example",
    "Ann <a@x.example> b@x.example",
    "c@x.example, Ann <a@x.example> <b@x.example>",
    "a@x.example <b@x.example>",
    '"c, d" <d@x.example>, a@x.example (Ann) <b@x.example>',
    "Team: Ann <a@x.example> <b@x.example>;",
    'Ann "<a@x.example> <b@x.example>',
    "Ann (<a@x.example> <b@x.example>"
  ])("does not hold for %j", (value) => {
    expect(hasOneAddressEach(value)).toBe(false)
  })

  it("takes any string, in linear time", () => {
    fc.assert(fc.property(hostile, (text) => void hasOneAddressEach(text)))
    for (const text of longTexts) expect(typeof hasOneAddressEach(text)).toBe("boolean")
    for (const part of ['"', "(", "((", '"\\', ",<", "=?a?b?"]) hasOneAddressEach(part.repeat(200_000))
  })
})
