/**
 * Tests of whether a displayed campaign email equals the email that was sent.
 *
 * @module
 */
import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deliveryStatuses, isPending } from "../../../../core/model/DeliveryStatus.ts"
import { contentHash, isAsSent } from "../../../../core/sending/templates/SentContent.ts"
import { isUuid } from "../../../../core/shared/Uuid.ts"

const sha256Hex = (text: string) => createHash("sha256").update(text).digest("hex")

/** Similar parts, so that text moved from one part to another is detected. */
const part = fc.string({ unit: fc.constantFrom("a", "b", "\0", '"', ",", "0"), maxLength: 4 })
const content = fc.record({ subject: part, html: fc.option(part), text: fc.option(part) })
const links = ["https://a.example/u/1.x", "https://a.example/p/1.x", "https://a.example/w/1.x"] as const
const hashOf = (of: Parameters<typeof contentHash>[1], own: ReadonlyArray<string> = links) =>
  contentHash(sha256Hex, of, own)

describe("the hash of content", () => {
  it("is another where the subject, html or text is another, and takes 16 bytes", () => {
    fc.assert(
      fc.property(content, content, (one, other) => {
        expect(isUuid(hashOf(one))).toBe(true)
        expect(hashOf(one) === hashOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      })
    )
  })

  it("depends on where the links of a person stand, and not on their addresses", () => {
    const later = links.map((link) => link.replace("a.example", "b.example").replace(".x", ".y"))
    const placed = fc.array(fc.constantFrom(0, 1, 2), { maxLength: 4 })
    fc.assert(
      fc.property(placed, placed, (one, other) => {
        const shown = (places: ReadonlyArray<number>, own: ReadonlyArray<string>) => {
          const body = places.map((place) => `<a href="${own[place]!}">x</a>`).join("")
          return hashOf({ subject: "x", html: body, text: null }, own)
        }
        expect(shown(one, links)).toBe(shown(one, later))
        expect(shown(one, links) === shown(other, links)).toBe(one.join() === other.join())
      })
    )
  })
})

describe("an email that is shown", () => {
  const hash = fc.constantFrom("1", "2")
  const campaign = { contactId: "c", topicId: null, campaign: { id: "k", version: 1 } }

  it("is what was sent where the hashes are equal, once it is sent and its hash is known", () => {
    const sent = fc.record({ contentHash: fc.option(hash), status: fc.constantFrom(...deliveryStatuses) })
    fc.assert(
      fc.property(fc.option(sent, { nil: undefined }), hash, (delivery, contentHashNow) => {
        const state = isAsSent({ contentHash: contentHashNow, marketing: campaign }, delivery)
        const isKnown = delivery !== undefined && delivery.contentHash !== null && !isPending(delivery.status)
        expect(state).toBe(isKnown ? delivery.contentHash === contentHashNow : null)
        // For emails that no campaign sent, the content is stored.
        expect(isAsSent({ marketing: null }, delivery)).toBe(true)
        expect(isAsSent({ marketing: { contactId: "c", topicId: null } }, delivery)).toBe(true)
      })
    )
  })
})
