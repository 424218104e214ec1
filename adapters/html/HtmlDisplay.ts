/**
 * Rewrites an HTML document for a viewer, with htmlparser2's parser: without scripts, event handlers, forms, embedded documents
 * and redirects, with links that open a new tab, and only with images for which the caller returns a URL. This is the second
 * line of defence: the frame that shows the document runs no script and loads nothing either.
 *
 * @module
 */
import { Parser } from "htmlparser2"

/** Elements that are omitted with their content. */
const dropped: ReadonlySet<string> = new Set([
  "applet",
  "audio",
  "embed",
  "frame",
  "frameset",
  "iframe",
  "math",
  "noembed",
  "noframes",
  "noscript",
  "object",
  "plaintext",
  "script",
  "svg",
  "template",
  "video",
  "xmp"
])

/** Elements whose tags are omitted, but whose content is kept. */
const unwrapped: ReadonlySet<string> = new Set([
  "base",
  "button",
  "form",
  "input",
  "link",
  "meta",
  "option",
  "portal",
  "select",
  "source",
  "textarea",
  "track"
])

const empty: ReadonlySet<string> = new Set(["area", "br", "col", "hr", "img", "wbr"])

/** Attributes that load something, in addition to `src` and `background`. */
const loading: ReadonlySet<string> = new Set([
  "action",
  "codebase",
  "data",
  "dynsrc",
  "formaction",
  "http-equiv",
  "imagesrcset",
  "lowsrc",
  "manifest",
  "ping",
  "poster",
  "rel",
  "srcdoc",
  "srcset",
  "target",
  "xlink:href"
])

const plainName = /^[a-z][a-z0-9:_-]*$/

/** The maximum depth of elements that is kept. Browsers flatten deeper ones, too. */
const maxDepth = 512

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const attribute = (name: string, value: string): string =>
  ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"`

/** A link that may be followed: to a web page, to an address, or within the document; null for any other. */
const linkOf = (value: string): string | null => {
  // Browsers ignore these characters in a scheme.
  const text = value.replaceAll(/[\u0000-\u0020]/g, "")
  if (text.startsWith("#")) return text
  return /^(?:https?|mailto|tel):/i.test(text) ? value.trim() : null
}

/** Rewrites the document. `imageOf` returns the new URL of an image from its own URL, or null to omit it. */
export const displayHtml = (html: string, imageOf: (url: string) => string | null): string => {
  const parts: Array<string> = ["<!doctype html>"]
  const open: Array<string> = []
  let skipped = 0

  const attributesOf = (tag: string, given: Readonly<Record<string, string>>): string => {
    let text = ""
    const isLink = tag === "a" || tag === "area"
    for (const [name, value] of Object.entries(given)) {
      if (!plainName.test(name) || name.startsWith("on") || loading.has(name)) continue
      if (name === "href") {
        const link = isLink ? linkOf(value) : null
        if (link !== null) text += attribute(name, link)
      } else if (name === "src" || name === "background") {
        const image = tag === "img" || name === "background" ? imageOf(value.trim()) : null
        if (image !== null) text += attribute(name, image)
      } else text += attribute(name, value)
    }
    return isLink ? `${text} target="_blank" rel="noopener noreferrer"` : text
  }

  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        if (skipped > 0 || dropped.has(tag)) {
          skipped++
          return
        }
        if (unwrapped.has(tag) || !plainName.test(tag) || open.length >= maxDepth) return
        parts.push(`<${tag}${attributesOf(tag, attributes)}>`)
        if (!empty.has(tag)) open.push(tag)
      },
      onclosetag: (tag) => {
        if (skipped > 0) {
          skipped--
          return
        }
        if (open.at(-1) !== tag) return
        open.pop()
        parts.push(`</${tag}>`)
      },
      ontext: (text) => {
        if (skipped > 0) return
        // A style sheet is not markup, so it must not contain anything that ends the element.
        parts.push(open.at(-1) === "style" ? text.replaceAll(/<\//g, "<\\/") : escapeText(text))
      }
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true }
  )
  parser.write(html)
  parser.end()
  return parts.join("")
}
