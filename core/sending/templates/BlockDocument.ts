/**
 * The documents of the visual composer: blocks one below the other, stored as JSON, which `BlockMjml.ts` converts to MJML. All
 * texts that people write may contain Liquid.
 *
 * @module
 */
import { Result } from "effect"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { formats, isStorable, oneOf } from "../../shared/Validate.ts"

/** The alignment of a block's content. */
export const alignments = ["Start", "Center", "End"] as const

type Alignment = (typeof alignments)[number]

/** A link to a profile on another site. */
export interface SocialLink {
  readonly name: string
  readonly href: string
}

/** A block that can be placed in a column. Its texts may contain `**strong**`, `*emphasis*` and `[label](address)`. */
export type SimpleBlock =
  | { readonly kind: "Heading"; readonly text: string; readonly level: 1 | 2 | 3; readonly align: Alignment }
  | { readonly kind: "Text"; readonly text: string; readonly align: Alignment }
  | {
      readonly kind: "Image"
      readonly url: string
      readonly alt: string
      readonly href: string | null
      /** Pixels; null for the available width. */
      readonly width: number | null
      readonly align: Alignment
    }
  | { readonly kind: "Button"; readonly label: string; readonly href: string; readonly align: Alignment }
  | { readonly kind: "Divider" }
  | { readonly kind: "Spacer"; readonly height: number }
  /** An item of the catalogue, by its id; nothing is shown if the item no longer exists. */
  | { readonly kind: "Product"; readonly itemId: string; readonly label: string }
  | { readonly kind: "Social"; readonly links: ReadonlyArray<SocialLink>; readonly align: Alignment }
  /** Small print, with links to unsubscribe and to preferences. */
  | {
      readonly kind: "Footer"
      readonly text: string
      readonly unsubscribe: string | null
      readonly preferences: string | null
      readonly align: Alignment
    }

/** A block. Columns are side by side, and one below the other on a phone. */
export type Block =
  | SimpleBlock
  | { readonly kind: "Columns"; readonly columns: ReadonlyArray<ReadonlyArray<SimpleBlock>> }

/** The colours of a document, each `#` and six hexadecimal digits. */
export interface BlockColors {
  readonly accent: string
  readonly background: string
  readonly surface: string
  readonly text: string
}

/** A document. */
export interface BlockDocument {
  readonly colors: BlockColors
  readonly blocks: ReadonlyArray<Block>
}

/** The maximum number of blocks, including those in columns. */
export const maxBlocks = 200
/** The maximum number of columns side by side. */
export const maxBlockColumns = 3
/** The maximum number of links in a Social block. */
export const maxSocialLinks = 10
/** The maximum number of characters of a block's text. */
export const maxBlockText = 20_000
/** The maximum number of characters of a label, an address, or an alternative text. */
export const maxBlockLine = 2_000
/** The ranges of a spacer's height and of an image's width, pixels. */
const spacerRange = { min: 4, max: 120 } as const
const imageWidthRange = { min: 16, max: 600 } as const

const simpleKinds = [
  "Heading",
  "Text",
  "Image",
  "Button",
  "Divider",
  "Spacer",
  "Product",
  "Social",
  "Footer"
] as const

/** The kinds of blocks, in the order in which they are offered. */
export const blockKinds = [...simpleKinds, "Columns"] as const

/** The colours of a document that specifies none. */
export const defaultColors: BlockColors = {
  accent: "#1f4fd8",
  background: "#f4f5f7",
  surface: "#ffffff",
  text: "#1f2933"
}

type Values = Readonly<Record<string, unknown>>

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a link may lead to this address: a web page, an email address, a telephone number, or the output of Liquid. */
const isHref = (href: string): boolean => /^(?:https?:\/\/|mailto:|tel:|\{\{)/i.test(href)

/** Reads the values of a document. Adds an issue with its path for each invalid value. */
class Reader {
  readonly issues = new Issues()
  #blocks = 0

  line(values: Values, name: string, path: string, max = maxBlockLine, isRequired = true): string {
    const value = values[name]
    const field = `${path}.${name}`
    if (value === undefined || value === null || value === "") {
      if (isRequired) this.issues.add("validation.required", field)
      return ""
    }
    if (typeof value !== "string") this.#format(field, "a text")
    else if (!isStorable(value)) this.#format(field, formats.storable)
    else if (value.length > max) this.issues.add("validation.max_length", field, { max })
    return typeof value === "string" ? value : ""
  }

  href(values: Values, path: string): string {
    const href = this.line(values, "href", path).trim()
    if (href !== "" && !isHref(href))
      this.#format(`${path}.href`, "an address that begins with https://, http://, mailto:, tel: or {{")
    return href
  }

  choice<const Value extends string>(
    values: Values,
    name: string,
    path: string,
    among: ReadonlyArray<Value>,
    otherwise: Value
  ): Value {
    const value = values[name] ?? otherwise
    if (!(among as ReadonlyArray<unknown>).includes(value)) this.#format(`${path}.${name}`, oneOf(among))
    return value as Value
  }

  number(
    values: Values,
    name: string,
    path: string,
    { max, min }: { readonly min: number; readonly max: number }
  ): number {
    const value = values[name]
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      this.issues.add("validation.range", `${path}.${name}`, { min, max })
      return min
    }
    return value as number
  }

  list(value: unknown, path: string): ReadonlyArray<unknown> {
    if (Array.isArray(value)) return value as ReadonlyArray<unknown>
    this.#format(path, "a list")
    return []
  }

  colors(given: unknown): BlockColors {
    if (given !== undefined && !isValues(given)) this.#format("source.colors", "an object")
    const values = isValues(given) ? given : {}
    const color = (name: keyof BlockColors): string => {
      const value = values[name] ?? defaultColors[name]
      if (typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value)) return value.toLowerCase()
      this.#format(`source.colors.${name}`, formats.color)
      return defaultColors[name]
    }
    return {
      accent: color("accent"),
      background: color("background"),
      surface: color("surface"),
      text: color("text")
    }
  }

  simple(value: unknown, path: string): SimpleBlock | null {
    this.#blocks += 1
    if (this.#blocks === maxBlocks + 1)
      this.issues.add("validation.max_length", "source.blocks", { max: maxBlocks }, { expected: "blocks" })
    if (this.#blocks > maxBlocks) return null
    if (!isValues(value)) {
      this.#format(path, "a block")
      return null
    }
    const align = () => this.choice(value, "align", path, alignments, "Start")
    switch (value["kind"]) {
      case "Heading": {
        const level = this.number({ level: 1, ...value }, "level", path, { min: 1, max: 3 }) as 1 | 2 | 3
        return { kind: "Heading", text: this.line(value, "text", path), level, align: align() }
      }
      case "Text":
        return { kind: "Text", text: this.line(value, "text", path, maxBlockText), align: align() }
      case "Image": {
        const { href = null, width = null } = value
        return {
          kind: "Image",
          url: this.line(value, "url", path),
          // Without alternative text, programs ignore the image, which is right for decoration.
          alt: this.line(value, "alt", path, maxBlockLine, false),
          href: href === null || href === "" ? null : this.href(value, path),
          width: width === null ? null : this.number(value, "width", path, imageWidthRange),
          align: align()
        }
      }
      case "Button": {
        const label = this.line(value, "label", path)
        return { kind: "Button", label, href: this.href(value, path), align: align() }
      }
      case "Divider":
        return { kind: "Divider" }
      case "Spacer":
        return { kind: "Spacer", height: this.number({ height: 24, ...value }, "height", path, spacerRange) }
      case "Product": {
        const itemId = this.line(value, "itemId", path)
        if (/["\\{}\n]/.test(itemId))
          this.#format(`${path}.itemId`, "the id of an item without quotes and braces")
        return { kind: "Product", itemId, label: this.line(value, "label", path) }
      }
      case "Social": {
        const links = this.list(value["links"], `${path}.links`)
        if (links.length > maxSocialLinks)
          this.issues.add(
            "validation.max_length",
            `${path}.links`,
            { max: maxSocialLinks },
            { expected: "links" }
          )
        return {
          kind: "Social",
          links: links.slice(0, maxSocialLinks).map((link, at) => {
            const of = isValues(link) ? link : {}
            const place = `${path}.links[${at}]`
            return { name: this.line(of, "name", place), href: this.href(of, place) }
          }),
          align: align()
        }
      }
      case "Footer": {
        const label = (name: "preferences" | "unsubscribe") => {
          const text = this.line(value, name, path, maxBlockLine, false)
          return text === "" ? null : text
        }
        return {
          kind: "Footer",
          text: this.line(value, "text", path, maxBlockText, false),
          unsubscribe: label("unsubscribe"),
          preferences: label("preferences"),
          align: align()
        }
      }
      default:
        this.#format(`${path}.kind`, oneOf(simpleKinds))
        return null
    }
  }

  block(value: unknown, path: string): Block | null {
    if (!isValues(value) || value["kind"] !== "Columns") return this.simple(value, path)
    const columns = this.list(value["columns"], `${path}.columns`)
    if (columns.length < 1 || columns.length > maxBlockColumns)
      this.issues.add("validation.range", `${path}.columns`, { min: 1, max: maxBlockColumns })
    return {
      kind: "Columns",
      columns: columns
        .slice(0, maxBlockColumns)
        .map((column, at) => this.#each(column, `${path}.columns[${at}]`, (one, of) => this.simple(one, of)))
    }
  }

  blocks(value: unknown): ReadonlyArray<Block> {
    return this.#each(value, "source.blocks", (one, path) => this.block(one, path))
  }

  #each<One>(
    value: unknown,
    path: string,
    read: (value: unknown, path: string) => One | null
  ): ReadonlyArray<One> {
    const given = this.list(value, path)
    // All blocks beyond the maximum make one issue.
    return given.slice(0, maxBlocks + 1).flatMap((one, at) => read(one, `${path}[${at}]`) ?? [])
  }

  #format(field: string, expected: string): void {
    this.issues.add("validation.format", field, null, { expected })
  }
}

/**
 * Parses a document. Each issue names its path, beginning with `source`, such as `source.blocks[2].href`. Fails with
 * validation.format, validation.required, validation.max_length and validation.range.
 */
export const parseBlocks = (source: string): Result.Result<BlockDocument, Problem> => {
  const reader = new Reader()
  let parsed: unknown = null
  try {
    parsed = JSON.parse(source)
  } catch {
    // Reported below, like any value that is not an object.
  }
  if (!isValues(parsed)) {
    reader.issues.add("validation.format", "source", null, { expected: "a document of blocks as JSON" })
    return reader.issues.result({ colors: defaultColors, blocks: [] })
  }
  const document = { colors: reader.colors(parsed["colors"]), blocks: reader.blocks(parsed["blocks"]) }
  return reader.issues.result(document)
}

/** The texts of a document with their paths, for checks of the Liquid in each text. */
export const textsOf = ({ blocks }: BlockDocument): ReadonlyArray<readonly [path: string, text: string]> => {
  const of = (value: unknown, path: string): ReadonlyArray<readonly [string, string]> => {
    if (typeof value === "string") return [[path, value]]
    if (Array.isArray(value)) return value.flatMap((one, at) => of(one, `${path}[${at}]`))
    return isValues(value) ? Object.entries(value).flatMap(([name, one]) => of(one, `${path}.${name}`)) : []
  }
  return of(blocks, "source.blocks")
}
