/**
 * The texts of providers, lanes, sources and pools in German.
 *
 * @module
 */
import type { SourceTexts } from "./sourcesEn.ts"

/** The texts. */
export const sourcesDe: SourceTexts = {
  providers: {
    provider: "Anbieter",
    search: "Schlüssel oder Name",
    limit: "Verbindungen",
    perConnection: "E-Mails auf jeder",
    lanes: "Wege",
    held: "Zurückgehalten",
    state: "Stand",
    sent: "Je Minute",
    states: { paused: "Angehalten", open: "Frei" },
    rules: "Grenzen",
    seeLanes: "Wege zeigen",
    empty: "Kein Anbieter ist bekannt"
  },
  lanes: {
    lane: "Wohin",
    from: "Von",
    system: "der Adresse des Systems",
    connections: "Verbindungen",
    inUse: (used, width) => `${used} von ${width}`,
    rate: "Tempo",
    perMinute: (shown) => `${shown} je Minute`,
    noDelay: "ohne Verzögerung",
    held: "Zurückgehalten",
    oldest: "Zurückgehalten seit",
    state: "Stand",
    states: { paused: "Angehalten", failing: "Nicht erreicht", open: "Frei" },
    strikes: (shown, count) =>
      `Seit der letzten angenommenen E-Mail ${shown} ${count === 1 ? "Mal" : "Mal"} nicht erreicht`,
    pausedUntil: "Angehalten bis",
    learned: "Zuletzt benutzt",
    leases: "Verbindungen nach Knoten",
    node: "Knoten",
    places: "Verbindungen",
    expires: "Zugeteilt bis",
    noLeases: "Kein Knoten hält jetzt eine Verbindung.",
    only: "Zeigen",
    onlyPaused: "Angehaltene",
    show: "Zeigen",
    limits: "Grenzen setzen",
    overridden: "Grenzen von einem Betreiber gesetzt",
    empty: "An einem Tag wurde kein Weg benutzt",
    emptyText: "Ein Weg erscheint mit der ersten E-Mail an einen Anbieter oder die Server einer Domain."
  },
  limits: {
    title: (name) => `Grenzen von ${name}`,
    text: "Was Sie eintragen, ersetzt binnen 5 Sekunden die Zahl der Tabelle, für alle Knoten. Was darüber ist, wartet; nichts geht verloren.",
    rule: "Regel",
    value: "Gilt",
    from: "Woher",
    origins: { Table: "Tabelle", File: "Datei", Override: "Betreiber", Learned: "Server" },
    names: {
      startWidth: "Verbindungen am Anfang",
      maxWidth: "Verbindungen höchstens",
      messagesPerConnection: "E-Mails je Verbindung",
      messagesPerSecond: "E-Mails je Sekunde",
      connectionsPerMinute: "Neue Verbindungen je Minute",
      idleSeconds: "Sekunden, die eine Verbindung unbenutzt bleibt",
      tls: "Verschlüsselung",
      timeouts: "Wartezeiten"
    },
    timeouts: {
      openMs: "Wartezeit auf die Verbindung (Sekunden)",
      commandMs: "Wartezeit auf Befehle (Sekunden)",
      answerMs: "Wartezeit auf die Antwort (Sekunden)"
    },
    tls: {
      "": "Wie in der Tabelle",
      offered: "Wo angeboten",
      required: "Verlangt",
      verified: "Geprüft"
    },
    hours: "Für wie viele Stunden",
    hoursHint: "Leer, bis ein Betreiber es beendet.",
    reason: "Grund",
    reasonHint: "Er bleibt im Protokoll.",
    nothing: "Tragen Sie mindestens eine Grenze ein.",
    notANumber: "Geben Sie eine ganze Zahl von 1 bis 10.000 ein.",
    notSeconds: "Geben Sie eine ganze Zahl von 1 bis 3.600 Sekunden ein.",
    notHours: "Geben Sie eine Zahl von Stunden über 0 ein.",
    save: "Grenzen setzen",
    saved: (name) => `Die Grenzen von ${name} sind gesetzt`,
    remove: "Tabelle benutzen",
    removed: (name) => `${name} hat wieder die Grenzen der Tabelle`
  },
  sources: {
    title: "Absendeadressen",
    text: "Die Adressen, von denen Mail hinausgeht. Ohne eine wählt das System.",
    add: "Adresse hinzufügen",
    addText:
      "Eine Adresse an einer Schnittstelle eines Rechners dieser Installation. Ihr PTR-Eintrag muss zu dem Namen führen, unter dem sie sendet, und der Name zurück zu ihr.",
    address: "Adresse",
    addressHint: "IPv4 oder IPv6.",
    name: "Name, unter dem sie sendet",
    nameHint: "Im EHLO. Leer für den Mailnamen der Installation.",
    pool: "Pool",
    force: "Ohne bestätigten PTR-Eintrag senden",
    forceHint: "Nur IPv4. Viele Anbieter lehnen solche Mail ab.",
    added: (address) => `${address} wurde hinzugefügt`,
    state: "Stand",
    states: {
      Unready: "Nicht bereit",
      Warming: "Wärmt auf",
      Active: "Aktiv",
      Paused: "Angehalten",
      Retired: "Außer Dienst"
    },
    reasons: {
      "shaping.source_without_ptr":
        "Sie sendet nichts: Kein PTR-Eintrag führt von ihr zu ihrem Namen und zurück. Setzen Sie den Eintrag und prüfen Sie ihn dann.",
      "shaping.source_without_node":
        "Sie sendet nichts: Kein Rechner der Installation hat sie. Geben Sie sie einer Schnittstelle."
    },
    warmUp: "Aufwärmen",
    day: (day, days) => `Tag ${day} von ${days}`,
    noWarmUp: "Keines: Sie sendet, was sie bekommt",
    sent: "Heute gesendet",
    sentOf: (sent, cap) => `${sent} von ${cap}`,
    show: "Zeigen",
    empty: "Mail geht von der Adresse hinaus, die das System wählt",
    emptyText:
      "Fügen Sie eine Adresse hinzu, um sie selbst zu wählen, Arten von Mail zu trennen oder eine neue aufzuwärmen.",
    spf: "SPF-Eintrag aller Adressen",
    spfText: "Veröffentlichen Sie ihn, und lassen Sie den Eintrag jedes Rückwegs ihn einschließen.",
    spfMissing: "SPF-Einträge ohne sie",
    moreDomains: (count) => `${count} weitere`,
    sendsAs: "Sendet als",
    ptr: "PTR-Eintrag",
    ptrConfirmed: (name) => `${name}, bestätigt`,
    ptrWanted: (names, wanted) => `${names}; verlangt ist ${wanted}`,
    ptrNone: "keiner",
    ptrUnchecked: "Noch nicht geprüft",
    checked: "Geprüft",
    hosts: "Rechner",
    noHosts: "keiner",
    forced: "Sendet ohne bestätigten PTR-Eintrag",
    started: "Begonnen",
    movedBack: "Zurückgesetzt",
    today: "Heute nach Gruppen von Anbietern",
    group: "Anbieter",
    groups: {
      google: "Google",
      microsoft: "Microsoft",
      yahoo: "Yahoo",
      apple: "Apple",
      other: "Alle anderen"
    },
    cap: "Höchstens",
    noCap: "ohne Grenze",
    deferred: "Verschoben",
    refused: "Abgelehnt",
    bounced: "Unzustellbar",
    complained: "Beschwerden",
    plan: "Der Plan",
    planDays: "E-Mails am Tag an jede Gruppe",
    planDay: "Tag",
    planAt: "Bis jetzt",
    check: "PTR prüfen",
    wasChecked: { true: "Der PTR-Eintrag ist bestätigt", false: "Der PTR-Eintrag ist nicht bestätigt" },
    pause: "Anhalten",
    paused: (address, others, count) =>
      `Von ${address} geht nichts hinaus; ${
        count === 0
          ? "keine andere Adresse ihres Pools kann senden"
          : `${others} andere ${count === 1 ? "Adresse" : "Adressen"} ihres Pools ${count === 1 ? "sendet" : "senden"} weiter`
      }`,
    activate: "Aktivieren",
    activated: (address) => `${address} darf senden`,
    remove: "Entfernen",
    removeTitle: (address) => `${address} entfernen?`,
    removeText: (sent, count, others, otherCount, pool) =>
      `Heute ${count === 1 ? "ging" : "gingen"} ${sent} ${count === 1 ? "E-Mail" : "E-Mails"} von ihr hinaus. ${
        otherCount === 0
          ? `Keine andere Adresse des Pools ${pool} kann senden: Seine Mail nimmt der Pool, in den er überläuft; sonst wartet sie.`
          : `${others} andere ${otherCount === 1 ? "Adresse" : "Adressen"} des Pools ${pool} ${otherCount === 1 ? "übernimmt" : "übernehmen"} ihre Mail.`
      } Ihre Zahlen und ihr Platz im Plan gehen verloren.`,
    removed: (address) => `${address} wurde entfernt`,
    edit: "Ändern",
    editTitle: (address) => `${address} ändern`,
    save: "Speichern",
    saved: (address) => `${address} wurde geändert`
  },
  warmUp: {
    begin: "Aufwärmen beginnen",
    move: "Plan verschieben",
    title: (address) => `${address} aufwärmen`,
    text: "Anbieter verschieben und lehnen viel Mail von einer Adresse ab, die sie nicht kennen. Jeder gute Tag lässt etwas mehr hinaus; eine Sperre setzt den Plan drei Tage zurück.",
    day: "Tag des Plans, an dem es beginnt",
    dayHint: (days) => `1 für eine neue Adresse; höchstens ${days}.`,
    notADay: (days) => `Geben Sie einen Tag von 1 bis ${days} ein.`,
    consequence: (cap, groups, all, left) =>
      `Heute gehen von ihr höchstens ${cap} E-Mails an jede von ${groups} Gruppen von Anbietern hinaus, ${all} im Ganzen. Es bleiben bestenfalls ${left} Tage. Werbung darüber hinaus geht von anderen Adressen des Pools oder wartet höchstens 72 Stunden; Transaktionsmail wartet nie.`,
    begun: (address) => `Das Aufwärmen von ${address} hat begonnen`,
    end: "Aufwärmen beenden",
    endTitle: (address) => `Das Aufwärmen von ${address} beenden?`,
    endText: (cap, day, days) =>
      `Sie ist an Tag ${day} von ${days}, mit höchstens ${cap} E-Mails heute. Ohne den Plan sendet sie ab jetzt alles, was sie bekommt.`,
    ended: (address) => `${address} sendet ohne Plan`
  },
  pools: {
    title: "Pools",
    text: "Gruppen von Adressen. Die Einstellungen eines Kontos nennen je einen für Transaktionsmail und Werbung.",
    add: "Pool hinzufügen",
    key: "Schlüssel",
    keyHint: "Kleinbuchstaben, Ziffern und Bindestriche. Einstellungen nennen den Pool damit.",
    name: "Name",
    overflow: "Überlauf",
    overflowHint: "Der Pool, der Mail nimmt, für die keine Adresse dieses Pools benutzt werden darf.",
    none: "Keiner: Die Mail wartet",
    count: (shown, count) => `${shown} ${count === 1 ? "Adresse" : "Adressen"}`,
    overflowsTo: (name) => `läuft über in ${name}`,
    change: "Ändern",
    changeTitle: (name) => `${name} ändern`,
    save: "Speichern",
    added: (name) => `Der Pool ${name} wurde hinzugefügt`,
    changed: (name) => `Der Pool ${name} wurde geändert`,
    remove: "Entfernen",
    removeTitle: (name) => `Den Pool ${name} entfernen?`,
    removeText: (shown, count) =>
      `Er hat ${shown} ${count === 1 ? "Adresse" : "Adressen"}. Ein Pool mit Adressen bleibt, ebenso einer, den ein Konto oder ein anderer Pool nennt.`,
    removed: (name) => `Der Pool ${name} wurde entfernt`
  },
  used: {
    title: "Adressen, von denen diese Mail hinausgeht",
    text: "Transaktionsmail und Werbung gehen von den Adressen dieser Pools hinaus.",
    streams: { transactional: "Transaktional", marketing: "Werbung" },
    warming: (shown, count) =>
      `${shown} ${count === 1 ? "E-Mail wartet" : "E-Mails warten"}, bis eine neue Adresse mehr senden darf. Mail wartet höchstens 72 Stunden.`,
    noWarming: "Nichts wartet auf das Aufwärmen einer Adresse.",
    look: "Zeigen",
    change: "Pools ändern",
    changeText: "Ab der nächsten E-Mail. Was wartet, behält seinen Platz.",
    save: "Speichern",
    saved: "Die Pools wurden geändert"
  }
}
