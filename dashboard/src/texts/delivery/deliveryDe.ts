/**
 * The texts of standing, reports and held mail in German.
 *
 * @module
 */
import type { DeliveryTexts } from "./deliveryEn.ts"

const emails = (shown: string, count: number): string => `${shown} ${count === 1 ? "E-Mail" : "E-Mails"}`

/** The texts. */
export const deliveryDe: DeliveryTexts = {
  alignment: {
    title: "Was große Anbieter verlangen",
    text: "Google, Yahoo und Microsoft verlangen das von allen, die ihnen 5.000 Nachrichten am Tag senden.",
    outcomes: { Pass: "Erfüllt", Warn: "Zu verbessern", Fail: "Zu beheben" },
    checks: {
      Dkim: "Signatur Ihrer Domain (DKIM)",
      Spf: "Server, die für sie senden dürfen (SPF)",
      Dmarc: "Richtlinie (DMARC)",
      Unsubscribe: "Abmelden mit einem Klick",
      Mx: "Die Domain des Absenders empfängt Mail",
      Ptr: "Namen der sendenden Adressen",
      Relay: "Relay",
      Tls: "Verschlüsselung"
    },
    seen: "Gefunden",
    expected: "Erwartet",
    fix: "Zu tun",
    nothing: "nichts"
  },
  guide: {
    title: "Wo sie veröffentlicht werden",
    text: "Die Einträge liegen, wo das DNS Ihrer Domain ist. Das kann eine andere Firma sein als die, bei der sie gekauft ist.",
    incomplete:
      "E-Mails dieser Domain dürfen gesendet werden. Veröffentlichen Sie auch die fehlenden Einträge: Große Anbieter verlangen sie.",
    provider: "DNS-Anbieter",
    names: {
      other: "Ein anderer",
      cloudflare: "Cloudflare",
      godaddy: "GoDaddy",
      google: "Cloud DNS von Google",
      hetzner: "Hetzner",
      ionos: "IONOS",
      namecheap: "Namecheap",
      route53: "Route 53 von Amazon"
    },
    steps: {
      other:
        "Suchen Sie die Liste der DNS-Einträge der Domain. Viele Anbieter hängen die Domain selbst an den Namen an: Geben Sie ihn dort ohne sie ein.",
      cloudflare:
        "Öffnen Sie die Domain, DNS, Einträge, und fügen Sie jeden hinzu. Stellen Sie CNAME-Einträge auf Nur DNS: Über den Proxy werden sie nicht gefunden.",
      godaddy:
        "Öffnen Sie die Domain, DNS, und fügen Sie jeden Eintrag hinzu. Geben Sie Namen ohne Ihre Domain ein.",
      google:
        "Öffnen Sie Cloud DNS, die Zone, und fügen Sie für jeden Eintrag eine Gruppe hinzu. Schreiben Sie TXT-Werte in Anführungszeichen und Namen ganz.",
      hetzner:
        "Öffnen Sie die Zone in der DNS-Konsole, und fügen Sie jeden Eintrag hinzu. Geben Sie Namen ohne Ihre Domain ein.",
      ionos:
        "Öffnen Sie Domains, die Domain, DNS, und fügen Sie jeden Eintrag hinzu. Geben Sie Namen ohne Ihre Domain ein.",
      namecheap:
        "Öffnen Sie Domain List, Manage, Advanced DNS, und fügen Sie jeden Eintrag hinzu. Geben Sie Namen ohne Ihre Domain ein; MX-Einträge brauchen Custom MX unter Mail Settings.",
      route53:
        "Öffnen Sie die gehostete Zone, und legen Sie jeden Eintrag an. Schreiben Sie TXT-Werte in Anführungszeichen; einer mit mehr als 255 Zeichen wird auf mehrere in Anführungszeichen verteilt."
    },
    bimi: "Ihr Logo im Posteingang (BIMI)",
    bimiText: (name) =>
      `Es wird gezeigt, sobald die DMARC-Richtlinie der Domain quarantine oder reject ist. Veröffentlichen Sie einen TXT-Eintrag ${name} mit v=BIMI1; l= und der https-Adresse des Logos als SVG. Gmail und Apple Mail verlangen außerdem ein Zertifikat für das Logo.`
  },
  standing: {
    title: "Reputation",
    notices: "Wartende E-Mails",
    noticesText:
      "Anbieter und Server, die E-Mails dieses Kontos derzeit nicht annehmen oder zuvor nicht annahmen.",
    noNotices: "Kein Anbieter hat E-Mails dieses Kontos aufgehalten.",
    text: "Wie empfangende Server und Personen die Mail dieses Kontos aufnehmen.",
    states: { Good: "Gut", Notice: "Warnung", Held: "Werbung wird zurückgehalten" },
    stateTexts: {
      Good: "Kein Anteil ist einer Schwelle nahe.",
      Notice:
        "Ein Anteil hat die Schwelle erreicht, ab der Anbieter einem Absender misstrauen. Noch wird nichts zurückgehalten.",
      Held: "Werbung wartet, Kampagnen halten an, neue Starts werden abgelehnt. Transaktionsmails gehen hinaus wie immer."
    },
    heldUntil: "Sie endet",
    operator: "Sie endet, wenn ein Betreiber sie mit einem Grund aufhebt.",
    ramp: (shown) => `Heute gehen höchstens ${shown} Werbemails hinaus, nach der letzten Zurückhaltung.`,
    reason: (rate, value, threshold, days) => `${rate}: ${value} in ${days}, ab ${threshold}`,
    at: (provider) => `bei ${provider}`,
    rateHead: "Anteil",
    rateNames: {
      complaints: "Beschwerden",
      observed: "Beschwerden, wie Gmail sie zeigt",
      bounces: "Adressen, die es nicht gibt",
      policy: "Durch eine Richtlinie abgelehnt"
    },
    days: "Zeitraum",
    daysOf: { "1": "1 Tag", "7": "7 Tagen", "30": "30 Tagen" },
    periods: { "1": "1 Tag", "7": "7 Tage", "30": "30 Tage" },
    rates: "Nach Anbieter und Domain",
    noRates: "In diesem Zeitraum hat kein empfangender Server geantwortet.",
    provider: "Anbieter",
    domain: "Domain",
    stream: "Art",
    streams: { Transactional: "Transaktion", Marketing: "Werbung" },
    handed: "Beantwortet",
    delivered: "Angenommen",
    bounced: "Unzustellbar",
    policy: "Abgelehnt",
    complained: "Beschwerden",
    unsubscribed: "Abgemeldet",
    opened: "Geöffnet",
    clicked: "Geklickt",
    course: (rate: string) => `${rate}: die letzten 30 Tage`,
    source: "Gesendet von",
    sources: "Nach Absenderadresse (IP)",
    anySource: "Nicht festgelegt",
    thresholds: "Schwellen, über 7 Tage",
    notice: "Warnung ab",
    held: "Werbung zurückgehalten ab",
    observations: "Anteile, die Anbieter nur Ihnen zeigen",
    observationsText:
      "Google meldet dem Dienst keine Beschwerden. Geben Sie den Anteil ein, den die Postmaster Tools für Ihre Domain zeigen.",
    noObservations: "Es wurde noch kein Anteil eingegeben.",
    enter: "Anteil eingeben",
    day: "Tag",
    rate: "Anteil der Beschwerden in Prozent",
    rateHint: "Wie die Postmaster Tools ihn zeigen, etwa 0,1.",
    notANumber: "Geben Sie eine Zahl von 0 bis 100 ein.",
    replace: "Den Anteil dieses Tages ersetzen, falls es einen gibt",
    entered: "Der Anteil wurde eingetragen"
  },
  reports: {
    text: "Was Mailserver über Mail unter Ihren Domains berichten, nach Tagen.",
    kind: "Berichte",
    kinds: { dmarc: "DMARC", tls: "Verschlüsselung (TLS)" },
    day: "Tag",
    domain: "Domain",
    network: "Gesendet von",
    rest: "Übrige des Tages",
    dkim: "DKIM",
    spf: "SPF",
    aligned: "passend",
    notAligned: "nicht passend",
    disposition: "Empfänger",
    dispositions: {
      None: "nahmen sie an",
      Pass: "nahmen sie an",
      Quarantine: "legten sie in Spam",
      Reject: "lehnten sie ab"
    },
    messages: "Nachrichten",
    policy: "Richtlinie",
    policies: { tlsa: "DANE", sts: "MTA-STS", "no-policy-found": "Keine" },
    result: "Ergebnis",
    success: "Verschlüsselt",
    host: "Server",
    unknownHost: "nicht genannt",
    sessions: "Verbindungen",
    empty: "Hier erscheinen Berichte",
    emptyText:
      "Mailserver senden sie einmal am Tag an die Adressen, die das DNS der Domain nennt. Die Seite der Domain zeigt die Einträge.",
    period: "Zeitraum",
    periods: { "7": "7 Tage", "30": "30 Tage", "90": "90 Tage" }
  },
  held: {
    tab: "Zustellung",
    text: "Anbieter und Server, die jetzt keine Mail annehmen, mit ihren eigenen Worten. Zurückgehaltenes wartet und verliert keinen Versuch.",
    state: "Stand",
    states: { Open: "Offen", Resolved: "Beendet" },
    lane: "Wohin",
    domainOf: (domain) => `Empfänger bei ${domain}`,
    words: "Warum",
    operator: "Von einem Betreiber zurückgehalten",
    sender: "Absenderdomain",
    scope: "Wessen Mail",
    everyone: "Alle Konten",
    held: "Zurückgehalten",
    since: "Seit",
    until: "Neuer Versuch",
    ended: "Beendet",
    open: "Zeigen",
    remedy: "Was zu tun ist",
    help: "Seite des Anbieters für Absender",
    rule: "Regel",
    action: "Wirkung",
    suspend: "Mail zurückhalten",
    suspendText: "Die Mail wartet, bis die Zeit um ist oder bis sie fortgesetzt wird.",
    by: "Mail an",
    bys: { provider: "Einen Anbieter", domain: "Eine Domain von Empfängern", site: "Adressen von Servern" },
    provider: "Anbieter",
    name: { provider: "Anbieter", domain: "Domain", site: "Adressen" },
    account: "Konto",
    reason: "Grund",
    reasonHint: "Er bleibt im Protokoll.",
    hours: "Für wie viele Stunden",
    hoursHint: "Höchstens 120. Leer für so lange wie erlaubt.",
    suspended: "Die Mail wird zurückgehalten",
    resume: "Langsam fortsetzen",
    resumed: "Es geht weiter, zuerst langsam",
    flush: "Jetzt senden",
    flushTitle: "Zurückgehaltenes jetzt senden?",
    flushText: (shown, count) =>
      `${emails(shown, count)} dorthin ${count === 1 ? "geht" : "gehen"} sofort hinaus, ohne langsamen Anfang. Lehnt der Server noch ab, wird länger zurückgehalten.`,
    flushed: (shown, count) => `${emails(shown, count)} ${count === 1 ? "geht" : "gehen"} jetzt hinaus`,
    bounce: "Aufgeben",
    bounceTitle: "Zurückgehaltenes aufgeben?",
    bounceText: (shown, count) =>
      `${emails(shown, count)} ${count === 1 ? "gilt" : "gelten"} als fehlgeschlagen und ${count === 1 ? "wird" : "werden"} nie gesendet. Die Empfänger werden nicht gesperrt. Das lässt sich nicht rückgängig machen.`,
    bounced: (shown, count) => `${emails(shown, count)} ${count === 1 ? "wurde" : "wurden"} aufgegeben`,
    empty: "Nichts wird zurückgehalten",
    emptyText:
      "Hier erscheint, wo ein Server vorerst keine Mail annimmt oder wo Sie selbst Mail zurückhalten.",
    explain: "Adresse erklären",
    explainText: "Wohin Mail an sie geht und was sie zurückhält.",
    to: "Adresse oder Domain",
    ask: "Erklären",
    leadsTo: "Führt zu",
    noLane: "Dorthin ging noch keine Mail.",
    servers: "Server",
    connections: "Verbindungen",
    inUse: (used, width) => `${used} von ${width}`,
    encryption: "Verschlüsselung",
    encryptions: {
      Dane: "DANE: das Zertifikat, das die TLSA-Einträge nennen",
      Sts: "MTA-STS: ein gültiges Zertifikat",
      Required: "Verlangt",
      Offered: "Wo angeboten"
    },
    from: "Gesendet von",
    system: "Adresse des Systems",
    last: "Letzte Antwort",
    next: "Nächste E-Mail",
    notHeld: "Nichts hält Mail dorthin zurück.",
    classify: "Antwort erklären",
    classifyText: "Was der Dienst aus der Antwort eines Servers macht. Nichts ändert sich.",
    reply: "Antwort",
    replyHint: "Etwa 550 5.7.1 Service unavailable.",
    stage: "Nach",
    stages: {
      Connect: "Verbinden",
      Ehlo: "EHLO",
      Mail: "MAIL FROM",
      Rcpt: "RCPT TO",
      Data: "DATA",
      Message: "Der Nachricht"
    },
    actions: {
      Accept: "Sie ist angenommen.",
      Retry: "Diese E-Mail wird später noch einmal versucht.",
      SlowDown: "Dorthin werden eine Zeit lang weniger E-Mails gesendet.",
      PauseSource: "Alle Mail dorthin wird eine Zeit lang zurückgehalten.",
      PauseSender: "Mail dieser Absenderdomain wird dort eine Zeit lang zurückgehalten.",
      PauseSite: "Alle Mail an diese Server wird eine Zeit lang zurückgehalten.",
      FailMessage: "Diese E-Mail schlägt fehl; der Empfänger wird nicht gesperrt.",
      Mailbox: "Das Postfach ist voll; der Empfänger wird nicht gesperrt.",
      Bounce: "Die Adresse gibt es nicht; sie wird gesperrt.",
      Probe: "Eine andere E-Mail wird versucht, um zu erfahren, was abgelehnt wird."
    },
    accounts: "Reputation der Konten",
    company: "Firma",
    standing: "Reputation",
    why: "Warum",
    lift: "Zurückhaltung aufheben",
    liftText: "Am ersten Tag gehen höchstens 1.000 Werbemails hinaus, an jedem weiteren doppelt so viele.",
    lifted: (name) => `Werbung von ${name} geht wieder hinaus`
  }
}
