/**
 * Rewrites links in HTML documents, completes fragments, and converts HTML to text, using an HTML parser.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** What the head of a document states. */
export interface DocumentHead {
  /** A BCP 47 tag. */
  readonly language: string
  readonly title: string
}

/** The attribute of links that a rewrite leaves unchanged. */
export type KeptLinks = "data-no-track" | "data-no-utm"

/** A link of HTML: its URL, and its visible text on one line, at most `maxLinkText` characters; null without text. */
export interface HtmlLink {
  readonly url: string
  readonly text: string | null
}

/** A link of an HTML template. */
export interface TemplateLink extends HtmlLink {
  /** The URL as written in the template, if rendering produces parts of it. */
  readonly url: string
  /** Whether rendering produces parts of the URL. */
  readonly isRendered: boolean
  /** The index in the template at which the URL ends. */
  readonly end: number
}

/** The port that rewrites HTML. */
export class HtmlRewriter extends Context.Service<
  HtmlRewriter,
  {
    /**
     * Returns the document with rewritten links, and with `end` (HTML, or empty) at the end of its body. `linkOf` gets the http
     * and https URLs of all links (`a`, `area`) and returns the function that maps each URL to its replacement. Links with the
     * attribute `kept`, by default `data-no-track`, stay unchanged, as does everything else, byte for byte. So do all links after
     * the first 5,000 and very long ones, to bound the time, since this runs on the thread that serves calls.
     */
    readonly rewrite: (
      html: string,
      linkOf: (urls: ReadonlyArray<string>) => (url: string) => string,
      end: string,
      kept?: KeptLinks
    ) => string
    /** The links that `rewrite` would replace, in order. The alternative text of an image counts as text. */
    readonly links: (html: string, kept?: KeptLinks) => ReadonlyArray<HtmlLink>
    /**
     * The links of a template, in order: those that `rewrite` would replace in the rendered HTML, as far as their tags are
     * written in the template. A link in a loop or in a condition is listed once. Rendering may produce the whole URL; tags that
     * rendering produces are left out.
     */
    readonly templateLinks: (template: string, kept?: KeptLinks) => ReadonlyArray<TemplateLink>
    /**
     * The document, rebuilt for display to a viewer: without scripts, event handlers, forms, embedded documents, redirects and
     * comments. Links to the web open a new tab without an opener; other links are removed, except `mailto:`, `tel:` and those
     * within the document. An image gets the URL that `imageOf` returns for its URL, or none if that is null.
     */
    readonly display: (html: string, imageOf: (url: string) => string | null) => string
    /**
     * Completes a fragment to a document: with a document type, the language, the encoding (UTF-8), the title, and style rules
     * for mail programs that do not change how the fragment looks. The result has more than `maxBareHtml` characters. HTML with
     * an `html` element is returned unchanged; HTML with only `head` or `body` gets only what is missing.
     */
    readonly document: (html: string, head: DocumentHead) => string
    /**
     * The plain text of HTML, for mail programs that show no HTML: each paragraph on a line, links as `text: url`, without hidden
     * content. Null if there is no text, or if the HTML takes too long to read. Reads at most 500,000 characters. Long HTML is
     * not read on the thread that serves calls.
     */
    readonly text: (html: string) => Effect.Effect<string | null>
  }
>()("svc/ports/HtmlRewriter") {}

/** The most characters of a link's text. */
export const maxLinkText = 200

/** HTML of at most this many characters is so short that spam filters take an image in it for the whole message. */
export const maxBareHtml = 3_200
