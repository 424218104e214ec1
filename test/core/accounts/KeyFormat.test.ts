/**
 * The format of keys (docs/contributing/decisions.md 0), against an independent CRC-32 and base62.
 *
 * @module
 */
import { crc32 } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  displayOf,
  formatKey,
  isApiKey,
  isKey,
  keyBytes,
  prefixes,
  prefixOf
} from "../../../core/accounts/KeyFormat.ts"
import { isPermission, permissions } from "../../../core/model/Permission.ts"
import { anyText, longTexts } from "../arbitraries.ts"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The number of a base62 string. */
const fromBase62 = (text: string): bigint =>
  [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)

const anyPrefix = fc.constantFrom(...Object.values(prefixes))
const anyBytes = fc.uint8Array({ minLength: keyBytes, maxLength: keyBytes })
const anyKey = fc.tuple(anyPrefix, anyBytes).map(([prefix, bytes]) => ({
  prefix,
  bytes,
  key: formatKey(prefix, bytes)
}))

describe("KeyFormat", () => {
  it("has the prefixes of the specification", () => {
    expect(prefixes).toMatchObject({
      live: "svc_live_",
      test: "svc_test_",
      flow: "svc_flow_",
      store: "svc_store_"
    })
    expect(prefixOf("Live")).toBe("svc_live_")
    expect(prefixOf("Sandbox")).toBe("svc_test_")
    expect(keyBytes).toBe(32)
  })

  it("formats 32 bytes as 43 characters and their CRC-32 as 6", () => {
    fc.assert(
      fc.property(anyKey, ({ prefix, bytes, key }) => {
        const body = key.slice(prefix.length, -6)
        expect(key.startsWith(prefix)).toBe(true)
        expect(body).toMatch(/^[0-9A-Za-z]{43}$/)
        expect(fromBase62(body)).toBe(BigInt(`0x${Buffer.from(bytes).toString("hex")}`))
        expect(fromBase62(key.slice(-6))).toBe(BigInt(crc32(body)))
      })
    )
    for (const byte of [0, 255]) {
      const key = formatKey(prefixes.live, new Uint8Array(keyBytes).fill(byte))
      expect(key.length).toBe(prefixes.live.length + 49)
      expect(isKey(prefixes.live, key)).toBe(true)
    }
  })

  it("accepts its own keys with their own prefix only", () => {
    fc.assert(
      fc.property(anyKey, anyPrefix, ({ prefix, key }, other) => {
        expect(isKey(other, key)).toBe(other === prefix)
        expect(isApiKey(key)).toBe(prefix === prefixes.live || prefix === prefixes.test)
      })
    )
  })

  it("rejects every change of a single character", () => {
    fc.assert(
      fc.property(anyKey, ({ prefix, key }) => {
        for (let index = 0; index < key.length; index++) {
          for (const digit of `${digits}_- .é`) {
            if (digit === key[index]) continue
            expect(isKey(prefix, key.slice(0, index) + digit + key.slice(index + 1))).toBe(false)
          }
        }
      }),
      { numRuns: 5 }
    )
  })

  it("rejects every swap of neighbours, and every missing or additional character", () => {
    fc.assert(
      fc.property(anyKey, fc.constantFrom(...digits, " "), ({ prefix, key }, extra) => {
        for (let index = 0; index <= key.length; index++) {
          const [before, after] = [key.slice(0, index), key.slice(index)]
          expect(isKey(prefix, before + extra + after)).toBe(false)
          if (after === "") continue
          expect(isKey(prefix, before + after.slice(1))).toBe(false)
          const swapped = before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)
          if (swapped !== key) expect(isKey(prefix, swapped)).toBe(false)
        }
      }),
      { numRuns: 30 }
    )
  })

  it("rejects every other string", () => {
    fc.assert(
      fc.property(anyPrefix, anyText, fc.string({ minLength: 49, maxLength: 49 }), (prefix, text, body) => {
        expect(isKey(prefix, text)).toBe(false)
        expect(isKey(prefix, prefix + text)).toBe(false)
        expect(isKey(prefix, prefix + body)).toBe(false)
      })
    )
    for (const text of longTexts) {
      expect(isApiKey(text)).toBe(false)
      expect(isApiKey(prefixes.live + text)).toBe(false)
    }
  })

  it("shows the first 12 and the last 4 characters", () => {
    fc.assert(
      fc.property(anyKey, ({ key }) => {
        const display = displayOf(key)
        expect(display.startsWith(key.slice(0, 12))).toBe(true)
        expect(display.endsWith(key.slice(-4))).toBe(true)
        expect(display.replace(/\.+/, "").length).toBe(16)
      })
    )
  })
})

describe("Permission", () => {
  it("has the permissions of the public interface, and accepts no others", () => {
    expect(permissions.join(" ")).toBe(
      "contacts:read contacts:write contacts:erase events:write emails:send emails:read items:read items:write orders:read"
    )
    for (const permission of permissions) expect(isPermission(permission)).toBe(true)
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.constantFrom("", "*", "contacts:*", "Contacts:read", "toString")),
        (text) => {
          expect(isPermission(text)).toBe(false)
        }
      )
    )
  })
})
