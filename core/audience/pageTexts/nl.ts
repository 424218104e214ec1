/**
 * The words of the hosted pages in Dutch.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const nl: PageTexts = {
  notFound: {
    title: "Deze link werkt niet",
    text: "Hij is misschien verlopen, of er ontbreekt een deel. Gebruik de link in de meest recente e-mail."
  },
  outdated: {
    title: "Deze link is niet meer geldig",
    text: "Hij is verzonden naar een adres dat niet meer bij deze aanmelding hoort. Er is niets bevestigd. Gebruik de link in de meest recente e-mail."
  },
  unavailable: {
    title: "Probeer het opnieuw",
    text: "Dit kan nu niet. Er is niets gewijzigd. Probeer het zo meteen opnieuw."
  },
  addressed: (email) => `Voor ${email}`,
  confirm: {
    title: "Bevestig alstublieft",
    text: (name) => `Ja, ik wil e-mails van ${name} ontvangen. Ik kan me op elk moment afmelden.`,
    button: "Bevestigen"
  },
  subscribed: { title: "U bent aangemeld", text: (name) => `Dank u. U ontvangt e-mails van ${name}.` },
  nothingToConfirm: {
    title: "Er is niets te bevestigen",
    text: (name) => `Deze aanmelding voor e-mails van ${name} wacht niet meer op bevestiging.`
  },
  unsubscribed: {
    title: "U bent afgemeld",
    text: (name) => `U ontvangt geen nieuwsbrieven en aanbiedingen van ${name} meer.`
  },
  unsubscribe: {
    title: "Afmelden",
    text: (name) => `Wilt u geen nieuwsbrieven en aanbiedingen van ${name} meer ontvangen?`,
    button: "Afmelden"
  },
  preferences: {
    title: (name) => `E-mails van ${name}`,
    saved: "Uw keuzes zijn opgeslagen.",
    topics: "Waarover wilt u lezen?",
    save: "Opslaan",
    all: "Alle e-mails",
    stop: (name) => `Alle nieuwsbrieven en aanbiedingen van ${name} stoppen.`,
    stopAll: "Voor alles afmelden",
    stopped: (name) =>
      `U bent afgemeld: u ontvangt geen nieuwsbrieven en aanbiedingen van ${name}, wat hierboven ook gekozen is.`
  },
  mail: {
    subject: (name) => `Bevestig alstublieft: e-mails van ${name}`,
    text: (name) => `Bevestig dat u e-mails van ${name} wilt ontvangen. De link werkt 30 dagen.`,
    ignore: "Hebt u zich niet aangemeld, negeer dan deze e-mail: u ontvangt niets."
  },
  links: { unsubscribe: "Afmelden", preferences: "Voorkeuren" },
  webVersion: { changed: "Deze e-mail toonde andere gegevens toen hij werd verzonden." }
}
