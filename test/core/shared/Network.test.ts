import ipaddr from "ipaddr.js"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  formatIp,
  isLocal,
  isWithin,
  networkOf,
  originOf,
  parseIp,
  parseOrigin,
  parseRange
} from "../../../core/shared/Network.ts"

const ranges = (...texts: ReadonlyArray<string>) => texts.map((text) => parseRange(text)!)

const ipv6 = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xff_ff })), { minLength: 8, maxLength: 8 })
  .map((parts) => new ipaddr.IPv6(parts))
const text6 = ipv6.chain((address) =>
  fc.constantFrom(address.toNormalizedString(), address.toRFC5952String(), address.toString())
)

describe("an IP address", () => {
  it("is parsed and written as a well-known library does", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), text6, fc.ipV6()), (text) => {
        // The library treats an IPv4-compatible address (RFC 4291, 2.5.5.1) as an IPv4-mapped one.
        fc.pre(!/^::\d+\.\d/.test(text))
        const address = ipaddr.process(text)
        const canonical = address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
        expect(formatIp(parseIp(text)!)).toBe(canonical)
      })
    )
  })

  it("is nothing else", () => {
    for (const text of (
      " | 1 | 1.2.3 | 1.2.3.4.5 | 256.1.1.1 | 01.2.3.4 | 1.2.3.4  | 0x1.2.3.4 | 1.2.3.-4 | a.b.c.d | : | ::: | 1::2::3 | " +
      "1:2:3:4:5:6:7 | 1:2:3:4:5:6:7:8:9 | 1:2:3:4:5:6:7:8:: | 12345:: | g:: | ::1%eth0 | [::1] | ::1.2.3 | 1.2.3.4:: | " +
      "::ffff:1.2.3.256 | ::1/64 |  ::1 | :1:2:3:4:5:6:7"
    ).split(" | ")) {
      expect([text, parseIp(text)]).toEqual([text, null])
    }
  })

  it("never makes a function fail, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        parseRange(one)
        networkOf(one)
        isLocal(one)
        originOf(one, other, ranges("127.0.0.0/8"))
        originOf("127.0.0.1", other, ranges("127.0.0.0/8"))
      })
    )
  })
})

describe("a range", () => {
  it("contains what a well-known library says", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (one, other, bits) => {
        const expected = ipaddr.IPv4.parse(one).match(ipaddr.IPv4.parse(other), bits)
        expect(isWithin(parseIp(one)!, ranges(`${other}/${bits}`))).toBe(expected)
        expect(isWithin(parseIp(`::ffff:${one}`)!, ranges(`${other}/${bits}`))).toBe(expected)
      })
    )
    fc.assert(
      fc.property(ipv6, ipv6, fc.integer({ min: 0, max: 128 }), (one, other, bits) => {
        const range = ranges(`${other.toNormalizedString()}/${bits}`)
        expect(isWithin(parseIp(one.toNormalizedString())!, range)).toBe(one.match(other, bits))
      })
    )
  })

  it("without a prefix is one address, and an invalid one is none", () => {
    expect(isWithin(parseIp("192.0.2.1")!, ranges("192.0.2.1"))).toBe(true)
    expect(isWithin(parseIp("192.0.2.0")!, ranges("192.0.2.1"))).toBe(false)
    for (const text of [
      "",
      "/8",
      "10.0.0.0/33",
      "::/129",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "10.0.0.0/8/8",
      "name"
    ]) {
      expect([text, parseRange(text)]).toEqual([text, null])
    }
  })
})

describe("the network of an address", () => {
  it("is an IPv4 address, also of one that is mapped, or an IPv6 /64", () => {
    expect(networkOf("192.0.2.1")).toBe("192.0.2.1")
    expect(networkOf("::ffff:192.0.2.1")).toBe("192.0.2.1")
    expect(networkOf("::ffff:c000:201")).toBe("192.0.2.1")
    expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
    expect(networkOf("2001:DB8:1:2::")).toBe("2001:db8:1:2::/64")
    expect(networkOf("2001:db8:1:3::1")).toBe("2001:db8:1:3::/64")
    expect(networkOf("::1")).toBe("::/64")
    expect(networkOf("fe80::1%eth0")).toBe("fe80::/64")
  })

  it("is the same for all addresses of an IPv6 /64 and for no others", () => {
    fc.assert(
      fc.property(ipv6, ipv6, (one, other) => {
        const same = one.match(other, 64) && one.range() !== "ipv4Mapped" && other.range() !== "ipv4Mapped"
        fc.pre(one.range() !== "ipv4Mapped" && other.range() !== "ipv4Mapped")
        expect(networkOf(one.toNormalizedString()) === networkOf(other.toNormalizedString())).toBe(same)
      })
    )
  })
})

describe("the origin of a call", () => {
  const trusted = ranges("127.0.0.1", "10.0.0.0/8", "2001:db8:aaaa::/48")
  const addressOf = (connection: string, forwarded: string | null) => {
    const { address, trust } = originOf(connection, forwarded, trusted)
    return trust === "Proxy" ? `proxy ${address}` : address
  }

  it("is the connection's address, whatever a caller that is not trusted forwards", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.string(), (address, forwarded) => {
        fc.pre(!isWithin(parseIp(address)!, trusted))
        expect(addressOf(address, forwarded)).toBe(address)
        expect(originOf(address, forwarded, [])).toEqual({ address, network: address, trust: "None" })
      })
    )
    expect(addressOf("::ffff:192.0.2.1", "198.51.100.7")).toBe("192.0.2.1")
  })

  it("is the right-most forwarded address that is not trusted", () => {
    expect(addressOf("127.0.0.1", "198.51.100.7")).toBe("198.51.100.7")
    expect(addressOf("::ffff:127.0.0.1", "198.51.100.7")).toBe("198.51.100.7")
    expect(addressOf("127.0.0.1", "203.0.113.9, 198.51.100.7")).toBe("198.51.100.7")
    expect(addressOf("127.0.0.1", "203.0.113.9, 198.51.100.7, 10.1.2.3")).toBe("198.51.100.7")
    expect(addressOf("127.0.0.1", "198.51.100.7,10.1.2.3,2001:db8:aaaa::1")).toBe("198.51.100.7")
    expect(addressOf("2001:db8:aaaa:1::9", "2001:DB8:1:2:0:0:0:7")).toBe("2001:db8:1:2::7")
    expect(originOf("127.0.0.1", "2001:db8:1:2::7", trusted).network).toBe("2001:db8:1:2::/64")
  })

  it("is read from elements with ports, brackets, spaces and empty neighbours", () => {
    for (const [forwarded, address] of [
      ["198.51.100.7:4711", "198.51.100.7"],
      ["[2001:db8:1::7]", "2001:db8:1::7"],
      ["[2001:db8:1::7]:443", "2001:db8:1::7"],
      ["::ffff:198.51.100.7", "198.51.100.7"],
      ['"[2001:db8:1::7]:4711"', "2001:db8:1::7"],
      ['"[2001:db8:1::7]"', "2001:db8:1::7"],
      ['"2001:db8:1::7"', "2001:db8:1::7"],
      ['203.0.113.9, "198.51.100.7:4711"', "198.51.100.7"],
      ['" 198.51.100.7 ", "10.1.1.1"', "198.51.100.7"],
      ["fe80::7%eth0", "fe80::7"],
      ["[fe80::7%25eth0]:443", "fe80::7"],
      [" ,, 198.51.100.7 ,\t, ", "198.51.100.7"]
    ] as const) {
      expect([forwarded, addressOf("127.0.0.1", forwarded)]).toEqual([forwarded, address])
    }
  })

  it("is the trusted proxy itself where nothing left of it can be believed", () => {
    expect(addressOf("127.0.0.1", null)).toBe("proxy 127.0.0.1")
    expect(addressOf("127.0.0.1", "")).toBe("proxy 127.0.0.1")
    expect(addressOf("127.0.0.1", "10.1.1.1, 10.2.2.2")).toBe("proxy 10.1.1.1")
    expect(addressOf("127.0.0.1", "203.0.113.9, unknown")).toBe("proxy 127.0.0.1")
    expect(addressOf("127.0.0.1", "203.0.113.9, _hidden, 10.2.2.2")).toBe("proxy 10.2.2.2")
    expect(addressOf("127.0.0.1", "203.0.113.9 198.51.100.7")).toBe("proxy 127.0.0.1")
    expect(addressOf("127.0.0.1", '203.0.113.9, "198.51.100.7')).toBe("proxy 127.0.0.1")
    expect(addressOf("127.0.0.1", '203.0.113.9, ""')).toBe("proxy 127.0.0.1")
  })
})

describe("a local address", () => {
  it("is of the machine or of a private network", () => {
    for (const text of [
      "127.0.0.1",
      "::1",
      "10.1.1.1",
      "172.31.0.1",
      "::ffff:192.168.1.1",
      "fd00::1",
      "fe80::1%1"
    ])
      expect([text, isLocal(text)]).toEqual([text, true])
    for (const text of ["192.0.2.1", "172.32.0.1", "2001:db8::1", "", "name"])
      expect([text, isLocal(text)]).toEqual([text, false])
  })
})

describe("the origin of a URL", () => {
  it("is that of an http or https URL without a path, query and user", () => {
    const cases: ReadonlyArray<readonly [string, string | null]> = [
      ["https://mail.example.com", "https://mail.example.com"],
      ["https://mail.example.com/", "https://mail.example.com"],
      ["http://[::1]:3000/", "http://[::1]:3000"],
      ["HTTPS://Mail.Example.com:443", "https://mail.example.com"],
      ["https://mail.example.com/mail", null],
      ["https://mail.example.com//", null],
      ["https:////mail.example.com", null],
      ["https:/mail.example.com", null],
      ["https:mail.example.com", null],
      ["https:\\\\mail.example.com", null],
      ["https://mail.example.com\\", null],
      ["https://mail.exa\nmple.com", null],
      ["https://mail.example.com ", null],
      ["https://mail.example.com/.", null],
      ["https://@mail.example.com", null],
      ["https://mail.example.com?", null],
      ["https://mail.example.com?a", null],
      ["https://mail.example.com#a", null],
      ["https://user@mail.example.com", null],
      ["ftp://mail.example.com", null],
      ["mail.example.com", null],
      ["https://", null]
    ]
    for (const [url, origin] of cases) expect([url, parseOrigin(url)]).toEqual([url, origin])
  })
})
