import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as LocalCrypto from "../../../adapters/crypto/Crypto.ts"
import type { KeyRing } from "../../../core/accounts/KeyRing.ts"
import {
  newMailedToken,
  newSetupToken,
  revealSetupLinks,
  setupTokenPattern,
  setupUrl
} from "../../../core/accounts/SetupTokens.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"

const crypto = Context.get(await Effect.runPromise(Effect.scoped(Layer.build(LocalCrypto.layer))), Crypto)
const keyOf = (id: string) => ({ id, key: new TextEncoder().encode(`key ${id}`) })
const url = setupUrl("https://mail.example")

describe("the token of a set-up link", () => {
  it("is shown as it is where the link is not mailed", () => {
    const { shown, token } = newSetupToken(crypto)
    expect(token).toMatch(setupTokenPattern)
    expect(shown).toBe(token)
  })

  it("is made from what is stored of a mailed link, wherever that is in a text, also after the key was replaced", () => {
    const before: KeyRing = [keyOf("001")]
    const { shown, token } = newMailedToken(crypto, before)
    expect(token).toMatch(setupTokenPattern)
    expect(shown).not.toMatch(setupTokenPattern)
    expect(shown).not.toContain(token)
    const stored = `<a href="${url}${shown}">${url}${shown}</a>\n${url}${shown}`
    const sent = `<a href="${url}${token}">${url}${token}</a>\n${url}${token}`
    for (const ring of [before, [keyOf("002"), keyOf("001")] as const]) {
      expect(revealSetupLinks(crypto, ring, stored)).toBe(sent)
    }
    expect(newMailedToken(crypto, before).token).not.toBe(token)
  })

  it("is not made by another key, from another text or outside of a link", () => {
    const { shown, token } = newMailedToken(crypto, [keyOf("001")])
    const other = revealSetupLinks(crypto, [{ ...keyOf("001"), key: new Uint8Array(32) }], url + shown)
    expect(other).not.toContain(token)
    for (const text of [shown, `${url}${shown}x`, `${url}${shown.slice(1)}`, `${url}${token}`, url]) {
      expect(revealSetupLinks(crypto, [keyOf("001")], text)).toBe(text)
    }
    const replaced = [keyOf("002")] as const
    expect(revealSetupLinks(crypto, replaced, url + shown)).toBe(url + shown)
  })
})
