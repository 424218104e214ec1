/**
 * The texts of a person's runs, topics, devices and timeline, of store events, flow versions and the API reference, in German.
 *
 * @module
 */
import type { RecordTexts } from "./recordsEn.ts"

const events = (shown: string, count: number): string => `${shown} ${count === 1 ? "Ereignis" : "Ereignisse"}`

/** The texts. */
export const recordsDe: RecordTexts = {
  runsOf: { title: "Läufe", empty: "Noch kein Ablauf lief für diese Person." },
  topicsOf: {
    title: "Themen",
    on: "Ein",
    off: "Aus",
    chosen: "Von der Person gewählt",
    byDefault: "Vorgabe des Themas",
    empty: "Das Konto hat keine Themen. Legen Sie eines für jede Art von E-Mail an, die man abschalten kann."
  },
  devices: {
    title: "Geräte",
    text: "Womit die Person in den letzten 30 Tagen öffnete und klickte.",
    kinds: { Phone: "Telefon", Tablet: "Tablet", Computer: "Computer" },
    seen: (opens, openCount, clicks, clickCount) =>
      `${opens} ${openCount === 1 ? "Öffnung" : "Öffnungen"}, ${clicks} ${clickCount === 1 ? "Klick" : "Klicks"}`,
    empty:
      "Kein Gerät gesehen. Mailprogramme, die Bilder über einen Proxy laden, wie Gmail, zeigen keines, bis ein Link geklickt wird."
  },
  startFlow: {
    title: "Ablauf starten",
    text: (name) =>
      `Startet die veröffentlichte Fassung für ${name}, ohne Auslöser und Filter des Ablaufs. E-Mails brauchen trotzdem die Einwilligung.`,
    flow: "Ablauf",
    none: "Kein Ablauf ist veröffentlicht. Veröffentlichen Sie zuerst einen.",
    start: "Starten",
    done: (flow) => `${flow} wurde gestartet`
  },
  timeline: {
    events: {
      "cart.abandoned": "Warenkorb verlassen",
      "conversion.attributed": "Konversion",
      "contact.subscribed": "Angemeldet",
      "email.clicked": "Link geklickt",
      "email.opened": "E-Mail geöffnet",
      "email.sent": "Kampagnen-E-Mail gesendet",
      "order.cancelled": "Bestellung storniert",
      "order.paid": "Bestellung bezahlt",
      "order.placed": "Bestellung aufgegeben",
      "order.refunded": "Bestellung erstattet"
    },
    properties: {
      currency: "Währung",
      lineCount: "Positionen",
      number: "Nummer",
      total: "Summe",
      url: "Link"
    }
  },
  storeEvents: {
    title: "Ereignisse des Geschäfts",
    event: "Ereignis",
    unnamed: "Ein Ereignis einer früheren Version",
    why: "Warum nicht",
    received: "Empfangen",
    lastEvent: "Letztes Ereignis",
    never: "keines in 30 Tagen",
    failed: (shown) => `${shown} fehlgeschlagen`,
    state: "Stand",
    states: { Accepted: "Angenommen", Failed: "Nicht angenommen" },
    replay: "Wiederholen",
    replayAll: "Alle fehlgeschlagenen wiederholen",
    replayTitle: (shown, count) => `${events(shown, count)} wiederholen?`,
    replayText:
      "Ein Auftrag verarbeitet sie noch einmal, wie sie ankamen. Was ein anderes Ereignis seither änderte, wird von einem älteren nicht überschrieben.",
    started: "Ein Auftrag wiederholt sie. Sein Bericht steht unter Personen, Aufträge.",
    empty: "Hier erscheinen Ereignisse",
    emptyText: "Was das Geschäft in den letzten 30 Tagen meldete, mit dem, was daraus wurde."
  },
  flowVersions: {
    title: "Veröffentlichte Versionen",
    version: (shown) => `Version ${shown}`,
    draft: "Entwurf",
    active: (shown, count) => `${shown} ${count === 1 ? "laufender Durchlauf" : "laufende Durchläufe"}`,
    compare: "Vergleichen",
    compareWith: "Mit",
    compareTitle: (before, after) => `${before} und ${after}`,
    compareText: "Zeilen mit - stehen nur in der ersten, Zeilen mit + nur in der zweiten.",
    same: "Sie unterscheiden sich nicht.",
    none: "Der Ablauf wurde noch nicht veröffentlicht."
  },
  reference: {
    tab: "API",
    text: "Aufrufe der API von dieser Seite, mit einem Schlüssel dieses Kontos. In einem Live-Konto tun sie, was sie sagen.",
    key: "API-Schlüssel",
    keyHint:
      "Er bleibt auf dieser Seite und wird beim Verlassen verworfen. Erstellen Sie einen unter Schlüssel.",
    search: "Aufruf finden",
    call: "Aufruf",
    parameters: "Parameter",
    body: "Inhalt",
    noJson: "Das ist kein JSON.",
    send: "Senden",
    answer: "Antwort",
    took: (milliseconds) => `${milliseconds} ms`,
    document: "Ganze Referenz",
    missingKey: "Geben Sie zuerst einen Schlüssel ein.",
    nothing: "Kein Aufruf passt.",
    failed: "Der Dienst ist nicht erreichbar."
  }
}
