/**
 * The texts of the editors in German.
 *
 * @module
 */
import type { EditorTexts } from "./editorsEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const editorsDe: EditorTexts = {
  meanwhile: {
    by: (name) =>
      `${name} hat dies geändert, während Sie daran arbeiten. Von Ihnen ist noch nichts gespeichert.`,
    bySomeone: "Dies wurde geändert, während Sie daran arbeiten. Von Ihnen ist noch nichts gespeichert.",
    compare: "Was gespeichert ist, und was Sie haben",
    takeTheirs: "Meines verwerfen und Gespeichertes zeigen",
    saveMine: "Mit meinem überschreiben"
  },
  leave: {
    title: "Ohne Speichern verlassen?",
    text: "Was Sie hier geändert haben, ist dann verloren.",
    leave: "Verlassen",
    stay: "Bleiben"
  },
  segment: {
    add: "Neues Segment",
    edit: "Bearbeiten",
    empty: "Hier erscheinen Segmente",
    emptyText:
      "Ein Segment ist eine gespeicherte Regel, die Personen auswählt. Legen Sie eines an und sehen Sie, wie viele es auswählt.",
    new: "Neues Segment",
    name: "Name",
    description: "Beschreibung",
    rules: "Regeln",
    join: "Personen auswählen, für die gilt",
    joins: { All: "alle diese Regeln", Any: "eine dieser Regeln" },
    noRules: "Ohne Regel sind alle ausgewählt.",
    addRule: "Regel hinzufügen",
    rule: (number) => `Regel ${number}`,
    field: "Feld",
    operator: "Bedingung",
    value: "Wert",
    from: "Von",
    to: "Bis",
    count: "Mal",
    days: "Tage",
    eventName: "Ereignis",
    eventHint: "Etwa order.placed",
    values: "Werte",
    valuesHint: "Eingabetaste fügt einen hinzu",
    addValue: "Hinzufügen",
    removeValue: (value) => `${value} entfernen`,
    removeRule: (number) => `Regel ${number} entfernen`,
    inWords: "In Worten",
    groups: {
      person: "Person",
      activity: "Aktivität",
      attributes: "Eigene Felder",
      topics: "Themen",
      events: "Ereignisse"
    },
    anEvent: "Ein Ereignis …",
    fields: {
      email: "Adresse",
      firstName: "Vorname",
      lastName: "Nachname",
      phone: "Telefon",
      city: "Ort",
      countryCode: "Land",
      language: "Sprache",
      consentStatus: "Einwilligung",
      tags: "Tags",
      orderCount: "Zahl der Bestellungen",
      totalSpent: "Gesamtumsatz",
      isPayingCustomer: "Zahlender Kunde",
      lastOrderAt: "Letzte Bestellung",
      lastOpenAt: "Letzte Öffnung",
      lastClickAt: "Letzter Klick",
      lastEmailedAt: "Letzte E-Mail",
      addedAt: "Hinzugefügt"
    },
    topic: (name) => `Thema ${name}`,
    event: (name) => `Ereignis ${name}`,
    operators: {
      Equals: "ist",
      NotEquals: "ist nicht",
      Contains: "enthält",
      NotContains: "enthält nicht",
      StartsWith: "beginnt mit",
      EndsWith: "endet mit",
      In: "ist eines von",
      NotIn: "ist keines von",
      GreaterThan: "ist mehr als",
      GreaterOrEqual: "ist mindestens",
      LessThan: "ist weniger als",
      LessOrEqual: "ist höchstens",
      Between: "liegt zwischen",
      Before: "liegt vor",
      After: "liegt nach",
      On: "ist am",
      InLastDays: "war in den letzten",
      NotInLastDays: "war nicht in den letzten",
      InNextDays: "ist in den nächsten",
      IsTrue: "trifft zu",
      IsFalse: "trifft nicht zu",
      HasAny: "hat eines von",
      HasAll: "hat alle von",
      HasNone: "hat keines von",
      HappenedAtLeast: "geschah mindestens",
      HappenedLessThan: "geschah weniger als",
      IsSet: "ist bekannt",
      IsNotSet: "ist nicht bekannt"
    },
    everybody: "Alle.",
    sentence: (join, clauses) =>
      clauses.length === 1
        ? `Personen, für die gilt: ${clauses[0]}.`
        : `Personen, für die ${join === "Any" ? "eines davon" : "alles davon"} gilt: ${clauses.join("; ")}.`,
    quoted: (text) => `„${text}“`,
    between: (from, to) => `${from} und ${to}`,
    inDays: (shown, count) => `${shown} ${plural(count, "Tag", "Tagen")}`,
    times: (count, days, isOne) => `${isOne ? "einmal" : `${count}-mal`} in ${days} Tagen`,
    counted: "Wen dies auswählt",
    counting: "Wird gezählt …",
    incomplete: (numbers) => `Ergänzen Sie Regel ${numbers}, damit gezählt wird.`,
    selected: "Ausgewählt",
    reached: "Bekämen E-Mail",
    rest: "Bekämen keine E-Mail",
    causes: {
      Bounced: "Die Adresse war unzustellbar",
      Complained: "Sie haben sich beschwert",
      Protected: "Die Adresse steht auf der Schutzliste",
      TopicOff: "Das Thema ist aus",
      NoConsent: "Keine Einwilligung"
    },
    everyoneReached: "Alle Ausgewählten bekämen sie.",
    forTopic: "E-Mail über",
    anyTopic: "Kein Thema",
    sample: "Einige davon",
    noSample: "Auf niemanden trifft dies zu.",
    noSampleRight: "Ihre Rolle zeigt keine Personen.",
    noName: "Keine Adresse",
    create: "Anlegen",
    created: (name) => `${name} wurde angelegt`,
    saved: "Gespeichert",
    remove: "Löschen",
    removeTitle: (name) => `${name} löschen?`,
    removeText: "Die Personen bleiben. Kampagnen und Listen können das Segment dann nicht mehr verwenden.",
    removed: (name) => `${name} wurde gelöscht`,
    showPeople: "Personen zeigen",
    builtIn: "Jedes Konto hat dieses Segment. Es ist nicht änderbar; kopieren Sie es für ein eigenes.",
    copy: "Kopieren",
    copyName: (name) => `Kopie von ${name}`
  }
}
