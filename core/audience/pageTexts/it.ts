/**
 * The words of the hosted pages in Italian.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const it: PageTexts = {
  notFound: {
    title: "Questo link non funziona",
    text: "Potrebbe essere scaduto o incompleto. Usi il link dell’e-mail più recente."
  },
  outdated: {
    title: "Questo link non è più valido",
    text: "È stato inviato a un indirizzo che non è più quello di questa iscrizione. Non è stato confermato nulla. Usi il link dell’e-mail più recente."
  },
  unavailable: {
    title: "Riprovi",
    text: "Al momento non è possibile. Non è stato modificato nulla. Riprovi tra poco."
  },
  addressed: (email) => `Per ${email}`,
  confirm: {
    title: "Confermi, per favore",
    text: (name) =>
      `Sì, desidero ricevere e-mail da ${name}. Posso annullare l’iscrizione in qualsiasi momento.`,
    button: "Conferma"
  },
  subscribed: { title: "Iscrizione confermata", text: (name) => `Grazie. Riceverà e-mail da ${name}.` },
  nothingToConfirm: {
    title: "Non c’è nulla da confermare",
    text: (name) => `Questa iscrizione alle e-mail di ${name} non è più in attesa di conferma.`
  },
  unsubscribed: {
    title: "Iscrizione annullata",
    text: (name) => `Non riceverà più newsletter e offerte da ${name}.`
  },
  unsubscribe: {
    title: "Annulla l’iscrizione",
    text: (name) => `Desidera non ricevere più newsletter e offerte da ${name}?`,
    button: "Annulla l’iscrizione"
  },
  preferences: {
    title: (name) => `E-mail di ${name}`,
    saved: "Le Sue scelte sono state salvate.",
    topics: "Di che cosa desidera ricevere notizie?",
    save: "Salva",
    all: "Tutte le e-mail",
    stop: (name) => `Interrompere tutte le newsletter e le offerte di ${name}.`,
    stopAll: "Annulla tutte le iscrizioni",
    stopped: (name) =>
      `L’iscrizione è annullata: non riceve newsletter né offerte da ${name}, qualunque sia la scelta qui sopra.`
  },
  mail: {
    subject: (name) => `Confermi, per favore: e-mail da ${name}`,
    text: (name) => `Confermi che desidera ricevere e-mail da ${name}. Il link è valido per 30 giorni.`,
    ignore: "Se non si è iscritto, ignori questa e-mail: non riceverà nulla."
  },
  links: { unsubscribe: "Annulla l’iscrizione", preferences: "Preferenze" },
  webVersion: { changed: "Questa e-mail mostrava altri dati quando è stata inviata." }
}
