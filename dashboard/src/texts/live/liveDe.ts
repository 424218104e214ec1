/**
 * The texts of the live view and of a webhook's notifications in German.
 *
 * @module
 */
import type { LiveTexts } from "./liveEn.ts"

/** The texts. */
export const liveDe: LiveTexts = {
  live: {
    topics: {
      emails: "E-Mail",
      notifications: "Benachrichtigung",
      requests: "Aufruf",
      events: "Ereignis",
      jobs: "Auftrag"
    },
    topic: "Art",
    change: "Änderung",
    about: "Einzelheit",
    state: "Zustand",
    time: "Zeit",
    label: "Was geschieht",
    states: {
      connecting: "Verbindet",
      open: "Live",
      lost: "Verbindet erneut",
      refused: "Nicht verbunden",
      paused: "Angehalten"
    },
    pause: "Anhalten",
    resume: "Weiter",
    held: (count) => `${count} neue zeigen`,
    clear: "Leeren",
    missed: "Während die Verbindung fehlte, ist etwas entgangen. Die Listen dieses Kontos zeigen es.",
    empty: "Hier erscheint, was geschieht",
    emptyText:
      "E-Mails, Aufrufe, Ereignisse, Benachrichtigungen von Webhooks und Aufträge, sobald sie geschehen. Lassen Sie dies offen und senden Sie eine E-Mail.",
    nothing: "Seit Sie diese Ansicht geöffnet haben, ist davon nichts geschehen.",
    received: "Empfangen"
  },
  replaced: {
    action: "Ersetzen",
    hint: "Fügt einen gleichen Webhook mit eigenem Geheimnis hinzu und löscht diesen.",
    done: "Webhook ersetzt"
  },
  notification: {
    title: "Benachrichtigung",
    open: "Zeigen",
    state: "Zustand",
    created: "Entstanden",
    id: "ID",
    url: "Gesendet an",
    request: "Anfrage",
    attempts: "Versuche",
    response: "Antwort",
    failures: {
      address_refused: "Die Adresse ist nicht öffentlich",
      connection_lost: "Die Verbindung brach ab",
      connection_refused: "Die Verbindung wurde abgelehnt",
      name_unavailable: "DNS antwortete nicht",
      name_unknown: "Den Servernamen gibt es nicht",
      redirect: "Umgeleitet, dem wird nicht gefolgt",
      timeout: "Keine Antwort rechtzeitig",
      unreachable: "Der Server ist nicht erreichbar"
    },
    stopped: (count, last) => `${count} Zustellungen scheiterten hintereinander; die letzte: ${last}`,
    failureKinds: { failed: "Die Anfrage scheiterte", tls: "Keine sichere Verbindung" },
    noResponse: "Kein Inhalt",
    gone: "Der Webhook wurde gelöscht.",
    none: "Sie wurde noch nicht versucht.",
    resend: "Erneut senden",
    resent: "Sie wird erneut gesendet",
    resendFailed: "Fehlgeschlagene erneut senden",
    resendFailedText: "Was fehlgeschlagen ist, wird erneut gesendet, mit demselben Inhalt und derselben Id.",
    period: "Fehlgeschlagen in",
    periods: {
      hour: "der letzten Stunde",
      day: "den letzten 24 Stunden",
      week: "den letzten 7 Tagen",
      all: "beliebiger Zeit",
      days: "gewählten Tagen"
    },
    failed: (shown, count) =>
      count === 0
        ? "In dieser Zeit ist keine fehlgeschlagen."
        : count === 1
          ? "1 Benachrichtigung wird erneut gesendet."
          : `${shown} Benachrichtigungen werden erneut gesendet.`,
    stops: "Wenn Ihr Programm weiter scheitert, halten 15 Fehler in Folge den Webhook an.",
    started: "Sie werden erneut gesendet"
  }
}
