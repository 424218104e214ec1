/**
 * Changes the links of HTML documents, with an HTML parser.
 *
 * @module
 */
import { Context } from "effect"

/** The port that rewrites HTML. Synchronous: it works on a string in memory. */
export class HtmlRewriter extends Context.Service<
  HtmlRewriter,
  {
    /**
     * The document with the `href` of its links (`a`, `area`) that are http or https replaced by what the function returns
     * for them that `linkOf` makes of all of them, and with `end` (HTML, or empty) at the end of its body. A link with the attribute `data-no-track` stays as it
     * is, and so does everything else, byte for byte. So does every link after 5,000, and a very long one: that bounds the
     * time, since the thread that answers rewrites.
     */
    readonly rewrite: (
      html: string,
      linkOf: (urls: ReadonlyArray<string>) => (url: string) => string,
      end: string
    ) => string
    /**
     * The document written anew for a viewer: without scripts, event handlers, forms, embedded documents, redirects and
     * comments. Links to the web open a new tab without an opener; others are removed, except `mailto:`, `tel:` and those
     * within the document. An image gets the URL that `imageOf` returns for its own, or none where that is null.
     */
    readonly display: (html: string, imageOf: (url: string) => string | null) => string
  }
>()("svc/ports/HtmlRewriter") {}
