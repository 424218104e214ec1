import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileMjml } from "../../../../adapters/templates/Mjml.ts"
import { emptyBrand } from "../../../../core/model/Account.ts"
import {
  alignments,
  blockKinds,
  maxBlocks,
  parseBlocks,
  textsOf
} from "../../../../core/sending/templates/BlockDocument.ts"
import { lightenedOn, onColor } from "../../../../core/images/Contrast.ts"
import { blocksMjml } from "../../../../core/sending/templates/BlockMjml.ts"
import { startersOf } from "../../../../core/sending/templates/TemplateStarters.ts"

const words = fc.constantFrom(
  "plain",
  'a < b & "c"',
  "**strong** and *weak*",
  "[label](https://example.com/?a=1&b=2)",
  '{{ name | default: "you" }}',
  "{% if a %}x{% endif %}",
  "two\n\nparagraphs",
  "</mj-text><script>",
  "[x](javascript:alert(1))"
)
const line = fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "))
const href = fc.constantFrom(
  "https://example.com/?a=1&b=2",
  "mailto:a@example.com",
  '{{ url | default: "x" }}'
)
const align = fc.constantFrom(...alignments)

const simple = fc.oneof(
  fc.record({ kind: fc.constant("Heading"), text: line, level: fc.constantFrom(1, 2, 3), align }),
  fc.record({ kind: fc.constant("Text"), text: line, align }),
  fc.record({
    kind: fc.constant("Image"),
    url: href,
    alt: line,
    href: fc.option(href),
    width: fc.option(fc.integer({ min: 16, max: 600 })),
    align
  }),
  fc.record({ kind: fc.constant("Button"), label: line, href, align }),
  fc.constant({ kind: "Divider" }),
  fc.record({ kind: fc.constant("Spacer"), height: fc.integer({ min: 4, max: 120 }) }),
  fc.record({ kind: fc.constant("Product"), itemId: fc.constantFrom("sku-1", "a b"), label: line }),
  fc.record({
    kind: fc.constant("Social"),
    links: fc.array(fc.record({ name: line, href }), { maxLength: 3 }),
    align
  }),
  fc.record({
    kind: fc.constant("Footer"),
    text: line,
    unsubscribe: fc.option(line),
    preferences: fc.option(line),
    align
  })
)
const block = fc.oneof(
  { weight: 4, arbitrary: simple },
  fc.record({
    kind: fc.constant("Columns"),
    columns: fc.array(fc.array(simple, { maxLength: 2 }), { minLength: 1, maxLength: 3 })
  })
)
const documents = fc.record({ blocks: fc.array(block, { maxLength: 6 }) })

describe("a document of blocks", () => {
  it("is parsed as it is written, and is MJML that compiles, with its Liquid as it was", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const parsed = Result.getOrThrow(parseBlocks(JSON.stringify(document)))
        expect(parsed.blocks).toEqual(document.blocks)
        const html = compileMjml(blocksMjml(parsed))
        expect(html).not.toContain("<script>")
        expect(html).not.toContain('href="javascript:')
        for (const [path, text] of textsOf(parsed)) {
          if (!/\.(?:text|label|href|alt)$/.test(path)) continue
          for (const liquid of text.match(/\{\{[^}]*\}\}|\{%[^}]*%\}/g) ?? []) expect(html).toContain(liquid)
        }
      }),
      { numRuns: 60 }
    )
  })

  it("names the path of what is invalid, and no value crashes", () => {
    fc.assert(
      fc.property(fc.json(), (source) => {
        const parsed = parseBlocks(source)
        if (Result.isFailure(parsed)) {
          for (const { field } of parsed.failure.issues) expect(field).toMatch(/^source/)
        }
      })
    )
    const fieldsOf = (value: unknown) => {
      const parsed = parseBlocks(JSON.stringify(value))
      return Result.isFailure(parsed)
        ? parsed.failure.issues.map(({ code, field }) => `${code} ${field}`)
        : []
    }
    expect(fieldsOf({ blocks: [{ kind: "Button", label: "Go", href: "x" }] })).toEqual([
      "validation.format source.blocks[0].href"
    ])
    expect(
      fieldsOf({ blocks: [{ kind: "Columns", columns: [[{ kind: "Columns", columns: [] }]] }] })
    ).toEqual(["validation.format source.blocks[0].columns[0][0].kind"])
    expect(fieldsOf({ blocks: [], colors: { accent: "red" } })).toEqual([
      "validation.format source.colors.accent"
    ])
    const many = Array.from({ length: maxBlocks + 1 }, () => ({ kind: "Divider" }))
    expect(fieldsOf({ blocks: many })).toEqual(["validation.max_length source.blocks"])
    expect(fieldsOf({ blocks: [{ kind: "Product", itemId: '"]', label: "x" }] })).toEqual([
      "validation.format source.blocks[0].itemId"
    ])
    for (const kind of blockKinds) expect(parseBlocks(JSON.stringify({ blocks: [{ kind }] }))).toBeDefined()
  })
})

describe("the text on a button", () => {
  const luminance = (color: string) => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  }

  const contrast = (first: string, second: string) => {
    const [low, high] = [luminance(first), luminance(second)].toSorted((a, b) => a - b)
    return (high! + 0.05) / (low! + 0.05)
  }

  it("has a contrast of at least 4.5 on any colour, and so has that of links in the dark", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const color = `#${value.toString(16).padStart(6, "0")}`
        expect(contrast(color, onColor(color))).toBeGreaterThanOrEqual(4.5)
        expect(contrast(lightenedOn(color, "#1f2428", 4.5), "#1f2428")).toBeGreaterThanOrEqual(4.5)
      })
    )
  })
})

describe("starters", () => {
  it("are made for Gmail, Outlook and Apple Mail, in light and dark colours", () => {
    const marketing = { ...emptyBrand, name: "Ada {{ x }} {% if %}", logoUrl: "https://example.com/i/logo" }
    for (const { format, key, source } of startersOf(marketing)) {
      const html = compileMjml(
        format === "Mjml" ? source : blocksMjml(Result.getOrThrow(parseBlocks(source)))
      )
      // Gmail clips messages at 102 KB, Outlook only supports tables, and Apple Mail applies the rules for dark mode.
      expect([key, html.length < 20_000, /display:\s*(?:flex|grid)|position:/.test(html)]).toEqual([
        key,
        true,
        false
      ])
      expect(html).toMatch(/<meta name="color-scheme" content="light dark"/)
      expect(html).toContain("@media (prefers-color-scheme: dark)")
      for (const [image] of html.matchAll(/<img[^>]*>/g)) expect(image).toMatch(/ alt="/)
      expect(html).not.toContain("{{ x }}")
    }
  })

  it("keep a surface that is dark by itself", () => {
    const colors = { surface: "#101418", text: "#ffffff" }
    const document = Result.getOrThrow(parseBlocks(JSON.stringify({ blocks: [], colors })))
    expect(blocksMjml(document)).not.toContain("prefers-color-scheme")
  })

  it("show the brand, and compile without one too", () => {
    const brand = {
      name: 'Ada & "Sons"',
      logoUrl: "https://example.com/i/logo",
      colors: { accent: "#aa0000", background: null, text: null },
      postalAddress: "1 Main Street",
      footer: null
    }
    for (const one of [{ ...emptyBrand, logoUrl: null }, brand]) {
      for (const { format, key, source } of startersOf(one)) {
        const html = compileMjml(
          format === "Mjml" ? source : blocksMjml(Result.getOrThrow(parseBlocks(source)))
        )
        expect([key, html.includes(brand.logoUrl)]).toEqual([key, one.logoUrl !== null])
        if (one.postalAddress !== null) expect(html).toContain(one.postalAddress)
      }
    }
  })
})
