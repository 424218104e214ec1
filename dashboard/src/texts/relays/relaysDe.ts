/**
 * The texts of relays and of the routes of mail, in German.
 *
 * @module
 */
import type { RelayTexts } from "./relaysEn.ts"

/** The texts. */
export const relaysDe: RelayTexts = {
  title: "Relays",
  text: "Mailanbieter und eigene Server, die E-Mails dieser Firma annehmen und zustellen.",
  add: "Relay hinzufügen",
  addText: "Die Anmeldung wird danach gleich geprüft. Gesendet wird nichts.",
  edit: "Ändern",
  editTitle: (name) => `${name} ändern`,
  saved: (name) => `${name} wurde gespeichert`,
  none: "E-Mails gehen hinaus, wie die Installation sendet. Fügen Sie einen Anbieter wie Amazon SES hinzu, um über ihn zu senden.",
  installed: {
    text: "Anbieter und Server der Installation, die Mail an jeden annehmen.",
    none: "Es gibt keinen Relay"
  },
  name: "Name",
  kind: "Anbieter",
  kinds: {
    Smtp: "Ein anderer SMTP-Server",
    AmazonSes: "Amazon SES",
    Postmark: "Postmark",
    Mailgun: "Mailgun",
    SendGrid: "SendGrid",
    Brevo: "Brevo",
    Mailjet: "Mailjet",
    SparkPost: "SparkPost",
    Resend: "Resend"
  },
  host: "Server",
  port: "Port",
  security: "Verschlüsselung",
  securities: { Starttls: "STARTTLS, üblich an Port 587", Implicit: "Von Anfang an, üblich an Port 465" },
  user: "Benutzername",
  password: "Passwort",
  keepPassword: "Leer lassen, um die Anmeldung zu behalten.",
  passwordAgain: "Geben Sie das Passwort noch einmal ein, um Server oder Benutzernamen zu ändern.",
  streams: "Nimmt an",
  streamNames: { Transactional: "Transaktionsmails", Marketing: "Werbung" },
  maxPerSecond: "Höchstens Nachrichten je Sekunde",
  dailyLimit: "Höchstens E-Mails am Tag",
  noLimit: "Leer für keine Grenze.",
  reports: "Berichte",
  reportsText:
    "Woran zu erkennen ist, dass Berichte über Unzustellbares und Beschwerden vom Anbieter kommen.",
  reportFields: {
    topicArn: "ARN des SNS-Themas",
    configurationSet: "Configuration Set",
    publicKey: "Prüfschlüssel",
    signingKey: "HTTP-Webhook-Signaturschlüssel",
    secret: "Signaturgeheimnis",
    username: "Benutzername des Webhooks",
    password: "Passwort des Webhooks"
  },
  isSet: "Gesetzt, wird nicht gezeigt. Leer lassen, um es zu behalten.",
  feedbackUrl: "Adresse für Berichte",
  feedbackText: "Tragen Sie die Adresse für Berichte beim Anbieter ein, für seinen Webhook.",
  lastReport: "Letzter Bericht",
  noReport: "Noch kein Bericht ist eingetroffen.",
  refusedReports: "Seine Berichte werden abgelehnt, bis gesetzt ist, woran sie zu erkennen sind.",
  unreported: (share, messages) =>
    `Über ${share} der letzten ${messages} Nachrichten, die älter als 24 Stunden sind, kam nie ein Bericht.`,
  setUp: "Berichte fehlen",
  steps: {
    AmazonSes:
      "Lassen Sie ein Configuration Set alle Ereignisse an ein SNS-Thema melden, abonnieren Sie es mit der Adresse für Berichte, und tragen Sie beide im Relay ein.",
    Postmark:
      "Fügen Sie jedem Message Stream einen Webhook mit der Adresse für Berichte hinzu, mit Benutzername, Passwort und allen Ereignissen.",
    Mailgun:
      "Tragen Sie die Adresse für Berichte als Webhook jedes Ereignisses der Absenderdomain ein, und im Relay deren Signaturschlüssel.",
    SendGrid:
      "Fügen Sie einen Event Webhook mit der Adresse für Berichte und allen Ereignissen hinzu, schalten Sie die Signatur ein, und tragen Sie im Relay den Schlüssel ein.",
    Brevo:
      "Fügen Sie einen Transaktions-Webhook mit der Adresse für Berichte, Benutzername, Passwort und allen Ereignissen hinzu.",
    Mailjet:
      "Tragen Sie die Adresse für Berichte mit Benutzername und Passwort für jedes Ereignis der Event API ein.",
    SparkPost:
      "Fügen Sie einen Webhook mit der Adresse für Berichte, Basic Authentication und allen Ereignissen hinzu.",
    Resend:
      "Fügen Sie einen Webhook mit der Adresse für Berichte und allen Ereignissen von E-Mails hinzu, und tragen Sie im Relay sein Geheimnis ein."
  },
  lastRefusal: "Zuletzt lehnte er das Konto ab",
  noReports: "Er berichtet per Mail oder gar nicht.",
  states: { Active: "Arbeitet", Failing: "Gestört" },
  reasons: {
    "relays.unreachable": "Der Server ist nicht erreichbar. Prüfen Sie Namen und Port.",
    "relays.tls_failed":
      "Es kam keine verschlüsselte Verbindung zustande. Prüfen Sie die Verschlüsselung und das Zertifikat des Servers.",
    "relays.login_failed": "Die Anmeldung wurde abgelehnt. Prüfen Sie Benutzernamen und Passwort.",
    "relays.account_refused": "Der Anbieter lehnt das ganze Konto ab. Fragen Sie ihn nach dem Grund."
  },
  words: "Seine Antwort:",
  check: "Anmeldung prüfen",
  checks: {
    title: (name) => `Die Anmeldung bei ${name}`,
    ok: "Die Anmeldung gelingt. Gesendet wurde nichts.",
    failed: "Die Anmeldung gelingt nicht.",
    steps: { Connect: "Verbinden", Tls: "Verschlüsseln", Authenticate: "Anmelden" },
    took: (millis) => `${millis} ms`
  },
  remove: "Entfernen",
  removeTitle: (name) => `${name} entfernen?`,
  removeText: (named, only, onlyCount) =>
    `Seine Zugangsdaten werden gelöscht. Er ist ein Weg für ${named} der 2 Arten von E-Mails, Transaktionsmails und Werbung, und der einzige für ${only}${onlyCount === 0 ? "." : ": Sie warten, bis Sie einen anderen wählen."}`,
  removed: (name) => `${name} wurde entfernt`,
  guide: "Schritte je Anbieter",
  ways: {
    title: "Der Weg der E-Mails dieses Kontos",
    text: "Der erste, der eine E-Mail annimmt, wird benutzt; die nächsten springen ein, wenn er nicht erreichbar ist.",
    transactional: "Transaktionsmails",
    marketing: "Werbung",
    none: "Wie die Installation sendet",
    direct: "Direkt an die Server der Empfänger",
    shared: (name) => `${name}, von der Installation`,
    choose: "Weg wählen",
    addLabel: "Weg hinzufügen",
    removeOne: (name) => `${name} entfernen`,
    saved: "Der Weg wurde gespeichert",
    sandbox: "Eine Sandbox sendet niemandem etwas. Wählen Sie die Wege im Live-Konto."
  }
}
