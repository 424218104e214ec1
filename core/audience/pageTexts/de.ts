/**
 * The words of the hosted pages in German.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const de: PageTexts = {
  notFound: {
    title: "Dieser Link funktioniert nicht",
    text: "Er ist vielleicht abgelaufen, oder ein Teil davon fehlt. Bitte verwenden Sie den Link in der neuesten E-Mail."
  },
  outdated: {
    title: "Dieser Link gilt nicht mehr",
    text: "Er wurde an eine Adresse gesendet, die nicht mehr die dieser Anmeldung ist. Nichts wurde bestätigt. Bitte verwenden Sie den Link in der neuesten E-Mail."
  },
  unavailable: {
    title: "Bitte versuchen Sie es erneut",
    text: "Das geht gerade nicht. Nichts wurde geändert. Bitte versuchen Sie es gleich noch einmal."
  },
  addressed: (email) => `Für ${email}`,
  confirm: {
    title: "Bitte bestätigen",
    text: (name) => `Ja, ich möchte E-Mails von ${name} erhalten. Ich kann mich jederzeit abmelden.`,
    button: "Bestätigen"
  },
  subscribed: {
    title: "Sie sind angemeldet",
    text: (name) => `Vielen Dank. Sie erhalten E-Mails von ${name}.`
  },
  nothingToConfirm: {
    title: "Es gibt nichts zu bestätigen",
    text: (name) => `Diese Anmeldung zu E-Mails von ${name} wartet nicht mehr auf eine Bestätigung.`
  },
  unsubscribed: {
    title: "Sie sind abgemeldet",
    text: (name) => `Sie erhalten keine Newsletter und Angebote von ${name} mehr.`
  },
  unsubscribe: {
    title: "Abmelden",
    text: (name) => `Möchten Sie keine Newsletter und Angebote von ${name} mehr erhalten?`,
    button: "Abmelden"
  },
  preferences: {
    title: (name) => `E-Mails von ${name}`,
    saved: "Ihre Auswahl ist gespeichert.",
    topics: "Worüber möchten Sie lesen?",
    save: "Speichern",
    all: "Alle E-Mails",
    stop: (name) => `Alle Newsletter und Angebote von ${name} beenden.`,
    stopAll: "Von allem abmelden",
    stopped: (name) =>
      `Sie sind abgemeldet: Sie erhalten keine Newsletter und Angebote von ${name}, was auch immer oben gewählt ist.`
  },
  mail: {
    subject: (name) => `Bitte bestätigen: E-Mails von ${name}`,
    text: (name) =>
      `Bitte bestätigen Sie, dass Sie E-Mails von ${name} erhalten möchten. Der Link gilt 30 Tage.`,
    ignore: "Wenn Sie sich nicht angemeldet haben, ignorieren Sie diese E-Mail: Sie erhalten dann nichts."
  },
  links: { unsubscribe: "Abmelden", preferences: "Einstellungen" },
  webVersion: { changed: "Diese E-Mail zeigte beim Versand andere Daten." }
}
