/**
 * The words of the hosted pages in Spanish.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const es: PageTexts = {
  notFound: {
    title: "Este enlace no funciona",
    text: "Puede que haya caducado o que falte una parte. Utilice el enlace del correo más reciente."
  },
  outdated: {
    title: "Este enlace ya no es válido",
    text: "Se envió a una dirección que ya no es la de esta suscripción. No se ha confirmado nada. Utilice el enlace del correo más reciente."
  },
  unavailable: {
    title: "Inténtelo de nuevo",
    text: "Ahora no es posible. No se ha cambiado nada. Inténtelo de nuevo en un momento."
  },
  addressed: (email) => `Para ${email}`,
  confirm: {
    title: "Confirme, por favor",
    text: (name) => `Sí, quiero recibir correos de ${name}. Puedo darme de baja en cualquier momento.`,
    button: "Confirmar"
  },
  subscribed: { title: "Está suscrito", text: (name) => `Gracias. Recibirá correos de ${name}.` },
  nothingToConfirm: {
    title: "No hay nada que confirmar",
    text: (name) => `Esta suscripción a los correos de ${name} ya no espera confirmación.`
  },
  unsubscribed: {
    title: "Se ha dado de baja",
    text: (name) => `Ya no recibirá boletines ni ofertas de ${name}.`
  },
  unsubscribe: {
    title: "Darse de baja",
    text: (name) => `¿Quiere dejar de recibir boletines y ofertas de ${name}?`,
    button: "Darse de baja"
  },
  preferences: {
    title: (name) => `Correos de ${name}`,
    saved: "Sus preferencias se han guardado.",
    topics: "¿Sobre qué le gustaría recibir noticias?",
    save: "Guardar",
    all: "Todos los correos",
    stop: (name) => `Dejar de recibir todos los boletines y ofertas de ${name}.`,
    stopAll: "Darse de baja de todo",
    stopped: (name) =>
      `Se ha dado de baja: no recibe boletines ni ofertas de ${name}, sea cual sea su elección anterior.`
  },
  mail: {
    subject: (name) => `Confirme, por favor: correos de ${name}`,
    text: (name) => `Confirme que quiere recibir correos de ${name}. El enlace es válido durante 30 días.`,
    ignore: "Si no se ha suscrito, ignore este correo: no recibirá nada."
  },
  links: { unsubscribe: "Darse de baja", preferences: "Preferencias" },
  webVersion: { changed: "Este correo mostraba otros datos cuando se envió." }
}
