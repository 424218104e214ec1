/**
 * The texts of the request log, and of the screens of keys, webhooks and events, in German.
 *
 * @module
 */
import type { programsEn } from "./programsEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const programsDe: typeof programsEn = {
  requests: {
    search: "Ganze ID einer Anfrage",
    call: "Aufruf",
    unknownRoute: "Unbekannter Pfad",
    method: "Methode",
    status: "Status",
    code: "Code",
    key: "Schlüssel",
    duration: "Dauer",
    time: "Zeit",
    id: "ID der Anfrage",
    warnings: "Warnungen",
    request: "Anfrage",
    response: "Antwort",
    noBody: "keine",
    noBodies: "Inhalte werden nur in einer Sandbox aufbewahrt.",
    empty: "Hier erscheinen Aufrufe Ihrer Programme",
    emptyText:
      "Jeder Aufruf der API mit einem Schlüssel dieses Kontos wird 7 Tage aufbewahrt, wenn das Konto nichts anderes bestimmt.",
    guide: "Die API aufrufen"
  },
  keyUse: {
    title: "Hat ihn am letzten Tag benutzt",
    nothing: "Am letzten Tag hat ihn nichts benutzt.",
    calls: (shown, count) => `${shown} ${plural(count, "Aufruf", "Aufrufe")}`,
    partly: (shown) => `der letzten ${shown} Aufrufe`
  },
  webhookRate: {
    title: "Zugestellt in 7 Tagen",
    of: (delivered, all) => `${delivered} von ${all}`,
    none: "Noch keine Benachrichtigung"
  },
  sendEvent: {
    open: "Ereignis senden",
    openFor: (name) => `Ereignis von ${name} senden`,
    text: "Wie ein Programm es mit POST /events tut. Abläufe, die damit beginnen, starten.",
    name: "Ereignis",
    nameHint: "Etwa user.signed_up.",
    person: "Adresse der Person",
    personHint: "Wird als Kontakt hinzugefügt, wenn niemand sie hat.",
    properties: "Eigenschaften",
    propertiesHint: 'JSON, etwa {"plan": "pro"}.',
    noJson: "Das ist kein JSON-Objekt.",
    submit: "Senden",
    done: (name) => `${name} wurde gesendet`,
    rejected: (codes) => `Das Ereignis wurde abgelehnt: ${codes}.`
  }
}
