import { describe, expect, it } from "vitest"
import { estimateOf, findingsOfReach } from "../../../core/campaigns/CampaignAdvice.ts"
import {
  eventUse,
  findingsOfContent,
  type ReadContent,
  unsubscribeMark,
  withUnsubscribeMark
} from "../../../core/campaigns/ContentFindings.ts"
import { capOf, warmUpDays } from "../../../core/sending/sources/WarmUpRules.ts"

const content: ReadContent = {
  subject: "Hello",
  preheader: "What is new",
  html: "<p>Hello</p>",
  text: "Hello",
  links: [],
  displayed: "Hello"
}

const found = (values: Partial<ReadContent>) =>
  findingsOfContent({ ...content, ...values }).map(({ code, count, field, severity }) => [
    severity,
    code,
    field,
    count
  ])

describe("findings of content", () => {
  it("are none of content that lacks nothing", () => {
    expect(found({})).toEqual([])
    const html = '<img src="x" alt=""><IMG ALT = "a" src="y"><a href="{{ unsubscribeUrl }}">Leave</a>'
    const links = ["https://example.org/?q=%7B", "https://localhost.example/"]
    expect(found({ html, links, displayed: `Leave: ${unsubscribeMark}` })).toEqual([])
    expect(found({ html: null, displayed: null })).toEqual([])
  })

  it.each([
    [{ subject: "x".repeat(61) }, ["Warning", "validation.max_length", "subject", null]],
    [{ preheader: " " }, ["Warning", "campaigns.preheader_missing", "preheader", null]],
    [{ preheader: null }, ["Warning", "campaigns.preheader_missing", "preheader", null]],
    [{ text: null }, ["Warning", "campaigns.text_missing", "text", null]],
    [{ html: "é".repeat(51_200) }, ["Warning", "campaigns.html_clipped", "html", null]],
    [
      { html: '<img src="a"><img src="b" data-alt="x">' },
      ["Warning", "campaigns.image_text_missing", "html", 2]
    ],
    ...[
      "http://example.org/",
      "https://localhost:3000/a",
      "https://127.0.0.1",
      "https://a.example/%7B%7B x"
    ].map((url) => [{ links: [url] }, ["Warning", "campaigns.link_questionable", "html", 1]] as const)
  ] as ReadonlyArray<readonly [Partial<ReadContent>, ReadonlyArray<unknown>]>)(
    "of %j are %j",
    (values, finding) => {
      expect(found(values)).toEqual([finding])
    }
  )

  it("are an error where the html hides the link to unsubscribe", () => {
    const html = '<div style="display:none"><a href="{{- unsubscribeUrl -}}">Leave</a></div>'
    expect(withUnsubscribeMark(html)).toContain(unsubscribeMark)
    expect(withUnsubscribeMark("{{ unsubscribeUrl | escape }}{{ unsubscribeUrls }}")).toBe(
      `${unsubscribeMark}{{ unsubscribeUrls }}`
    )
    const error = ["Error", "campaigns.unsubscribe_hidden", "html", null]
    expect(found({ html, displayed: "Hello" })).toEqual([error])
    expect(found({ html, displayed: null })).toEqual([error])
  })
})

describe("the use of event", () => {
  it.each([
    ["{{ event.name }}", 1, 4],
    ["a\n  {{-event-}}", 2, 6],
    ['{{ "x" | default: event["name"] }}', 1, 19],
    ["{{ item[event.sku].name }}", 1, 9],
    ["{% for one in (1..event.count) %}{% endfor %}", 1, 19],
    ["{% comment %}{{ event.a }}{% endcomment %}{% if event.b %}{% endif %}", 1, 49],
    ["{%- liquid\n  # don't\n  echo event.a\n  echo 'it' -%}", 3, 8],
    ["{% liquid echo event.a %}", 1, 16]
  ])("in %j is found", (template, line, column) => {
    expect(eventUse(template)).toEqual({ line, column })
    const error = ["Error", "campaigns.content_invalid", "subject", null]
    expect(found({ subject: template })).toContainEqual(error)
  })

  it.each([
    "event {{ contact.event }} {{ variables.event.x }}",
    `{{ "event" }}{{ contact['event'] }}`,
    "{{ events.first }}{{ my-event }}{{ event-like }}",
    "{% raw %}{{ event.name }}{% endraw %}",
    "{%- comment -%}{% endraw %}{% if {{ event.name }}{%- endcomment -%}",
    "{% # of the event %}{%-# event.name -%}",
    '{% assign event = "Concert" %}{{ event }}',
    "{% for event in contact.tags %}{{ event }}{% endfor %}",
    "{% liquid\n  assign event = 'Concert'\n  echo event %}{{ event }}",
    "{% liquid assign event = 'Concert' %}{{ event }}",
    "{% liquid\n # event\n comment\n echo event\n endcomment\n echo 'event' %}"
  ])("is none in %j", (template) => {
    expect(eventUse(template)).toBeNull()
  })

  it.each(["{{", "{%", "{% raw %}", "{% raw %}{%", "{% comment %}{% endraw %}", "{{ }", '{{ "'])(
    "is looked for in a megabyte of %j",
    (piece) => {
      const template = piece.repeat(1_000_000 / piece.length)
      expect(eventUse(`${template}{{ event }}`)).toSatisfy((use) => use === null || use.line === 1)
    }
  )
})

describe("advice on an audience", () => {
  const settings = { dailySendLimit: null, transactionalReservePercent: 10 }

  it("estimates by the pace and the daily limit", () => {
    expect(estimateOf(0, { pace: null }, settings)).toEqual({ recipients: 0, seconds: 0, days: 0 })
    expect(estimateOf(250, { pace: null }, settings)).toEqual({ recipients: 250, seconds: 3, days: 1 })
    expect(estimateOf(250, { pace: { emails: 100, per: "Hour" } }, settings).seconds).toBe(9_000)
    const limited = { ...settings, dailySendLimit: 100 }
    expect(estimateOf(90, { pace: null }, limited).days).toBe(1)
    expect(estimateOf(91, { pace: null }, limited)).toMatchObject({ seconds: 86_400, days: 1 })
    expect(estimateOf(271, { pace: null }, limited).days).toBe(3)
    expect(estimateOf(10, { pace: null }, { ...settings, dailySendLimit: 0 }).days).toBe(9)
  })

  it("estimates by the warm-up of sources", () => {
    const daysOf = (recipients: number, planDays: ReadonlyArray<number>) =>
      estimateOf(recipients, { pace: null }, settings, planDays).days
    const [first, second] = [capOf(1), capOf(2)]
    expect(daysOf(first, [1])).toBe(1)
    expect(daysOf(first + 1, [1])).toBe(1)
    expect(daysOf(first + second + 1, [1])).toBe(2)
    expect(daysOf(first + second + 1, [1, 2])).toBe(1)
    // After the last day of the plan, a source has no limit.
    expect(daysOf(capOf(warmUpDays) * 100, [warmUpDays])).toBe(daysOf(capOf(warmUpDays) * 100, []))
  })

  it("names what stops many people", () => {
    const reach = { count: 100, reachable: 89, by: { "sending.gate_frequency": 11 }, zones: [] }
    const codes = (values: object, schedule: Parameters<typeof findingsOfReach>[1] = null) =>
      findingsOfReach({ ...reach, ...values }, schedule, 10).map(({ count, issue }) => [issue.code, count])
    expect(codes({})).toEqual([["campaigns.many_capped", 11]])
    expect(codes({ by: { "sending.gate_frequency": 10 }, reachable: 50 })).toEqual([])
    expect(codes({ by: {}, reachable: 49 })).toEqual([["campaigns.mostly_unreachable", 51]])
    const zones = [
      { zone: "Asia/Tokyo", count: 7, at: 9 },
      { zone: "UTC", count: 5, at: 10 }
    ]
    const local = { localTime: "2030-01-01T09:00", late: "Skip" } as const
    expect(codes({ by: {}, zones }, local)).toEqual([["campaigns.local_time_passed", 7]])
    expect(codes({ by: {}, zones })).toEqual([])
  })
})
