import { describe, expect, it } from "vitest"
import { noticeActions } from "../../../core/model/UserMail.ts"
import { languageOf, type Letter, letterLanguages, writeLetter } from "../../../core/notices/Letters.ts"
import { maxSubject } from "../../../core/sending/emails/EmailContent.ts"

const url = "https://mail.example/app/welcome#001abc"
const odd = `"><script>alert(1)</script>&\u0000\r\nBcc: eve@example.org\ud800`
const letters: ReadonlyArray<Letter> = [
  { kind: "Invitation", company: odd, url },
  { kind: "Invitation", company: null, url },
  { kind: "Reset", url },
  { kind: "Standing", isHeld: true, company: odd, url },
  { kind: "Standing", isHeld: false, company: odd, url },
  { kind: "Campaign", news: "Paused", reason: "campaigns.complaints", name: odd, url },
  { kind: "Campaign", news: "Sent", reason: null, name: odd, url },
  { kind: "Campaign", news: "Deciding", reason: null, name: odd, url },
  { kind: "Campaign", news: "Unsubscribed", reason: null, name: odd, url },
  { kind: "Campaign", news: "Requested", reason: null, name: odd, url },
  ...noticeActions.map((action): Letter => ({
    kind: "Notice",
    action,
    at: Date.UTC(2032, 6, 1, 22, 30),
    network: "2001:db8::",
    userAgent: odd,
    url
  }))
]

describe("letters to users", () => {
  it("have a subject, html and text with their link in each language, and what people chose as text", () => {
    for (const language of letterLanguages) {
      const subjects = new Set<string>()
      for (const letter of letters) {
        const { html, subject, text } = writeLetter(letter, { language, timeZone: null }, "mail.example")
        subjects.add(subject)
        expect(subject).toMatch(/mail\.example$/)
        expect(subject.length).toBeLessThanOrEqual(maxSubject)
        expect(html).toContain(`<html lang="${language}">`)
        expect(html).toContain(`href="${url}"`)
        expect(text).toContain(url)
        expect(html).not.toContain("<script")
        expect(html).not.toMatch(/<img|https?:\/\/(?!mail\.example)/)
        for (const part of [subject, html!, text!]) {
          expect(part.isWellFormed()).toBe(true)
          expect(part).not.toMatch(/[\u0000\r]/)
        }
        expect(text).not.toMatch(/^Bcc:/m)
      }
      expect(subjects.size).toBe(letters.length - 1)
    }
  })

  it("name times in the zone of the user, and UTC without one", () => {
    const notice = letters.at(-1)!
    const textIn = (language: string | null, timeZone: string | null) =>
      writeLetter(notice, { language, timeZone }, "mail.example").text
    expect(textIn("en", null)).toMatch(/Time: 1 July 2032\D+22:30:00 UTC/)
    expect(textIn("de", "Europe/Berlin")).toMatch(/Zeit: 2\. Juli 2032\D+00:30:00/)
  })

  it("are in German for users of any German, else in English", () => {
    const languages = ["de", "de-AT", "DE", "en", "fr", "den", null].map((language) =>
      languageOf({ language })
    )
    expect(languages).toEqual(["de", "de", "de", "en", "en", "en", "en"])
  })
})
