/**
 * Changes links of HTML documents, by a real HTML parser.
 *
 * @module
 */
import { Context } from "effect"

/** The port that rewrites HTML. Synchronous: it works on a text in memory. */
export class HtmlRewriter extends Context.Service<
  HtmlRewriter,
  {
    /**
     * The document with the `href` of its links (`a`, `area`) that are http or https replaced by what `link` answers
     * for them, and with `end` (HTML, or empty) at the end of its body. A link with the attribute `data-no-track` is
     * left alone. All else stays byte for byte as it was.
     */
    readonly rewrite: (html: string, link: (url: string) => string, end: string) => string
  }
>()("svc/ports/HtmlRewriter") {}
