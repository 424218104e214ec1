/**
 * The texts of the marketing settings in German.
 *
 * @module
 */
import type { MarketingTexts } from "./marketingEn.ts"

/** The texts. */
export const marketingDe: MarketingTexts = {
  title: "Werbung",
  text: "Sie gelten für die Werbung von Kampagnen und Abläufen gemeinsam.",
  campaignOpens: "Öffnungen von Kampagnenmails",
  campaignOpensHint: "Ein unsichtbares Bild, wo eine Kampagne nichts anderes sagt.",
  campaignClicks: "Klicks in Kampagnenmails",
  campaignClicksHint: "Links führen über den Dienst, wo eine Kampagne nichts anderes sagt.",
  standingHolds: "Werbung aufhalten, solange die Reputation des Kontos es verlangt",
  standingHoldsHint:
    "Zu viel Unzustellbares oder zu viele Beschwerden halten dann Kampagnen und Abläufe auf, bis jemand nachsieht.",
  timeZone: "Zeitzone von Personen, deren keine bekannt ist",
  timeZoneHint: "Etwa Europe/Berlin. Sonst gilt die des Landes der Person.",
  timeZoneAttribute: "Feld mit der Zeitzone einer Person",
  timeZoneAttributeHint: "Der Schlüssel eines Feldes. Leer für keines.",
  hasQuiet: "Ruhezeit",
  hasQuietHint: "In diesen Stunden nach der Uhr jeder Person wird keine Werbung gesendet.",
  from: "Von",
  to: "Bis",
  caps: "Höchstens Werbemails je Person",
  capsHint:
    "Bis zu 3 davon, etwa 2 in 1, 5 in 7: zwei E-Mails am Tag, fünf in der Woche. Leer für keine Grenze.",
  holdout: "Von aller Werbung zurückbehalten, in Prozent",
  holdoutHint: "0 bis 20. Immer dieselben Personen, damit Sie vergleichen können.",
  reserve: "Teil der Tagesgrenze, den Kampagnen anderen E-Mails lassen, in Prozent",
  reserveHint: "0 bis 50.",
  complaints: "Beschwerden, die eine Kampagne anhalten, in Prozent der zugestellten",
  bounces: "Unzustellbare, die eine Kampagne anhalten, in Prozent der versuchten",
  failures: "Inhalte, die sich nicht erstellen lassen und eine Kampagne anhalten, in Prozent",
  limitHint: "Leer für nie.",
  needsApproval: "Starts brauchen die Freigabe einer zweiten Person",
  needsApprovalHint: "Von jemandem, der Kampagnen starten darf und diese nicht zuletzt geändert hat.",
  approvalAbove: "Ab mehr als so vielen Menschen",
  approvalAboveHint: "0 für jeden Start.",
  testAddresses: "Adressen, die Tests von Kampagnen bekommen",
  testAddressesHint: "Neben denen der Mitglieder. Durch Kommas getrennt.",
  saved: "Einstellungen der Werbung gespeichert",
  save: "Speichern"
}
