/**
 * The texts of a company's settings, its identity providers, and of the account's use and archive in German.
 *
 * @module
 */
import type { companyEn } from "./companyEn.ts"

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const companyDe: typeof companyEn = {
  company: {
    general: "Firma",
    name: "Name",
    factors: "Mitglieder brauchen einen zweiten Faktor",
    factorsHint: "Wer keinen hat, richtet ihn bei der nächsten Anmeldung ein, vor allem anderen.",
    auditDays: "Tage, bis Einträge des Protokolls gelöscht werden",
    auditDaysHint: "90 bis 3.650.",
    brand: "Marke",
    brandText: "Was E-Mails und gehostete Seiten von der Firma zeigen dürfen. Leere Felder zeigen nichts.",
    brandName: "Name, den Menschen kennen",
    logo: "Logo",
    noLogo: "Noch keines. PNG, JPEG, GIF oder WebP.",
    chooseLogo: "Logo hochladen",
    uploading: "Wird hochgeladen",
    removeLogo: "Entfernen",
    accent: "Akzentfarbe",
    background: "Hintergrundfarbe",
    textColour: "Textfarbe",
    colourHint: "Etwa #5048D0.",
    choose: "Wählen",
    address: "Postanschrift",
    footer: "Fußzeile",
    saved: "Firma gespeichert",
    brandSaved: "Marke gespeichert",
    remove: "Diese Firma löschen",
    removeText:
      "Ihre Schlüssel, ihre SMTP-Anmeldungen und ihr Versand enden sofort. Sie kann 30 Tage lang wiederhergestellt werden, dann wird alles in ihr gelöscht.",
    removeTitle: (name) => `${name} löschen?`,
    removeSentence: (live, liveCount, sandbox, keys, keyCount) =>
      `Beendet ${keys} ${plural(keyCount, "Schlüssel", "Schlüssel")}, SMTP und jeden Versand sofort. In 30 Tagen werden ${live} ${plural(liveCount, "Person", "Personen")} des Live-Kontos und ${sandbox} der Sandbox gelöscht, mit E-Mails, Bestellungen und Abläufen. Bis dahin kann sie wiederhergestellt werden.`,
    removed: (name) => `${name} wurde gelöscht`,
    deleted: (until) =>
      `Diese Firma wurde gelöscht. Sie kann bis ${until} wiederhergestellt werden; dann ist alles weg.`,
    restore: "Wiederherstellen",
    restored: "Die Firma wurde wiederhergestellt"
  },
  providers: {
    tab: "Anmeldung",
    text: "Mitglieder dieser Domains melden sich bei Ihrem Identitätsanbieter an (OpenID Connect).",
    none: "Noch kein Identitätsanbieter.",
    add: "Anbieter hinzufügen",
    addText:
      "Registrieren Sie zuerst diesen Dienst beim Anbieter. Die Rücksprungadresse wird danach gezeigt.",
    name: "Name",
    nameHint: "Steht auf dem Knopf, etwa Acme-Anmeldung.",
    issuer: "Aussteller (Issuer)",
    issuerHint: "Die https-Adresse seiner Beschreibung, ohne /.well-known.",
    clientId: "Client-ID",
    clientSecret: "Client-Geheimnis",
    domains: "Domains der Adressen",
    domainsHint: "Mehrere werden durch Kommas getrennt, etwa acme.example.",
    role: "Rolle derer, die sich zum ersten Mal anmelden",
    noRole: "Keine: sie müssen eingeladen sein",
    required: "Keine andere Anmeldung",
    requiredHint: "Passwörter und Passkeys enden für diese Domains, außer für Eigentümer.",
    isRequired: "Vorgeschrieben",
    redirect: "Rücksprungadresse",
    redirectTitle: (name) => `${name} wurde hinzugefügt`,
    redirectText:
      "Registrieren Sie diese Rücksprungadresse beim Anbieter, und versuchen Sie dann die Anmeldung.",
    remove: "Entfernen",
    removeTitle: (name) => `${name} entfernen?`,
    removeText: (shown, count) =>
      `${count === 1 ? "Das eine Mitglied kann" : `Keines der ${shown} Mitglieder kann`} sich damit ${count === 1 ? "nicht" : ""} mehr anmelden: Wer es tat, braucht einen anderen Weg, etwa ein Passwort. Sitzungen laufen bis zu ihrem Ende.`,
    removed: (name) => `${name} wurde entfernt`
  },
  usage: {
    title: "Verbrauch",
    contacts: "Personen",
    emails: "E-Mails heute",
    of: (used, limit) => `${used} von ${limit}`,
    unlimited: (used) => `${used}, keine Grenze`
  },
  erasure: {
    before: (date) => `Jetzt: was älter ist als ${date}.`,
    never: "Nichts wird aufbewahrt."
  },
  archive: {
    title: "Konto als Datei",
    text: "Einstellungen, Themen, Felder, Segmente, Vorlagen, Abläufe, Personen mit Einwilligung, Sperren und Katalog. Keine Geheimnisse, keine E-Mails.",
    export: "Exportieren",
    exportDone: "Das Archiv wurde gespeichert",
    import: "Importieren",
    importTitle: "Ein Archiv importieren",
    importText: "Was das Konto schon hat, bleibt; eine früher importierte Zeile ändert nichts.",
    file: "Archiv",
    noFile: "Wählen Sie die Datei eines Exports.",
    imported: (added, changed, unchanged) =>
      `${added} hinzugefügt, ${changed} geändert, ${unchanged} unverändert.`,
    refused: (shown, count) => `${shown} ${plural(count, "Zeile wurde", "Zeilen wurden")} abgelehnt:`,
    line: (shown) => `Zeile ${shown}`
  }
}
