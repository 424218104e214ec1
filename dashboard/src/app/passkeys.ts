/**
 * Creates and uses passkeys with the browser's own functions (WebAuthn, level 3), which read and write the same JSON as the API.
 *
 * @module
 */
import type { ValueOf } from "../api/call.ts"

type Options = ValueOf<"POST /session/passkey/options">

/** The browser's credential in the form that the API takes. */
const answerOf = (made: PublicKeyCredential) => {
  const { clientExtensionResults, id, rawId, response, type } = made.toJSON() as
    | RegistrationResponseJSON
    | AuthenticationResponseJSON
  return { id, rawId, type, response: { ...response }, clientExtensionResults: { ...clientExtensionResults } }
}

/** Whether the browser supports passkeys. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential

/** Whether the browser can offer passkeys in the suggestions of a field. */
export const canOfferPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

/** Null instead of an error if the user closed the browser's dialog or let it time out. */
const unlessClosed = async (asked: Promise<Credential | null>) => {
  try {
    const made = (await asked) as PublicKeyCredential | null
    return made === null ? null : answerOf(made)
  } catch (error) {
    if (error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name)) return null
    throw error
  }
}

/** Creates a passkey; null if the user declined. Rejects with `InvalidStateError` if the device already has one. */
export const makePasskey = (options: Options) =>
  unlessClosed(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON
      )
    })
  )

/**
 * Signs with a passkey; null if the user declined. With `offer`, it waits until the user picks one from a field's suggestions.
 */
export const signByPasskey = (options: Options, offer?: AbortSignal) =>
  unlessClosed(
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON
      ),
      ...(offer === undefined ? {} : { signal: offer, mediation: "conditional" as const })
    })
  )
