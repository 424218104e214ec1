/**
 * The texts of the dialogs of further filters and of saved views, in German.
 *
 * @module
 */
import type { ListTexts } from "./listsEn.ts"

/** The texts. */
export const listsDe: ListTexts = {
  clear: "Leeren",
  apply: "Anwenden",
  several: "Mehrere durch Kommas getrennt: eines davon genügt.",
  text: "Einträge müssen zu allen passen.",
  contact: "Kennung der Person",
  since: "Ab",
  until: "Vor",
  any: "Alle",
  views: {
    save: "Diese Ansicht sichern",
    saveText: "Filter, Suche, Reihenfolge und Spalten, unter einem Namen.",
    change: "Ansichten ändern",
    changeText: "Ihre Ansichten und solche, die andere teilen.",
    edit: "Bearbeiten",
    editTitle: (name) => `${name} ändern`,
    replace: "Durch das Gezeigte ersetzen",
    replaceHint: "Übernimmt Filter, Suche, Reihenfolge und Spalten, die die Liste jetzt hat.",
    name: "Name",
    share: "Teilen",
    shareHint: "Alle, die die Liste sehen dürfen, sehen die Ansicht.",
    shared: "Geteilt",
    own: "Nur Sie sehen sie",
    saved: (name) => `${name} ist gesichert`,
    delete: "Löschen",
    deleted: (name) => `${name} ist gelöscht`
  },
  people: {
    text: "Personen müssen zu allen passen.",
    tag: "Schlagwort",
    country: "Land",
    countryHint: "Zwei Buchstaben, etwa DE.",
    language: "Sprache",
    languageHint: "Etwa de oder en-GB.",
    store: "Kennung des Shops",
    since: "Hinzugefügt ab",
    until: "Hinzugefügt vor",
    lastEmailedSince: "E-Mail erhalten seit",
    lastOpenSince: "Geöffnet seit",
    lastClickSince: "Geklickt seit"
  },
  emails: {
    text: "E-Mails müssen zu allen passen.",
    campaign: "Kampagne",
    flow: "Ablauf",
    template: "Vorlage",
    key: "API-Schlüssel",
    to: "Adresse des Empfängers",
    domain: "Domain des Empfängers",
    from: "Adresse des Absenders",
    provider: "E-Mail-Anbieter",
    providerHint: "Etwa google oder microsoft.",
    reason: "Code des Grundes",
    reasonHint: "Etwa sending.mailbox_full.",
    tag: "Tag",
    tagHint: "Name und Wert, etwa plan=gold."
  },
  audit: {
    network: "Netz",
    networkHint: "IPv4-Adresse oder IPv6-Netz wie 2001:db8::/64.",
    target: "Kennung des Geänderten",
    actor: "Kennung der Person, des Tokens oder Schlüssels",
    actorHint: "Wie sie in den Einzelheiten eines Eintrags steht."
  },
  events: { name: "Name des Ereignisses" },
  orders: {
    view: "Ansicht",
    viewHint: "Bezahlt schließt erledigte Bestellungen ein. Abgebrochen sind Käufe ohne Bestellung.",
    views: { Paid: "Bezahlt", Pending: "Offen", Abandoned: "Abgebrochen", Refunded: "Erstattet" }
  },
  requests: { route: "Route", routeHint: "Etwa /api/v1/sending/emails.", code: "Fehlercode" }
}
