/**
 * Makes whole documents from fragments of HTML.
 *
 * @module
 */
import type { DocumentHead } from "../../core/ports/HtmlRewriter.ts"

/**
 * The styles in the head of every document. They undo what mail programs do to tables, images, links and text sizes, and change
 * nothing else in the look of a fragment without styles. They also make a document long enough that filters treat an image
 * in it as ordinary (`maxBareHtml`), which `test/contract/HtmlRewriter.ts` checks.
 */
const standardHead = `<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<!--[if mso]>
<noscript>
<xml>
<o:OfficeDocumentSettings xmlns:o="urn:schemas-microsoft-com:office:office">
<o:AllowPNG/>
<o:PixelsPerInch>96</o:PixelsPerInch>
</o:OfficeDocumentSettings>
</xml>
</noscript>
<![endif]-->
<style>
/* Light and dark: the reader's choice, where the content sets no colours of its own. */
:root {
  color-scheme: light dark;
  supported-color-schemes: light dark;
}

/* Programs on phones and on Windows do not change the size of text by themselves. */
html,
body,
table,
td,
th,
div,
span,
p,
a,
ul,
ol,
li,
h1,
h2,
h3,
h4,
h5,
h6,
pre,
code,
font,
label,
section,
article,
dt,
dd,
blockquote {
  -webkit-text-size-adjust: 100%;
  -ms-text-size-adjust: 100%;
  text-size-adjust: 100%;
}

/* Word, which shows mail in Outlook for Windows, adds space around tables. */
table,
td {
  mso-table-lspace: 0pt;
  mso-table-rspace: 0pt;
}

/* Word makes lines higher than they are set to be, unless they are set to be exact. */
p,
li,
td,
th,
div,
h1,
h2,
h3,
h4,
h5,
h6 {
  mso-line-height-rule: exactly;
}

/* Images that are scaled stay smooth in old versions of Outlook. */
img {
  -ms-interpolation-mode: bicubic;
}

/* Outlook.com and Outlook for the web put the content into elements of their own, which are to be as wide as the window. */
.ReadMsgBody,
.ExternalClass {
  width: 100%;
}

.ExternalClass,
.ExternalClass p,
.ExternalClass span,
.ExternalClass font,
.ExternalClass td,
.ExternalClass th,
.ExternalClass div,
.ExternalClass li {
  line-height: inherit;
}

/* The menu of an old Outlook takes no space of the text. */
#outlook a {
  padding: 0;
}

/* Dates, addresses and numbers that Apple Mail makes links of look like the text around them. */
a[x-apple-data-detectors],
.x-apple-data-detectors a,
u + #body .x-apple-data-detectors a {
  color: inherit !important;
  font-family: inherit !important;
  font-size: inherit !important;
  font-weight: inherit !important;
  line-height: inherit !important;
  text-decoration: none !important;
}

/* So they do in Samsung Mail, and in Gmail. */
#MessageViewBody a.x-samsung-detected,
.gmail-detected a {
  color: inherit !important;
  font-family: inherit !important;
  font-size: inherit !important;
  font-weight: inherit !important;
  line-height: inherit !important;
  text-decoration: none !important;
}

/* Gmail puts no button over an image that is no link. */
.a6S {
  display: none !important;
  opacity: 0.01 !important;
}

img.g-img + div {
  display: none !important;
}

/* Windows Mail on phones keeps the width of the window. */
@-ms-viewport {
  width: device-width;
}

/* On paper, links keep their text and images their size on the page. */
@media print {
  img {
    max-width: 100% !important;
    page-break-inside: avoid;
  }

  a {
    word-wrap: break-word;
  }
}
</style>
`

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** The beginning of HTML, after white space, comments and declarations. */
interface Beginning {
  /** The lower-case name of the first element; empty if text or the end comes first. */
  readonly tag: string
  /** The index after the document type; null if there is none. */
  readonly typeEnd: number | null
}

const whiteSpace = /\s/

const beginningOf = (html: string): Beginning => {
  let at = 0
  let typeEnd: number | null = null
  for (;;) {
    while (at < html.length && (whiteSpace.test(html[at]!) || html[at] === "\ufeff")) at++
    const isComment = html.startsWith("<!--", at)
    if (!isComment && !html.startsWith("<!", at) && !html.startsWith("<?", at)) break
    const end = html.indexOf(isComment ? "-->" : ">", isComment ? at + 4 : at)
    if (end === -1) break
    const isType = /^<!doctype/i.test(html.slice(at, at + 9))
    at = end + (isComment ? 3 : 1)
    if (isType) typeEnd = at
  }
  return { tag: /^<([a-z]+)(?=[\s/>])/i.exec(html.slice(at, at + 12))?.[1]?.toLowerCase() ?? "", typeEnd }
}

/** Makes a whole document, as the port `HtmlRewriter` declares. */
export const documentOf = (html: string, { language, title }: DocumentHead): string => {
  const { tag, typeEnd } = beginningOf(html)
  if (tag === "html") return html
  const type = typeEnd === null ? "<!doctype html>" : html.slice(0, typeEnd)
  const rest = typeEnd === null ? html : html.slice(typeEnd)
  const start = `${type}\n<html lang="${escapeText(language)}">\n`
  if (tag === "head") return `${start}${rest}\n</html>\n`
  const head = `<head>\n<meta charset="utf-8">\n<title>${escapeText(title)}</title>\n${standardHead}</head>\n`
  if (tag === "body") return `${start}${head}${rest}\n</html>\n`
  return `${start}${head}<body>\n${rest}\n</body>\n</html>\n`
}
