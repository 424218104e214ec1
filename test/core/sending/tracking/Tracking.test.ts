import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as NodeCrypto from "../../../../adapters/crypto/Crypto.ts"
import { layer as rewriterLayer } from "../../../../adapters/html/HtmlRewriter.ts"
import { layer as threads } from "../../../../adapters/threads/Threads.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { HtmlRewriter } from "../../../../core/ports/HtmlRewriter.ts"
import { trackHtml, trackingOf } from "../../../../core/sending/tracking/TrackHtml.ts"
import {
  type ClickClaim,
  makeClickTokens,
  makeOpenToken,
  readClickToken,
  readLinkToken,
  readOpenToken,
  type TrackingSigner
} from "../../../../core/sending/tracking/TrackingTokens.ts"
import { ringOf } from "../../../support/keys.ts"

const [crypto, rewriter] = await Effect.runPromise(
  Effect.provide(
    Effect.all([Crypto, HtmlRewriter]),
    Layer.merge(NodeCrypto.layer, rewriterLayer.pipe(Layer.provide(threads())))
  )
)

const signer: TrackingSigner = { crypto, keys: ringOf(new Uint8Array(32).fill(7)) }
const stranger: TrackingSigner = { crypto, keys: ringOf(new Uint8Array(32).fill(8)) }

const makeClickToken = (by: TrackingSigner, { name, url, ...about }: ClickClaim): string =>
  makeClickTokens(by, about)(url, name ?? undefined)

const ref = fc.record({ accountId: fc.uuid(), id: fc.uuid() })
const claim = fc.record({
  delivery: ref,
  url: fc.webUrl(),
  name: fc.option(fc.stringMatching(/^[0-9a-f]{16}$/)),
  opens: fc.boolean(),
  isPair: fc.boolean()
})

/** A token with one character changed, removed or added. */
const spoiled = (token: string, at: number, by: string): string => {
  const index = at % token.length
  return token.slice(0, index) + by + token.slice(index + 1)
}

describe("tokens", () => {
  it("of links without a name of their own are those of emails sent before names", () => {
    const delivery = { accountId: crypto16(1), id: crypto16(2) }
    const token =
      "cAAAAAAAAcACAAAAAAAAAAQAAAAAAAHAAgAAAAAAAAAI2.aHR0cHM6Ly9hLmV4YW1wbGUv.001EfOrd9zksw1uaYkZ0iVEqg"
    const claimed = { delivery, url: "https://a.example/", name: null, opens: false, isPair: true }
    expect(makeClickToken(signer, claimed)).toBe(token)
    expect(readClickToken(signer, token)).toEqual(claimed)
  })

  it("contain what they were made of", () => {
    fc.assert(
      fc.property(claim, (made) => {
        expect(readClickToken(signer, makeClickToken(signer, made))).toEqual(made)
        expect(readOpenToken(signer, makeOpenToken(signer, made.delivery))).toEqual(made.delivery)
      })
    )
  })

  it("are rejected when changed, for the other use, or of another key", () => {
    const by = fc.constantFrom("", "A", "_", ".", "AA", "%", "é", "\0")
    fc.assert(
      fc.property(claim, fc.nat(), by, (made, at, text) => {
        const click = makeClickToken(signer, made)
        const open = makeOpenToken(signer, made.delivery)
        for (const [token, read] of [
          [click, readClickToken],
          [open, readOpenToken]
        ] as const) {
          const changed = spoiled(token, at, text)
          if (changed !== token) expect(read(signer, changed)).toBeNull()
          expect(read(stranger, token)).toBeNull()
        }
        expect(readOpenToken(signer, click)).toBeNull()
        expect(readClickToken(signer, open)).toBeNull()
        expect(readClickToken(signer, `o${open}`)).toBeNull()
      }),
      { numRuns: 300 }
    )
  })

  it("of a link cannot be given another link's MAC", () => {
    const delivery = { accountId: crypto16(1), id: crypto16(2) }
    const [ids, , mac] = makeClickToken(signer, {
      delivery,
      url: "https://a.example/",
      name: null,
      opens: false,
      isPair: false
    }).split(".")
    const [, evil] = makeClickToken(stranger, {
      delivery,
      url: "https://evil.example/",
      name: null,
      opens: false,
      isPair: false
    }).split(".")
    expect(readClickToken(signer, `${ids}.${evil}.${mac}`)).toBeNull()
  })

  it("are read from any string without a defect", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String()), (text) => {
        expect(readLinkToken(signer, text)).toBeNull()
        expect(readOpenToken(signer, text)).toBeNull()
      })
    )
  })
})

const crypto16 = (value: number): string => `00000000-0000-7000-8000-${String(value).padStart(12, "0")}`

describe("html", () => {
  const delivery = { accountId: crypto16(1), id: crypto16(2) }
  const tools = { rewriter, signer, baseUrl: "https://svc.example/base" }
  const html = `<body><a href="https://a.example/?a=1&amp;b=2">A</a> <a href="https://a.example/" data-no-track>B</a></body>`
  const links = /https:\/\/svc\.example\/base\/t\/c\/([\w.-]+)"/
  const backgrounds =
    /<div style="width:1px;height:1px;background:url\('https:\/\/svc\.example\/base\/t\/o\/([\w.-]+)'\)"><\/div>/
  const pixels =
    /<img src="https:\/\/svc\.example\/base\/t\/o\/([\w.-]+)" width="1" height="1" alt="" style="border:0">/

  it("stays unchanged when nothing is tracked", () => {
    expect(trackHtml(html, delivery, { opens: false, clicks: false }, tools)).toBe(html)
  })

  it("links through the service when clicks are tracked, with separate links for each delivery", () => {
    const tracked = trackHtml(html, delivery, { opens: false, clicks: true }, tools)
    expect(readClickToken(signer, links.exec(tracked)?.[1] ?? "")).toEqual({
      delivery,
      url: "https://a.example/?a=1&b=2",
      name: null,
      opens: false,
      isPair: false
    })
    const names = new Map([["https://a.example/?a=1&b=2", "0123456789abcdef"]])
    const named = trackHtml(html, delivery, { opens: false, clicks: true }, tools, names)
    expect(readClickToken(signer, links.exec(named)?.[1] ?? "")).toMatchObject({
      url: "https://a.example/?a=1&b=2",
      name: "0123456789abcdef"
    })
    expect(tracked).toContain(`href="https://a.example/" data-no-track`)
    expect(tracked).not.toContain("/t/o/")
    const other = trackHtml(html, { ...delivery, id: crypto16(3) }, { opens: false, clicks: true }, tools)
    expect(other).not.toBe(tracked)
  })

  it("contains a pixel when opens are tracked", () => {
    const long = html.replace("<body>", `<body><p>${"word ".repeat(700)}</p>`)
    const tracked = trackHtml(long, delivery, { opens: true, clicks: false }, tools)
    expect(readOpenToken(signer, pixels.exec(tracked)?.[1] ?? "")).toEqual(delivery)
    expect(tracked.replace(pixels, "")).toBe(long)
    expect(tracked.endsWith(">")).toBe(true)
    expect(tracked.replace(pixels, "|")).toMatch(/\|<\/body>$/)
  })

  it("contains the pixel as a background where it is short", () => {
    const tracked = trackHtml(html, delivery, { opens: true, clicks: false }, tools)
    expect(readOpenToken(signer, backgrounds.exec(tracked)?.[1] ?? "")).toEqual(delivery)
    expect(tracked.replace(backgrounds, "|")).toBe(html.replace("</body>", "|</body>"))
  })

  it("does both, and marks it in the link", () => {
    const tracked = trackHtml(html, delivery, { opens: true, clicks: true }, tools)
    expect(readClickToken(signer, links.exec(tracked)?.[1] ?? "")?.opens).toBe(true)
    expect(tracked).toMatch(backgrounds)
  })

  it("keeps a link that would become too long", () => {
    const long = `<a href="https://a.example/${"x".repeat(2000)}">A</a>`
    expect(trackHtml(long, delivery, { opens: false, clicks: true }, tools)).toBe(long)
  })

  it("follows the email's setting, then the account's", () => {
    const settings = { tracking: { opens: true, clicks: false }, trapLink: true }
    const unset = { trackOpens: null, trackClicks: null, marketing: null }
    expect(trackingOf(unset, settings)).toEqual({ ...settings.tracking, trap: false })
    const marketing = { contactId: crypto16(4), topicId: null }
    expect(trackingOf({ trackOpens: false, trackClicks: true, marketing }, settings)).toEqual({
      opens: false,
      clicks: true,
      trap: true
    })
  })

  it("has a link that people cannot see only where clicks are tracked and it is asked for", () => {
    const hidden =
      /<a href="https:\/\/svc\.example\/base\/t\/c\/([\w.-]+)" style="display:none" aria-hidden="true" tabindex="-1"><\/a>/
    const only = trackHtml(html, delivery, { opens: true, clicks: false, trap: true }, tools)
    expect(only).not.toMatch(hidden)
    for (const opens of [true, false]) {
      const plain = trackHtml(html, delivery, { opens, clicks: true }, tools)
      const tracked = trackHtml(html, delivery, { opens, clicks: true, trap: true }, tools)
      expect(tracked.replace(hidden, "")).toBe(plain)
      const token = hidden.exec(tracked)?.[1] ?? ""
      expect(readLinkToken(signer, token)).toEqual({ _tag: "Trap", delivery, opens })
      expect(readClickToken(signer, token)).toBeNull()
      const swapped = (opens ? "t" : "T") + token.slice(1)
      for (const forged of [swapped, `${token}A`, token.slice(0, -1), `o${token.slice(1)}`]) {
        expect(readLinkToken(signer, forged)).toBeNull()
      }
    }
  })
})
