/**
 * Explanations that name a state, in German (`core/explain/ExplainRules.ts`), and the texts that introduce a server's reply.
 *
 * @module
 */

/** A sentence for each of the values. */
const each = (
  form: (value: string) => string,
  german: (value: string) => string,
  values: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([value, text]) => [form(value), german(text)]))

/** The sentences. */
export const statesDe: Readonly<Record<string, string>> = {
  ...each(
    (status) => `The person's consent is ${status}, which does not allow marketing email.`,
    (text) => `Die Einwilligung der Person erlaubt keine Werbung: ${text}.`,
    {
      Unknown: "Sie ist unbekannt",
      Unsubscribed: "Die Person hat sich abgemeldet",
      Bounced: "Die Adresse war unzustellbar",
      Complained: "Die Person hat sich beschwert",
      CheckoutStarted: "Die Person hat nur einen Kauf begonnen",
      PendingConfirmation: "Die Person ist um eine Bestätigung gebeten"
    }
  ),
  ...each(
    (status) => `The flow is ${status} and starts no runs.`,
    (text) => `Der Ablauf ist ${text} und beginnt keine Läufe.`,
    {
      draft: "ein Entwurf",
      published: "veröffentlicht",
      paused: "angehalten",
      archived: "archiviert"
    }
  ),
  ...each(
    (moved) => `The person has not ${moved} the flow's segment since the flow was published.`,
    (text) => `Seit der Ablauf veröffentlicht ist, ist die Person ${text}.`,
    { entered: "nicht in sein Segment gekommen", left: "nicht aus seinem Segment gefallen" }
  ),
  ...each(
    (status) => `The campaign is ${status}, and its audience has not been determined yet.`,
    (text) => `Die Kampagne ${text}, und ihre Empfänger stehen noch nicht fest.`,
    {
      draft: "ist ein Entwurf",
      scheduled: "ist geplant",
      sending: "wird gesendet",
      paused: "ist angehalten",
      sent: "ist gesendet",
      cancelled: "ist abgebrochen"
    }
  ),
  ...each(
    (detail) => `The person is a recipient, but the campaign is paused: ${detail}.`,
    (text) => `Die Person gehört zu den Empfängern, aber die Kampagne ist angehalten: ${text}.`,
    {
      "a person paused it": "jemand hat sie angehalten",
      "a check did not pass when its time came": "eine Prüfung schlug fehl, als ihre Zeit kam",
      "too many people complained": "zu viele Personen beschwerten sich",
      "too many addresses bounced": "zu viele Adressen waren unzustellbar",
      "its content did not render for too many people":
        "ihr Inhalt ließ sich für zu viele Personen nicht darstellen",
      "its sender is no longer on a verified domain":
        "ihr Absender ist nicht mehr auf einer bestätigten Domain",
      "the account's marketing is held by its standing":
        "die Werbung des Kontos ist wegen seiner Reputation angehalten"
    }
  )
}

/** The texts between a message and a server's reply, or the reason why there was no reply. */
export const leadsDe: Readonly<Record<string, string>> = {
  " The server replied: ": " Der Server antwortete: ",
  " There was no reply: ": " Es kam keine Antwort: "
}
