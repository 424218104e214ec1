/**
 * The findings of alerts in German (`core/operation/AlertRules.ts`).
 *
 * @module
 */

/** The units of time, in the case that follows a number here. */
const units = { days: "Tagen", hours: "Stunden", minutes: "Minuten", seconds: "Sekunden" }

/** Sentences that contain a time, one for each unit. */
const timed = (sentences: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sentences).flatMap(([english, german]) =>
      Object.entries(units).map(([unit, einheit]) => [
        english.replace("{time}", `{time} ${unit}`),
        german.replace("{time}", `{time} ${einheit}`)
      ])
    )
  )

/** The sentences. */
export const alertsDe: Readonly<Record<string, string>> = {
  ...timed({
    "The oldest due work has waited for {time}.": "Die älteste fällige Arbeit wartet seit {time}.",
    "The oldest due work of an account has waited for {time}.":
      "Die älteste fällige Arbeit eines Kontos wartet seit {time}.",
    "The last backup was made {time} ago.": "Die letzte Sicherung entstand vor {time}.",
    "The certificate of the SMTP ports expires in {time}.":
      "Das Zertifikat der SMTP-Ports läuft in {time} ab.",
    "The partitions end in {time}.": "Die Partitionen enden in {time}.",
    "More than {count} emails to {place} are held, the first for {time}.":
      "Angehaltene E-Mails an {place}: mehr als {count}, die erste seit {time}.",
    "{count} emails to {place} are held, the first for {time}.":
      "Angehaltene E-Mails an {place}: {count}, die erste seit {time}."
  }),
  "{count} jobs were given up on.": "Aufgegebene Aufträge: {count}.",
  "The database answered within {count} ms.": "Die Datenbank antwortete innerhalb von {count} ms.",
  "The event loop of a node is late by up to {count} ms.":
    "Die Ereignisschleife eines Knotens ist bis zu {count} ms im Verzug.",
  "A node uses {count} % of the memory that it may use.":
    "Ein Knoten belegt {count} % des Speichers, den er belegen darf.",
  "No backup is monitored: set SVC_BACKUP_FILE.":
    "Keine Sicherung wird überwacht: Setzen Sie SVC_BACKUP_FILE.",
  "There is no backup yet.": "Es gibt noch keine Sicherung.",
  "This node uses no certificate.": "Dieser Knoten benutzt kein Zertifikat.",
  "The certificate of the SMTP ports has expired.": "Das Zertifikat der SMTP-Ports ist abgelaufen.",
  "{count} sending domains fail their DNS checks.":
    "Absenderdomains, deren DNS-Prüfung fehlschlägt: {count}.",
  "The database has no partitions.": "Die Datenbank hat keine Partitionen.",
  "Mail is sent to every provider.": "E-Mails gehen an jeden Anbieter.",
  "No mail is sent to {lanes}.": "Keine E-Mails gehen an {lanes}.",
  "No mail is sent to {lanes} and {count} more.": "Keine E-Mails gehen an {lanes} und {count} weitere.",
  "Little mail is held, and not for long.": "Wenige E-Mails sind angehalten, und nicht lange.",
  "The marketing of {count} accounts is held by their standing.":
    "Konten, deren Werbung wegen ihrer Reputation angehalten ist: {count}."
}
