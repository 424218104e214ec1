/**
 * Changes the links of HTML documents, completes fragments, and writes HTML as text, with an HTML parser.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** What a document says of itself. */
export interface DocumentHead {
  /** A tag of BCP 47. */
  readonly language: string
  readonly title: string
}

/** The attribute of links that a rewrite leaves alone. */
export type KeptLinks = "data-no-track" | "data-no-utm"

/** A link of HTML: its URL, and its text as a reader sees it, on one line, at most `maxLinkText` characters; null for none. */
export interface HtmlLink {
  readonly url: string
  readonly text: string | null
}

/** A link of a template of HTML. */
export interface TemplateLink extends HtmlLink {
  /** As it was written where rendering makes parts of it. */
  readonly url: string
  /** Whether rendering makes parts of its URL. */
  readonly isRendered: boolean
  /** The index in the template at which its URL ends. */
  readonly end: number
}

/** The port that rewrites HTML. */
export class HtmlRewriter extends Context.Service<
  HtmlRewriter,
  {
    /**
     * The document with the `href` of its links (`a`, `area`) that are http or https replaced by what the function returns
     * for them that `linkOf` makes of all of them, and with `end` (HTML, or empty) at the end of its body. A link with the attribute `kept`, which is `data-no-track` unless given, stays as it
     * is, and so does everything else, byte for byte. So does every link after 5,000, and a very long one: that bounds the
     * time, since the thread that answers rewrites.
     */
    readonly rewrite: (
      html: string,
      linkOf: (urls: ReadonlyArray<string>) => (url: string) => string,
      end: string,
      kept?: KeptLinks
    ) => string
    /** The links that `rewrite` replaces, in order. The alternative of an image counts as its text. */
    readonly links: (html: string, kept?: KeptLinks) => ReadonlyArray<HtmlLink>
    /**
     * The links of a template, in order: those that `rewrite` replaces of what is rendered, by the tags that are written in the
     * template. One in a loop is there once, one in a condition too. Rendering may make all of the URL; a tag that rendering
     * makes is left out.
     */
    readonly templateLinks: (template: string, kept?: KeptLinks) => ReadonlyArray<TemplateLink>
    /**
     * The document written anew for a viewer: without scripts, event handlers, forms, embedded documents, redirects and
     * comments. Links to the web open a new tab without an opener; others are removed, except `mailto:`, `tel:` and those
     * within the document. An image gets the URL that `imageOf` returns for its own, or none where that is null.
     */
    readonly display: (html: string, imageOf: (url: string) => string | null) => string
    /**
     * A whole document of a fragment: with a document type, the language, the encoding (UTF-8), the title, and rules for mail
     * programs that change nothing in how the fragment looks; more than `maxBareHtml` characters long. HTML that has an `html`
     * element is returned as it is; of what has a `head` or `body` without it, only what is missing is added.
     */
    readonly document: (html: string, head: DocumentHead) => string
    /**
     * The text of HTML for programs that show none: a paragraph as a line, a link as `text: url`, without what is not
     * displayed. Null where there is no text, and for HTML that takes too long to read. Reads at most 500,000 characters, and
     * long HTML not on the thread that answers.
     */
    readonly text: (html: string) => Effect.Effect<string | null>
  }
>()("svc/ports/HtmlRewriter") {}

/** The most characters of a link's text. */
export const maxLinkText = 200

/** Html of at most this many characters is so short that filters take an image in it for the message. */
export const maxBareHtml = 3_200
