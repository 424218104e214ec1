/**
 * The texts of the screen on which a company changes the texts of its pages, in English.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The texts. */
export const pagesEn = {
  title: "Texts of hosted pages and confirmation emails",
  text: "Shown to people who confirm, choose topics or unsubscribe. Leave a field empty to keep the text below it. {name} is replaced by your company's name.",
  language: "Language",
  ours: "Built-in languages",
  own: "Added languages",
  others: "Add a language",
  othersHint: "There are no built-in texts in this language: fields left empty are in English.",
  saved: "Texts saved",
  reset: "Restore defaults",
  wasReset: "Default texts restored",
  changed: (shown: string) => `${shown} customised`,
  groups: {
    mail: "Confirmation email",
    confirm: "Confirm a subscription",
    subscribed: "After the confirmation",
    nothingToConfirm: "Nothing to confirm",
    preferences: "Choose topics",
    unsubscribe: "Unsubscribe",
    unsubscribed: "After unsubscribing",
    links: "Links in marketing email",
    webVersion: "Web version",
    addressed: "Recipient line"
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
    "preferences.all": "Last section title",
    "preferences.stop": "Last button description",
    "preferences.stopAll": "Last button",
    "preferences.stopped": "After unsubscribing from everything",
    "links.unsubscribe": "Unsubscribe",
    "links.preferences": "Preferences",
    "webVersion.changed": "Where the email showed other data"
  } as Names
}

/** The shape of the texts in every language. */
export type PagesTexts = typeof pagesEn
