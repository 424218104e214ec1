/**
 * The words of the hosted pages in French.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const fr: PageTexts = {
  notFound: {
    title: "Ce lien ne fonctionne pas",
    text: "Il a peut-être expiré, ou il en manque une partie. Veuillez utiliser le lien de l’e-mail le plus récent."
  },
  outdated: {
    title: "Ce lien n’est plus valable",
    text: "Il a été envoyé à une adresse qui n’est plus celle de cette inscription. Rien n’a été confirmé. Veuillez utiliser le lien de l’e-mail le plus récent."
  },
  unavailable: {
    title: "Veuillez réessayer",
    text: "Ce n’est pas possible pour le moment. Rien n’a été modifié. Veuillez réessayer dans un instant."
  },
  addressed: (email) => `Pour ${email}`,
  confirm: {
    title: "Veuillez confirmer",
    text: (name) => `Oui, je souhaite recevoir des e-mails de ${name}. Je peux me désabonner à tout moment.`,
    button: "Confirmer"
  },
  subscribed: { title: "Vous êtes abonné", text: (name) => `Merci. Vous recevrez des e-mails de ${name}.` },
  nothingToConfirm: {
    title: "Il n’y a rien à confirmer",
    text: (name) => `Cette inscription aux e-mails de ${name} n’attend plus de confirmation.`
  },
  unsubscribed: {
    title: "Vous êtes désabonné",
    text: (name) => `Vous ne recevrez plus de lettres d’information ni d’offres de ${name}.`
  },
  unsubscribe: {
    title: "Se désabonner",
    text: (name) => `Souhaitez-vous ne plus recevoir de lettres d’information ni d’offres de ${name} ?`,
    button: "Se désabonner"
  },
  preferences: {
    title: (name) => `E-mails de ${name}`,
    saved: "Vos choix sont enregistrés.",
    topics: "Sur quoi souhaitez-vous recevoir des nouvelles ?",
    save: "Enregistrer",
    all: "Tous les e-mails",
    stop: (name) => `Arrêter toutes les lettres d’information et offres de ${name}.`,
    stopAll: "Se désabonner de tout",
    stopped: (name) =>
      `Vous êtes désabonné : vous ne recevez ni lettres d’information ni offres de ${name}, quels que soient les choix ci-dessus.`
  },
  mail: {
    subject: (name) => `Veuillez confirmer : e-mails de ${name}`,
    text: (name) =>
      `Veuillez confirmer que vous souhaitez recevoir des e-mails de ${name}. Le lien est valable 30 jours.`,
    ignore: "Si vous ne vous êtes pas inscrit, ignorez cet e-mail : vous ne recevrez rien."
  },
  links: { unsubscribe: "Se désabonner", preferences: "Préférences" },
  webVersion: { changed: "Cet e-mail affichait d’autres données lors de son envoi." }
}
