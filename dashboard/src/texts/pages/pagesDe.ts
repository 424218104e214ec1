/**
 * The texts of the screen on which a company changes the texts of its pages, in German.
 *
 * @module
 */
import type { PagesTexts } from "./pagesEn.ts"

/** The texts. */
export const pagesDe: PagesTexts = {
  title: "Texte der Seiten und der Bestätigungsmails",
  text: "Was Menschen lesen, die bestätigen, Themen wählen oder sich abmelden. Ein leeres Feld behält den Text darunter. {name} wird zum Namen Ihrer Firma.",
  language: "Sprache",
  ours: "Mit Texten des Dienstes",
  own: "Ihre eigenen Sprachen",
  others: "Sprache hinzufügen",
  othersHint: "Der Dienst hat keine Texte in dieser Sprache: Was leer bleibt, ist Englisch.",
  saved: "Texte gespeichert",
  reset: "Texte des Dienstes wiederherstellen",
  wasReset: "Es gelten wieder die Texte des Dienstes",
  changed: (shown: string) => `${shown} eigene`,
  groups: {
    mail: "E-Mail, die um Bestätigung bittet",
    confirm: "Anmeldung bestätigen",
    subscribed: "Nach der Bestätigung",
    nothingToConfirm: "Nichts zu bestätigen",
    preferences: "Themen wählen",
    unsubscribe: "Abmelden",
    unsubscribed: "Nach der Abmeldung",
    links: "Links in Marketing-E-Mails",
    webVersion: "Webversion",
    addressed: "Für wen die Seite ist"
  },
  parts: {
    "mail.subject": "Betreff",
    "mail.ignore": "Falls die Person sich nicht angemeldet hat",
    title: "Titel",
    text: "Text",
    button: "Schaltfläche",
    addressed: "Zeile",
    "confirm.text": "Text, als Nachweis der Einwilligung aufbewahrt",
    "preferences.saved": "Nach dem Speichern",
    "preferences.topics": "Frage",
    "preferences.save": "Schaltfläche",
    "preferences.all": "Titel des letzten Teils",
    "preferences.stop": "Was die letzte Schaltfläche tut",
    "preferences.stopAll": "Letzte Schaltfläche",
    "preferences.stopped": "Für Abgemeldete",
    "links.unsubscribe": "Abmelden",
    "links.preferences": "Einstellungen",
    "webVersion.changed": "Wenn die E-Mail andere Daten zeigte"
  }
}
