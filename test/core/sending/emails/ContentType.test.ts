import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseContentType, writeContentType } from "../../../../core/sending/emails/ContentType.ts"

describe("parseContentType", () => {
  it.each([
    ["Text/Calendar; METHOD=REQUEST; charset=UTF-8", "text/calendar; method=REQUEST; charset=UTF-8"],
    ['text/plain \t;charset="utf-8";format=flowed', "text/plain; charset=utf-8; format=flowed"],
    ['a/b; x="a \\"b\\" (c); d=\\\\"; y=""; z="\\q"', 'a/b; x="a \\"b\\" (c); d=\\\\"; y=""; z=q'],
    ['text/plain; title="Zoë 漢字"', 'text/plain; title="Zoë 漢字"'],
    ["a/b; name=evil.exe; NAME*0*=utf-8''e; filename=c; x=1", "a/b; x=1"],
    ["message/external-body; name=a", "message/external-body"]
  ])("normalises %s", (given, expected) => {
    expect(parseContentType(given)).toBe(expected)
    expect(parseContentType(expected)).toBe(expected)
  })

  it.each([
    "text/plain;",
    "text/plain; charset",
    "text/plain; charset=",
    "text/plain; =utf-8",
    "text/plain; charset = utf-8",
    "text/plain charset=utf-8",
    "text/plain; charset=utf 8",
    "text/plain; charset=(utf-8)",
    'text/plain; charset="utf-8',
    'text/plain; charset="utf-8"x=y',
    "text/plain; charset=ütf",
    "text/plain; chärset=utf",
    "text/plain; charset=a; Charset=b",
    "text/plain; name=a; name=b",
    "text/plain; title*=utf-8''a",
    "text/plain; boundary=b",
    "multipart/mixed; boundary=b",
    'text/plain; x="a\r\nX-Evil: 1"',
    'text/plain; x="a\\\nb"',
    "text/plain; x=a\r\n y",
    "text/plain\r\n; x=a",
    "text/plain;\r\n x=a",
    'text/plain; x="a\u2028b"',
    'text/plain; x="\0"',
    'text/plain; x="\ud800"',
    `text/plain; ${"x".repeat(61)}=a`,
    `text/plain; x=${"a".repeat(500)}`,
    "message/partial; id=a; number=1; total=2",
    "message/external-body; access-type=URL"
  ])("rejects %j", (text) => expect(parseContentType(text)).toBeNull())
})

it("writeContentType writes what parseContentType reads, whatever the parameters are", () => {
  const name = fc.oneof(
    fc.constantFrom("charset", "name", "boundary", "__proto__"),
    fc.string({ maxLength: 70 }).map((text) => text.toLowerCase())
  )
  fc.assert(
    fc.property(fc.dictionary(name, fc.string({ unit: "binary", maxLength: 300 })), (parameters) => {
      const text = writeContentType("a/b", Object.entries(parameters))
      expect(parseContentType(text)).toBe(text)
    }),
    { numRuns: 2_000 }
  )
  expect(
    writeContentType("a/b", [
      ["charset", "x".repeat(500)],
      ["method", "REQUEST"]
    ])
  ).toBe("a/b; method=REQUEST")
})
