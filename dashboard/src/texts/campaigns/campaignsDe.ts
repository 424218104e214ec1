/**
 * The texts of campaigns in German.
 *
 * @module
 */
import type { CampaignTexts } from "./campaignsEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

const people = (shown: string, count: number): string => `${shown} ${plural(count, "Person", "Personen")}`

/** The texts. */
export const campaignsDe: CampaignTexts = {
  title: "Kampagnen",
  text: "Eine Nachricht an die Personen von Segmenten, an jede einmal.",
  name: "Kampagne",
  nameHint: "Nur für Sie und Ihre Kollegen.",
  state: "Stand",
  states: {
    Draft: "Entwurf",
    Scheduled: "Geplant",
    Sending: "Wird gesendet",
    Paused: "Angehalten",
    Sent: "Gesendet",
    Cancelled: "Abgebrochen"
  },
  phases: {
    Preparing: "Das Publikum wird gelesen. Über noch nicht gelesene Personen ist nichts entschieden.",
    Testing: "Die Varianten des Tests gehen hinaus.",
    Deciding: "Der Test ist zu Ende. Wählen Sie die Variante, die die übrigen bekommen.",
    Delivering: "E-Mails gehen hinaus.",
    Waiting: "Alle übrigen warten auf einen Zeitpunkt."
  },
  pauses: {
    "campaigns.paused_by_operator":
      "Jemand hat sie angehalten. Bis sie fortgesetzt wird, geht nichts hinaus.",
    "campaigns.check_failed":
      "Ihr Zeitpunkt kam, und eine Prüfung schlug fehl. Beheben Sie, was sie nennt, und setzen Sie fort.",
    "campaigns.bounces":
      "Zu viele Adressen waren unzustellbar. Sehen Sie nach, welche, bevor Sie fortsetzen.",
    "campaigns.complaints":
      "Zu viele haben sich beschwert. Sehen Sie nach, was ihnen zugesagt war, bevor Sie fortsetzen.",
    "campaigns.render_failures":
      "Für viele lässt sich der Inhalt nicht erstellen. Beheben Sie das und setzen Sie fort.",
    "campaigns.sender_failing":
      "Die Domain des Absenders ist nicht mehr bestätigt. Beheben Sie ihre Einträge und setzen Sie fort.",
    "campaigns.standing":
      "Werbung des Kontos wird zurückgehalten. Danach kann die Kampagne fortgesetzt werden."
  },
  pausedAnyway: "Sie ist angehalten.",
  audience: "Personen",
  audienceLabel: "Wer sie bekommt",
  results: "Ergebnis",
  changed: "Geändert",
  by: "Von",
  opened: "Geöffnet",
  clicked: "Geklickt",
  empty: "Hier erscheinen Kampagnen",
  emptyText: "Schreiben Sie eine Nachricht, wählen Sie, wer sie bekommt, und sehen Sie, was daraus wird.",
  create: "Neue Kampagne",
  search: "Name oder Betreff",
  createText: "Sie ist ein Entwurf und sendet nichts, bis Sie sie starten.",
  created: (name) => `${name} wurde angelegt`,
  createAction: "Anlegen",
  copyFor: {
    Same: "Kopieren",
    NotOpened: "Kopie für alle, die sie nicht geöffnet haben",
    NotClicked: "Kopie für alle, die nicht geklickt haben",
    NotSent: "Kopie für alle, die sie nicht bekommen haben"
  },
  copied: (name) => `${name} wurde kopiert. Dies ist die Kopie.`,
  rename: "Umbenennen",
  renamed: "Kampagne umbenannt",
  remove: "Löschen",
  removeTitle: (name) => `${name} löschen?`,
  removeText: "Es wurde nichts gesendet. Der Entwurf lässt sich nicht zurückholen.",
  removed: (name) => `${name} wurde gelöscht`,
  steps: { who: "Wer", what: "Was", when: "Wann", check: "Prüfen" },
  stepsLabel: "Teile der Kampagne",
  next: { who: "Weiter: was sie bekommen", what: "Weiter: wann", when: "Weiter: prüfen und starten" },
  saves: {
    saved: "Gespeichert",
    waiting: "Noch nicht gespeichert",
    saving: "Wird gespeichert …",
    failed: "Nicht gespeichert"
  },
  undo: "Rückgängig",
  meanwhile: (name) => `${name} hat die Kampagne inzwischen geändert. Ihre Eingaben sind nicht gespeichert.`,
  someone: "Jemand",
  takeTheirs: "Die andere zeigen",
  keepMine: "Meine speichern",
  readOnly: "Ihre Rolle darf Kampagnen lesen, nicht ändern.",
  who: {
    segments: "Personen in einem von",
    exclude: "Aber in keinem von",
    add: "Segment hinzufügen",
    choose: "Segment wählen",
    none: "Noch kein Segment. Eine Kampagne braucht mindestens eines.",
    noExclude: "Niemand wird ausgenommen.",
    removeOne: (name) => `${name} entfernen`,
    gone: "Ein gelöschtes Segment",
    topic: "Thema",
    topicHint: "Wer es abgewählt hat, bekommt die Kampagne nicht.",
    noTopic: "Keines: nur die Zustimmung entscheidet",
    holdout: "Zurückbehalten, in Prozent",
    holdoutHint: "Zufällig gewählte Personen, die sie zum Vergleich nicht bekommen. 0 bis 50.",
    estimate: "Publikum jetzt",
    estimateText: "Es wird beim Start der Kampagne noch einmal gelesen.",
    chosen: "Ausgewählt",
    reachable: "Erreichbar",
    sample: "Die neuesten davon",
    nobody: "Diese Segmente wählen jetzt niemanden aus.",
    pick: "Wählen Sie ein Segment, dann werden hier die Personen gezählt.",
    zones: "Zeitzonen"
  },
  what: {
    source: "Inhalt",
    sources: { Template: "Eine Vorlage", Written: "Hier geschrieben" },
    template: "Vorlage",
    chooseTemplate: "Vorlage wählen",
    templateHint: "Gesendet wird ihre neueste Version beim Start.",
    pinned: (shown) => `Gesendet wird Version ${shown}.`,
    newest: "Neueste Version nehmen",
    noTemplates: "Es gibt noch keine Vorlage. Schreiben Sie den Inhalt hier.",
    subject: "Betreff",
    preheader: "Vorschauzeile",
    preheaderHint: "Mailprogramme zeigen sie nach dem Betreff.",
    html: "HTML",
    htmlHint: 'HTML oder MJML, mit Liquid wie {{ contact.firstName | default: "Hallo" }}.',
    plain: "Text",
    plainHint: "Wird aus dem HTML gemacht, wo er leer ist.",
    sender: "Absender",
    from: "Adresse",
    fromHint: "Auf einer bestätigten Domain. Leer für den Standardabsender des Kontos.",
    fromName: "Name",
    replyTo: "Antworten gehen an",
    tracking: "Messung",
    trackings: {
      Default: "Wie in den Einstellungen des Kontos",
      Both: "Öffnungen und Klicks",
      Opens: "Nur Öffnungen",
      Clicks: "Nur Klicks",
      None: "Nichts"
    },
    tags: "Tags",
    tagsHint: "Durch Kommas getrennt, für Listen."
  },
  preview: {
    title: "Vorschau",
    as: "Gesehen von",
    anyone: "Eine Person, über die nichts bekannt ist",
    loading: "Die Vorschau wird erstellt …",
    none: "Die Vorschau erscheint hier, sobald es Inhalt gibt.",
    html: "E-Mail",
    plain: "Text",
    noSubject: "Kein Betreff",
    problems: "Was das Senden verhindert",
    findings: "Was Filter nicht mögen",
    noHtml: "Es gibt kein HTML."
  },
  when: {
    when: "Senden",
    options: {
      Launch: "Beim Start",
      Time: "Zu einem Zeitpunkt",
      LocalTime: "Zur Ortszeit jeder Person"
    },
    at: "Zeitpunkt",
    atHint: (zone) => `Nach Ihrer Uhr, ${zone}.`,
    localTime: "Ortszeit",
    localHint:
      "Jede Person bekommt sie, wenn ihre eigene Uhr diese Zeit zeigt. Das dauert bis zu 26 Stunden.",
    late: "Personen, bei denen sie vorbei ist",
    lates: { SendNow: "Bekommen sie sofort", Skip: "Bekommen sie nicht" },
    launchHint: "Die ersten E-Mails gehen binnen Sekunden hinaus."
  },
  pace: {
    title: "Tempo",
    emails: "Höchstens E-Mails",
    hint: "Gleichmäßig verteilt. Leer für so schnell, wie Server sie annehmen.",
    per: "Je",
    units: { Minute: "Minute", Hour: "Stunde", Day: "Tag" }
  },
  window: {
    title: "Stunden und Grenzen",
    on: "Nur in bestimmten Stunden senden",
    hint: "Nach der Uhr jeder Person.",
    from: "Von",
    to: "Bis",
    days: "Tage"
  },
  quiet: {
    title: "Ruhezeit des Kontos",
    hint: "In den Einstellungen des Kontos festgelegt.",
    choices: { Respect: "Hält die Kampagne auf", Ignore: "Hält sie nicht auf" }
  },
  capped: {
    title: "Personen, die so viel Werbung bekamen, wie das Konto erlaubt",
    hint: "Die Grenzen stehen in den Einstellungen des Kontos.",
    choices: { Skip: "Bekommen sie nicht", Wait: "Warten einige Stunden" },
    hours: "Stunden",
    hoursHint: "1 bis 72. Wer auch dann über einer Grenze liegt, bekommt sie nicht."
  },
  test: {
    title: "Test von Varianten",
    text: "Ein Teil des Publikums bekommt Varianten, die anderen die erfolgreichste.",
    on: "Inhalte",
    ons: { One: "Einer für alle", Test: "Varianten, die verglichen werden" },
    variants: "Varianten",
    variant: (id, name) =>
      name === null || name === "" ? `Variante ${id.toUpperCase()}` : `${id.toUpperCase()}: ${name}`,
    name: "Name der Variante",
    add: "Variante hinzufügen",
    removeOne: (name) => `${name} entfernen`,
    share: "Getesteter Anteil in Prozent",
    shareHint: "Zu gleichen Teilen auf die Varianten verteilt. 100 vergleicht ohne Sieger.",
    metric: "Verglichen nach",
    metrics: { Clicks: "Klicks", Opens: "Öffnungen" },
    metricHint: "Von Personen unter denen, deren Server sie annahm. Programme zählen nicht.",
    hours: "Stunden bis zur Entscheidung",
    hoursHint: "1 bis 168, ab der letzten E-Mail des Tests.",
    decide: "Wer entscheidet",
    decides: { Auto: "Der Dienst", Manual: "Eine Person" },
    confidence: "Sicherheit in Prozent",
    confidenceHint: "80 bis 99. Wie sicher es sein muss, dass der Unterschied kein Zufall ist.",
    undecided: "Wenn Zufall den Unterschied erklären kann",
    undecideds: { First: "Die anderen bekommen Variante A", Ask: "Eine Person entscheidet" },
    winner: "Die anderen bekommen",
    pick: (name) => `${name} an die anderen senden`,
    picked: (name) => `Die anderen bekommen ${name}`,
    none: "Noch nicht entschieden"
  },
  languages: {
    title: "Sprachen",
    others: "Alle anderen",
    add: "Sprache hinzufügen",
    removeOne: (name) => `${name} entfernen`
  },
  utm: {
    title: "Links",
    text: "An diesen Parametern erkennt Webanalyse, dass ein Besuch von der Kampagne kommt.",
    on: "Parameter an Links anhängen",
    contentHint: "Leer für den Buchstaben der Variante."
  },
  trial: {
    title: "Testmail",
    text: "An Mitglieder und an die Testadressen der Einstellungen. Sie zählt nirgends.",
    to: "Adressen",
    toHint: "Bis zu 10, durch Kommas getrennt.",
    variant: "Variante",
    send: "Test senden",
    sent: (shown, count) => `An ${shown} ${plural(count, "Adresse", "Adressen")} gesendet`,
    refused: (email) => `${email} ist gesperrt und bekam keine.`
  },
  check: {
    title: "Vor dem Start",
    none: "Nichts verhindert den Start.",
    errors: (shown, count) => `${shown} ${count === 1 ? "Punkt verhindert" : "Punkte verhindern"} den Start.`,
    severities: { Error: "Zu beheben", Warning: "Zu prüfen" },
    concerns: (shown, count) => `Betrifft ${people(shown, count)} der geprüften.`,
    goTo: "Zeigen",
    again: "Noch einmal prüfen",
    unsaved: "Ihre Eingaben sind nicht gespeichert, daher lassen sie sich nicht prüfen.",
    to: (shown, count) => `An ${people(shown, count)} senden`,
    scheduleTo: (shown, count) => `Für ${people(shown, count)} planen`,
    noTime: "Es fehlt der Zeitpunkt, zu dem sie gesendet wird.",
    noRight: "Ihre Rolle darf Kampagnen schreiben, nicht starten."
  },
  launch: {
    title: (name) => `${name} starten?`,
    now: (shown, count) =>
      `Die Segmente wählen jetzt ${people(shown, count)} aus. E-Mails gehen sofort an jene, bei denen Zustimmung, Themen und Sperren es erlauben. Was hinausging, lässt sich nicht zurückholen; der Rest lässt sich anhalten.`,
    later: (shown, count, time) =>
      `Die Segmente wählen jetzt ${people(shown, count)} aus; um ${time} werden sie noch einmal gelesen. Bis dahin lässt sich der Start zurücknehmen.`,
    launched: (name) => `${name} wurde gestartet`
  },
  approval: {
    title: "Freigabe",
    states: { Missing: "Fehlt", Requested: "Angefragt", Approved: "Freigegeben", Rejected: "Abgelehnt" },
    texts: {
      Missing:
        "An so viele Menschen kann ein Start die Freigabe einer anderen Person brauchen, die sie nicht zuletzt geändert hat.",
      Requested: "Eine andere Person, die sie nicht zuletzt geändert hat, gibt sie frei oder lehnt sie ab.",
      Approved: "Sie kann gestartet werden. Wer ändert, was gesendet wird, hebt die Freigabe auf.",
      Rejected: "Ändern Sie sie und fragen Sie die Freigabe erneut an."
    },
    actions: { Request: "Freigabe anfragen", Approve: "Freigeben", Reject: "Ablehnen" },
    actionTexts: {
      Request: "Wer Kampagnen starten darf, kann sie freigeben.",
      Approve: "Sie stehen für Inhalt und Zielgruppe ein, wie sie jetzt sind.",
      Reject: "Sie kann nicht gestartet werden, bis sie freigegeben ist."
    },
    comment: "Kommentar",
    done: { Request: "Freigabe angefragt", Approve: "Freigegeben", Reject: "Abgelehnt" }
  },
  retry: {
    title: "Erneut versuchen",
    text: "Wer die Kampagne bekommen hat, bekommt sie nicht noch einmal.",
    what: {
      RenderFailed: "Inhalte, die nicht erzeugt werden konnten",
      NotDelivered: "E-Mails, die kein Server annahm"
    },
    whatTexts: {
      RenderFailed: "Nachdem Sie den Inhalt oder die Felder dieser Menschen berichtigt haben.",
      NotDelivered: "E-Mails, die vorübergehend scheiterten; Adressen, die es nicht gibt, bleiben außen vor."
    },
    none: "Es gibt niemanden, bei dem es erneut zu versuchen wäre",
    done: (shown, count) => `Erneuter Versuch bei ${people(shown, count)}`
  },
  links: {
    title: "Klicks je Link",
    link: "Link",
    own: "Alle anderen Links",
    human: "Menschen",
    unknown: "Unklar",
    machine: "Maschinen",
    clicks: "Alle Klicks",
    show: "Auf der E-Mail zeigen",
    shown: "Klicks auf der E-Mail",
    shownText: "Jeder Link mit seiner Nummer und wie viele Menschen ihn klickten, ohne Maschinen.",
    noHtml: "Diese E-Mail ist nur Text."
  },
  scheduledFor: "Sie beginnt",
  unschedule: "Zurück zum Entwurf",
  unscheduled: "Sie ist wieder ein Entwurf. Es wurde nichts gesendet.",
  pause: "Anhalten",
  paused: "Angehalten. Jetzt geht nichts davon hinaus.",
  resume: "Fortsetzen",
  resumed: "Fortgesetzt mit denen, die sie noch nicht haben",
  cancel: "Kampagne abbrechen",
  cancelTitle: (name) => `${name} abbrechen?`,
  cancelText: (got, gotCount, rest, restCount) =>
    `${people(got, gotCount)} ${gotCount === 1 ? "hat" : "haben"} sie bekommen oder werden es: Das lässt sich nicht zurückholen. ${people(rest, restCount)} ${restCount === 1 ? "bekommt" : "bekommen"} sie nie. Eine abgebrochene Kampagne lässt sich nicht fortsetzen.`,
  cancelReason: "Grund",
  cancelReasonHint: "Wird im Verlauf der Kampagne und im Audit-Log angezeigt.",
  cancelled: "Abgebrochen. Was nicht hinausging, wird nie gesendet.",
  progress: "Entschieden",
  progressOf: (done, all) => `${done} von ${all}`,
  nextAt: "Die nächsten sind fällig",
  perMinute: (shown) => `${shown} je Minute`,
  etaAt: "Endet etwa",
  waiting: "Worauf Personen warten",
  ownTime: "Ihre Zeit ist noch nicht gekommen.",
  until: "bis",
  responses: "Was folgte",
  responseNames: {
    complained: "Beschwerden",
    unsubscribed: "Abgemeldet",
    topicOff: "Thema abgewählt",
    conversions: "Bestellungen nach einem Klick",
    holdout: "Zurückbehalten",
    lift: "Mehr Bestellungen als die Zurückbehaltenen"
  },
  tooFew: "Zu wenige Bestellungen für eine Aussage",
  lift: (value, from, to) => `${value}, mit 95 % zwischen ${from} und ${to}`,
  outcomes: {
    reached: "Zugestellt",
    onItsWay: "Unterwegs",
    failed: "Nicht zugestellt",
    uncertain: "Unbekannt",
    pending: "Kommen noch",
    skipped: "Ausgenommen",
    heldOut: "Zurückbehalten",
    cancelled: "Abgebrochen"
  },
  outcome: "Ergebnis",
  count: "Personen",
  share: "Anteil",
  noAudience: "Das Publikum ist noch nicht gelesen.",
  funnel: "Vom Publikum zum Klick",
  funnelSteps: {
    audience: "Publikum",
    submitted: "E-Mail erstellt",
    reached: "Zugestellt",
    opened: "Geöffnet",
    clicked: "Geklickt"
  },
  machines: (shown) => `und ${shown} von Maschinen`,
  skippedBy: "Warum Personen ausgenommen sind",
  byStatus: "E-Mails nach Stand",
  showPeople: "Personen zeigen",
  details: "Einzelheiten",
  content: "Inhalt",
  ownContent: "In der Kampagne geschrieben",
  launchedAt: "Gestartet",
  version: "Version",
  editContent: "Inhalt ändern",
  editTitle: "Den Inhalt ändern",
  editText: "Eine neue Version, für jene, die die Kampagne noch nicht haben.",
  newVersion: "Eine neue Version ist da",
  versions: "Versionen",
  versionOf: (shown) => `Version ${shown}`,
  got: (shown, count) => `${people(shown, count)} ${plural(count, "bekam", "bekamen")} sie`,
  history: "Verlauf",
  breakdown: {
    title: "E-Mails nach Anbieter, Sprache oder Zeit",
    by: "Nach",
    kinds: {
      Provider: "Anbieter",
      Domain: "Domain",
      Variant: "Variante",
      Language: "Sprache",
      Country: "Land",
      Version: "Version",
      Hour: "Stunde",
      Day: "Tag"
    },
    none: "Nicht bekannt",
    submitted: "E-Mails",
    delivered: "Zugestellt",
    retrying: "Verschoben",
    bounced: "Unzustellbar",
    failed: "Fehlgeschlagen",
    opened: "Von Personen geöffnet",
    clicked: "Von Personen geklickt",
    machines: "Von Programmen geöffnet",
    complained: "Beschwerden",
    unsubscribed: "Abgemeldet",
    empty: "Noch keine E-Mail wurde erstellt."
  },
  compare: {
    title: "Kampagnen vergleichen",
    action: "Vergleichen",
    hint: "Wählen Sie 2 bis 10 Kampagnen, um sie zu vergleichen.",
    chosen: (shown, count) => `${shown} ${plural(count, "Kampagne", "Kampagnen")} gewählt`,
    clear: "Keine wählen",
    none: "Wählen Sie zuerst Kampagnen in der Liste",
    rates: "Anteile beziehen sich auf die, deren Server die E-Mail annahmen."
  },
  recipients: {
    title: "Empfänger",
    person: "Person",
    erased: "Eine gelöschte Person",
    state: "Stand",
    states: {
      Pending: "Kommt noch",
      Submitted: "E-Mail erstellt",
      Skipped: "Ausgenommen",
      HeldOut: "Zurückbehalten",
      Cancelled: "Abgebrochen"
    },
    why: "Warum",
    whyFilter: "Grund",
    email: "E-Mail",
    decided: "Entschieden",
    due: "fällig",
    showEmail: "E-Mail zeigen",
    visits: "Besuche",
    status: "Stand der E-Mail",
    converted: "Bestellt",
    unsubscribed: "Abgemeldet",
    yes: "Ja",
    no: "Nein",
    search: "Anfang der Adresse",
    empty: "Personen erscheinen hier, wenn die Kampagne beginnt",
    emptyText: "Alle, die die Segmente auswählen, mit dem, was aus ihnen wurde."
  },
  reasons: {
    "campaigns.no_address": "Hat keine Adresse oder wurde gelöscht.",
    "campaigns.duplicate_address": "Eine andere Person bekam die Kampagne an diese Adresse.",
    "campaigns.local_time_passed": "Die Ortszeit war beim Start der Kampagne vorbei.",
    "campaigns.render_failed":
      "Der Inhalt lässt sich für diese Person nicht erstellen. Sehen Sie nach, welches Feld fehlt.",
    "campaigns.pace": "Wartet, da die Kampagne mit begrenztem Tempo gesendet wird.",
    "campaigns.window": "Wartet auf die Stunden, in denen die Kampagne gesendet wird.",
    "campaigns.test": "Wartet auf die Variante, die den Test gewinnt.",
    "sending.gate_bounced":
      "Die Adresse war früher unzustellbar. Heben Sie die Sperre auf, wenn sie wieder gilt.",
    "sending.gate_complained": "Hat sich über eine frühere E-Mail beschwert.",
    "sending.gate_protected": "Die Adresse steht auf der Sperrliste des Kontos.",
    "sending.gate_consent": "Hat Werbung nicht zugestimmt.",
    "sending.gate_topic": "Hat das Thema abgewählt.",
    "sending.gate_frequency": "Bekam zuletzt so viel Werbung, wie das Konto erlaubt.",
    "sending.quiet_hours": "Wartet, bis die Ruhezeit dieser Person endet.",
    "sending.held_out": "Zurückbehalten, zum Vergleich.",
    "sending.daily_cap": "Wartet, bis die Tagesgrenze des Kontos Platz hat.",
    "sending.warming_up": "Wartet, da die sendenden Adressen aufgewärmt werden.",
    "sending.provider_held": "Wartet, da der Anbieter jetzt keine Mail annimmt.",
    "sending.standing_held": "Wartet, da Werbung des Kontos zurückgehalten wird.",
    "sending.held_too_long":
      "Der Anbieter nahm drei Tage lang keine Mail an. Versuchen Sie die Kampagne bis zu einer Woche nach ihrem Ende erneut.",
    "sending.cancelled": "Die Kampagne wurde vorher abgebrochen.",
    "sending.retrying": "Der Server vertröstete. Die E-Mail wird erneut versucht.",
    "sending.campaign_paused": "Wartet, da die Kampagne pausiert ist."
  }
}
