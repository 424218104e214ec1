/**
 * The texts of the dashboard in German.
 *
 * @module
 */
import { isolating } from "../lib/isolate.ts"
import { areasDe } from "./areasDe.ts"
import { installationDe } from "./installationDe.ts"
import { commerceDe } from "./commerceDe.ts"
import { companyDe } from "./companyDe.ts"
import { mailDe } from "./mailDe.ts"
import { personalDe } from "./personalDe.ts"
import { programsDe } from "./programsDe.ts"
import type { Texts } from "./en.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const de: Texts = isolating({
  product: "svc",
  common: {
    add: "Hinzufügen",
    cancel: "Abbrechen",
    clear: "Leeren",
    close: "Schließen",
    copied: "Kopiert",
    copy: "Kopieren",
    done: "Fertig",
    hide: "Verbergen",
    loading: "Wird geladen",
    notFound: "Seite nicht gefunden",
    notFoundText: "Unter dieser Adresse gibt es nichts. Es wurde gelöscht, oder Ihre Rolle zeigt es nicht.",
    missing: (thing) => `${thing} nicht gefunden`,
    missingText: "Gelöscht, ein falscher Link, oder Ihre Rolle hat keinen Zugriff darauf.",
    optional: "freiwillig",
    reset: "Filter zurücksetzen",
    retry: "Erneut versuchen",
    save: "Speichern",
    saved: "Gespeichert",
    search: "Suchen",
    show: "Anzeigen",
    showTable: "Als Tabelle zeigen",
    typeName: (name) => `Zur Bestätigung ${name} eingeben`,
    sortBy: (name) => `Nach ${name} sortieren`,
    undo: "Rückgängig",
    home: "Zur Übersicht"
  },
  errors: {
    unreachable: "Der Dienst ist nicht erreichbar.",
    failed: "Der Dienst konnte nicht antworten.",
    outdated: "Was Sie sehen, kann veraltet sein.",
    kept: "Ihre Eingaben sind noch da. Versuchen Sie es erneut.",
    offline: "Sie sind offline. Was Sie sehen, kann veraltet sein, bis Sie wieder online sind.",
    noRight: (right) => `Ihrer Rolle fehlt das Recht ${right}.`,
    crashed: "Diese Ansicht ist mit einem Fehler stehen geblieben",
    crashedText:
      "Eingaben in anderen Ansichten sind sicher. Versuchen Sie es erneut, oder gehen Sie zur Übersicht.",
    newVersion: "Eine neue Version ist bereit",
    newVersionText: "Laden Sie neu, um sie zu benutzen. Was nicht gespeichert ist, geht dabei verloren.",
    reload: "Neu laden"
  },
  list: {
    moreFilters: "Weitere Filter",
    more: "Mehr zeigen",
    count: (shown, count) => `${shown} ${plural(count, "Eintrag", "Einträge")}`,
    about: (shown) => `etwa ${shown} Einträge`,
    noMatch: "Kein Eintrag passt zu diesen Filtern",
    selectAll: "Alle auswählen",
    noMatchText: "Ändern Sie die Filter oder setzen Sie sie zurück, um mehr zu sehen."
  },
  views: { button: "Ansicht" },
  nav: {
    label: "Hauptmenü",
    home: "Übersicht",
    emails: "E-Mails",
    suppressions: "Sperrliste",
    toSandbox: "Zur Sandbox wechseln",
    noLiveAccess:
      "Sie haben keinen Zugang zum Live-Konto. Inhaber und Verwalter des Unternehmens können ihn geben.",
    campaigns: "Kampagnen",
    profile: "Ihr Profil",
    documentation: "Dokumentation",
    menu: "Menü",
    closeMenu: "Menü schließen",
    skip: "Zum Inhalt",
    account: "Firma und Konto",
    companies: "Firmen",
    mode: "Konto",
    live: "Live",
    sandbox: "Sandbox",
    sandboxText: "Sandbox: Keine E-Mail verlässt den Dienst.",
    toLive: "Zum Live-Konto",
    user: "Ihr Benutzerkonto",
    signOut: "Abmelden",
    theme: "Farben",
    themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
    language: "Sprache"
  },
  palette: {
    title: "Suche und Befehle",
    placeholder: "Personen, E-Mails, Ansichten, Aktionen suchen",
    empty: "Nichts gefunden",
    searching: "Wird gesucht",
    screens: "Ansichten",
    actions: "Aktionen",
    found: "Gefunden",
    settings: "Einstellungen",
    newCampaign: "Neue Kampagne",
    newSegment: "Neues Segment",
    newTemplate: "Neue Vorlage",
    kinds: {
      Contact: "Person",
      Email: "E-Mail",
      Campaign: "Kampagne",
      Flow: "Ablauf",
      Template: "Vorlage",
      Segment: "Segment",
      Domain: "Domain",
      Webhook: "Webhook",
      ApiKey: "API-Schlüssel",
      Order: "Bestellung",
      Item: "Artikel",
      Event: "Ereignis",
      Import: "Import",
      Message: "Nachricht",
      Notification: "Benachrichtigung",
      Request: "Anfrage",
      Run: "Durchlauf",
      Store: "Shop",
      Version: "Version"
    }
  },
  shortcuts: {
    title: "Tastenkürzel",
    palette: "Suche und Befehle",
    help: "Diese Liste",
    search: "In der Liste suchen",
    go: (screen) => `Zu ${screen}`,
    rows: "Zwischen Zeilen wechseln",
    open: "Zeile öffnen"
  },
  signIn: {
    title: "Anmelden",
    again: "Erneut anmelden",
    againText: "Ihre Sitzung ist zu Ende. Melden Sie sich an, um hier weiterzumachen.",
    email: "E-Mail-Adresse",
    password: "Passwort",
    code: "Code",
    codeHint: "Sechs Ziffern Ihrer Authenticator-App, oder ein Wiederherstellungscode.",
    submit: "Anmelden",
    forgotten: "Passwort vergessen",
    failed: "Adresse, Passwort oder Code ist falsch.",
    waits: (time) => `Zu viele Versuche. Versuchen Sie es ${time} erneut.`,
    confirm: "Bestätigen Sie, dass Sie es sind",
    confirmText: "Diese Aktion braucht einen Nachweis der letzten 15 Minuten, dass Sie es sind.",
    confirmCode: "Code Ihrer Authenticator-App",
    confirmFailed: "Das ist nicht richtig.",
    confirmSubmit: "Bestätigen",
    useCode: "Code benutzen",
    usePassword: "Passwort benutzen",
    usePasskey: "Passkey benutzen",
    passkeyFailed: "Mit diesem Passkey können Sie sich nicht anmelden. Vielleicht wurde er entfernt.",
    providerFailed:
      "Der Anmeldedienst hat Sie nicht angemeldet. Versuchen Sie es erneut, oder fragen Sie, wer ihn betreibt.",
    problems: {
      "users.provider_required": "Melden Sie sich beim Anmeldedienst Ihrer Firma an.",
      "users.too_many_attempts": "Zu viele Versuche. Warten Sie eine Minute, und versuchen Sie es erneut.",
      "common.not_found":
        "Dieser Anmeldedienst wurde entfernt. Geben Sie Ihre Adresse ein, um zu sehen, wie Sie sich anmelden können.",
      "common.unavailable": "Der Dienst konnte nicht antworten. Versuchen Sie es erneut."
    },
    withProvider: (name) => `Weiter mit ${name}`,
    goOn: "Weiter",
    elsewhereText: "In einem anderen Tab angemeldet? Machen Sie hier weiter.",
    confirmElsewhere:
      "Diese Aktion braucht eine Anmeldung der letzten 15 Minuten. Melden Sie sich in einem anderen Tab erneut an, und machen Sie dann hier weiter."
  },
  forgotten: {
    title: "Passwort vergessen",
    text: "Geben Sie Ihre Adresse ein. Gehört sie einem Benutzer, wird an sie ein Link für ein neues Passwort geschickt.",
    submit: "Link schicken",
    sent: "Danke. Gehört die Adresse einem Benutzer und verschickt diese Installation E-Mails, schickt sie einen Link.",
    sentText: "Der Link gilt eine Stunde. Kommt nichts an, bitten Sie einen Betreiber um einen.",
    toSignIn: "Zurück zur Anmeldung"
  },
  welcome: {
    title: "Willkommen",
    titles: {
      FirstStart: "Richten Sie Ihre Installation ein",
      Invitation: "Willkommen",
      Reset: "Wählen Sie ein neues Passwort"
    },
    texts: {
      FirstStart: "Sie werden der erste Betreiber, und Eigentümer der ersten Firma.",
      Reset: "Ihre anderen Sitzungen enden damit."
    },
    invited: (company) =>
      company === null
        ? "Wählen Sie ein Passwort, mit dem Sie sich anmelden."
        : `Sie wurden zu ${company} eingeladen.`,
    name: "Ihr Name",
    password: "Passwort",
    passwordHint:
      "Mindestens 12 Zeichen. Einige Wörter ohne Zusammenhang sind leicht zu merken und schwer zu erraten.",
    submit: "Weiter",
    withPasskey: "Stattdessen einen Passkey benutzen",
    invalid: "Dieser Link gilt nicht mehr",
    invalidText: "Er wurde benutzt, oder ist zu alt. Bitten Sie um einen neuen, oder melden Sie sich an.",
    missing: "Der Adresse fehlt der Schlüssel des Links. Öffnen Sie den ganzen Link.",
    toSignIn: "Anmelden"
  },
  device: {
    title: "Programm bestätigen",
    text: "Ein Programm wie die Kommandozeile (svc login) zeigt einen Code. Bestätigen Sie ihn nur, wenn Sie das Programm selbst gestartet haben: Es darf danach, was Sie dürfen.",
    code: "Code",
    codeHint: "Acht Buchstaben, wie das Programm sie zeigt.",
    confirm: "Bestätigen",
    done: "Bestätigt. Gehen Sie zurück zum Programm: Es ist in Ihrem Namen angemeldet."
  },
  profile: {
    title: "Ihr Profil",
    tabs: { person: "Profil", security: "Anmeldung", sessions: "Sitzungen", tokens: "Tokens" },
    name: "Name",
    email: "E-Mail-Adresse",
    emailHint: "Sie melden sich mit ihr an.",
    language: "Sprache",
    timeZone: "Zeitzone",
    timeZoneHint: "Zeiten werden in ihr gezeigt.",
    browser: (value) => `Wie der Browser (${value})`,
    password: "Passwort",
    passwordText: "Mindestens 12 Zeichen. Ihre anderen Sitzungen enden, wenn Sie es ändern.",
    newPassword: "Neues Passwort",
    changePassword: "Passwort ändern",
    passwordChanged: "Passwort geändert",
    codes: "Authenticator-App",
    codesOn: "Mit dem Passwort wird ein Code Ihrer App verlangt.",
    codesOff: "Mit dem Passwort einen Code einer App auf Ihrem Telefon verlangen.",
    codesRequired: "Sie brauchen einen zweiten Faktor, um weitermachen zu können.",
    on: "An",
    off: "Aus",
    turnOn: "Einrichten",
    turnOff: "Ausschalten",
    turnOffText: (others) =>
      `Danach genügt das Passwort zum Anmelden. ${others === 1 ? "1 andere Sitzung endet" : `${others} andere Sitzungen enden`}.`,
    turnedOff: "Authenticator-App ausgeschaltet",
    scan: "Lesen Sie diesen Code mit Ihrer Authenticator-App ein, und geben Sie die sechs Ziffern ein, die sie zeigt.",
    secret: "Oder geben Sie diesen Schlüssel von Hand ein",
    code: "Code",
    confirm: "Bestätigen",
    recovery: "Wiederherstellungscodes",
    recoveryLeft: (count) => `noch ${count} ${plural(count, "Code", "Codes")}`,
    recoveryText:
      "Jeder meldet Sie einmal an, wenn Sie Ihr Telefon verlieren. Bewahren Sie sie auf wie Passwörter.",
    recoveryFew: "Nur noch wenige Wiederherstellungscodes. Erzeugen Sie neue, bevor Sie sie brauchen.",
    recoveryRenew: "Neue Codes erzeugen",
    recoveryRenewText: (left) =>
      left === 1 ? "Ihr letzter Code gilt dann nicht mehr." : `Ihre ${left} Codes gelten dann nicht mehr.`,
    sessionsText: "Browser, in denen Sie angemeldet sind.",
    current: "Dieser Browser",
    unknownBrowser: "Unbekannter Browser",
    lastUsed: "Zuletzt benutzt",
    since: "Angemeldet",
    end: "Beenden",
    ended: "Sitzung beendet",
    endOthers: "Überall abmelden",
    endOthersText: (count) =>
      count === 1 ? "Beendet diese Sitzung, Ihre einzige." : `Beendet Ihre ${count} Sitzungen, auch diese.`
  },
  homeScreen: {
    title: "Übersicht",
    begin: "Erste Schritte",
    beginText: "Jeder Punkt wird abgehakt, sobald er erledigt ist.",
    firstEmail: "Die erste E-Mail senden",
    firstEmailText: "Erzeugen Sie einen Schlüssel, und führen Sie die Zeile aus, in der er steht.",
    firstEmailHeld: "Ohne bestätigte Domain geht nichts hinaus. In der Sandbox gelingt es sofort.",
    tryInSandbox: "In der Sandbox versuchen",
    showInbox: "Im Posteingang zeigen",
    createKey: "Schlüssel erzeugen",
    keyName: "Erste Schritte",
    keyOnce: "Der Schlüssel wird nur dieses eine Mal gezeigt.",
    domain: "Eine Absenderdomain hinzufügen",
    domainText: "E-Mails gehen hinaus, sobald eine Ihrer Domains bestätigt ist.",
    colleague: "Jemanden einladen",
    colleagueText: "Jede Person meldet sich selbst an, mit einer eigenen Rolle.",
    webhook: "Einen Webhook empfangen",
    webhookText: "Ihr Programm erfährt, was aus jeder E-Mail wird.",
    people: "Kontakte hinzufügen",
    peopleText: "Über die API, aus einer Datei oder aus einem Shop.",
    goThere: "Dorthin",
    todayCount: (shown) => `${shown} heute`,
    last30: "Letzte 30 Tage",
    figures: {
      sent: "Gesendet",
      delivered: "Zugestellt",
      bounced: "Unzustellbar",
      complained: "Beschwerden",
      openedByPeople: "Von Menschen geöffnet",
      openedByMachines: "Von Programmen geöffnet",
      clicked: "Geklickt",
      conversions: "Konversionen",
      events: "Ereignisse",
      runs: "Läufe von Abläufen"
    },
    chart: "E-Mails nach Tag",
    byDay: "Tag",
    attention: "Braucht Aufmerksamkeit",
    allWell: "Nichts braucht Aufmerksamkeit.",
    look: "Ansehen",
    domainPending: (domain) => `${domain} wartet auf die DNS-Einträge: Noch geht keine Post von dort hinaus.`,
    webhookFailing: (url, shown, count) =>
      `Der Webhook ${url} ist ${shown} ${plural(count, "Mal", "Mal")} hintereinander gescheitert. Er hält an, wenn das so bleibt.`,
    held: (shown, count) =>
      `${shown} ${plural(count, "E-Mail wartet", "E-Mails warten")} auf die Prüfung: Geben Sie sie frei oder lehnen Sie sie ab.`,
    retried: (shown, count) =>
      `${shown} ${plural(count, "E-Mail wird", "E-Mails werden")} von den Servern der Empfänger vorerst abgelehnt und von selbst erneut versucht.`,
    failedEvents: (shown, count) =>
      `${shown} ${plural(count, "Ereignis", "Ereignisse")} seit gestern ${plural(count, "konnte", "konnten")} nicht verarbeitet werden.`,
    nearLimit: (name, used, limit) => `${name}: ${used} von ${limit} sind verbraucht.`,
    buried: (shown, count) =>
      `${shown} ${plural(count, "Auftrag wurde", "Aufträge wurden")} nach wiederholten Fehlern aufgegeben: erneut versuchen oder verwerfen.`,
    domainFailing: (domain) => `${domain} ist nicht bestätigt: E-Mails von ihr gehen nicht hinaus.`,
    webhookStopped: (url) => `Der Webhook ${url} wurde nach wiederholten Fehlern angehalten.`,
    approvalRequested: (name, by) =>
      `Die Kampagne ${name} wartet auf eine Freigabe${by === null ? "" : `, um die ${by} bittet`}.`,
    campaignPaused: (name) => `Die Kampagne ${name} ist angehalten.`,
    campaignDeciding: (name) =>
      `Der Test der Kampagne ${name} ist vorbei. Wählen Sie die Variante, die die übrigen Empfänger bekommen.`,
    campaignSent: (name, shown, count) =>
      `Die Kampagne ${name} ist an ${shown} ${plural(count, "Person", "Personen")} verschickt.`,
    campaignUnsubscribed: (name, shown) =>
      `${shown} Personen haben sich durch die Kampagne ${name} abgemeldet: 2 % oder mehr derer, die sie bekamen.`,
    standingHeld: "Werbung des Kontos wird zurückgehalten, wegen seiner Reputation.",
    standingNotice: "Ein Anteil, nach dem Anbieter das Konto beurteilen, hat eine Schwelle erreicht.",
    heldLanes: (shown) => `Mail an ${shown} Anbieter oder Server wird zurückgehalten.`,
    keyExpires: (name, time) => `Der Schlüssel ${name} läuft ${time} ab.`,
    keyUnused: (name) => `Der Schlüssel ${name} wurde seit 90 Tagen nicht benutzt.`,
    changes: "Letzte Änderungen",
    noChanges: "Änderungen von Menschen und Programmen erscheinen hier.",
    by: (name) => `von ${name}`
  },
  emails: {
    title: "E-Mails",
    search: "Adresse eines Empfängers",
    guide: "Eine E-Mail senden",
    email: "E-Mail",
    to: "An",
    subject: "Betreff",
    noSubject: "Ohne Betreff",
    status: "Status",
    sent: "Zeit",
    more: (count) => `und ${count} weitere`,
    empty: "E-Mails erscheinen hier, sobald eine eingereicht wurde",
    emptyText: "Senden Sie eine über die API, über SMTP oder aus einem Ablauf.",
    statuses: {
      Queued: "Wartet",
      HandingOff: "Wird gesendet",
      Accepted: "Angenommen",
      Sent: "Gesendet",
      Delivered: "Zugestellt",
      Bounced: "Unzustellbar",
      Complained: "Beschwerde",
      Failed: "Fehlgeschlagen",
      Suppressed: "Gesperrt",
      Cancelled: "Abgebrochen",
      PendingReview: "In Prüfung",
      Unknown: "Unbekannt",
      Mixed: "Gemischt"
    },
    recipients: "Empfänger",
    reasons: {
      "sending.gate_bounced":
        "Gesperrt: Die Adresse war früher unzustellbar. Heben Sie die Sperre auf, wenn sie wieder gilt.",
      "sending.gate_complained": "Gesperrt: Der Empfänger hat sich über eine frühere E-Mail beschwert.",
      "sending.gate_protected": "Gesperrt: Die Adresse steht auf der Liste des Kontos.",
      "sending.gate_consent": "Nicht gesendet: keine Einwilligung in Werbung an diese Adresse.",
      "sending.no_verified_sender": "Wartet, bis eine Absenderdomain bestätigt ist.",
      "sending.scheduled": "Wartet auf ihren Zeitpunkt.",
      "sending.daily_cap": "Wartet bis morgen: Die Tagesgrenze des Kontos ist erreicht."
    },
    details: "Einzelheiten",
    id: "ID",
    from: "Von",
    template: "Vorlage",
    tags: "Tags",
    metadata: "Metadaten",
    scheduled: "Geplant für",
    submitted: "Eingereicht",
    attempt: (server) => `Versuch bei ${server}`,
    took: (milliseconds) => `${milliseconds} ms`,
    opened: "Geöffnet",
    clicked: "Geklickt",
    cancel: "E-Mail abbrechen",
    cancelTitle: "Diese E-Mail abbrechen",
    cancelText: (count) =>
      `${count} ${plural(count, "Empfänger erhält", "Empfänger erhalten")} sie nicht. Was gesendet ist, bleibt gesendet.`,
    cancelled: "E-Mail abgebrochen"
  },
  suppressions: {
    title: "Sperrliste",
    text: "Adressen, die keine E-Mails dieses Kontos erhalten.",
    search: "Adresse",
    address: "Adresse",
    kind: "Grund",
    kinds: { Bounced: "Unzustellbar", Complained: "Beschwerde", Protected: "Geschützt" },
    source: "Gesperrt durch",
    sources: { Report: "Rückläufer oder Beschwerde", Ui: "Eine Person", Import: "Einen Import" },
    since: "Seit",
    empty: "Keine Adresse ist gesperrt",
    emptyText: "Adressen, die unzustellbar sind oder sich beschweren, erscheinen hier von selbst.",
    add: "Adresse hinzufügen",
    addText: "Ab sofort wird keine E-Mail an sie gesendet, von wem auch immer.",
    added: (address) => `${address} ist gesperrt`,
    lift: "Aufheben",
    lifted: (address) => `${address} darf wieder E-Mails erhalten`
  },
  ...areasDe,
  ...installationDe,
  ...commerceDe,
  ...companyDe,
  ...mailDe,
  ...personalDe,
  ...programsDe,
  parts: { title: "Bausteine" }
})
