/**
 * The texts of the hosted pages that each language provides.
 *
 * @module
 */

/** The texts of a page with a single message. */
interface Notice {
  readonly title: string
  readonly text: string
}

type OfName = (name: string) => string

/** The texts of a language. Names that they take are names of the sender. */
export interface PageTexts {
  readonly notFound: Notice
  readonly outdated: Notice
  readonly unavailable: Notice
  /** States for whom the page is, by an address that is mostly hidden. */
  readonly addressed: (email: string) => string
  /** `text` is what the person agrees to; it is stored as the proof of consent. */
  readonly confirm: { readonly title: string; readonly text: OfName; readonly button: string }
  readonly subscribed: { readonly title: string; readonly text: OfName }
  readonly nothingToConfirm: { readonly title: string; readonly text: OfName }
  readonly unsubscribed: { readonly title: string; readonly text: OfName }
  readonly unsubscribe: { readonly title: string; readonly text: OfName; readonly button: string }
  readonly preferences: {
    readonly title: OfName
    readonly saved: string
    readonly topics: string
    readonly save: string
    readonly all: string
    readonly stop: OfName
    readonly stopAll: string
    readonly stopped: OfName
  }
  /** The email that asks a person to confirm a sign-up. Its button has the text of the page's button. */
  readonly mail: { readonly subject: OfName; readonly text: OfName; readonly ignore: string }
  /** The texts of links in an email. */
  readonly links: { readonly unsubscribe: string; readonly preferences: string }
  /** On the page that shows an email: the notice that the person's data, or the catalogue, has changed since it was sent. */
  readonly webVersion: { readonly changed: string }
}
