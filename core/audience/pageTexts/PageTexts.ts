/**
 * The words of the hosted pages: what each language has.
 *
 * @module
 */

/** A page that says one thing. */
interface Notice {
  readonly title: string
  readonly text: string
}

type OfName = (name: string) => string

/** The words of a language. Names are of the sender. */
export interface PageTexts {
  readonly notFound: Notice
  readonly outdated: Notice
  readonly unavailable: Notice
  /** Whom the page is for, by an address of which most is hidden. */
  readonly addressed: (email: string) => string
  /** `text` is what a person agrees to, and kept as the proof of it. */
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
  /** The email that asks to confirm a sign-up, whose button has the text of the page's. */
  readonly mail: { readonly subject: OfName; readonly text: OfName; readonly ignore: string }
  /** Of links in an email. */
  readonly links: { readonly unsubscribe: string; readonly preferences: string }
  /** Of the page that shows an email: that the person's data, or the catalogue, was another when it was sent. */
  readonly webVersion: { readonly changed: string }
}
