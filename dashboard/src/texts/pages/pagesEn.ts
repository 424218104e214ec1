/**
 * The texts of the screen of a company's own texts in English.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The texts. */
export const pagesEn = {
  title: "Texts of hosted pages and confirmation emails",
  text: "What people read who confirm, choose topics or unsubscribe. An empty field keeps the text below it. {name} becomes your company's name.",
  language: "Language",
  ours: "With texts of the service",
  own: "Your own languages",
  others: "Add a language",
  othersHint: "The service has no texts in this language: what you leave empty is English.",
  saved: "Texts saved",
  reset: "Restore the texts of the service",
  wasReset: "The texts of the service are back",
  changed: (shown: string) => `${shown} of your own`,
  groups: {
    mail: "Email that asks to confirm",
    confirm: "Confirm a subscription",
    subscribed: "After the confirmation",
    nothingToConfirm: "Nothing to confirm",
    preferences: "Choose topics",
    unsubscribe: "Unsubscribe",
    unsubscribed: "After unsubscribing",
    links: "Links in marketing email",
    addressed: "For whom the page is"
  } as Names,
  parts: {
    "mail.subject": "Subject",
    "mail.ignore": "If they did not sign up",
    title: "Title",
    text: "Text",
    button: "Button",
    addressed: "Line",
    "confirm.text": "Text, kept as the proof of consent",
    "preferences.saved": "After saving",
    "preferences.topics": "Question",
    "preferences.save": "Button",
    "preferences.all": "Title of the last part",
    "preferences.stop": "What the last button does",
    "preferences.stopAll": "Last button",
    "preferences.stopped": "To those who unsubscribed",
    "links.unsubscribe": "Unsubscribe",
    "links.preferences": "Preferences"
  } as Names
}

/** The shape of the texts in every language. */
export type PagesTexts = typeof pagesEn
