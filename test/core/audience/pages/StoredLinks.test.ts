/**
 * Tests of links in stored emails: they are invalid as stored, restored when the email is sent, and no other text changes.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { layer as cryptoLayer } from "../../../../adapters/crypto/Crypto.ts"
import { ContactLinks, linkPaths, type LinkPurpose } from "../../../../core/audience/pages/ContactLinks.ts"
import { concealLinks, revealLinks, withLinks } from "../../../../core/audience/pages/StoredLinks.ts"
import { utf8Of } from "../../../../core/model/LongText.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { installationKeys, ringOf } from "../../../support/keys.ts"

const key = new Uint8Array(32).fill(9)
const services = Effect.runSync(
  Effect.scoped(
    Layer.build(
      ContactLinks.layer.pipe(Layer.provide(installationKeys(key)), Layer.provideMerge(cryptoLayer))
    )
  )
)
const crypto = Context.get(services, Crypto)
const { make, read } = Context.get(services, ContactLinks)
const accountId = "01890a5d-ac96-774b-bcce-b30209900003"
const contactId = "01890a5d-ac96-774b-bcce-b30209900010"
const address = "ada@example.org"
const otherAccount = "01890a5d-ac96-774b-bcce-c30209900003"
const conceal = concealLinks(crypto, ringOf(key), accountId)
const reveal = revealLinks(crypto, ringOf(key), accountId)

const purpose = fc.constantFrom<LinkPurpose>("confirm", "preferences", "unsubscribe")

const tokenOf = (of: LinkPurpose, link: string) => link.slice(linkPaths[of].length + 1)

const readNow = (of: LinkPurpose, link: string) => Effect.runSync(read(of, tokenOf(of, link)))

describe("links in stored emails", () => {
  const links = Effect.runSync(make({ accountId, contactId, email: address }))

  it("are not valid in the store, and valid when sent, wherever they are in the text", () => {
    fc.assert(
      fc.property(purpose, fc.string(), fc.string(), (one, before, after) => {
        const wrap = (link: string) => `${before} <a href="https://x.test${link}">${link}</a> ${after}`
        const stored = conceal(wrap(links[one]))
        expect(stored).not.toContain(links[one])
        const [, inStore = ""] = /(\/[cpu]\/[\w.-]+)"/.exec(stored) ?? []
        for (const page of ["confirm", "preferences", "unsubscribe"] as const) {
          expect(readNow(page, `${linkPaths[page]}/${inStore.slice(3)}`)).toBeNull()
        }
        expect(reveal(stored)).toBe(wrap(links[one]))
      })
    )
  })

  it("are found in a link through another server, and in a header", () => {
    const email = {
      html: null,
      text: `https://shop.test/r?to=${encodeURIComponent(`https://x.test${links.confirm}`)}&x=1`,
      headers: [{ name: "List-Unsubscribe", value: `<https://x.test${links.unsubscribe}>` }]
    }
    const other = utf8Of("no link")
    const stored = withLinks(conceal, email)
    expect(JSON.stringify(stored)).not.toContain(tokenOf("confirm", links.confirm))
    expect(JSON.stringify(stored)).not.toContain(tokenOf("unsubscribe", links.unsubscribe))
    expect(withLinks(reveal, stored)).toEqual(email)
    const asBytes = { ...email, text: utf8Of(email.text) }
    expect(withLinks(conceal, asBytes)).toEqual(stored)
    expect(withLinks(conceal, { ...asBytes, text: other }).text).toBe(other)
  })

  it("copied from one stored email into another are never valid again", () => {
    fc.assert(
      fc.property(purpose, fc.string(), (one, before) => {
        const copied = conceal(`${before} ${conceal(links[one])} ${links[one]}`)
        const sent = reveal(copied)
        expect(sent.endsWith(` ${links[one]}`)).toBe(true)
        expect(sent.slice(0, -links[one].length)).not.toContain(tokenOf(one, links[one]))
        expect(conceal(copied)).not.toContain(conceal(links[one]))
        expect(reveal(conceal(conceal(copied)))).not.toContain(tokenOf(one, links[one]))
      })
    )
  })

  it("are signed by the newest key when they are sent, and keep their contact", () => {
    const newest = { id: "002", key: new Uint8Array(32).fill(1) }
    const sent = revealLinks(crypto, [newest, ...ringOf(key)], accountId)(conceal(links.confirm))
    expect(sent).toContain(".002")
    expect(sent.slice(0, -46)).toBe(links.confirm.slice(0, -46))
  })

  it("of another account, of another key and forged ones are left as they are", () => {
    const foreign = Effect.runSync(make({ accountId: otherAccount, contactId, email: address })).confirm
    const forged = `${links.confirm.slice(0, -1)}${links.confirm.endsWith("A") ? "E" : "A"}`
    for (const text of [foreign, forged]) expect(conceal(text)).toBe(text)
    const stored = concealLinks(crypto, ringOf(key), otherAccount)(foreign)
    expect(reveal(stored)).toBe(stored)
    expect(revealLinks(crypto, ringOf(new Uint8Array(32)), otherAccount)(stored)).toBe(stored)
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(conceal(text)).toBe(text)
        expect(reveal(text)).toBe(text)
      })
    )
  })

  it("take a bounded time in a text full of what looks like them", () => {
    let macs = 0
    const counting = Crypto.of({
      ...crypto,
      hmacSha256: (...given) => {
        macs++
        return crypto.hmacSha256(...given)
      }
    })
    const token = `${tokenOf("confirm", links.confirm).slice(0, -1)}~`.replace("~", "A")
    const text = `${token} `.repeat(10_000)
    concealLinks(counting, ringOf(key), accountId)(text)
    expect(macs).toBeLessThanOrEqual(900)
  })
})
