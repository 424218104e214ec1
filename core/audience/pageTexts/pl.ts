/**
 * The words of the hosted pages in Polish.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const pl: PageTexts = {
  notFound: {
    title: "Ten link nie działa",
    text: "Mógł wygasnąć lub brakuje jego części. Proszę użyć linku z najnowszej wiadomości."
  },
  outdated: {
    title: "Ten link nie jest już ważny",
    text: "Został wysłany na adres, który nie należy już do tej subskrypcji. Niczego nie potwierdzono. Proszę użyć linku z najnowszej wiadomości."
  },
  unavailable: {
    title: "Proszę spróbować ponownie",
    text: "Teraz nie jest to możliwe. Niczego nie zmieniono. Proszę spróbować za chwilę."
  },
  addressed: (email) => `Dla ${email}`,
  confirm: {
    title: "Proszę potwierdzić",
    text: (name) => `Tak, chcę otrzymywać wiadomości od ${name}. Mogę zrezygnować w każdej chwili.`,
    button: "Potwierdź"
  },
  subscribed: {
    title: "Subskrypcja jest aktywna",
    text: (name) => `Dziękujemy. Będą Państwo otrzymywać wiadomości od ${name}.`
  },
  nothingToConfirm: {
    title: "Nie ma czego potwierdzać",
    text: (name) => `Ta subskrypcja wiadomości od ${name} nie czeka już na potwierdzenie.`
  },
  unsubscribed: {
    title: "Subskrypcja została anulowana",
    text: (name) => `Nie będą już Państwo otrzymywać newsletterów i ofert od ${name}.`
  },
  unsubscribe: {
    title: "Rezygnacja",
    text: (name) => `Czy chcą Państwo przestać otrzymywać newslettery i oferty od ${name}?`,
    button: "Rezygnuję"
  },
  preferences: {
    title: (name) => `Wiadomości od ${name}`,
    saved: "Wybór został zapisany.",
    topics: "O czym chcą Państwo czytać?",
    save: "Zapisz",
    all: "Wszystkie wiadomości",
    stop: (name) => `Zatrzymaj wszystkie newslettery i oferty od ${name}.`,
    stopAll: "Rezygnuję ze wszystkich",
    stopped: (name) =>
      `Subskrypcja jest anulowana: nie otrzymują Państwo newsletterów ani ofert od ${name}, niezależnie od powyższego wyboru.`
  },
  mail: {
    subject: (name) => `Proszę potwierdzić: wiadomości od ${name}`,
    text: (name) => `Proszę potwierdzić chęć otrzymywania wiadomości od ${name}. Link działa przez 30 dni.`,
    ignore: "Jeśli to nie Państwa zgłoszenie, proszę zignorować tę wiadomość: nic więcej nie przyjdzie."
  },
  links: { unsubscribe: "Rezygnacja", preferences: "Preferencje" },
  webVersion: { changed: "W chwili wysłania ten e-mail zawierał inne dane." }
}
