/**
 * The texts of the user's own passkeys and tokens in German.
 *
 * @module
 */
import type { personalEn } from "./personalEn.ts"

/** The texts. */
export const personalDe: typeof personalEn = {
  passkeys: {
    title: "Passkeys",
    text: "Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an statt mit einem Passwort. Ein Passkey zählt als zwei Faktoren.",
    none: "Noch kein Passkey. Fügen Sie auf jedem Gerät einen hinzu, auf dem Sie sich anmelden.",
    unsupported: "Dieser Browser kennt keine Passkeys.",
    add: "Passkey hinzufügen",
    addText: "Ihr Browser fragt als Nächstes nach Fingerabdruck, Gesicht oder Bildschirmsperre.",
    name: "Name",
    nameHint: "Etwa der des Geräts.",
    already: "Auf diesem Gerät ist schon ein Passkey von Ihnen.",
    added: "Passkey hinzugefügt",
    created: "Hinzugefügt",
    used: "Zuletzt benutzt",
    unused: "noch nicht benutzt",
    rename: "Umbenennen",
    renamed: "Passkey umbenannt",
    remove: "Entfernen",
    removeTitle: (name) => `${name} entfernen?`,
    removeText: (left, others) =>
      `Sie können sich damit nicht mehr anmelden; ${left === 0 ? "kein anderer Passkey bleibt" : left === 1 ? "1 anderer Passkey bleibt" : `${left} andere Passkeys bleiben`}. ${others === 1 ? "1 andere Sitzung endet" : `${others} andere Sitzungen enden`}. Entfernen Sie ihn auch vom Gerät.`,
    removed: "Passkey entfernt"
  },
  personalTokens: {
    text: "Geheimnisse, mit denen Programme als Sie handeln, wie die Kommandozeile. Sie enden mit Ihrem Konto.",
    none: "Noch kein Token. Der Befehl svc login legt für die Kommandozeile selbst eines an.",
    add: "Token anlegen",
    addText: "Wer es hat, darf, was Sie dürfen, in den Grenzen der gewählten Rechte.",
    rights: "Rechte",
    everything: "Alles, was ich darf",
    chosen: "Nur einige Rechte",
    choose: "Wählen Sie mindestens ein Recht.",
    expires: "Läuft ab",
    used: "Zuletzt benutzt",
    unused: "noch nicht benutzt"
  }
}
