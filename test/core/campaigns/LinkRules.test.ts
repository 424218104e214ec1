/**
 * Tests of the attribution of clicks to a campaign's links.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { linksWithClicks, type LinkTools } from "../../../core/campaigns/LinkRules.ts"
import type { CampaignVersion } from "../../../core/model/Campaign.ts"
import type { LinkCount } from "../../../core/ports/CampaignStore.ts"

/** A list of links as HTML. A link with `!` gets no parameters. */
const tools: LinkTools = {
  linksOf: (html, without) =>
    html
      .split(" ")
      .flatMap((one) => (one.startsWith("!") ? (without === "data-no-utm" ? [] : [one.slice(1)]) : [one]))
      .map((url) => ({ url, text: null, isRendered: url.includes("{{") })),
  nameOf: (url) => `name of ${url}`
}

const editor = { kind: "User", id: null, name: null } as const
const version = (values: Partial<CampaignVersion>): CampaignVersion => ({
  accountId: "account",
  campaignId: "campaign",
  version: 1,
  name: "Spring",
  templateId: null,
  templateVersion: null,
  subject: "Hi",
  preheader: null,
  html: "https://a.example/ https://b.example/ https://c.example/{{contact.id}}",
  text: null,
  parts: null,
  from: { email: "a@b.example", name: null },
  replyTo: null,
  utm: null,
  topicId: null,
  tracking: { opens: true, clicks: true },
  createdAt: 0,
  createdBy: editor,
  ...values
})
const count = (link: string, values: Partial<LinkCount> = {}): LinkCount => ({
  version: 1,
  variant: null,
  link,
  human: 1,
  unknown: 2,
  machine: 3,
  clicks: 9,
  firstAt: 5,
  lastAt: 8,
  ...values
})
const brief = (links: ReturnType<typeof linksWithClicks>) =>
  links.map(({ clicks, number, url, variant }) => [variant, number, url, clicks])

describe("the links of a campaign", () => {
  it("are those that are written in it, clicked or not, and all others as one", () => {
    const found = linksWithClicks(
      [version({})],
      [
        count("name of https://b.example/"),
        count("name of https://c.example/{{contact.id}}", { clicks: 4 }),
        count("x"),
        count("y")
      ],
      tools
    )
    expect(brief(found)).toEqual([
      [null, 1, "https://a.example/", 0],
      [null, 2, "https://b.example/", 9],
      [null, 3, "https://c.example/{{contact.id}}", 4],
      [null, null, null, 18]
    ])
    expect(found[1]).toMatchObject({
      people: { Human: 1, Unknown: 2, Machine: 3 },
      firstAt: 5,
      lastAt: 8
    })
  })

  it("of which one leads to a page of the person's own are left out", () => {
    const html = "https://a.example/ {{unsubscribeUrl}} {{-preferencesUrl}} {{webVersionUrl}} {{contact.url}}"
    expect(brief(linksWithClicks([version({ html })], [], tools))).toEqual([
      [null, 1, "https://a.example/", 0],
      [null, 2, "{{contact.url}}", 0]
    ])
  })

  it("have the clicks of their addresses with the parameters of the campaign, and of every version", () => {
    const utm = { source: "news", medium: "email", campaign: "spring", term: null, content: null }
    const html = "https://a.example/ !https://b.example/"
    const found = linksWithClicks(
      [version({ html, utm }), version({ html: "https://b.example/ https://d.example/", version: 2 })],
      [
        count("name of https://a.example/?utm_source=news&utm_medium=email&utm_campaign=spring"),
        count("name of https://b.example/", { firstAt: 7, lastAt: 7 }),
        count("name of https://b.example/", { version: 2, firstAt: 9, lastAt: 9 })
      ],
      tools
    )
    expect(brief(found)).toEqual([
      [null, 1, "https://a.example/", 9],
      [null, 2, "https://b.example/", 18],
      [null, 3, "https://d.example/", 0]
    ])
    expect(found[1]).toMatchObject({ firstAt: 7, lastAt: 9 })
  })

  it("are counted for each variant, with those of its languages", () => {
    const part = (variant: "a" | "b", language: string | null, html: string) => ({
      variant,
      language,
      from: null,
      templateId: null,
      templateVersion: null,
      subject: "Hi",
      preheader: null,
      html,
      text: null
    })
    const parts = [
      part("b", null, "https://a.example/"),
      part("a", null, "https://a.example/"),
      part("a", "de", "https://a.example/ https://de.example/")
    ]
    const found = linksWithClicks(
      [version({ parts })],
      [count("name of https://a.example/", { variant: "b" })],
      tools
    )
    expect(brief(found)).toEqual([
      ["a", 1, "https://a.example/", 0],
      ["a", 2, "https://de.example/", 0],
      ["b", 1, "https://a.example/", 9]
    ])
  })
})
