/**
 * The texts of one email, of its message and of the sandbox inbox in German.
 *
 * @module
 */
import type { mailEn } from "./mailEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const mailDe: typeof mailEn = {
  mail: {
    source: "Herkunft",
    sources: { Api: "API", Smtp: "SMTP", Flow: "Ablauf", Campaign: "Kampagne", System: "Dienst" },
    idempotencyKey: "Idempotenzschlüssel",
    tabs: { emails: "Alle E-Mails", inbox: "Posteingang" },
    parts: { activity: "Verlauf", message: "Nachricht", webhooks: "Webhooks" },
    search: "Betreff, Adresse oder ID",
    reason: "Grund",
    opened: "Geöffnet",
    clicked: "Geklickt",
    verdicts: {
      Human: "von einem Menschen",
      Machine: "von einer Maschine",
      Unknown: "unklar von wem",
      None: "gar nicht"
    },
    rules: {
      method: "Es fragte nicht so nach der Seite, wie Leser es tun.",
      purpose: "Das Programm sagte, dass es nur im Voraus lädt.",
      early: "Es kam, bevor die E-Mail zugestellt war.",
      trap: "Dem Link, den Menschen nicht sehen, wurde gefolgt.",
      agent: "Das Programm nennt sich selbst eine Maschine.",
      network: "Es kam aus einem Netz von Mail-Scannern.",
      burst: "In Sekunden wurde mehr Links gefolgt, als ein Mensch es tut.",
      instant: "Es kam Sekunden nach der Zustellung.",
      mpp: "Apples Mail-Datenschutz lädt jedes Bild.",
      proxy: "Googles Bild-Proxy hat es geladen.",
      yahoo: "Yahoos Bild-Proxy lädt Bilder, wenn ein Mensch liest.",
      hosting: "Ein Browser in einem Rechenzentrum ist ihm gefolgt.",
      twin: "Demselben Link wurde zugleich aus zwei Netzen gefolgt.",
      headers: "Der Browser ließ weg, was Browser senden.",
      click: "Einem Link wurde gefolgt, also wurde die E-Mail gelesen.",
      rest: "Nichts spricht gegen einen Menschen."
    },
    more: (shown, count) => `und ${shown} ${plural(count, "weiterer Besuch", "weitere Besuche")}`,
    reasons: {
      "sending.retrying":
        "Der Server des Empfängers hat sie vorerst abgelehnt. Sie wird von selbst erneut versucht.",
      "sending.refused":
        "Der Server des Empfängers hat sie endgültig abgelehnt. Beheben Sie, was er beanstandet, und senden Sie sie erneut.",
      "sending.mailbox_full": "Das Postfach ist voll. Senden Sie sie später erneut.",
      "sending.retries_exhausted":
        "Der Server des Empfängers hat jeden Versuch abgelehnt. Senden Sie sie später erneut.",
      "sending.relay_suppressed":
        "Der Anbieter, der weiterleitet, führt die Adresse auf seiner eigenen Sperrliste.",
      "sending.outcome_unknown":
        "Die Verbindung brach am Ende ab: Sie kann angekommen sein. Fragen Sie erst den Empfänger.",
      "sending.campaign_paused":
        "Ihre Kampagne ist angehalten. Sie geht weiter, wenn die Kampagne fortgesetzt wird.",
      "sending.cancelled":
        "Vor dem Senden abgebrochen. Senden Sie sie erneut, wenn sie doch hinausgehen soll.",
      "sending.in_review": "Zur Prüfung angehalten. Geben Sie sie frei, oder lehnen Sie sie ab.",
      "sending.review_refused": "In der Prüfung abgelehnt.",
      "sending.tls_required":
        "Der Server des Empfängers bietet keine Verschlüsselung, die die Einstellung requireTls verlangt. Sie wird von selbst erneut versucht.",
      "sending.provider_held":
        "Angehalten: Der Anbieter des Empfängers nimmt zurzeit keine E-Mails dieses Dienstes an. Sie wird gesendet, sobald er es tut.",
      "sending.sender_held":
        "Angehalten: Der Anbieter des Empfängers nimmt keine E-Mails der Absenderdomain an. Seine Antwort steht unter Domains, Reputation.",
      "sending.relay_unavailable":
        "Wartet: Kein Relay des Kontos lässt sich benutzen. Berichtigen Sie es, oder nehmen Sie in den Einstellungen einen weiteren Weg auf.",
      "sending.warming_up":
        "Wartet: Die Sendeadressen werden aufgewärmt. Sie wird in den nächsten Tagen gesendet.",
      "sending.given_up":
        "Der Anbieter nahm sie nicht an, und wer die Installation betreibt, hat die Zustellung beendet. Senden Sie sie später erneut.",
      "sending.standing_held":
        "Angehalten: Zu viele E-Mails des Kontos waren unzustellbar oder wurden als Spam gemeldet. Die Gründe stehen unter Domains, Reputation.",
      "sending.held_too_long":
        "So lange angehalten, dass es zu spät war, sie zu senden. Beheben Sie den Grund, und senden Sie sie erneut."
    },
    outcomes: {
      Delivered: "Zugestellt",
      Complained: "Beschwerde",
      Accepted: "Vom Relay angenommen",
      Sent: "Dem Relay übergeben",
      Deferred: "Vorerst abgelehnt: Sie wird erneut versucht",
      Bounced: "Die Adresse wurde abgelehnt",
      MailboxFull: "Das Postfach ist voll",
      Refused: "Die Nachricht wurde abgelehnt",
      Held: "Angehalten: Der Server nimmt zurzeit keine E-Mails an",
      Unknown: "Die Verbindung brach vor der Antwort ab",
      Lost: "Der Versuch wurde unterbrochen"
    },
    leftFrom: (address) => `von ${address}`,
    resend: "Erneut senden",
    resendTitle: "Diese E-Mail erneut senden?",
    resendText: (shown, count) =>
      `Eine neue E-Mail mit demselben Inhalt geht an ${shown} ${plural(count, "Empfänger", "Empfänger")}. Wer sie jetzt nicht bekommen kann, wird mit Grund ausgelassen.`,
    resent: "Erneut gesendet: Dies ist die neue E-Mail",
    release: "Freigeben",
    released: (shown, count) => `Für ${shown} ${plural(count, "Empfänger", "Empfänger")} freigegeben`,
    refuse: "Ablehnen",
    refuseTitle: "Diese E-Mail ablehnen?",
    refuseText: (shown, count) =>
      `${shown} ${plural(count, "Empfänger bekommt", "Empfänger bekommen")} sie nicht. Das kann nicht zurückgenommen werden.`,
    refused: "E-Mail abgelehnt",
    erased: "Der Inhalt wurde gelöscht",
    erasedText:
      "E-Mails behalten ihren Inhalt, solange das Konto ihn aufbewahrt. Zustände und Zahlen bleiben.",
    message: {
      title: "Nachricht",
      tabs: {
        html: "HTML",
        text: "Text",
        headers: "Kopfzeilen",
        raw: "Quelltext",
        links: "Links",
        attachments: "Anhänge"
      },
      images: "Bilder laden",
      imagesShown: "Bilder sind geladen",
      phone: "Handybreite",
      download: "Herunterladen",
      noText: "Diese E-Mail hat keinen Textteil.",
      changed:
        "So wurde sie nicht versendet: Daten der Person oder des Katalogs haben sich seitdem geändert.",
      cut: (size) => `Nur der Anfang wird gezeigt. Laden Sie alle ${size} herunter.`,
      noLinks: "Diese E-Mail hat keine Links.",
      noAttachments: "Diese E-Mail hat keine Anhänge.",
      inline: "in der Nachricht gezeigt"
    },
    notifications: {
      none: "Kein Webhook hat von diesem Empfänger erfahren.",
      attempts: (shown, count) => `${shown} ${plural(count, "Versuch", "Versuche")}`,
      next: "nächster",
      recipient: "Empfänger"
    }
  },
  inbox: {
    text: "Was die Sandbox zugestellt hat, statt es zu senden.",
    from: "Von",
    to: "An",
    received: "Empfangen",
    simulate: "Simulieren",
    simulations: {
      Bounce: "Eine Unzustellbarkeit",
      Complaint: "Eine Beschwerde",
      Open: "Ein Öffnen",
      Click: "Ein Klick",
      Unsubscribe: "Eine Abmeldung"
    },
    simulated: (name) => `${name} wurde simuliert`,
    showEmail: "Zeigen, was geschah",
    empty: "E-Mails der Sandbox kommen hier an",
    emptyText: "Senden Sie eine mit einem Schlüssel der Sandbox. Sie verlässt den Dienst nicht."
  }
}
