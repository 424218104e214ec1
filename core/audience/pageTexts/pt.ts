/**
 * The words of the hosted pages in Portuguese.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const pt: PageTexts = {
  notFound: {
    title: "Esta ligação não funciona",
    text: "Pode ter expirado ou estar incompleta. Use a ligação do e-mail mais recente."
  },
  outdated: {
    title: "Esta ligação já não é válida",
    text: "Foi enviada para um endereço que já não é o desta inscrição. Nada foi confirmado. Use a ligação do e-mail mais recente."
  },
  unavailable: {
    title: "Tente novamente",
    text: "De momento não é possível. Nada foi alterado. Tente novamente daqui a pouco."
  },
  addressed: (email) => `Para ${email}`,
  confirm: {
    title: "Confirme, por favor",
    text: (name) => `Sim, quero receber e-mails de ${name}. Posso cancelar a subscrição a qualquer momento.`,
    button: "Confirmar"
  },
  subscribed: { title: "Está inscrito", text: (name) => `Obrigado. Vai receber e-mails de ${name}.` },
  nothingToConfirm: {
    title: "Não há nada a confirmar",
    text: (name) => `Esta inscrição nos e-mails de ${name} já não aguarda confirmação.`
  },
  unsubscribed: {
    title: "A subscrição foi cancelada",
    text: (name) => `Não vai receber mais newsletters nem ofertas de ${name}.`
  },
  unsubscribe: {
    title: "Cancelar a subscrição",
    text: (name) => `Quer deixar de receber newsletters e ofertas de ${name}?`,
    button: "Cancelar a subscrição"
  },
  preferences: {
    title: (name) => `E-mails de ${name}`,
    saved: "As suas escolhas foram guardadas.",
    topics: "Sobre o que gostaria de receber notícias?",
    save: "Guardar",
    all: "Todos os e-mails",
    stop: (name) => `Parar todas as newsletters e ofertas de ${name}.`,
    stopAll: "Cancelar tudo",
    stopped: (name) =>
      `A subscrição está cancelada: não recebe newsletters nem ofertas de ${name}, seja qual for a escolha acima.`
  },
  mail: {
    subject: (name) => `Confirme, por favor: e-mails de ${name}`,
    text: (name) => `Confirme que quer receber e-mails de ${name}. A ligação é válida durante 30 dias.`,
    ignore: "Se não se inscreveu, ignore este e-mail: não receberá nada."
  },
  links: { unsubscribe: "Cancelar a subscrição", preferences: "Preferências" },
  webVersion: { changed: "Este e-mail mostrava outros dados quando foi enviado." }
}
