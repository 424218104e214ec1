/**
 * Lays out the hosted pages: one document without scripts or external resources, and headers that enforce this.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { defaultLanguage, directionOf } from "../../../../core/audience/pages/PageLanguages.ts"
import type { ShownBrand } from "../../../../core/images/Brands.ts"
import { imagesPath } from "../../../../core/images/ImageKeys.ts"
import type { BrandColors } from "../../../../core/model/Account.ts"
import { contrastOf, onColor } from "../../../../core/images/Contrast.ts"
import type { HandlerReply } from "../../edge/reply.ts"
import { Html, html } from "./html.ts"

const style = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #566074; --paper: #fff; --ground: #f1f3f6; --line: #c9cfd9; --act: #1f4fd8; --fill: #1f4fd8; --on-fill: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #eef1f6; --soft: #aab3c2; --paper: #1b202a; --ground: #11141a; --line: #3c4554; --act: #8fb0ff; --fill: #8fb0ff; --on-fill: #0c1220 } }
* { box-sizing: border-box }
body { margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif }
main { max-width: 36rem; margin: 4vh auto 0; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem }
p { margin: 0 0 1rem; overflow-wrap: anywhere }
fieldset { margin: 0 0 1.5rem; padding: 0; border: 0 }
legend { padding: 0; font-weight: 600; margin-bottom: .5rem }
[dir=rtl] main { text-align: right }
h1, h2, p, legend, label, button, footer, .soft { unicode-bidi: plaintext }
.topic { display: flex; gap: .75rem; align-items: flex-start; padding: .75rem 0; border-top: 1px solid var(--line) }
.topic input { width: 1.25rem; height: 1.25rem; margin: .2rem 0 0; flex: none; accent-color: var(--act) }
.topic label, .soft { overflow-wrap: anywhere }
.soft { display: block; color: var(--soft); font-size: .9375rem }
.notice { padding: .75rem 1rem; border-inline-start: .25rem solid var(--act); background: var(--ground) }
a { color: var(--act) }
button { font: inherit; font-weight: 600; padding: .7rem 1.4rem; border-radius: .5rem; border: 1px solid var(--fill); background: var(--fill); color: var(--on-fill); cursor: pointer }
button.quiet { background: transparent; border-color: var(--act); color: var(--act) }
.logo { display: block; max-width: 12rem; max-height: 4rem; width: auto; height: auto; margin: 0 0 1.5rem }
footer { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9375rem; white-space: pre-line; overflow-wrap: anywhere }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
`

const hashOf = (css: string): string =>
  `'sha256-${createHash("sha256").update(css, "utf8").digest("base64")}'`

const styleHash = hashOf(style)

const headersOf = (more: string, hasLogo: boolean) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    `default-src 'none'; style-src ${styleHash}${more}; ${hasLogo ? "img-src 'self'; " : ""}form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow"
})

const headers = headersOf("", false)

const styleElement = new Html(`<style>${style}</style>`)

const styleOf = (css: string): Html => new Html(css === "" ? "" : `<style>${css}</style>`)

/** The background and the text colour of the pages in the light colour scheme. */
const paper = "#ffffff"
const darkInk = "#1d2430"

/** The minimum contrast of text and background (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5

/** The style of a brand's colours. It omits colours that would make text hard to read, and is empty if none are left. */
const brandStyle = ({ accent, background, text }: BrandColors): string => {
  const fill = accent === null ? "" : `:root { --fill: ${accent}; --on-fill: ${onColor(accent)} }\n`
  const ink = text !== null && contrastOf(text, paper) >= leastContrast ? text : null
  const isReadable = (color: string) => contrastOf(ink ?? darkInk, color) >= leastContrast
  const light = [
    ink === null ? "" : `--ink: ${ink}`,
    background !== null && isReadable(background) ? `--ground: ${background}` : "",
    accent !== null && contrastOf(accent, paper) >= leastContrast ? `--act: ${accent}` : ""
  ].filter((one) => one !== "")
  return light.length === 0
    ? fill
    : `${fill}@media (prefers-color-scheme: light) { :root { ${light.join("; ")} } }\n`
}

/** The parts of a page that come from a brand. */
const drawn = (brand: ShownBrand | null) => {
  const logo = brand?.logo ?? null
  const lines = [brand?.footer, brand?.postalAddress].filter((one) => one != null).join("\n\n")
  return {
    css: brand === null ? "" : brandStyle(brand.colors),
    // A relative URL, because a proxy may serve the pages under another path.
    header:
      logo === null
        ? html``
        : html`<img class="logo" src="..${imagesPath}/${logo.key}" alt="${brand?.name ?? ""}" />`,
    footer: lines === "" ? html`` : html`<footer>${lines}</footer>`
  }
}

/** A whole page. `title` is also its heading. */
export const page = (
  status: number,
  title: string,
  content: Html,
  more: Readonly<Record<string, string>> = {},
  language: string = defaultLanguage,
  brand: ShownBrand | null = null
): HandlerReply<never> => {
  const { css, footer, header } = drawn(brand)
  const logo = brand?.logo ?? null
  return {
    _tag: "Reply",
    status,
    headers: {
      ...(css === "" && logo === null
        ? headers
        : headersOf(css === "" ? "" : ` ${hashOf(css)}`, logo !== null)),
      ...more
    },
    body: html`<!doctype html>
      <html lang="${language}" dir="${directionOf(language)}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex, nofollow" />
          <title>${title}</title>
          ${styleElement} ${styleOf(css)}
        </head>
        <body>
          <main>
            ${header}
            <h1>${title}</h1>
            ${content} ${footer}
          </main>
        </body>
      </html> `.markup
  }
}

/** Headers of pages with others' content. They run no script, and a page opened by a link has no access to them. */
const publicHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox",
  "referrer-policy": "no-referrer"
}

/** A page with an email, rendered again for a viewer. */
export const emailPage = (document: string): HandlerReply<never> => ({
  _tag: "Reply",
  status: 200,
  headers: { ...publicHeaders, "x-robots-tag": "noindex, nofollow", "cache-control": "no-store" },
  body: document
})

/** A page of an archive. Search engines may index it, and caches may keep it for five minutes. */
export const archivePage = (
  body: string,
  known: string | null,
  contentType = "text/html; charset=utf-8"
): HandlerReply<never> => {
  const etag = `"${createHash("sha256").update(body, "utf8").digest("base64url").slice(0, 22)}"`
  const isKnown = known !== null && known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)
  return {
    _tag: "Reply",
    status: isKnown ? 304 : 200,
    headers: {
      ...publicHeaders,
      "content-type": contentType,
      "cache-control": "public, max-age=300",
      etag
    },
    body: isKnown ? "" : body
  }
}

/** A public document in the style of the hosted pages and the brand of a company. */
export const publicDocument = (
  title: string,
  head: Html,
  content: Html,
  language: string,
  brand: ShownBrand
): string => {
  const { css, footer, header } = drawn(brand)
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${head} ${styleElement} ${styleOf(css)}
      </head>
      <body>
        <main>
          ${header}
          <h1>${title}</h1>
          ${content} ${footer}
        </main>
      </body>
    </html> `.markup
}

/** Redirects a browser that posted a form to a page that can be reloaded. */
export const seeOther = (location: string): HandlerReply<never> => ({
  _tag: "Reply",
  status: 303,
  headers: { ...headers, location },
  body: ""
})

/** A short plain-text reply to a program. */
export const plain = (status: number, text: string): HandlerReply<never> => ({
  _tag: "Reply",
  status,
  headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
  body: text
})
